//! Typed messages, and the codes with which connections close.

use restwright::testing::TestClient;
use serde_json::{Value, json};

use crate::api::{Command, Notice, api};

#[test]
fn messages_have_types_in_both_directions() {
    let client = TestClient::new(api());
    client.block_on(async {
        let mut socket = client.get("/rooms/blue").websocket().await.unwrap();
        let said = |text: &str| Notice::Said { room: "blue".to_owned(), text: text.to_owned() };
        socket.send(&Command::Say { text: "hello".to_owned() }).await;
        assert_eq!(socket.receive().await, Some(said("hello")));
        socket.send(&Command::Count).await;
        assert_eq!(socket.receive().await, Some(Notice::Counted { messages: 1 }));
        assert_eq!(socket.close().await, (1005, String::new()));
    });
}

#[test]
fn two_connections_are_independent() {
    let client = TestClient::new(api());
    client.block_on(async {
        let mut red = client.get("/rooms/red").websocket().await.unwrap();
        let mut blue = client.get("/rooms/blue").websocket().await.unwrap();
        for number in 0..100 {
            let text = number.to_string();
            red.send(&Command::Say { text: text.clone() }).await;
            blue.send(&Command::Count).await;
            assert_eq!(blue.receive().await, Some(Notice::Counted { messages: number }));
            assert_eq!(red.receive().await, Some(Notice::Said { room: "red".to_owned(), text }));
        }
    });
}

#[test]
fn an_invalid_message_closes_the_connection_with_its_first_violation() {
    let client = TestClient::new(api());
    for (text, reason) in [
        (r#"{"type":"say","text":""}"#, "/text: must have at least 1 character"),
        (r#"{"type":"say","text":"123456789012345678901"}"#, "/text: must have at most 20 characters"),
        (r#"{"type":"shout"}"#, "/type: must be one of: say, count"),
        (r#"{"type":"say"}"#, "/text: is required"),
        ("[]", "the message must be an object, not an array"),
        ("{", "the message is not JSON (line 1, column 1)"),
        ("", "the message is not JSON (line 1, column 1)"),
    ] {
        client.block_on(async {
            let mut socket = client.get("/rooms/blue").websocket().await.unwrap();
            socket.send_text(text).await;
            assert_eq!(socket.closed().await, (1007, reason.to_owned()), "{text}");
        });
    }
}

#[test]
fn a_message_that_is_too_long_closes_the_connection() {
    let client = TestClient::new(api());
    client.block_on(async {
        let mut socket = client.get("/echo").websocket().await.unwrap();
        let fits = "x".repeat(300 * 1024 - 2);
        socket.send(&fits).await;
        assert!(socket.receive::<String>().await == Some(fits.clone()));
        socket.send(&(fits + "x")).await;
        assert_eq!(socket.closed().await, (1009, "the message is too long".to_owned()));
    });
}

#[test]
fn the_end_of_a_handler_decides_the_code() {
    let client = TestClient::new(api());
    let bye = format!("{}bye", "bye ".repeat(30));
    for (path, code, reason) in [
        ("/broken", 1011, "internal error"),
        ("/panics", 1011, "internal error"),
        ("/denied", 1008, "forbidden"),
        ("/leaves", 4001, bye.as_str()),
    ] {
        client.block_on(async {
            let mut socket = client.get(path).websocket().await.unwrap();
            assert_eq!(socket.closed().await, (code, reason.to_owned()), "{path}");
        });
    }
}

#[test]
fn a_client_that_sends_too_fast_is_slowed_down() {
    let client = TestClient::new(api());
    client.block_on(async {
        let mut socket = client.get("/slow").websocket().await.unwrap();
        let begin = std::time::Instant::now();
        for _ in 0..6 {
            socket.send(&json!(true)).await;
        }
        for _ in 0..6 {
            assert_eq!(socket.receive::<Value>().await, Some(json!(true)));
        }
        let elapsed = begin.elapsed();
        assert!(elapsed.as_millis() >= 390, "four of six messages must wait: {elapsed:?}");
    });
}
