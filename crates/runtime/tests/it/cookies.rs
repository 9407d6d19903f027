//! Cookies in one or several header lines, and headers that may appear only once.

use restwright_core::http::{HeaderName, HttpRequest, HttpResponse, StatusCode};
use restwright_core::{Configuration, Middleware, Next, Result};
use restwright_runtime::Api;
use restwright_testing::TestClient;

/// Responds with the cookie `a`. At `/header`, responds with the header `x-a`, and with the value if it may appear only
/// once.
struct Shown;

impl Middleware for Shown {
    async fn handle(&self, request: &mut HttpRequest, _: Next<'_>) -> Result<HttpResponse> {
        let name = HeaderName::from_static("x-a");
        let (first, only) = match request.path() {
            "/header" => (request.header(&name), request.only_header(&name)),
            _ => (request.cookie("a"), request.only_cookie("a")),
        };
        let shown = format!("{first:?} {:?}", only.map_err(|error| error.to_string()));
        Ok(HttpResponse::with_bytes(StatusCode::OK, "text/plain".parse().unwrap(), shown))
    }
}

fn client() -> TestClient {
    TestClient::new(Api::builder(Configuration::new("cookies", "1.0.0")).middleware(Shown).build().unwrap())
}

#[test]
fn reads_cookies_from_every_header_line() {
    let client = client();
    let (none, one) = ("None Ok(None)", "Some(\"1\") Ok(Some(\"1\"))");
    let several = "Some(\"1\") Err(\"several values with the same name\")";
    let lines: &[(&[&[u8]], &str)] = &[
        (&[], none),
        (&[b""], none),
        (&[b"a"], none),
        (&[b"b=1; aa=1; A=1"], none),
        (&[b"a=1"], one),
        (&[b"b=2;a=1;c=3"], one),
        (&[b"b=2", b"a=1"], one),
        (&[b" a = 1 ; b=2"], one),
        (&[b"a=\"1\""], one),
        (&[b"b=\xff; a=1"], one),
        (&[b"b=\xff", b"a=1"], one),
        (&[b"a="], "Some(\"\") Ok(Some(\"\"))"),
        (&[b"a=\"\"1\""], "Some(\"\\\"1\") Ok(Some(\"\\\"1\"))"),
        (&[b"a=1=2"], "Some(\"1=2\") Ok(Some(\"1=2\"))"),
        (&[b"a=1; a=1"], several),
        (&[b"a=1; a=2"], several),
        (&[b"a=1", b"b=3; a=2"], several),
        (&[b"a=\xff"], "None Err(\"a value that is not UTF-8\")"),
        (&[b"a=\xff; a=1"], "None Err(\"several values with the same name\")"),
    ];
    for (lines, expected) in lines {
        let request = lines.iter().fold(client.get("/"), |request, line| request.header("Cookie", line));
        assert_eq!(request.send().text(), *expected, "{lines:?}");
    }
}

#[test]
fn reads_a_header_that_may_appear_only_once() {
    let client = client();
    let lines: &[(&[&[u8]], &str)] = &[
        (&[], "None Ok(None)"),
        (&[b""], "Some(\"\") Ok(Some(\"\"))"),
        (&["ä".as_bytes()], "Some(\"ä\") Ok(Some(\"ä\"))"),
        (&[b"\xff"], "None Err(\"a value that is not UTF-8\")"),
        (&[b"1", b"1"], "Some(\"1\") Err(\"several values with the same name\")"),
        (&[b"\xff", b"1"], "None Err(\"several values with the same name\")"),
    ];
    for (lines, expected) in lines {
        let request = lines.iter().fold(client.get("/header"), |request, line| request.header("X-A", line));
        assert_eq!(request.send().text(), *expected, "{lines:?}");
    }
}
