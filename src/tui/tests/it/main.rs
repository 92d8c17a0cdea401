//! The screen as a person sees it: keys go in, rows come out.

mod desk;
mod dialogs;
mod hostile;
mod list;
mod others;
mod props;
mod snapshots;
mod writing;
