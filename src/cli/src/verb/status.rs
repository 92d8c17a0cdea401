//! `betwixt status`: how a list stands with its relay.

use betwixt_client::{LinkStatus, Site};
use betwixt_core::safe_text::SafeText;
use serde_json::json;

use super::link::unlinked;
use super::tell_kept;
use crate::args::Place;
use crate::print;
use crate::report::Report;

/// Prints the status of a list.
pub(super) fn print(site: &Site, place: &Place) -> Result<(), Report> {
    let (status, list) = (site.status(), site.name());
    let (mark, uid, kept) = (site.mark(), site.uid(), site.kept());
    let figures = site.read(|list| {
        let lengths = list.lengths();
        let title = list.title().unwrap_or_default().to_owned();
        (title, list.epoch().number, list.items().len(), lengths.keys(), lengths.longest(), lengths.mean_hundredths())
    });
    let (title, epoch, items, live, longest, mean) = figures;
    let connected = status.link == LinkStatus::Live;
    if place.json {
        let refused: Vec<_> = kept
            .iter()
            .map(|(number, kept)| {
                let (what, why) = tell_kept(kept);
                json!({ "number": number, "what": what, "why": why })
            })
            .collect();
        #[expect(clippy::cast_precision_loss, reason = "a mean of at most 128 bytes in hundredths")]
        let mean = mean as f64 / 100.0;
        return print::json(&json!({
            "list": list.as_str(), "title": title, "uid": uid.to_string(), "seq": mark.seq, "epoch": epoch, "items": items, "live": live,
            "longest": longest, "mean": mean, "pending": status.unsent, "refused": refused, "connected": connected,
        }));
    }
    let link = unlinked(site, place).unwrap_or_else(|| "connected".to_owned());
    let unsent = if status.unsent == 0 { "all sent".to_owned() } else { format!("{} unsent", status.unsent) };
    let rows = [
        format!("{list}  {link}, {unsent}"),
        format!("{live} items, {} in the trash, {} ops, list {uid}", items - live, mark.seq),
        format!("keys: longest {longest}, mean {}.{:02}, epoch {epoch}", mean / 100, mean % 100),
    ];
    let refused = kept.iter().map(|(number, kept)| {
        let (what, why) = tell_kept(kept);
        format!("refused {number}: {} ({why})", SafeText::line(&what))
    });
    let title = Some(title).filter(|title| !title.is_empty());
    let title = title.map(|title| format!("title: {}", SafeText::line(&title)));
    print::lines(rows.into_iter().chain(title).chain(refused))
}
