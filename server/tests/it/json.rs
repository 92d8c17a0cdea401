//! Links that speak JSON, beside links that do not.

use betwixt_core::limits::{Limits, SENT_BYTES_MAX};
use betwixt_core::wire::json::SUBPROTOCOL;
use betwixt_core::wire::{Message as _, ToRelay, ToSite};
use betwixt_relay::Options;
use betwixt_store::memory::MemoryStore;
use futures_util::{SinkExt as _, StreamExt as _};
use serde_json::{Value, json};
use tokio::net::TcpStream;
use tokio_tungstenite::tungstenite::Message;

use crate::relay::{TestRelay, within};
use crate::site::{Site, Web, item_id, key, upgrade};

/// A script: it says and hears texts, and keeps nothing.
struct Script {
    web: Web,
    list: String,
    ctr: u64,
}

impl Script {
    async fn dial(relay: &TestRelay) -> Self {
        let socket = TcpStream::connect(relay.address).await.unwrap();
        let web = upgrade(socket, &[("sec-websocket-protocol", SUBPROTOCOL)]).await.unwrap();
        Self { web, list: String::new(), ctr: 0 }
    }

    /// A script that has opened `inbox`, as the site of that number.
    async fn open(relay: &TestRelay, number: u8) -> Self {
        let mut script = Self::dial(relay).await;
        script.hello(number).await;
        script
    }

    async fn hello(&mut self, number: u8) -> Value {
        let secret = format!("{number:02x}").repeat(32);
        self.say(&json!({"hello": {"secret": secret, "name": "inbox", "person": "script"}})).await;
        let welcome = self.until("welcome").await;
        welcome["uid"].as_str().unwrap().clone_into(&mut self.list);
        welcome
    }

    /// The same, and has joined.
    async fn join(relay: &TestRelay, number: u8) -> Self {
        let mut script = Self::open(relay, number).await;
        script.push(json!({"join": {"name": "script"}})).await;
        script.until_acked().await;
        script
    }

    async fn say(&mut self, message: &Value) {
        self.send(Message::from(message.to_string())).await;
    }

    async fn send(&mut self, frame: Message) {
        within("the relay reads", self.web.send(frame)).await.unwrap();
    }

    /// Pushes the next op.
    async fn push(&mut self, mut op: Value) {
        self.ctr += 1;
        op["ctr"] = self.ctr.into();
        self.say(&json!({"push": {"list": self.list, "ops": [op]}})).await;
    }

    /// The next message: its name, and what it says.
    async fn hear(&mut self) -> (String, Value) {
        loop {
            match within("the relay says something", self.web.next()).await.unwrap().unwrap() {
                Message::Text(text) => {
                    assert!(text.len() <= SENT_BYTES_MAX, "{} bytes", text.len());
                    let Ok(Value::Object(object)) = serde_json::from_str(&text) else { panic!("no object: {text}") };
                    assert_eq!(object.len(), 1);
                    return object.into_iter().next().unwrap();
                }
                Message::Ping(_) | Message::Pong(_) => {}
                other => panic!("no text: {other:?}"),
            }
        }
    }

    async fn until(&mut self, name: &str) -> Value {
        loop {
            let (said, value) = self.hear().await;
            if said == name {
                return value;
            }
        }
    }

    /// Reads until the last op is in the log; returns it.
    async fn until_acked(&mut self) -> Value {
        loop {
            let entries = self.until("entries").await;
            let found = entries["entries"].as_array().unwrap().iter().find(|entry| entry["op"]["ctr"] == self.ctr);
            if let Some(entry) = found {
                return entry["op"].clone();
            }
        }
    }

    /// The reason in the next answer of that kind.
    async fn why(&mut self, name: &str) -> String {
        self.until(name).await["why"].as_str().unwrap().to_owned()
    }
}

