//! How long keys have grown is shown in four places, and it is the same in all of them.

use std::time::Duration;

use betwixt_tests::home::Home;
use betwixt_tests::relay::Relay;
use betwixt_tests::terminal::Terminal;
use betwixt_tests::wait::{LONG, until};

/// Longest and mean key, as somebody shows them: bytes, and tenths of bytes.
type Shown = (u64, u64);

/// `keys to   4 B, mean   3.21` of the last line about the list that a relay has printed.
fn of_relay(relay: &Relay) -> Option<Shown> {
    let printed = relay.printed();
    let line = printed.iter().rfind(|line| line.starts_with("work "))?;
    let (longest, mean) = line.split_once("keys to")?.1.split_once("B, mean")?;
    Some((longest.trim().parse().ok()?, tenths(mean.split(',').next()?)?))
}

/// `keys longest 4 · mean 3.2 · ` of a screen's gauge.
fn of_screen(screen: &Terminal) -> Option<Shown> {
    let screen = screen.screen();
    let gauge = screen.lines().find_map(|line| line.split_once("keys longest "))?.1;
    let mut parts = gauge.split(" · ");
    let longest = parts.next()?.split(' ').next()?.parse().ok()?;
    Some((longest, tenths(parts.next()?.strip_prefix("mean ")?)?))
}

fn of_status(home: &Home) -> Option<Shown> {
    let status = home.json(["status", "work"]);
    let plain = home.ok(["status", "work"]);
    let longest = status["longest"].as_u64()?;
    assert!(plain.contains(&format!("keys: longest {longest}, mean ")), "{plain}");
    Some((longest, tenths(&status["mean"].to_string())?))
}

/// A number with two digits behind the point, in tenths and cut off, as the gauge shows it.
fn tenths(text: &str) -> Option<u64> {
    let (whole, part) = text.trim().split_once('.').unwrap_or((text.trim(), "0"));
    Some(whole.parse::<u64>().ok()? * 10 + u64::from(part.chars().next()?.to_digit(10)?))
}

#[test]
fn relay_both_screens_and_status_show_the_same_longest_key_while_fifty_go_into_one_gap() {
    let relay = Relay::default();
    let (ana, ben) = (Home::at_relay(&relay.url()), Home::at_relay(&relay.url()));
    ana.ok_with_input(["add", "work", "-", "--wait", "10"], "above\nbelow\n");
    let mut screens = [ana.open(["work"]), ben.open(["work"])];
    for screen in &mut screens {
        // All rows in sight: whose cursor is on which of them does not matter then.
        screen.resize((120, 70));
        screen.wait_for("all sent");
        screen.wait_for("keys longest");
    }
    let mut grown = Vec::new();
    for number in 1..=50 {
        // By turns: both write right below the first item, always into one gap.
        let writer = &mut screens[number % 2];
        let text = format!("between {number:02}.");
        writer.keys("ggo").keys(&text).keys("\r\x1b");
        writer.wait_until(LONG, "its item, sent", |seen| seen.contains(&text) && seen.contains("all sent"));
        if !matches!(number, 1 | 5 | 10 | 20 | 35 | 50) {
            continue;
        }
        for screen in &screens {
            screen.wait_for(&text);
            screen.wait_for(&format!("of {}", number + 2));
        }
        let shown = until(Duration::from_secs(10), "relay, both screens and status agree", || {
            let shown = [of_relay(&relay), of_screen(&screens[0]), of_screen(&screens[1]), of_status(&ana)];
            shown.iter().all(|one| one.is_some() && *one == shown[0]).then_some(shown[0]).flatten()
        });
        grown.push(shown);
    }
    // Figures that never moved would agree too.
    let (first, last) = (grown[0], grown[grown.len() - 1]);
    assert!(last.0 > first.0 && last.1 > first.1, "the keys did not grow: {grown:?}");
    assert_eq!(ana.texts("work"), ben.texts("work"));
    assert_eq!(ana.texts("work").len(), 52);
}
