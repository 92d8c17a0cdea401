//! From the events of a Markdown parser to the boxes of its task lists.

use core::ops::Range;

use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag, TagEnd};

use crate::limits::DEPTH_MAX;

/// A box.
pub(super) struct Found {
    /// Where it begins in the file, in bytes.
    pub(super) begin: usize,
    pub(super) done: bool,
    /// How many boxes it is in.
    pub(super) level: u8,
    /// The source of its first paragraph, in one line.
    pub(super) text: String,
    /// Its other paragraphs.
    pub(super) note: String,
}

/// A block that is open.
enum Block {
    /// An item of a list, and which box it has.
    Item(Option<usize>),
    Quote,
    /// A code fence that holds the note of this box.
    Note(usize),
    Other,
}

/// How far the events of a file have been read.
pub(super) struct Reading<'a> {
    source: &'a str,
    blocks: Vec<Block>,
    found: Vec<Found>,
    /// The box whose first paragraph goes on, and its source so far.
    line: Option<(usize, Range<usize>)>,
}

impl<'a> Reading<'a> {
    pub(super) fn new(source: &'a str) -> Self {
        Self { source, blocks: Vec::new(), found: Vec::new(), line: None }
    }

    /// The boxes, in order.
    pub(super) fn read(mut self) -> Vec<Found> {
        let events = Parser::new_ext(self.source, Options::ENABLE_TASKLISTS).into_offset_iter();
        for (event, range) in events {
            self.step(&event, range);
        }
        self.found
    }

    fn step(&mut self, event: &Event<'_>, range: Range<usize>) {
        match event {
            Event::TaskListMarker(done) => self.begin(*done, &range),
            Event::Text(text) if matches!(self.blocks.last(), Some(Block::Note(_))) => self.note(text),
            Event::Start(tag) if !is_inline(tag.to_end()) => {
                self.end_line();
                self.open(tag, range);
            }
            Event::End(tag) if !is_inline(*tag) => {
                self.end_line();
                if let Some(Block::Note(found)) = self.blocks.pop() {
                    // The line feed before the closing fence is the fence's.
                    self.at(found).note.pop();
                }
            }
            Event::Rule | Event::Html(_) => self.end_line(),
            _ => {
                if let Some((_, line)) = &mut self.line {
                    line.end = line.end.max(range.end);
                }
            }
        }
    }

    fn begin(&mut self, done: bool, range: &Range<usize>) {
        let around = self.blocks.iter().filter(|block| matches!(block, Block::Item(Some(_)))).count();
        let level = u8::try_from(around).unwrap_or(DEPTH_MAX).min(DEPTH_MAX);
        let found = self.found.len();
        if let Some(item) = self.blocks.iter_mut().rev().find(|block| matches!(block, Block::Item(_))) {
            *item = Block::Item(Some(found));
        }
        self.found.push(Found { begin: range.start, done, level, text: String::new(), note: String::new() });
        self.line = Some((found, range.end..range.end));
    }

    fn end_line(&mut self) {
        if let Some((found, range)) = self.line.take() {
            let text = self.lines(range).join(" ");
            self.at(found).text = text;
        }
    }

    fn open(&mut self, tag: &Tag<'_>, range: Range<usize>) {
        let around = match self.blocks.last() {
            Some(Block::Item(found)) => *found,
            _ => None,
        };
        let block = match (tag, around) {
            (Tag::Item, _) => Block::Item(None),
            (Tag::BlockQuote(_), _) => Block::Quote,
            (Tag::CodeBlock(CodeBlockKind::Fenced(info)), Some(found)) if &**info == "note" => {
                self.separate(found);
                Block::Note(found)
            }
            (Tag::Paragraph, Some(found)) => {
                self.separate(found);
                let lines = self.lines(range).join("\n");
                self.at(found).note.push_str(&lines);
                Block::Other
            }
            _ => Block::Other,
        };
        self.blocks.push(block);
    }

    fn note(&mut self, text: &str) {
        if let Some(&Block::Note(found)) = self.blocks.last() {
            self.at(found).note.push_str(text);
        }
    }

    /// A box that was found: what names one here was its place when it was pushed, and none is ever taken away.
    fn at(&mut self, found: usize) -> &mut Found {
        &mut self.found[found]
    }

    fn separate(&mut self, found: usize) {
        let note = &mut self.at(found).note;
        if !note.is_empty() {
            note.push_str("\n\n");
        }
    }

    /// The lines of a paragraph, without what indents and quotes them.
    fn lines(&self, range: Range<usize>) -> Vec<&'a str> {
        let quotes = self.blocks.iter().filter(|block| matches!(block, Block::Quote)).count();
        let source: &'a str = self.source.get(range).unwrap_or_default();
        let lines = source.trim_matches(BLANK).split('\n').enumerate().map(|(number, line)| {
            let mut line = line.trim_matches(BLANK);
            for _ in 0..if number == 0 { 0 } else { quotes } {
                line = line.strip_prefix('>').unwrap_or(line).trim_start_matches(BLANK);
            }
            line
        });
        lines.collect()
    }
}

/// What Markdown trims.
const BLANK: [char; 4] = [' ', '\t', '\n', '\r'];

const fn is_inline(tag: TagEnd) -> bool {
    matches!(
        tag,
        TagEnd::Emphasis
            | TagEnd::Strong
            | TagEnd::Strikethrough
            | TagEnd::Superscript
            | TagEnd::Subscript
            | TagEnd::Link
            | TagEnd::Image
    )
}
