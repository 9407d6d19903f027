//! Connections that end in time, and the number of connections.

use std::time::Duration;

use restwright::Host;
use restwright::auth::{Authentication, Authenticator, Identity};
use restwright::core::Clock;
use restwright::core::operation::SecurityScheme;
use restwright::http::HttpRequest;
use restwright::prelude::*;
use restwright::testing::TestClient;
use restwright::websocket::{WebSocketResponse, WebSocketUpgrade};

use crate::frames::{Socket, TEXT, frame};

const NOW: i64 = 1_700_000_000;

/// Admits everyone until 60 seconds from now.
struct ForAMinute;

impl Authenticator for ForAMinute {
    fn describe(&self) -> SecurityScheme {
        SecurityScheme::http("bearer")
    }

    async fn authenticate(&self, _: &mut HttpRequest) -> Authentication {
        Authentication::Identity(Identity::builder("ann").expires_at(NOW + 60).build())
    }
}

#[derive(Request)]
struct Echo {
    upgrade: WebSocketUpgrade<String, String>,
}

async fn echo(request: Echo) -> Result<WebSocketResponse> {
    Ok(request.upgrade.accept(async |mut socket| {
        while let Some(text) = socket.receive().await {
            socket.send(&text).await?;
        }
        Ok(())
    }))
}

fn api(configuration: Configuration) -> Api {
    Api::builder(configuration.authenticator("minute", ForAMinute))
        .controller(Route::get("/public").id("public").public().handler(echo))
        .controller(Route::get("/private").id("private").authorize("minute", [""; 0]).handler(echo))
        .build()
        .unwrap()
}

#[tokio::test(start_paused = true)]
async fn a_connection_ends_with_the_credentials_of_its_caller_or_at_its_maximum_age() {
    let expired = Some((1008, "the credentials have expired"));
    let too_old = Some((1001, "the connection has reached its maximum age"));
    let seconds = Duration::from_secs;
    for (path, max_age, expected) in [
        ("/public", None, [None, None, None]),
        ("/private", None, [None, expired, expired]),
        ("/public", Some(seconds(90)), [None, None, too_old]),
        ("/private", Some(seconds(90)), [None, expired, expired]),
        ("/private", Some(seconds(10)), [too_old, expired, expired]),
    ] {
        for (passed, expected) in [59, 60, 91].into_iter().zip(expected) {
            let clock = Clock::manual(NOW);
            let configuration = Configuration::new("ends", "1.0.0").clock(clock.clone());
            let client = TestClient::new(api(max_age.into_iter().fold(configuration, Configuration::max_stream_age)));
            let mut socket = client.get(path).websocket().await.unwrap();
            socket.send("a").await;
            assert_eq!(socket.receive::<String>().await.as_deref(), Some("a"));
            clock.advance(seconds(passed));
            let wait = seconds(passed);
            // The client replies to pings while it is read.
            let received = tokio::time::timeout(wait, socket.receive::<String>()).await;
            let case = format!("{path} {max_age:?} {passed}");
            match expected {
                None => assert!(received.is_err(), "{case}"),
                Some((code, reason)) => {
                    assert_eq!(received, Ok(None), "{case}");
                    assert_eq!(socket.closed().await, (code, reason.to_owned()), "{case}");
                }
            }
        }
    }
}

#[test]
fn connections_use_half_of_the_places() {
    let bound = Host::new(api(Configuration::new("ends", "1.0.0"))).workers(1).max_connections(4).bind("127.0.0.1:0");
    let bound = bound.unwrap();
    let (address, stop) = (bound.addresses()[0], bound.stop_handle());
    let server = std::thread::spawn(move || restwright::run(bound.serve()));
    let mut sockets: Vec<_> = (0..2).map(|_| Socket::open(address, "/public")).collect();
    for _ in 0..2 {
        let refused = Socket::request(address, "/public", "").0;
        assert!(refused.starts_with("HTTP/1.1 503 ") && refused.contains("\r\nretry-after: 5\r\n"), "{refused}");
    }
    sockets.pop();
    let begin = std::time::Instant::now();
    while Socket::request(address, "/public", "").0.starts_with("HTTP/1.1 503 ") {
        assert!(begin.elapsed() < Duration::from_mins(1), "the place of a closed connection is not free");
        std::thread::sleep(Duration::from_millis(20));
    }
    for socket in &mut sockets {
        socket.write(&frame(TEXT, b"\"a\""));
        assert_eq!(socket.read().unwrap().1, b"\"a\"");
    }
    stop.stop();
    server.join().unwrap().unwrap();
}
