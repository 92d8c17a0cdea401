//! Asking a relay for its lists: what counts as an answer, and what is passed over.

use std::future::Future;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use betwixt_client::Address;
use betwixt_client::directory::{self, Deleted, DirectoryError};
use betwixt_core::hlc::Millis;
use betwixt_core::id::ListUid;
use betwixt_core::name::ListName;
use betwixt_core::wire::{CloseReason, Listed, Listing, Message as _, SUBPROTOCOL, ToRelay, ToSite};
use futures_util::{SinkExt as _, StreamExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::handshake::server::{Request, Response};
use tokio_tungstenite::tungstenite::http::HeaderValue;
use tokio_tungstenite::{WebSocketStream, accept_hdr_async};

type Server = WebSocketStream<TcpStream>;

fn name(text: &str) -> ListName {
    text.parse().expect("a name")
}

fn uid(byte: u8) -> ListUid {
    ListUid::from_bytes([byte; 16])
}

fn listed(text: &str) -> Listed {
    Listed { name: name(text), uid: uid(1), title: "A title".into() }
}

/// A relay that does this with each link.
async fn relay<F: Future<Output = ()> + Send + 'static>(serve: impl Fn(Server) -> F + Send + 'static) -> Address {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let port = listener.local_addr().expect("an address").port();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            #[expect(clippy::result_large_err, reason = "the library's own type")]
            let speak = |_: &Request, mut response: Response| {
                response.headers_mut().insert("Sec-WebSocket-Protocol", HeaderValue::from_static(SUBPROTOCOL));
                Ok(response)
            };
            let link = accept_hdr_async(stream, speak).await.expect("a handshake");
            tokio::spawn(serve(link));
        }
    });
    Address::Tcp { host: "127.0.0.1".to_owned(), port }
}

async fn asked(link: &mut Server) -> ToRelay {
    loop {
        if let Message::Binary(bytes) = link.next().await.expect("a message").expect("a frame") {
            return ToRelay::from_bytes(&bytes).expect("the wire");
        }
    }
}

async fn say(link: &mut Server, message: &ToSite) {
    // A link whose other side has heard enough is closed.
    let _ = link.send(Message::Binary(message.to_bytes().into())).await;
}

/// A relay that answers what it is asked with these lists, two at a time.
async fn relay_with(names: &'static [&'static str]) -> Address {
    relay(move |mut link| async move {
        let ToRelay::Lists(asked) = asked(&mut link).await else { panic!("not a question") };
        let fits = |text: &&&str| {
            text.starts_with(asked.prefix.as_str()) && asked.after.as_ref().is_none_or(|after| name(text) > *after)
        };
        let all: Vec<Listed> = names.iter().filter(fits).map(|text| listed(text)).collect();
        let lists = all.iter().take(2).cloned().collect();
        say(&mut link, &ToSite::Lists { asked, lists, more: all.len() > 2 }).await;
    })
    .await
}

#[tokio::test]
async fn all_pages_make_up_the_whole_and_a_name_is_found_exactly() {
    let address = relay_with(&["a", "work", "work-1", "work-2", "work-3", "work-4"]).await;
    let all = directory::all(&address, "work-").await.expect("an answer");
    let names: Vec<_> = all.iter().map(|listed| listed.name.as_str()).collect();
    assert_eq!(names, ["work-1", "work-2", "work-3", "work-4"]);
    assert_eq!(directory::all(&address, "").await.expect("an answer").len(), 6);
    for none in ["x", "work/", &"x".repeat(65)] {
        assert_eq!(directory::all(&address, none).await.expect("an answer"), [], "{none}");
    }
    let found = async |text| directory::find(&address, &name(text)).await.expect("an answer");
    assert_eq!(found("work").await, Some(listed("work")));
    assert_eq!(found("wor").await, None, "what begins with it is another list");
}

