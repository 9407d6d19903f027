#![no_main]
//! `traceparent` and `tracestate` of a trusted proxy. The trace is continued if and only if a second reader of W3C Trace Context accepts the
//! header. What goes to the next service is valid, has the trace and the flag that came, and only members that came. Up to the first line
//! feed the bytes are `traceparent`, and each further line is a `tracestate`.

use http::{HeaderMap, HeaderValue};
use libfuzzer_sys::fuzz_target;
use restwright::client_address::TrustedProxies;
use restwright::prelude::*;
use restwright::production::{TraceContext, Tracing};
use restwright::testing::TestClient;

#[derive(Request)]
struct View {
    trace: TraceContext,
}

thread_local! {
    static CLIENT: TestClient = {
        let route = Route::get("/").id("view").public().handler(async |request: View| {
            let mut headers = HeaderMap::new();
            request.trace.outgoing(&mut headers);
            let text = |name: &str| headers.get(name).map(|value| value.to_str().expect("ASCII").to_owned());
            let parent = request.trace.parent_id().map(str::to_owned);
            Ok(Data(vec![text("traceparent"), text("tracestate"), parent]))
        });
        let configuration = Configuration::new("traces", "1.0.0").trusted_proxies(TrustedProxies::new(["127.0.0.1"]));
        let builder = Api::builder(configuration).middleware(Tracing::new()).controller(route);
        TestClient::new(builder.build().expect("an Api"))
    };
}

fuzz_target!(|bytes: &[u8]| {
    let mut lines = bytes.split(|byte| *byte == b'\n');
    let parent = lines.next().unwrap_or_default();
    let states: Vec<_> = lines.collect();
    if !states.iter().chain([&parent]).all(|line| HeaderValue::from_bytes(line).is_ok()) {
        return;
    }
    CLIENT.with(|client| {
        let request = client.get("/").header("traceparent", parent);
        let response = states.iter().fold(request, |request, line| request.header("tracestate", line)).send();
        assert_eq!(response.status(), 200);
        let body: serde_json::Value = response.json();
        let outgoing = body["data"][0].as_str().expect("a header");
        let (trace, span, sampled) = read(outgoing.as_bytes()).expect("a valid header");
        match read(parent) {
            Some((their_trace, their_span, is_sampled)) => {
                assert_eq!((trace, sampled), (their_trace, is_sampled));
                assert_eq!(body["data"][2].as_str(), Some(&*their_span));
                assert_ne!(span, their_span);
            }
            None => assert!(body["data"][2].is_null() && body["data"][1].is_null() && !sampled),
        }
        if let Some(state) = body["data"][1].as_str() {
            assert!(state.len() <= 512, "{state}");
            let came: Vec<_> = states.iter().flat_map(|line| line.split(|byte| *byte == b',')).collect();
            let mut keys: Vec<_> = state
                .split(',')
                .map(|member| {
                    assert!(came.iter().any(|one| one.trim_ascii() == member.as_bytes()), "{member}");
                    member.split_once('=').expect("a key").0
                })
                .collect();
            keys.sort_unstable();
            let count = keys.len();
            keys.dedup();
            assert!(keys.len() == count && count <= 32, "{state}");
        }
    });
});

/// Reads the trace, the span and whether it is sampled (W3C Trace Context, section 3.2).
fn read(value: &[u8]) -> Option<(String, String, bool)> {
    let text = std::str::from_utf8(value).ok()?.trim_matches([' ', '\t']);
    let parts: Vec<_> = text.split('-').collect();
    let [version, trace, span, flags, rest @ ..] = &parts[..] else { return None };
    let is_hexadecimal = |part: &str, length: usize| {
        part.len() == length && part.bytes().all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte))
    };
    let is_valid = is_hexadecimal(version, 2)
        && is_hexadecimal(trace, 32)
        && is_hexadecimal(span, 16)
        && is_hexadecimal(flags, 2)
        && *version != "ff"
        && (rest.is_empty() || *version != "00")
        && trace.bytes().any(|byte| byte != b'0')
        && span.bytes().any(|byte| byte != b'0');
    let is_sampled = u8::from_str_radix(flags, 16).ok()? & 1 == 1;
    is_valid.then(|| ((*trace).to_owned(), (*span).to_owned(), is_sampled))
}
