//! The Api of the tests.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use restwright::prelude::*;
use restwright::websocket::{Message, MessageRate, WebSocketResponse, WebSocketUpgrade};
use serde::{Deserialize, Serialize};

/// A message of a client.
#[derive(Debug, Clone, PartialEq, Schema, Deserialize, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(crate) enum Command {
    Say {
        #[property(min_length = 1, max_length = 20)]
        text: String,
    },
    Count,
}

/// A message of the server.
#[derive(Debug, Clone, PartialEq, Schema, Deserialize, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(crate) enum Notice {
    Said { room: String, text: String },
    Counted { messages: u32 },
}

#[derive(Request)]
struct Join {
    #[segment]
    room: String,
    upgrade: WebSocketUpgrade<Command, Notice>,
}

/// A connection of any messages.
#[derive(Request)]
struct Raw {
    upgrade: WebSocketUpgrade<bool, bool>,
}

/// The number of handlers of `/rooms/counted` that have ended by themselves.
pub(crate) static LEFT: AtomicUsize = AtomicUsize::new(0);

async fn chat(join: Join) -> Result<WebSocketResponse> {
    let Join { room, upgrade } = join;
    if room == "closed" {
        return Err(Problem::not_found("There is no such room."));
    }
    Ok(upgrade.accept(async move |mut socket| {
        let mut messages = 0;
        while let Some(command) = socket.receive().await {
            let notice = match command {
                Command::Say { text } => Notice::Said { room: room.clone(), text },
                Command::Count => Notice::Counted { messages },
            };
            messages += 1;
            socket.send(&notice).await?;
        }
        if room == "counted" {
            LEFT.fetch_add(1, Ordering::SeqCst);
        }
        Ok(())
    }))
}

async fn echo(raw: Raw) -> Result<WebSocketResponse> {
    Ok(raw.upgrade.accept(async |mut socket| {
        while let Some(message) = socket.receive_message().await {
            socket.send_message(message).await?;
        }
        Ok(())
    }))
}

fn route(path: &'static str) -> Route {
    Route::get(path).id(path.trim_start_matches('/')).public()
}

pub(crate) fn api() -> Api {
    api_with(|configuration| configuration)
}

/// The Api with other settings.
pub(crate) fn api_with(settings: impl FnOnce(Configuration) -> Configuration) -> Api {
    let chat = Route::get("/rooms/{room}")
        .id("join")
        .public()
        .problem(restwright::problem::catalogue::NOT_FOUND)
        .handler(chat);
    let echo = route("/echo").body_limit(300 * 1024).with(MessageRate::per_second(1_000)).handler(echo);
    let broken = route("/broken")
        .handler(async |raw: Raw| Ok(raw.upgrade.accept(async |_| Err(Problem::internal("the secret cause")))));
    let denied = route("/denied").handler(async |raw: Raw| {
        Ok(raw.upgrade.accept(async |_| Err(Problem::new(restwright::problem::catalogue::FORBIDDEN))))
    });
    let panics =
        route("/panics").handler(async |raw: Raw| Ok(raw.upgrade.accept(async |_| panic!("the secret cause"))));
    let leaves = route("/leaves").handler(async |raw: Raw| {
        Ok(raw.upgrade.accept(async |socket| {
            socket.close(4001, &"bye ".repeat(40));
            Ok(())
        }))
    });
    let slow = route("/slow").with(MessageRate::per_second(10).burst(2)).handler(async |raw: Raw| {
        Ok(raw.upgrade.accept(async |mut socket| {
            while let Some(message) = socket.receive().await {
                socket.send(&message).await?;
            }
            Ok(())
        }))
    });
    let deaf = route("/deaf").handler(async |raw: Raw| {
        Ok(raw.upgrade.accept(async |_socket| {
            tokio::time::sleep(Duration::from_secs(3_600)).await;
            Ok(())
        }))
    });
    let floods = route("/floods").handler(async |raw: Raw| {
        Ok(raw.upgrade.accept(async |mut socket| {
            loop {
                socket.send_message(Message::Text("x".repeat(10_000))).await?;
            }
        }))
    });
    let api = Api::builder(settings(Configuration::new("rooms", "1.0.0")))
        .controller(chat)
        .controller(echo)
        .controller(broken);
    let api = api.controller(denied).controller(panics).controller(leaves).controller(slow).controller(deaf);
    api.controller(floods).build().unwrap()
}
