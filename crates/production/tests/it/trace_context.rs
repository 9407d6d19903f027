use restwright::client_address::TrustedProxies;
use restwright::http::HeaderMap;
use restwright::prelude::*;
use restwright::production::{RequestLog, TraceContext, Tracing};
use serde_json::Value;

use crate::request_log::log;
use crate::server::Server;

const TRACE: &str = "4bf92f3577b34da6a3ce929d0e0e4736";
const SPAN: &str = "00f067aa0ba902b7";

/// The context of a request, and the headers with which it calls another service.
#[derive(serde::Serialize, Schema)]
struct Seen {
    trace_id: String,
    span_id: String,
    parent_id: Option<String>,
    is_sampled: bool,
    link: Option<String>,
    traceparent: String,
    tracestate: Option<String>,
    others: Vec<String>,
}

#[derive(Request)]
struct Call {
    trace: TraceContext,
    again: TraceContext,
}

async fn call(Call { trace, again }: Call) -> Result<Data<Seen>> {
    assert_eq!(trace, again);
    tracing::info!("in the controller of {}", trace.trace_id());
    let mut headers = HeaderMap::new();
    // As if the headers of the request had been copied.
    headers.insert("tracestate", "stale=1".parse().unwrap());
    headers.insert("traceparent", "stale".parse().unwrap());
    trace.outgoing(&mut headers);
    let mut text = |name: &str| headers.remove(name).map(|value| value.to_str().unwrap().to_owned());
    let (traceparent, tracestate) = (text("traceparent").unwrap(), text("tracestate"));
    Ok(Data(Seen {
        trace_id: trace.trace_id().to_owned(),
        span_id: trace.span_id().to_owned(),
        parent_id: trace.parent_id().map(str::to_owned),
        is_sampled: trace.is_sampled(),
        link: trace.link().map(|link| format!("{}-{}", link.trace_id(), link.span_id())),
        traceparent,
        tracestate,
        others: headers.keys().map(ToString::to_string).collect(),
    }))
}

/// A server that trusts the proxies at these addresses.
fn start(proxies: Option<&str>, has_middleware: bool) -> Server {
    log();
    let mut configuration = Configuration::new("traced", "1.0.0");
    if let Some(proxies) = proxies {
        configuration = configuration.trusted_proxies(TrustedProxies::new([proxies]));
    }
    let mut api = Api::builder(configuration);
    if has_middleware {
        // The log is the outermost, so that it sees the context on the way back alone.
        api = api.middleware(RequestLog::new()).middleware(Tracing::new());
    }
    let call = Route::get("/call").id("call").public().handler(call);
    let silent = Route::get("/silent").id("silent").public().handler(async |()| Ok(Data("ok")));
    Server::start(api.controller(call).controller(silent).build().unwrap())
}

fn seen(server: &Server, headers: &[&str]) -> Value {
    let reply = server.send("GET", "/call", headers);
    assert_eq!(reply.status(), 200);
    assert_eq!((reply.header("traceparent"), reply.header("tracestate")), (None, None));
    let seen = reply.json()["data"].clone();
    let flags = if seen["is_sampled"] == true { "01" } else { "00" };
    let [trace_id, span_id] = ["trace_id", "span_id"].map(|name| seen[name].as_str().unwrap());
    assert_eq!(seen["traceparent"], format!("00-{trace_id}-{span_id}-{flags}"));
    assert_eq!((trace_id.len(), span_id.len()), (32, 16));
    assert_ne!(span_id, SPAN);
    assert_eq!(seen["others"], serde_json::json!([]));
    seen
}

#[test]
fn the_trace_of_a_trusted_proxy_is_continued() {
    for has_middleware in [true, false] {
        let server = start(Some("127.0.0.1"), has_middleware);
        for (flags, is_sampled) in [("01", true), ("00", false), ("03", true), ("02", false)] {
            let parent = format!("TraceParent: 00-{TRACE}-{SPAN}-{flags}");
            let seen = seen(&server, &[&parent, "tracestate: a=1", "Tracestate: b=2", "baggage: user=ann"]);
            assert_eq!((&seen["trace_id"], &seen["parent_id"]), (&TRACE.into(), &SPAN.into()));
            assert_eq!((&seen["is_sampled"], &seen["tracestate"]), (&is_sampled.into(), &"a=1,b=2".into()));
            assert_eq!(seen["link"], Value::Null);
        }
    }
}

