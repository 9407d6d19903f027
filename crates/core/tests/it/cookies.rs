//! Cookies, in one line or in several.

use restwright_core::http::{HttpRequest, HttpResponse, StatusCode};
use restwright_core::{Api, Configuration, Middleware, Next, Result};
use restwright_testing::TestClient;

/// Answers with the cookie `a`, and with what it is when it may come only once.
struct Shown;

impl Middleware for Shown {
    async fn handle(&self, request: &mut HttpRequest, _: Next<'_>) -> Result<HttpResponse> {
        let only = request.only_cookie("a").map_err(|error| error.to_string());
        let shown = format!("{:?} {only:?}", request.cookie("a"));
        Ok(HttpResponse::with_bytes(StatusCode::OK, "text/plain".parse().unwrap(), shown))
    }
}

#[test]
fn cookies_are_found_in_every_line() {
    let api = Api::builder(Configuration::new("cookies", "1.0.0")).middleware(Shown).build().unwrap();
    let client = TestClient::new(api);
    let (none, one) = ("None Ok(None)", "Some(\"1\") Ok(Some(\"1\"))");
    let several = "Some(\"1\") Err(\"several cookies of one name\")";
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
        (&[b"a=\xff"], "None Err(\"a cookie that is not UTF-8\")"),
        (&[b"a=\xff; a=1"], "None Err(\"several cookies of one name\")"),
    ];
    for (lines, expected) in lines {
        let request = lines.iter().fold(client.get("/"), |request, line| request.header("Cookie", line));
        assert_eq!(request.send().text(), *expected, "{lines:?}");
    }
}
