//! `assert_documented` against an application that lies.

use std::panic::AssertUnwindSafe;

use restwright::core::BuildContext;
use restwright::core::schema::{SchemaObject, string};
use restwright::http::header::{CONTENT_TYPE, HeaderName};
use restwright::http::{HeaderValue, HttpRequest, HttpResponse, StatusCode};
use restwright::operation::{HeaderObject, MediaTypeObject, Operation, SchemaUse};
use restwright::prelude::*;
use restwright_testing::TestClient;

const TOTAL: HeaderName = HeaderName::from_static("x-total");
const JSON: HeaderValue = HeaderValue::from_static("application/json");

/// Says one thing and responds with another.
struct Liar(fn() -> Result<HttpResponse>);

#[derive(Request)]
struct Nothing;

struct Lie(Result<HttpResponse>);

impl Controller for Liar {
    type Request = Nothing;
    type Response = Lie;

    fn route(&self) -> Route {
        Route::get("/lie").public()
    }

    async fn handle(&self, _: Nothing) -> Result<Lie> {
        Ok(Lie((self.0)()))
    }
}

impl Response for Lie {
    type Plan = ();

    fn plan(_: &mut BuildContext<'_>) -> Result<(), BuildErrors> {
        Ok(())
    }

    fn describe((): &(), operation: &mut Operation) {
        let body = PropertyCollection::new("Reply").property(string("name").max_length(3)).closed();
        let ok = operation.response(StatusCode::OK);
        ok.content.push(MediaTypeObject::json(SchemaUse::output(body)));
        ok.add_header(HeaderObject::new("X-Total", SchemaUse::output(SchemaObject::int64().minimum(0))));
        operation.response(StatusCode::ACCEPTED);
    }

    fn respond(self, (): &(), _: &HttpRequest) -> Result<HttpResponse> {
        self.0
    }
}

/// What `assert_documented` says of a response; empty when it holds.
fn complaint(response: fn() -> Result<HttpResponse>) -> String {
    let api = Api::builder(Configuration::new("liar", "1")).controller(Liar(response)).build().unwrap();
    let response = TestClient::new(api).get("/lie").send();
    let outcome = std::panic::catch_unwind(AssertUnwindSafe(|| _ = response.assert_documented()));
    let message = outcome.map_or_else(|panic| panic.downcast_ref::<String>().unwrap().clone(), |()| String::new());
    message.split("\n\n").next().unwrap_or_default().replace("the response is not as documented:\n  - ", "")
}

fn ok(json: &'static str) -> HttpResponse {
    HttpResponse::with_bytes(StatusCode::OK, JSON, json).header(TOTAL, HeaderValue::from(1))
}

#[test]
fn an_honest_response_holds() {
    assert_eq!(complaint(|| Ok(ok(r#"{"name": "abc"}"#))), "");
    assert_eq!(complaint(|| Ok(HttpResponse::new(StatusCode::ACCEPTED))), "");
    assert_eq!(complaint(|| Err(Problem::internal("as documented"))), "");
}

const REMEDY: &str = "; add `.problem(..)` or `.problems::<..>()` to the route or its group, or to the endpoints of the resource whose hook or action returns it";

#[test]
fn statuses() {
    let complaint = complaint(|| Ok(HttpResponse::new(StatusCode::IM_A_TEAPOT)));
    assert_eq!(complaint, "the status 418 of `liar` is not documented (documented: 200, 202, 400, 406, 500, 503)");
    let complaint = self::complaint(|| Err(Problem::new(restwright::problem::catalogue::CONFLICT)));
    let expected = "the status 409 of `liar` is not documented (documented: 200, 202, 400, 406, 500, 503)";
    assert_eq!(complaint, format!("{expected}{REMEDY}"));
}

#[test]
fn headers() {
    assert_eq!(
        complaint(|| Ok(HttpResponse::with_bytes(StatusCode::OK, JSON, r#"{"name": "a"}"#))),
        "the header `X-Total` is missing"
    );
    assert_eq!(
        complaint(|| Ok(ok(r#"{"name": "a"}"#).header(TOTAL, HeaderValue::from(-1)))),
        "the header `X-Total`: must be at least 0"
    );
    assert_eq!(
        complaint(|| Ok(ok(r#"{"name": "a"}"#).header("x-more", JSON))),
        "the header `x-more` is not documented"
    );
}

#[test]
fn bodies() {
    assert_eq!(complaint(|| Ok(ok(r#"{"name": "abcd"}"#))), "the body at `/name`: must have at most 3 characters");
    assert!(complaint(|| Ok(ok("{}"))).starts_with("the body at `/name`: "));
    assert!(complaint(|| Ok(ok(r#"{"name": "a", "more": 1}"#))).starts_with("the body at `/more`: "));
    assert!(complaint(|| Ok(ok("{"))).starts_with("the body is not JSON at line 1, column 1: "));
    assert_eq!(
        complaint(|| Ok(ok("a").header(CONTENT_TYPE, HeaderValue::from_static("text/plain")))),
        "the media type `text/plain` is not documented (documented: application/json)"
    );
    assert_eq!(
        complaint(|| Ok(HttpResponse::with_bytes(StatusCode::ACCEPTED, JSON, "{}"))),
        "the response has a body, but the document describes none"
    );
}

#[test]
fn problems() {
    use restwright::problem::ProblemKind;
    const KIND: ProblemKind = ProblemKind::new(StatusCode::INTERNAL_SERVER_ERROR, "boom", "Boom");
    const TITLE: ProblemKind = ProblemKind::new(StatusCode::INTERNAL_SERVER_ERROR, "internal_error", "Oh");
    assert_eq!(
        complaint(|| Err(Problem::new(KIND))),
        format!("the code `boom` is not documented for 500 (documented: internal_error){REMEDY}")
    );
    assert_eq!(
        complaint(|| Err(Problem::new(TITLE))),
        "the problem's `title` is not the title of `internal_error`: Internal server error"
    );
    assert_eq!(
        complaint(|| Ok(HttpResponse::with_bytes(StatusCode::INTERNAL_SERVER_ERROR, JSON, "{}"))),
        "the media type is `application/json`, not `application/problem+json`"
    );
}

#[test]
fn everything_that_differs_is_listed() {
    let complaint = complaint(|| Ok(HttpResponse::with_bytes(StatusCode::OK, JSON, "[]").header("x-more", JSON)));
    assert_eq!(complaint.lines().count(), 3, "{complaint}");
}
