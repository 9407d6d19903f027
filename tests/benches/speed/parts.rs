//! What each part for production adds to the view of a resource, and all of them together.

use std::cell::RefCell;
use std::fmt::{Debug, Write as _};
use std::io::Write as _;

use restwright::production::{Compression, Cors, Health, Metrics, Preset, RequestLog, SecurityHeaders, Tracing};
use restwright::telemetry::Telemetry;
use restwright::{ApiBuilder, Host};
use tracing::field::{Field, Visit};
use tracing::{Event, Subscriber};
use tracing_subscriber::Layer;
use tracing_subscriber::filter::{LevelFilter, filter_fn};
use tracing_subscriber::layer::{Context, SubscriberExt};
use tracing_subscriber::util::SubscriberInitExt;

use crate::cases::{self, Case};
use crate::collector;
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

const FIELDS: &str = "fields";
const TEXT: &str = "text";

/// The start of the names of parts that export spans.
const EXPORT: &str = "export";

const NONE: Part = Part { name: "none", title: "", register: |api| api, is_of_page: false };
const NONE_OF_PAGE: Part = Part { is_of_page: true, ..NONE };

const PARTS: &[Part] = &[
    Part { name: "trace", title: "`Tracing`", register: |api| api.middleware(Tracing::new()), is_of_page: false },
    Part {
        name: "export",
        title: "`Tracing` that exports each span",
        register: |api| api.middleware(Tracing::new().export(collector::otlp())),
        is_of_page: false,
    },
    Part {
        name: "export-none",
        title: "`Tracing` that exports, for a request that is not sampled",
        register: |api| api.middleware(Tracing::new().export(collector::otlp().ratio(0.0))),
        is_of_page: false,
    },
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

/// The same without [`Cors`], for what its two headers cost without any part.
const PAGE_VIEW_WITHOUT: Case = Case { holds: &[r#"{"data":{"id":""#], ..PAGE_VIEW };

fn cors() -> Cors {
    Cors::new().allow_origin(ORIGIN)
}

fn preset() -> Preset {
    Preset::production().cors(cors()).metrics(Metrics::new().public())
}

/// Writes the fields of each event as a line to a sink: the least that a log does.
struct Fields;

thread_local!(static LINE: RefCell<String> = const { RefCell::new(String::new()) });

impl<S: Subscriber> Layer<S> for Fields {
    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        LINE.with_borrow_mut(|line| {
            line.clear();
            event.record(&mut Line(line));
            line.push('\n');
            std::io::sink().write_all(line.as_bytes()).expect("a sink takes all");
        });
    }
}

struct Line<'a>(&'a mut String);

impl Line<'_> {
    fn name(&mut self, field: &Field) {
        self.0.push(' ');
        self.0.push_str(field.name());
        self.0.push('=');
    }
}

impl Visit for Line<'_> {
    fn record_str(&mut self, field: &Field, value: &str) {
        self.name(field);
        self.0.push_str(value);
    }

    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        self.name(field);
        write!(self.0, "{value:?}").expect("memory takes all");
    }
}

/// Serves the resource with a part. Its log goes to a sink: the fields of events, or the text of tracing-subscriber.
pub(crate) fn serve(log: &str, name: &str, collector: &str) {
    collector::set_address(collector);
    let part = PARTS.iter().chain([&NONE]).find(|part| part.name == name).expect("a part has this name");
    let is_exporting = name.starts_with(EXPORT);
    // Only a log next to the export needs a filter.
    let logged = || {
        filter_fn(|metadata| *metadata.level() <= LevelFilter::INFO && metadata.target() != "restwright::export")
            .with_max_level_hint(LevelFilter::INFO)
    };
    match log {
        TEXT if is_exporting => {
            let text = tracing_subscriber::fmt::layer().with_writer(std::io::sink).with_filter(logged());
            tracing_subscriber::registry().with(text).with(Telemetry::new().layer()).init();
        }
        TEXT => tracing_subscriber::fmt().with_writer(std::io::sink).init(),
        _ if is_exporting => {
            tracing_subscriber::registry().with(Fields.with_filter(logged())).with(Telemetry::new().layer()).init();
        }
        _ => tracing_subscriber::registry().with(Fields).init(),
    }
    let api = (part.register)(declared::builder()).build().expect("the declaration has no mistakes");
    let host = Host::new(api).workers(1).listen(server::listen()).expect("a bound socket");
    restwright::run(host.serve()).expect("the server runs");
}

pub(crate) fn print() {
    let collector = collector::start();
    println!("\n| part | added instructions of a view | the same, with the log as tracing-subscriber's text |");
    println!("|---|--:|--:|");
    let counted = |log: &str, part: &Part| {
        let case = match (part.is_of_page, part.name == NONE.name) {
            (false, _) => cases::named("resource-view"),
            (true, false) => &PAGE_VIEW,
            (true, true) => &PAGE_VIEW_WITHOUT,
        };
        instructions_per_request(&["serve", "part", log, part.name, &collector], |client, requests| {
            client.ask(case, requests)
        })
    };
    let logs = [FIELDS, TEXT];
    let [without, without_of_page] = [NONE, NONE_OF_PAGE].map(|part| logs.map(|log| counted(log, &part)));
    for part in PARTS {
        let without = if part.is_of_page { without_of_page } else { without };
        let added = logs.into_iter().zip(without).map(|(log, without)| counted(log, part).saturating_sub(without));
        let cells: Vec<_> = added.map(|added| table::count(Some(added as f64))).collect();
        println!("| {} | {} |", part.title, cells.join(" | "));
    }
}
