use restwright::Group;
use restwright::prelude::*;
use restwright::production::Deprecated;

use crate::server::Server;

fn api(deprecated: Deprecated) -> std::result::Result<Api, BuildErrors> {
    let get = |path: &str| Route::get(path).id(path).public();
    let newer = Deprecated::since("2026-12-01T12:00:00+01:00");
    let group = Group::new("/v1")
        .middleware(deprecated)
        .controller(get("/rates").handler(async |()| Ok(Data(1))))
        .controller(get("/lost").handler(async |()| -> Result<NoContent> { Err(Problem::not_found("lost")) }))
        .controller(get("/newer").middleware(newer).handler(async |()| Ok(Data(1))));
    Api::builder(Configuration::new("old", "1.0.0"))
        .group(group)
        .controller(get("/v2/rates").handler(async |()| Ok(Data(2))))
        .build()
}

#[test]
fn clients_learn_of_it_from_every_response() {
    let deprecated = Deprecated::since("2023-06-30").sunset("2027-05-01").link("https://docs.example.com/v2");
    let server = Server::start(api(deprecated).unwrap());
    // The first is the example of RFC 9745, section 2.1, at the beginning of its day.
    let (since, sunset) = (Some("@1688083200"), Some("Sat, 01 May 2027 00:00:00 GMT"));
    let link = Some("<https://docs.example.com/v2>; rel=\"deprecation\"; type=\"text/html\"");
    for (method, path, status, expected) in [
        ("GET", "/v1/rates", 200, [since, sunset, link]),
        ("HEAD", "/v1/rates", 200, [since, sunset, link]),
        ("GET", "/v1/lost", 404, [since, sunset, link]),
        ("GET", "/v1/newer", 200, [Some("@1796122800"), None, None]),
        ("GET", "/v2/rates", 200, [None, None, None]),
        ("GET", "/v1/nothing", 404, [None, None, None]),
    ] {
        let reply = server.send(method, path, &[]);
        let found = ["deprecation", "sunset", "link"].map(|name| reply.header(name));
        assert_eq!((reply.status(), found.each_ref().map(Option::as_deref)), (status, expected), "{method} {path}");
    }
}

#[test]
fn what_is_no_time_or_in_no_order_does_not_build() {
    let since = Deprecated::since;
    for (deprecated, message) in [
        (since("soon"), "\"soon\" is not a time"),
        (since("2026-02-30"), "\"2026-02-30\" is not a time"),
        (since("2026-11-01").sunset("2026-11"), "\"2026-11\" is not a time"),
        (since("2026-11-01").sunset("2026-10-31"), "it must be later"),
        (since("2026-11-01").link("docs"), "is not a URL"),
        (since("2026-11-01").link("https://a>; rel=\"x\""), "is not a URL"),
    ] {
        let errors = api(deprecated).map(drop).unwrap_err().to_string();
        assert!(errors.contains(message), "{errors}");
    }
}

#[test]
fn the_document_says_so() {
    let document = restwright::openapi::Document::from_api(&api(Deprecated::since("2026-11-01")).unwrap());
    let document = serde_json::to_value(document).unwrap();
    let operation = |path: &str| document["paths"][path]["get"].clone();
    assert_eq!(operation("/v1/rates")["deprecated"], true);
    assert!(operation("/v1/rates")["responses"]["200"]["headers"]["Deprecation"].is_object());
    assert!(operation("/v2/rates")["deprecated"].is_null());
}
