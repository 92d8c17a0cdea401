//! Two terminals, one list.

use betwixt_core::op::Body;
use betwixt_core::wire::{RefusedCode, ToRelay, ToSite};
use betwixt_relay::local::LocalRole;
use betwixt_store::memory::MemoryStore;
use tokio::sync::oneshot;

use crate::relay::{TestRelay, until, within};
use crate::site::{End, Site, dial_local, item_id, key};
use crate::stores::Gated;

#[tokio::test]
async fn what_one_adds_and_moves_the_other_sees() {
    let relay = TestRelay::start(MemoryStore::default()).await;
    let mut ana = Site::join(&relay, 1).await;
    let mut ben = Site::over(dial_local(relay.socket()).await, 2);
    ben.open().await;
    let ops = vec![ana.mint_add(1, &key("V"), "milk"), ana.mint_add(2, &key("W"), "bread"), ana.mint_move(2, "U")];
    ana.push(ops).await;
    ana.until_acked().await;
    ben.until_seq(4).await;
    assert_eq!(ben.texts(), ["bread", "milk"]);
    assert_eq!(ben.list.state_hash(), ana.list.state_hash());
    assert_eq!(ben.list.mark(), ana.list.mark());
    relay.stop().await;
}

#[tokio::test]
async fn an_op_is_shown_to_nobody_before_it_is_on_the_disk() {
    let store = Gated::default();
    let relay = TestRelay::start(store.clone()).await;
    let mut ana = Site::join(&relay, 1).await;
    let mut ben = Site::dial(&relay, 2).await;
    ben.open().await;
    store.shut();
    let add = ana.mint_add(1, &key("V"), "milk");
    ana.push(vec![add]).await;
    until("the commit waits", || store.is_waited_at()).await;
    // A third one says hello meanwhile: it is answered only when what it would be told is durable.
    let mut eve = Site::dial(&relay, 3).await;
    eve.say(&eve.hello()).await;
    // Presence of somebody else goes on, and comes behind anything that was sent before it.
    ben.say(&ToRelay::Here { list: ben.list.uid(), at: Some(item_id(1)), editing: true }).await;
    for site in [&mut ana, &mut ben] {
        let here =
            |message: &ToSite| matches!(message, ToSite::People { people, .. } if people.iter().any(|one| one.editing));
        site.until(here).await;
    }
    assert_eq!((ana.list.mark().seq, ben.list.mark().seq), (1, 1));
    store.open();
    ana.until_acked().await;
    ben.until_seq(2).await;
    assert_eq!(eve.until_welcomed().await.head, 2);
    eve.until_seq(2).await;
    relay.stop().await;
}

#[tokio::test]
async fn a_repeated_push_is_one_entry() {
    let relay = TestRelay::start(MemoryStore::default()).await;
    let mut ana = Site::join(&relay, 1).await;
    let add = ana.mint_add(1, &key("V"), "milk");
    for _ in 0..3 {
        ana.push(vec![add.clone(), add.clone()]).await;
    }
    let welcome = ana.reopen(&relay).await;
    assert_eq!((welcome.head, welcome.last), (2, Some((2, add.hash))));
    ana.push(vec![add]).await;
    let next = ana.mint_move(1, "W");
    ana.push(vec![next]).await;
    ana.until_acked().await;
    assert_eq!(ana.list.mark().seq, 3);
    relay.stop().await;
}

#[tokio::test]
async fn a_refused_op_is_named_and_those_behind_it_pass() {
    let relay = TestRelay::start(MemoryStore::default()).await;
    let mut ana = Site::join(&relay, 1).await;
    let before = ana.prev;
    let gone = ana.mint_move(9, "V");
    ana.prev = before;
    let add = ana.mint_add(1, &key("V"), "milk");
    ana.push(vec![gone.clone(), add]).await;
    let refused = ana.until(|message| matches!(message, ToSite::Refused { .. })).await;
    let expected = ToSite::Refused { list: ana.list.uid(), op: gone.id(), code: RefusedCode::Gone };
    assert_eq!(refused, expected);
    ana.until_acked().await;
    assert_eq!(ana.texts(), ["milk"]);
    relay.stop().await;
}

