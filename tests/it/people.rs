//! Two people at once on a real list: a script of real key presses, from a seed.

use std::path::Path;
use std::time::{Duration, Instant};

use betwixt_tests::home::Home;
use betwixt_tests::wait::LONG;

/// A small generator of random numbers (xorshift64*): a seed replays a run.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) % sides
    }
}

/// How long the two work. `BETWIXT_PEOPLE` sets the seconds.
fn working_time() -> Duration {
    let seconds = std::env::var("BETWIXT_PEOPLE").ok().and_then(|text| text.parse().ok());
    Duration::from_secs(seconds.unwrap_or(10))
}

fn seed() -> u64 {
    std::env::var("BETWIXT_SEED").ok().and_then(|text| text.parse().ok()).unwrap_or(20_261_130)
}

/// The texts of the boxes of a Markdown file, as a shell line would cut them out.
fn boxes(text: &str) -> Vec<String> {
    let boxed = text.lines().filter_map(|line| {
        let line = line.trim_start();
        let item = ["- [ ] ", "- [x] ", "* [ ] ", "+ [ ] "].iter().find_map(|mark| line.strip_prefix(mark))?;
        Some(item.trim().to_owned())
    });
    boxed.collect()
}

/// One thing that a person does, as keys.
fn keys(dice: &mut Dice) -> String {
    let count = dice.roll(9) + 1;
    match dice.roll(16) {
        0 | 1 => format!("{count}j"),
        2 => format!("{count}k"),
        3 => format!("{}G", dice.roll(400) + 1),
        4 | 5 => format!("{count}J"),
        6 => format!("{count}K"),
        7 => "gK".to_owned(),
        8 => " ".to_owned(),
        9 => format!("i {count}\r"),
        10 => format!("onew {count}\r\x1b"),
        11 => "dd".to_owned(),
        12 => ">".to_owned(),
        13 => "<".to_owned(),
        14 => "\x12".to_owned(),
        _ => "u".to_owned(),
    }
}

#[test]
fn two_people_work_through_a_real_list_and_see_the_same_at_the_end() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/data/md-coding-interview-university.md");
    let Ok(text) = std::fs::read_to_string(&file) else {
        println!("skipped: {} is not there", file.display());
        return;
    };
    let seed = seed();
    println!("BETWIXT_SEED={seed}");
    let texts = boxes(&text);
    assert_eq!(texts.len(), 463);
    let home = Home::new();
    home.ok_with_input(["add", "work", "-", "--wait", "20"], &(texts.join("\n") + "\n"));
    assert_eq!(home.texts("work"), texts, "what went in came out, in order");

    let mut screens = [home.open(["work"]), home.open(["work"])];
    for screen in &screens {
        screen.wait_for("of 463");
    }
    let mut dice = Dice(seed);
    let started = Instant::now();
    let mut presses = 0;
    while started.elapsed() < working_time() {
        let who = usize::try_from(dice.roll(2)).expect("two");
        screens[who].keys(&keys(&mut dice));
        presses += 1;
        std::thread::sleep(Duration::from_millis(dice.roll(40)));
    }
    println!("{presses} things done");
    for screen in &mut screens {
        screen.keys("\x1b");
        screen.wait_until(LONG, "all sent", |seen| seen.contains("all sent") && seen.contains("local relay"));
    }
    let rows = home.json(["ls", "work"]);
    let rows = rows.as_array().expect("an array");
    let newcomer = home.open(["work"]);
    newcomer.wait_for(&format!("of {}", rows.len()));

    // A tall terminal shows all of it at once, so that what is compared is what people see.
    let height = u16::try_from(rows.len() + 5).expect("a few hundred rows");
    let mut shown = Vec::new();
    for screen in screens.iter_mut().chain([&mut { newcomer }]) {
        screen.resize((200, height));
        screen.keys("\x1bgg");
        screen.wait_until(LONG, "the whole list", |seen| seen.contains(&format!("1-{0} of {0}", rows.len())));
        let texts: Vec<String> = screen
            .rows()
            .iter()
            .map(|row| row.trim_start_matches('▌').trim().split(" ◂").next().unwrap_or_default().trim().to_owned())
            .collect();
        shown.push(texts);
    }
    assert_eq!(shown[0], shown[1], "the two screens differ (seed {seed})");
    assert_eq!(shown[0], shown[2], "a newcomer sees something else (seed {seed})");
    let listed: Vec<String> = rows
        .iter()
        .map(|row| {
            let mark = if row["done"] == true { "[x]" } else { "[ ]" };
            format!("{mark} {}", row["text"].as_str().unwrap_or_default())
        })
        .collect();
    assert_eq!(listed.len(), shown[0].len());
    for (listed, shown) in listed.iter().zip(&shown[0]) {
        let same = |text: &str| text.split_whitespace().collect::<String>();
        let (listed, shown) = (same(listed), same(shown));
        assert!(
            shown.starts_with(&listed) || listed.starts_with(shown.trim_end_matches('…')),
            "{listed} is not {shown}"
        );
    }
}
