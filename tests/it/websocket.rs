//! WebSocket with middlewares of other crates.

use restwright::prelude::*;
use restwright::production::Cors;
use restwright::rate_limit::ConcurrencyLimit;
use restwright::testing::TestClient;
use restwright::websocket::{WebSocketResponse, WebSocketUpgrade};

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

#[test]
fn cors_allows_pages_of_other_origins() {
    let cors = Cors::new().allow_origin("https://shop.example.com");
    let route = Route::get("/echo").id("echo").public().handler(echo);
    let api = Api::builder(Configuration::new("echo", "1.0.0")).middleware(cors).controller(route).build().unwrap();
    let client = TestClient::new(api);
    client.block_on(async {
        for (origin, allowed) in [("https://shop.example.com", true), ("https://evil.example", false)] {
            let request = client.get("/echo").header("Host", "api.example.com").header("Origin", origin);
            match request.websocket().await {
                Ok(_) => assert!(allowed, "{origin}"),
                Err(response) => {
                    assert!(!allowed, "{origin}");
                    response.assert_problem("origin_not_allowed").assert_documented();
                }
            }
        }
    });
}

#[test]
fn connections_of_a_route_are_limited() {
    let limit = ConcurrencyLimit::global("sockets", 1);
    let route = Route::get("/echo").id("echo").public().handler(echo);
    let api = Api::builder(Configuration::new("echo", "1.0.0")).middleware(limit).controller(route).build().unwrap();
    let client = TestClient::new(api);
    client.block_on(async {
        let first = client.get("/echo").websocket().await.unwrap();
        let second = client.get("/echo").websocket().await.unwrap_err();
        second.assert_problem("concurrency_limited");
        assert_eq!(first.close().await.0, 1005);
        client.get("/echo").websocket().await.unwrap();
    });
}

/// Sends the handshake of a page on another port than 443, with the `Host` that nginx sends in the configuration of the
/// guide and of the documentation of the crate.
#[test]
fn nginx_passes_the_host_that_the_origin_of_a_page_requires() {
    let guides = [
        include_str!("../../crates/restwright/src/guide/deployment.md"),
        include_str!("../../crates/actix/src/lib.rs"),
    ];
    let route = Route::get("/echo").id("echo").public().handler(echo);
    let client = TestClient::new(Api::builder(Configuration::new("echo", "1.0.0")).controller(route).build().unwrap());
    for guide in guides {
        let (_, lines) = guide.split_once("proxy_set_header Host ").unwrap();
        let host = match lines.split_once(';').unwrap().0 {
            "$http_host" => "shop.example.com:8443",
            "$host" => "shop.example.com",
            other => panic!("{other}"),
        };
        let request = client.get("/echo").header("Host", host).header("Origin", "https://shop.example.com:8443");
        client.block_on(async { drop(request.websocket().await.unwrap()) });
    }
}
