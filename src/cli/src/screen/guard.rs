//! The terminal: what is switched on is switched off on every way out.

use std::io::{self, IsTerminal as _, Stdout, Write as _};
use std::mem::ManuallyDrop;

use crossterm::cursor::Show;
use crossterm::event::{DisableBracketedPaste, EnableBracketedPaste};
use crossterm::terminal::{
    BeginSynchronizedUpdate, EndSynchronizedUpdate, EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode,
    enable_raw_mode,
};
use crossterm::{execute, queue};
use ratatui::Frame;
use ratatui::Terminal;
use ratatui::backend::CrosstermBackend;
use ratatui::layout::{Position, Rect};

use crate::report::Report;

/// The terminal in raw mode, on its other screen; given back when dropped, also by a panic.
pub(super) struct Guard {
    /// Never dropped: that would write to standard error if the cursor cannot be shown again, and panic where the whole
    /// terminal is gone, before anything else is put in order. `give_back` shows the cursor.
    terminal: ManuallyDrop<Terminal<CrosstermBackend<io::BufWriter<Stdout>>>>,
}

/// Whether there is a terminal to draw on.
pub(super) fn check_terminal() -> Result<(), Report> {
    let on_terminal = io::stdout().is_terminal() && io::stdin().is_terminal();
    if on_terminal && std::env::var_os("TERM").is_none_or(|term| term != "dumb") {
        return Ok(());
    }
    Err(Report::new("the screen needs a terminal; `betwixt --help` names the verbs that do without"))
}

impl Guard {
    /// Takes the terminal.
    pub(super) fn enter() -> io::Result<Self> {
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            give_back();
            before(panic);
        }));
        take()?;
        // One write a frame: over a network each one is a packet.
        let out = io::BufWriter::with_capacity(64 * 1024, io::stdout());
        Ok(Self { terminal: ManuallyDrop::new(Terminal::new(CrosstermBackend::new(out))?) })
    }

    /// Draws a frame: what differs from the last one, at once.
    pub(super) fn draw(&mut self, render: impl FnOnce(&mut Frame<'_>)) -> io::Result<()> {
        queue!(self.terminal.backend_mut(), BeginSynchronizedUpdate)?;
        self.terminal.draw(render)?;
        queue!(self.terminal.backend_mut(), EndSynchronizedUpdate)?;
        io::Write::flush(self.terminal.backend_mut())
    }

    /// Draws everything anew with the next frame, at the size that the terminal has now.
    pub(super) fn redraw(&mut self) -> io::Result<()> {
        // `Terminal::clear` would ask the terminal where the cursor is, and the answer would go to the key reader.
        let size = self.terminal.size()?;
        self.terminal.resize(Rect::from((Position::ORIGIN, size)))
    }

    /// Gives the terminal back for a while.
    pub(super) fn leave(&mut self) -> io::Result<()> {
        io::Write::flush(self.terminal.backend_mut())?;
        give_back();
        Ok(())
    }

    /// Takes it again.
    pub(super) fn reenter(&mut self) -> io::Result<()> {
        take()?;
        self.redraw()
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        give_back();
    }
}

fn take() -> io::Result<()> {
    enable_raw_mode()?;
    execute!(io::stdout(), EnterAlternateScreen, EnableBracketedPaste)
}

/// Undoes `take`. A terminal that is gone takes nothing, and needs nothing.
fn give_back() {
    let mut out = io::stdout();
    let _ = execute!(out, EndSynchronizedUpdate, DisableBracketedPaste, LeaveAlternateScreen, Show);
    let _ = out.flush();
    let _ = disable_raw_mode();
}