#[tokio::test]
async fn a_relay_that_ends_acknowledges_what_it_read_and_says_so() {
    let relay = TestRelay::start(MemoryStore::default()).await;
    let mut ana = Site::join(&relay, 1).await;
    let mut local = Site::over(dial_local(relay.socket()).await, 2);
    local.open().await;
    let start = std::time::Instant::now();
    relay.stop().await;
    assert!(start.elapsed().as_millis() < 900, "{:?}", start.elapsed());
    for (site, retry_max) in [(&mut ana, 2_000), (&mut local, 50)] {
        let closing = site.until(|message| matches!(message, ToSite::Closing { .. })).await;
        let ToSite::Closing { retry_after, .. } = closing else { panic!("it is closing") };
        assert!((1..=retry_max).contains(&retry_after.0));
        assert_eq!(site.end().await, End::Code(1012));
    }
}

#[tokio::test]
async fn people_and_figures_are_told() {
    let relay = TestRelay::start(MemoryStore::default()).await;
    let mut ana = Site::join(&relay, 1).await;
    let add = ana.mint_add(1, &key("Vab"), "milk");
    ana.push(vec![add]).await;
    let mut ben = Site::dial(&relay, 2).await;
    ben.open().await;
    ben.say(&ToRelay::Here { list: ben.list.uid(), at: Some(item_id(1)), editing: false }).await;
    let both = ana
        .until(|message| matches!(message, ToSite::People { people, .. } if people.iter().any(|one| one.at.is_some())))
        .await;
    let ToSite::People { people, .. } = both else { panic!("they are people") };
    let sites: Vec<_> = people.iter().map(|person| person.site).collect();
    assert_eq!(sites, [ana.id(), ben.id()]);
    let shown = |message: &ToSite| {
        matches!(message, ToSite::Figures { figures, .. }
            if (figures.links, figures.items, figures.longest, figures.mean_hundredths) == (2, 1, 3, 300))
    };
    ben.until(shown).await;
    let name = "inbox".parse().unwrap();
    let mut figures = relay.figures.clone();
    let on_board = figures.wait_for(|open| open.get(&name).is_some_and(|figures| figures.links == 2));
    within("the relay's own figures", on_board).await.unwrap();
    drop(ben);
    let alone = |message: &ToSite| matches!(message, ToSite::People { people, .. } if people.len() == 1);
    ana.until(alone).await;
    relay.stop().await;
}

#[tokio::test]
async fn the_local_relay_is_found_by_its_folder_and_handed_over() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let mut texts = Vec::new();
    for round in 1..=3_u8 {
        let role = LocalRole::try_take(&data).unwrap().unwrap();
        let ready = role.open(betwixt_relay::Options::default(), vec![]).unwrap();
        let socket = ready.socket().to_owned();
        assert_eq!(socket, betwixt_relay::local::socket_path(&data).unwrap());
        assert!(LocalRole::try_take(&data).unwrap().is_none());
        let (shutdown, told) = oneshot::channel::<()>();
        let running = tokio::spawn(ready.serve(async {
            let _ = told.await;
        }));
        let mut site = Site::over(dial_local(&socket).await, round);
        site.open().await;
        let join = site.mint(Body::Join(betwixt_core::op::Join::default()));
        let add = site.mint_add(u64::from(round), &key("V"), &round.to_string());
        site.push(vec![join, add]).await;
        site.until_acked().await;
        texts = site.texts().iter().map(|text| (*text).to_owned()).collect();
        let _ = shutdown.send(());
        within("the relay ends", running).await.unwrap().unwrap();
        assert!(!socket.exists());
    }
    assert_eq!(texts, ["1", "2", "3"]);
}