#[tokio::test]
async fn what_was_not_asked_for_is_passed_over_and_pings_are_answered() {
    let address = relay(|mut link| async move {
        let ToRelay::Lists(asked) = asked(&mut link).await else { panic!("not a question") };
        link.send(Message::Ping("there?".into())).await.expect("it takes it");
        let pong = link.next().await.expect("a frame").expect("a frame");
        assert_eq!(pong, Message::Pong("there?".into()));
        let other = Listing { prefix: "other".into(), ..asked.clone() };
        say(&mut link, &ToSite::Lists { asked: other, lists: vec![listed("other")], more: false }).await;
        say(&mut link, &ToSite::Gone { uid: uid(9) }).await;
        link.send(Message::Binary(vec![200, 1, 2].into())).await.expect("it takes it");
        link.send(Message::Text("hello".into())).await.expect("it takes it");
        say(&mut link, &ToSite::Lists { asked, lists: vec![listed("work")], more: false }).await;
    })
    .await;
    assert_eq!(directory::all(&address, "work").await.expect("an answer"), [listed("work")]);
}

#[tokio::test]
async fn deleting_ends_with_gone_or_with_another_list() {
    let address = relay(|mut link| async move {
        let ToRelay::DeleteList { name: asked, uid: meant } = asked(&mut link).await else { panic!("not a wish") };
        say(&mut link, &ToSite::Gone { uid: uid(9) }).await;
        say(&mut link, &ToSite::OtherList { name: name("other"), uid: uid(9) }).await;
        let answer =
            if meant == uid(1) { ToSite::Gone { uid: meant } } else { ToSite::OtherList { name: asked, uid: uid(1) } };
        say(&mut link, &answer).await;
    })
    .await;
    assert_eq!(directory::delete(&address, &name("work"), uid(1)).await.expect("an answer"), Deleted::Gone);
    assert_eq!(
        directory::delete(&address, &name("work"), uid(2)).await.expect("an answer"),
        Deleted::OtherList(uid(1))
    );
}

/// What comes of asking a relay that answers with this, once.
async fn answered(answer: impl Fn(Listing) -> Vec<Message> + Send + Sync + Clone + 'static) -> DirectoryError {
    let links = Arc::new(AtomicUsize::new(0));
    let address = relay(move |mut link| {
        let (answer, is_first) = (answer.clone(), links.fetch_add(1, Ordering::SeqCst) == 0);
        async move {
            if !is_first {
                return;
            }
            let ToRelay::Lists(asked) = asked(&mut link).await else { panic!("not a question") };
            for message in answer(asked) {
                let _ = link.send(message).await;
            }
        }
    })
    .await;
    directory::all(&address, "w").await.expect_err("no answer")
}

#[tokio::test]
async fn what_is_no_answer_is_an_error_of_its_own() {
    let binary = |message: &ToSite| Message::Binary(message.to_bytes().into());
    let unreadable = answered(move |_| vec![binary(&ToSite::Unreadable)]).await;
    assert!(matches!(unreadable, DirectoryError::Unread { .. }) && unreadable.is_final(), "{unreadable}");
    let reason = CloseReason::Shutdown;
    let closing = answered(move |_| vec![binary(&ToSite::Closing { reason, retry_after: Millis(0) })]).await;
    assert!(matches!(closing, DirectoryError::Closed { .. }) && !closing.is_final(), "{closing}");
    let lost = answered(|_| Vec::new()).await;
    assert!(matches!(lost, DirectoryError::Lost { .. }), "{lost}");
    let garbage = answered(|_| vec![Message::Binary(vec![15, 255, 255].into())]).await;
    assert!(matches!(garbage, DirectoryError::Nonsense { .. }), "{garbage}");

    // Pages that would go on for ever, and lists that were not asked for.
    for lists in [vec![], vec![listed("wb"), listed("wa")], vec![listed("wa"), listed("wa")], vec![listed("x")]] {
        let answer = move |asked: Listing| vec![binary(&ToSite::Lists { asked, lists: lists.clone(), more: true })];
        let error = answered(answer).await;
        assert!(matches!(error, DirectoryError::Nonsense { .. }), "{error}");
    }
    let nobody = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let port = nobody.local_addr().expect("an address").port();
    drop(nobody);
    let error = directory::all(&Address::Tcp { host: "127.0.0.1".to_owned(), port }, "").await.expect_err("nobody");
    assert!(matches!(error, DirectoryError::Dial(_)) && !error.is_final(), "{error}");
}
