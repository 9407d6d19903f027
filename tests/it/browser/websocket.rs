//! WebSocket of a browser, from the page's own server and from another origin.

use restwright::prelude::*;
use restwright::production::Cors;
use restwright::websocket::{WebSocketResponse, WebSocketUpgrade};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{Chromium, TURN, serve};

#[derive(Deserialize, Schema)]
struct Question {
    #[property(minimum = 0, maximum = 100)]
    number: u32,
}

#[derive(Serialize, Schema)]
struct Doubled {
    double: u32,
}

#[derive(Request)]
struct Ask {
    upgrade: WebSocketUpgrade<Question, Doubled>,
}

async fn double(ask: Ask) -> Result<WebSocketResponse> {
    Ok(ask.upgrade.accept(async |mut socket| {
        while let Some(Question { number }) = socket.receive().await {
            socket.send(&Doubled { double: number * 2 }).await?;
        }
        Ok(())
    }))
}

fn api(cors: Option<Cors>) -> Api {
    let double = Route::get("/double").id("double").public().handler(double);
    let page = Route::get("/page").id("page").public().hidden().handler(async |()| Ok(Data("page")));
    let api = Api::builder(Configuration::new("numbers", "1.0.0")).controller(double).controller(page);
    match cors {
        Some(cors) => api.middleware(cors),
        None => api,
    }
    .build()
    .unwrap()
}

/// Sends messages, and returns what the page received, and the code and the reason of the close event.
fn talk(browser: &mut Chromium, url: &str, messages: &Value) -> Value {
    let url = url.replace("http", "ws");
    let seen = browser.evaluate(&format!(
        r#"(async () => {{
            const socket = new WebSocket("{url}/double");
            const received = [];
            const closed = new Promise((resolve) => {{
                socket.onclose = ({{ code, reason }}) => resolve([received, code, reason]);
            }});
            socket.onmessage = ({{ data }}) => {{
                received.push(JSON.parse(data).double);
                if (received.length === 3) socket.close(4000, "enough");
            }};
            socket.onopen = () => {messages}.forEach((message) => socket.send(JSON.stringify(message)));
            return JSON.stringify(await closed);
        }})()"#
    ));
    serde_json::from_str(seen.as_str().unwrap()).unwrap()
}

#[test]
#[ignore = "it needs Chromium, and the gate runs it"]
fn pages_send_and_receive_messages() {
    let _turn = TURN.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    let url = serve(api(None));
    let Some(mut browser) = Chromium::open(&format!("{url}/page")) else { return };
    let numbers = |numbers: &[i32]| json!(numbers.iter().map(|number| json!({ "number": number })).collect::<Vec<_>>());
    assert_eq!(talk(&mut browser, &url, &numbers(&[1, 2, 3])), json!([[2, 4, 6], 4000, "enough"]));
    let invalid = talk(&mut browser, &url, &numbers(&[50, 101]));
    assert_eq!(invalid, json!([[100], 1007, "/number: must be at most 100"]));

    // Browsers report no reason for a handshake that fails.
    let closed = serve(api(None));
    assert_eq!(talk(&mut browser, &closed, &numbers(&[1])), json!([[], 1006, ""]), "a page of another origin");
    let open = serve(api(Some(Cors::new().allow_origin(&url))));
    assert_eq!(talk(&mut browser, &open, &numbers(&[1, 2, 3])), json!([[2, 4, 6], 4000, "enough"]));
}
