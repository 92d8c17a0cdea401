//! The queue as a table of what is put in and what comes out.

use super::*;

const SESSION: SessionId = SessionId(1);

fn live() -> Queue {
    let mut queue = Queue::default();
    queue.open(SESSION, "inbox".parse().unwrap());
    let feed = Feed { snapshot: None, welcome: Some(Bytes::from_static(b"w")), after: 4, next: Next::Ask };
    queue.start(SESSION, ListUid::from_bytes([1; 16]), feed);
    assert!(matches!(queue.take(), Some(Work::Send(messages)) if messages == ["w"]));
    assert!(matches!(queue.take(), Some(Work::Ask { after: 4, .. })));
    assert!(queue.go_live(SESSION, 4, vec![(5, Bytes::from_static(b"5"))]));
    queue
}

#[test]
fn a_session_is_welcomed_then_caught_up_then_live() {
    let mut queue = live();
    queue.offer_entries(SESSION, 6, &Bytes::from_static(b"6"));
    assert!(matches!(queue.take(), Some(Work::Send(messages)) if messages == ["5", "6"]));
    assert!(queue.take().is_none());
}

#[test]
fn a_session_that_is_not_live_is_handed_nothing() {
    let mut queue = Queue::default();
    queue.open(SESSION, "inbox".parse().unwrap());
    queue.offer_entries(SESSION, 1, &Bytes::from_static(b"1"));
    assert!(queue.take().is_none());
}

#[test]
fn over_the_budget_the_stream_is_thrown_away_and_read_from_the_log() {
    let mut queue = live();
    assert!(matches!(queue.take(), Some(Work::Send(_))), "entry 5 is handed to the link");
    let message = Bytes::from(vec![0; QUEUE_BYTES_MAX / 4]);
    for seq in 6..=9 {
        queue.offer_entries(SESSION, seq, &message);
    }
    assert_eq!(queue.stream_bytes(), QUEUE_BYTES_MAX);
    queue.reply(Bytes::from_static(b"refused"));
    queue.offer_entries(SESSION, 10, &message);
    assert_eq!(queue.stream_bytes(), 0);
    assert!(matches!(queue.take(), Some(Work::Ask { after: 5, .. })));
    assert!(matches!(queue.take(), Some(Work::Send(messages)) if messages == ["refused"]), "answers are kept");
    queue.read_on(SESSION);
    assert!(matches!(queue.take(), Some(Work::Read { after: 5, .. })));
    queue.offer_entries(SESSION, 11, &message);
    queue.fed(SESSION, Some(8), false);
    assert!(matches!(queue.take(), Some(Work::Read { after: 8, .. })));
    queue.fed(SESSION, Some(11), true);
    assert!(matches!(queue.take(), Some(Work::Ask { after: 11, .. })));
    assert!(!queue.go_live(SESSION, 9, Vec::new()), "an answer to an older question");
    assert!(queue.go_live(SESSION, 11, Vec::new()));
}

#[test]
fn what_is_queued_goes_out_before_the_link_is_closed() {
    let mut queue = live();
    queue.close(Closing { message: None, code: CloseCode::Restart });
    queue.close(Closing { message: None, code: CloseCode::Policy });
    assert!(matches!(queue.take(), Some(Work::Send(messages)) if messages == ["5"]));
    assert!(matches!(queue.take(), Some(Work::Close(Closing { code: CloseCode::Restart, .. }))));
    assert!(queue.take().is_none());
}

#[test]
fn a_list_that_is_opened_again_ends_its_earlier_session() {
    let mut queue = live();
    assert_eq!(queue.open(SessionId(2), "inbox".parse().unwrap()), Some(SESSION));
    assert!(queue.take().is_none());
    assert_eq!(queue.sessions().len(), 1);
}

#[test]
fn answers_go_out_in_their_order_whatever_they_are_spelled_in() {
    let mut queue = Queue::default();
    queue.reply(Bytes::from_static(b"1"));
    queue.tell("{}".to_owned());
    queue.reply(Bytes::from_static(b"23"));
    assert_eq!(queue.reply_bytes(), 5);
    assert!(matches!(queue.take(), Some(Work::Send(messages)) if messages == ["1"]));
    assert!(matches!(queue.take(), Some(Work::Tell(text)) if text == "{}"));
    assert!(matches!(queue.take(), Some(Work::Send(messages)) if messages == ["23"]));
    assert_eq!(queue.reply_bytes(), 0);
    assert!(queue.take().is_none());
}
