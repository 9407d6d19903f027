//! What each part for production adds to the view of a resource, and all of them together.

use restwright::Host;
use restwright::prelude::*;
use restwright::production::{Compression, Cors, Health, Metrics, Preset, RequestLog, SecurityHeaders, Tracing};
use tracing_subscriber::util::SubscriberInitExt;

use crate::cases::{self, Case};
use crate::measure::instructions_per_request;
use crate::resource::declared;
use crate::{server, table};

struct Part {
    name: &'static str,
    title: &'static str,
    register: fn(ApiBuilder) -> ApiBuilder,
    /// The page of another origin sends the request.
    is_of_page: bool,
}

const ORIGIN: &str = "https://shop.example.com";

const DROPPED: &str = "dropped";
const TEXT: &str = "text";

const NONE: Part = Part { name: "none", title: "", register: |api| api, is_of_page: false };

const PARTS: &[Part] = &[
    Part { name: "trace", title: "`Tracing`", register: |api| api.middleware(Tracing::new()), is_of_page: false },
    Part { name: "log", title: "`RequestLog`", register: |api| api.middleware(RequestLog::new()), is_of_page: false },
    Part {
        name: "metrics",
        title: "`Metrics`",
        register: |api| api.module(&Metrics::new().public()),
        is_of_page: false,
    },
    Part { name: "health", title: "`Health`", register: |api| api.module(&Health::new()), is_of_page: false },
    Part { name: "cors", title: "`Cors`", register: |api| api.middleware(cors()), is_of_page: false },
    Part {
        name: "cors",
        title: "`Cors`, for a page of another origin",
        register: |api| api.middleware(cors()),
        is_of_page: true,
    },
    Part {
        name: "headers",
        title: "`SecurityHeaders`",
        register: |api| api.middleware(SecurityHeaders::new()),
        is_of_page: false,
    },
    Part {
        name: "compression",
        title: "`Compression`",
        register: |api| api.middleware(Compression::new()),
        is_of_page: false,
    },
    Part { name: "preset", title: "`Preset::production()`", register: |api| api.module(&preset()), is_of_page: false },
    Part {
        name: "preset",
        title: "the same, for a page of another origin",
        register: |api| api.module(&preset()),
        is_of_page: true,
    },
];

const PAGE_VIEW: Case = Case {
    name: "resource-view",
    title: "resource: view, for a page",
    routes: 4,
    request: || {
        b"GET /animals/{id} HTTP/1.1\r\nHost: localhost\r\nUser-Agent: speed/1\r\nAccept: */*\r\nOrigin: https://shop.example.com\r\nAccept-Encoding: gzip, br, zstd\r\n\r\n".to_vec()
    },
    status: 200,
    holds: &["access-control-allow-origin: https://shop.example.com", r#"{"data":{"id":""#],
};

fn cors() -> Cors {
    Cors::new().origin(ORIGIN)
}

fn preset() -> Preset {
    Preset::production().cors(cors()).metrics(Metrics::new().public())
}

/// Serves the resource with a part. What it logs goes nowhere: to a subscriber that keeps spans and drops events, or as text to a sink.
pub(crate) fn serve(log: &str, name: &str) {
    let part = PARTS.iter().chain([&NONE]).find(|part| part.name == name).expect("a part has this name");
    match log {
        TEXT => tracing_subscriber::fmt().with_writer(std::io::sink).init(),
        _ => tracing_subscriber::registry().init(),
    }
    let api = (part.register)(declared::builder()).build().expect("the declaration has no mistakes");
    let host = Host::new(api).workers(1).listen(server::listen()).expect("a bound socket");
    restwright::run(host.serve()).expect("the server runs");
}

pub(crate) fn print() {
    println!("\n| part | added instructions of a view | the same, with the log written as text |");
    println!("|---|--:|--:|");
    let counted = |log: &str, part: &Part| {
        let case = if part.is_of_page { &PAGE_VIEW } else { cases::named("resource-view") };
        instructions_per_request(&["serve", "part", log, part.name], |client, requests| client.ask(case, requests))
    };
    let without = [DROPPED, TEXT].map(|log| counted(log, &NONE));
    for part in PARTS {
        let added = [DROPPED, TEXT].map(|log| counted(log, part)).into_iter().zip(without);
        let cells: Vec<_> =
            added.map(|(with, without)| table::count(Some(with.saturating_sub(without) as f64))).collect();
        println!("| {} | {} |", part.title, cells.join(" | "));
    }
}