#[tokio::test]
async fn a_script_and_a_site_edit_one_list() {
    let relay = TestRelay::start(MemoryStore::default()).await;
    let mut ana = Site::join(&relay, 1).await;
    let add = ana.mint_add(1, &key("V"), "milk");
    ana.push(vec![add]).await;
    ana.until_acked().await;
    let mut script = Script::join(&relay, 2).await;
    let (milk, bread, eggs) = (item_id(1), item_id(2), item_id(3));
    script.push(json!({"add": {"item": bread, "after": milk, "text": "bread"}})).await;
    script.push(json!({"add": {"item": eggs, "before": bread, "text": "eggs", "due": "2026-11-30"}})).await;
    let op = script.until_acked().await;
    assert_eq!((&op["add"]["item"], &op["add"]["due"]), (&json!(eggs), &json!("2026-11-30")));
    ana.until_seq(5).await;
    assert_eq!(ana.texts(), ["milk", "eggs", "bread"]);
    // The site's move is shown to the script with all its parts.
    let moved = ana.mint_move(1, "zz");
    ana.push(vec![moved.clone()]).await;
    let entries = script.until("entries").await;
    let op = &entries["entries"][0]["op"];
    assert_eq!(op["put"], json!({"item": milk, "key": "zz"}));
    assert_eq!((&op["site"], &op["ctr"], &op["hash"]), (&json!(ana.id()), &json!(moved.ctr), &json!(moved.hash)));
    let people = script.until("people").await;
    assert_eq!(people["people"].as_array().map(Vec::len), Some(2));
    relay.stop().await;
    assert_eq!(script.until("closing").await["reason"], "shutdown");
}

#[tokio::test]
async fn of_two_offered_spellings_the_compact_one_is_chosen() {
    let relay = TestRelay::start(MemoryStore::default()).await;
    let socket = TcpStream::connect(relay.address).await.unwrap();
    let web = upgrade(socket, &[("sec-websocket-protocol", "betwixt.1.json, betwixt.1")]).await.unwrap();
    let mut site = Site::over(web, 1);
    site.open().await;
    relay.stop().await;
}

#[tokio::test]
async fn what_a_script_gets_wrong_is_told_and_the_link_goes_on() {
    let relay = TestRelay::start(MemoryStore::default()).await;
    let mut script = Script::join(&relay, 1).await;
    let list = script.list.clone();
    let leave = Message::Binary(ToRelay::Leave { list: list.parse().unwrap() }.to_bytes().into());
    let unreadable: [(Message, &str); 6] = [
        ("{\"push\"".into(), "EOF while parsing"),
        ("{\"pusch\":{}}".into(), "unknown variant `pusch`, expected one of `hello`"),
        (
            "{\"push\":{\"list\":\"inbox\",\"ops\":[]}}".into(),
            "read the uid of a list: an id of this kind has 32 digits",
        ),
        (json!({"push": {"list": list, "ops": [{"ctr": 2, "add": {}}]}}).to_string().into(), "missing field `item`"),
        (
            json!({"push": {"list": "00".repeat(16), "ops": []}}).to_string().into(),
            "a push to list 00000000000000000000000000000000, which this link has not open",
        ),
        (leave, "a binary frame on a link that speaks betwixt.1.json"),
    ];
    for (frame, why) in unreadable {
        script.send(frame).await;
        let said = script.why("unreadable").await;
        assert!(said.starts_with(why), "{said}");
    }
    script.push(json!({"put": {"item": item_id(9), "done": true}})).await;
    let refused = script.until("refused").await;
    assert_eq!(
        (&refused["code"], &refused["why"], &refused["op"]["ctr"]),
        (&json!("gone"), &json!("an item that it names is not in the list"), &json!(2))
    );
    script.push(json!({"add": {"item": item_id(1), "after": null, "text": "milk"}})).await;
    script.until_acked().await;
    relay.stop().await;
}

#[tokio::test]
async fn a_script_that_sends_again_or_counts_from_one_again_is_told() {
    let relay = TestRelay::start(MemoryStore::default()).await;
    let mut script = Script::join(&relay, 1).await;
    let add = json!({"add": {"item": item_id(1), "after": null, "text": "milk"}});
    script.push(add.clone()).await;
    script.until_acked().await;
    script.ctr = 1;
    script.push(add.clone()).await;
    let skipped = script.until("skipped").await;
    assert_eq!((&skipped["ctr"], &skipped["last"]), (&json!(2), &json!(2)));
    assert_eq!(skipped["why"], "an op of this site with that `ctr`, or a later one, is in the log already");
    script.push(json!({"prev": 1, "list": {"title": "x"}})).await;
    assert!(script.why("skipped").await.starts_with("its `prev` is not"));
    // On another link: what the site's last op was is in the welcome, and its op is in the log once.
    let mut again = Script::dial(&relay).await;
    assert_eq!(again.hello(1).await["last"]["ctr"], 2);
    assert_eq!(script.until("closing").await["reason"], "replaced");
    again.ctr = 1;
    again.push(add).await;
    assert_eq!(again.until("skipped").await["last"], 2);
    again.push(json!({"list": {"title": "Groceries"}})).await;
    again.until_acked().await;
    let mut ana = Site::join(&relay, 2).await;
    ana.until_seq(4).await;
    assert_eq!((ana.texts(), ana.list.title()), (vec!["milk"], Some("Groceries")));
    relay.stop().await;
}

