//! Readers that do not read.

use betwixt_core::key::spaced;
use betwixt_core::limits::Limits;
use betwixt_relay::Options;
use betwixt_store::memory::MemoryStore;

use crate::relay::{TestRelay, within};
use crate::site::{Site, dial_narrow};

const ITEMS: u64 = 20_000;
const PUSH: usize = 100;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stalled_reader_costs_nobody_else_anything_and_misses_nothing() {
    let limits = Limits { ops_per_second: 0, ..Limits::DEFAULT };
    let relay = TestRelay::start_with(MemoryStore::default(), Options { limits, ..Options::default() }).await;
    let mut ana = Site::join(&relay, 1).await;
    let mut ben = Site::dial(&relay, 2).await;
    ben.open().await;
    let mut stalled = Site::over(dial_narrow(&relay).await, 3);
    stalled.open().await;
    stalled.until_seq(1).await;

    // More than the system takes for a reader that does not read, by more than the budget of its queue.
    let keys = spaced(usize::try_from(ITEMS).unwrap());
    let text = "x".repeat(500);
    let reading = tokio::spawn(async move {
        ben.until_seq(1 + ITEMS).await;
        ben
    });
    for (chunk, keys) in keys.chunks(PUSH).enumerate() {
        let ops = keys.iter().zip(chunk * PUSH..).map(|(key, item)| ana.mint_add(item as u64, key, &text)).collect();
        ana.push(ops).await;
    }
    ana.until_acked().await;
    let ben = within("another link's deliveries go on", reading).await.unwrap();

    assert_eq!(stalled.seqs, [1]);
    stalled.until_seq(1 + ITEMS).await;
    assert!(stalled.seqs.iter().copied().eq(1..=1 + ITEMS), "each once, in order");
    assert_eq!(stalled.list.state_hash(), ben.list.state_hash());
    // It is live again.
    let last = ana.mint_move(0, "z");
    ana.push(vec![last]).await;
    stalled.until_seq(2 + ITEMS).await;
    relay.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_that_is_never_read_does_not_hold_up_the_end() {
    let relay = TestRelay::start(MemoryStore::default()).await;
    let mut ana = Site::join(&relay, 1).await;
    let mut stalled = Site::dial(&relay, 2).await;
    stalled.open().await;
    let text = "x".repeat(4_000);
    for chunk in 0..60 {
        let ops =
            (0..50).map(|item| ana.mint_add(chunk * 50 + item, &betwixt_core::key::Key::parse("V").unwrap(), &text));
        let ops = ops.collect();
        ana.push(ops).await;
    }
    ana.until_acked().await;
    let start = std::time::Instant::now();
    relay.stop().await;
    assert!(start.elapsed().as_millis() < 2_500, "{:?}", start.elapsed());
}
