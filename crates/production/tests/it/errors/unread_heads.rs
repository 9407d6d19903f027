//! Problems of requests whose heads cannot be read.

use std::time::Duration;

use restwright::Host;
use restwright::language::Translation;
use restwright::prelude::*;
use restwright::problem::{ErrorForm, ProblemView};
use serde::Serialize;
use serde_json::{Value, json};

use crate::server::Server;

/// An error of the application.
#[derive(Serialize, Schema)]
struct Failure {
    code: String,
    message: String,
    request: String,
}

struct Failures;

impl ErrorForm for Failures {
    type Body = Failure;

    const MEDIA_TYPE: &'static str = "application/vnd.failure+json";

    fn render(&self, problem: &ProblemView<'_>) -> Failure {
        let message = format!("{} ({})", problem.detail().unwrap_or_default(), problem.title());
        Failure { code: problem.code().to_owned(), message, request: problem.request_id().to_owned() }
    }
}

/// Heads with the status and the code of their problems.
fn heads() -> [(String, u16, &'static str); 5] {
    let long = "x".repeat(140_000);
    [
        ("nonsense\r\n\r\n".to_owned(), 400, "malformed_request"),
        ("GET / HTTP/1.1\r\n\r\n".to_owned(), 400, "malformed_request"),
        ("GET / HT".to_owned(), 408, "head_timeout"),
        (format!("GET /{long}"), 414, "target_too_long"),
        (format!("GET / HTTP/1.1\r\nHost: t\r\nX: {long}"), 431, "head_too_large"),
    ]
}

fn serve(configuration: Configuration) -> Server {
    let api = Api::builder(configuration).build().unwrap();
    Server::with(Host::new(api).workers(1).head_timeout(Duration::from_millis(300)))
}

#[test]
fn an_unread_head_is_a_problem() {
    let server = serve(Configuration::new("empty", "1.0.0"));
    for (head, status, code) in heads() {
        let reply = server.exchange(head.as_bytes());
        assert_eq!(reply.header("content-type").as_deref(), Some("application/problem+json"), "{}", reply.text());
        assert_eq!(reply.header("connection").as_deref(), Some("close"));
        let problem = reply.json();
        assert_eq!((reply.status(), &problem["status"], &problem["code"]), (status, &json!(status), &json!(code)));
        assert!(problem["title"].is_string() && problem["detail"].is_string(), "{problem}");
        assert_eq!(reply.header("x-request-id").as_deref(), problem["request_id"].as_str());
        assert_eq!(reply.header("content-length"), Some(reply.body().len().to_string()));
    }
}

#[test]
fn an_unread_head_has_the_form_and_the_default_language_of_the_api() {
    let german = Translation::new("de")
        .title("head_too_large", "Header zu groß")
        .detail("head_too_large.limit", "Der Kopf der Anfrage ist zu groß.");
    let configuration = Configuration::new("empty", "1.0.0").error_form(Failures);
    let server = serve(configuration.language(german).default_language("de"));
    for (head, status, code) in heads() {
        let reply = server.exchange(head.as_bytes());
        assert_eq!(reply.header("content-type").as_deref(), Some(Failures::MEDIA_TYPE), "{}", reply.text());
        assert_eq!(reply.header("content-language").as_deref(), Some("de"));
        let failure: Value = reply.json();
        assert_eq!((reply.status(), &failure["code"]), (status, &json!(code)));
        assert_eq!(reply.header("x-request-id").as_deref(), failure["request"].as_str());
        if status == 431 {
            assert_eq!(failure["message"], "Der Kopf der Anfrage ist zu groß. (Header zu groß)");
        }
    }
}
