//! The screen as a person sees it: keys go in, rows come out.

mod desk;
mod dialogs;
mod gone;
mod hostile;
mod list;
mod lists;
mod moving;
mod others;
mod props;
mod snapshots;
mod snapshots_lists;
mod writing;