#[test]
fn the_trace_of_a_stranger_is_linked_and_decides_nothing() {
    for has_middleware in [true, false] {
        for proxies in [None, Some("10.0.0.0/8")] {
            let server = start(proxies, has_middleware);
            let parent = format!("traceparent: 00-{TRACE}-{SPAN}-01");
            let seen = seen(&server, &[&parent, "tracestate: a=1", "X-Forwarded-For: 10.0.0.1"]);
            assert_ne!(seen["trace_id"], TRACE);
            assert_eq!((&seen["parent_id"], &seen["is_sampled"]), (&Value::Null, &false.into()));
            assert_eq!((&seen["tracestate"], &seen["link"]), (&Value::Null, &format!("{TRACE}-{SPAN}").into()));
        }
    }
}

#[test]
fn what_is_no_context_begins_a_trace() {
    let server = start(Some("127.0.0.1"), true);
    let valid = format!("traceparent: 00-{TRACE}-{SPAN}-01");
    let other = format!("traceparent: 00-{}-{SPAN}-01", "1".repeat(32));
    let invalid = format!("traceparent: 00-{TRACE}-{SPAN}-01-more");
    let mut traces = vec![TRACE.to_owned(), "1".repeat(32)];
    for headers in [
        vec![],
        vec!["tracestate: a=1"],
        vec![&*valid, &*other],
        vec![&*valid, &*valid],
        vec![&*invalid, "tracestate: a=1"],
    ] {
        let seen = seen(&server, &headers);
        assert_eq!(
            (&seen["parent_id"], &seen["tracestate"], &seen["link"]),
            (&Value::Null, &Value::Null, &Value::Null)
        );
        let trace = seen["trace_id"].as_str().unwrap().to_owned();
        assert!(!traces.contains(&trace), "{trace}");
        traces.push(trace);
    }
    // A list that is invalid is dropped, and the trace is continued.
    let seen = seen(&server, &[&valid, "tracestate: a=1,A=2"]);
    assert_eq!((&seen["trace_id"], &seen["tracestate"]), (&TRACE.into(), &Value::Null));
}

#[test]
fn the_span_and_the_line_of_a_request_have_its_trace() {
    let trusting = start(Some("127.0.0.1"), true);
    let trace = "0af7651916cd43dd8448eb211c80319c";
    let parent = format!("traceparent: 00-{trace}-{SPAN}-01");
    let own = seen(&trusting, &["X-Request-Id: t1", &parent]);
    let line = log().line("t1");
    assert!(line.contains(&format!(r#"trace_id="{trace}""#)) && !line.contains("linked"), "{line}");
    let [event] = &log().lines_with(&format!("in the controller of {trace}"))[..] else { panic!("one event") };
    let span = format!(r#"trace_id="{trace}" span_id={}"#, own["span_id"]);
    assert!(event.contains("request{") && event.contains(&span), "{event}");
    let strict = start(None, true);
    let own = seen(&strict, &["X-Request-Id: t2", &parent]);
    let line = log().line("t2");
    assert!(line.contains(&format!(r#" trace_id={} linked_trace_id="{trace}""#, own["trace_id"])), "{line}");
}

#[test]
fn a_trace_begins_where_somebody_reads_it() {
    let server = start(None, true);
    let parent = format!("traceparent: 00-{TRACE}-{SPAN}-01");
    for (id, path, headers, begins) in [
        ("t3", "/call", &[][..], true),
        ("t4", "/silent", &[], false),
        ("t5", "/silent", &[&*parent], true),
        ("t6", "/nothing", &[], false),
        ("t7", "/nothing", &[&*parent], true),
    ] {
        let request_id = format!("X-Request-Id: {id}");
        server.send("GET", path, &[headers, &[&*request_id]].concat());
        let line = log().line(id);
        assert_eq!(line.contains(" trace_id="), begins, "{line}");
        assert_eq!(line.contains(" linked_trace_id="), !headers.is_empty(), "{line}");
    }
}