#[tokio::test]
async fn a_script_that_does_not_say_hello_first_is_closed() {
    let relay = TestRelay::start(MemoryStore::default()).await;
    let list = "00".repeat(16);
    for rude in [json!({"leave": {"list": list}}), json!({"push": {"list": list, "ops": []}})] {
        let mut script = Script::dial(&relay).await;
        script.say(&rude).await;
        assert_eq!(script.until("closing").await["reason"], "no_hello");
    }
    relay.stop().await;
}

#[tokio::test]
async fn a_script_that_comes_late_gets_the_list_and_one_that_is_fast_waits() {
    let limits = Limits { ops_per_second: 1_000, ops_burst: 600, ..Limits::DEFAULT };
    let relay = TestRelay::start_with(MemoryStore::default(), Options { limits, ..Options::default() }).await;
    let mut script = Script::join(&relay, 1).await;
    let text = "x".repeat(200);
    // Each is written over by the next: a snapshot is far smaller than the log.
    let mut ops = vec![json!({"ctr": 2, "add": {"item": item_id(1), "after": null, "text": text}})];
    ops.extend((3..=700).map(|ctr| json!({"ctr": ctr, "put": {"item": item_id(1), "text": text}})));
    script.say(&json!({"push": {"list": script.list, "ops": ops}})).await;
    assert!(script.until("wait").await["retry_after"].as_u64().unwrap() > 0);
    script.ctr = 700;
    script.until_acked().await;

    let mut late = Script::dial(&relay).await;
    let secret = "02".repeat(32);
    late.say(&json!({"hello": {"secret": secret, "name": "inbox", "person": "late"}})).await;
    let begin = late.until("snapshot_begin").await;
    assert_eq!((&begin["seq"], &begin["items"], &begin["sites"]), (&json!(700), &json!(1), &json!(1)));
    let sites = late.until("snapshot_part").await;
    assert_eq!((&sites["sites"][0]["name"], &sites["sites"][0]["ctr"]), (&json!("script"), &json!(700)));
    let items = late.until("snapshot_part").await;
    assert_eq!((&items["items"][0]["text"], &items["items"][0]["op"]["ctr"]), (&json!(text), &json!(2)));
    late.until("snapshot_end").await;
    assert_eq!(late.until("welcome").await["head"], 700);

    // One that has unsent ops needs the entries, and gets them in frames that are not too long.
    let mut pending = Script::dial(&relay).await;
    let secret = "03".repeat(32);
    pending.say(&json!({"hello": {"secret": secret, "name": "inbox", "person": "p", "pending": true}})).await;
    assert_eq!(pending.until("welcome").await["head"], 700);
    let mut next = 1;
    while next <= 700 {
        for entry in pending.until("entries").await["entries"].as_array().unwrap() {
            assert_eq!(entry["seq"], next);
            next += 1;
        }
    }
    relay.stop().await;
}

#[tokio::test]
async fn a_script_looks_for_lists_and_deletes_one() {
    let relay = TestRelay::start(MemoryStore::default()).await;
    let mut ana = Site::join(&relay, 1).await;
    let mut script = Script::join(&relay, 2).await;
    script.push(json!({"list": {"title": "Groceries"}})).await;
    script.until_acked().await;
    // On a link that has opened none.
    let mut other = Script::dial(&relay).await;
    other.say(&json!({"lists": {"prefix": "in"}})).await;
    let expected = json!([{"name": "inbox", "uid": script.list, "title": "Groceries"}]);
    let lists = other.until("lists").await;
    assert_eq!((&lists["lists"], &lists["more"]), (&expected, &json!(false)));
    other.say(&json!({"delete_list": {"name": "inbox", "uid": script.list}})).await;
    for told in [&mut other, &mut script] {
        let list = ana.list.uid().to_string();
        assert_eq!(told.until("gone").await["uid"], list);
    }
    let gone = ana.list.uid();
    ana.until(|message| *message == ToSite::Gone { uid: gone }).await;
    script.push(json!({"list": {"title": "Late"}})).await;
    assert!(script.why("unreadable").await.contains("which this link has not open"));
    relay.stop().await;
}
