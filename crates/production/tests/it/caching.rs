use restwright::auth::{ApiKey, ApiKeyAuthenticator, KeyList};
use restwright::body::{Bytes, StreamingBody};
use restwright::core::conditional::{EntityTag, Tagged};
use restwright::prelude::*;
use restwright::production::{Caching, SecurityHeaders};
use restwright::route::SameForAllCallers;
use restwright::testing::TestClient;

use crate::server::Server;

const KEY: &str = "X-Api-Key: shop.4c8c8f55d9a14bb6b4b6b31ce1c6cbd0";

#[derive(Response)]
#[response(status = 200)]
struct Own {
    #[header("Cache-Control")]
    cache: &'static str,
    #[body]
    body: Data<i64>,
}

#[derive(Response)]
#[response(status = 206)]
struct OnePart {
    #[header("Content-Range")]
    range: &'static str,
    #[body]
    body: Data<i64>,
}

#[derive(Response)]
#[response(status = 200, content_type = "text/plain")]
struct Pieces(#[body] StreamingBody);

fn pieces() -> Pieces {
    Pieces(StreamingBody::new(futures_util::stream::iter([Ok(Bytes::from_static(b"one piece"))])))
}

fn api(caching: &Caching) -> std::result::Result<Api, BuildErrors> {
    let key = KEY.strip_prefix("X-Api-Key: ").unwrap().parse::<ApiKey>().unwrap().subject("shop").scopes(["read"]);
    let configuration =
        Configuration::new("cached", "1.0.0").authenticator("key", ApiKeyAuthenticator::new(KeyList::new([key])));
    let get = |path: &str| Route::get(path).id(path).middleware(caching.clone());
    let version = async |()| Ok(Tagged::new(EntityTag::strong(7), Data(7)));
    Api::builder(configuration)
        .middleware(SecurityHeaders::new())
        .controller(get("/content").public().handler(async |()| Ok(Data("content"))))
        .controller(get("/version").public().handler(version))
        .controller(get("/own").public().handler(async |()| Ok(Own { cache: "no-store", body: Data(1) })))
        .controller(get("/part").public().handler(async |()| Ok(OnePart { range: "bytes 0-9/20", body: Data(1) })))
        .controller(get("/stream").public().handler(async |()| Ok(pieces())))
        .controller(get("/broken").public().handler(async |()| -> Result<NoContent> { Err(Problem::not_found("x")) }))
        .controller(get("/secret").authorize("key", ["read"]).handler(async |()| Ok(Data("secret"))))
        .controller(
            Route::post("/content")
                .id("post")
                .public()
                .middleware(caching.clone())
                .handler(async |()| Ok(Data("made"))),
        )
        .build()
}

#[test]
fn clients_may_keep_responses_and_ask_whether_they_are_the_same() {
    let server = Server::start(api(&Caching::new("private, max-age=60").tag()).unwrap());
    // `printf '{"data":"content"}' | sha256sum | cut -c1-32`
    let known = "\"613a69c64f4a1c0c9751247082d96e28\"";
    let same = format!("If-None-Match: {known}");
    let among = format!("If-None-Match: \"1\", W/{known}");
    let known_coded = "\"613a69c64f4a1c0c9751247082d96e28;gzip\"";
    let coded = format!("If-None-Match: {known_coded}");
    let other = "If-None-Match: \"1\"".to_owned();
    let demanded = "If-Match: \"1\"".to_owned();
    let private = Some("private, max-age=60");
    let cases = [
        ("GET", "/content", "", 200, private, Some(known), 18),
        ("HEAD", "/content", "", 200, private, Some(known), 0),
        ("GET", "/content", &same, 304, private, Some(known), 0),
        ("HEAD", "/content", &same, 304, private, Some(known), 0),
        ("GET", "/content", &among, 304, private, Some(known), 0),
        ("GET", "/content", &coded, 304, private, Some(known_coded), 0),
        ("GET", "/content", "If-None-Match: *", 304, private, Some(known), 0),
        ("GET", "/content", &other, 200, private, Some(known), 18),
        ("POST", "/content", &same, 200, None, None, 15),
        ("GET", "/version", "", 200, private, Some("\"7\""), 10),
        ("GET", "/version", "If-None-Match: \"7\"", 304, private, Some("\"7\""), 0),
        ("GET", "/own", "", 200, Some("no-store"), Some("\"5e0555215395381d3c3f0eec84352b7b\""), 10),
        // A client that has the whole by this tag would take the part for it.
        ("GET", "/part", "If-None-Match: \"5e0555215395381d3c3f0eec84352b7b\"", 206, private, None, 10),
        ("GET", "/secret", KEY, 200, private, Some("\"73d5959ab123670ff3b06dd304ebef5a\""), 17),
    ];
    for (method, path, header, status, cache, tag, length) in cases {
        let headers: &[&str] = if header.is_empty() { &[] } else { &[header] };
        let reply = server.send(method, path, headers);
        let found = (reply.status(), reply.header("cache-control"), reply.header("etag"), reply.body().len());
        let expected = (status, cache.map(str::to_owned), tag.map(str::to_owned), length);
        assert_eq!(found, expected, "{method} {path} {header}");
    }
    let reply = server.send("GET", "/content", &[&demanded]);
    assert_eq!((reply.status(), reply.header("etag")), (412, None));
    // What has no content to compare, and failures.
    let stream = server.send("GET", "/stream", &[]);
    assert_eq!((stream.header("cache-control").as_deref(), stream.header("etag")), (private, None));
    assert_eq!(server.send("GET", "/broken", &[]).header("cache-control").as_deref(), Some("no-store"));
    assert_eq!(server.send("GET", "/secret", &[]).header("cache-control").as_deref(), Some("no-store"));
}

#[test]
fn what_would_leak_or_is_no_value_does_not_build() {
    for (value, message) in [
        ("public, max-age=60", "`public` lets shared caches store responses of a route that is not public"),
        ("max-age=1, S-MaxAge=60", "`S-MaxAge` lets shared caches"),
        (
            "max-age=60",
            "`max-age=60` lets shared caches store responses of a route that is not public; write `private, max-age=60`",
        ),
        ("private=\"set-cookie\", max-age=1", "lets shared caches"),
        ("must-revalidate", "lets shared caches"),
        ("", "\"\" is not a valid value of `Cache-Control`"),
        ("private; max-age=60", "is not a valid value of `Cache-Control`"),
        ("max-age=", "is not a valid value of `Cache-Control`"),
        ("private,,no-cache", "is not a valid value of `Cache-Control`"),
        ("a\r\nb: c", "is not a valid value of `Cache-Control`"),
    ] {
        let errors = api(&Caching::new(value)).map(drop).unwrap_err().to_string();
        assert!(errors.contains(message), "{value:?}: {errors}");
    }
    let shared = Route::get("/shared").id("shared").optional("key").with(SameForAllCallers);
    let shared = shared.middleware(Caching::new("public, max-age=60")).handler(async |()| Ok(Data(1)));
    let configuration =
        Configuration::new("shared", "1.0.0").authenticator("key", ApiKeyAuthenticator::new(KeyList::new([])));
    let response =
        TestClient::new(Api::builder(configuration).controller(shared).build().unwrap()).get("/shared").send();
    response.assert_status(200).assert_documented().assert_header("cache-control", "public, max-age=60");
    assert_eq!(response.header("vary"), None);
    for value in ["Private, max-age=1, stale-if-error=9", "no-cache=\"set-cookie\", no-cache", "no-store"] {
        api(&Caching::new(value)).unwrap();
    }
}

#[test]
fn the_document_has_what_a_client_needs() {
    let document = restwright::openapi::Document::from_api(&api(&Caching::new("private, max-age=1").tag()).unwrap());
    let document = serde_json::to_value(document).unwrap();
    let [content, version] = ["/content", "/version"].map(|path| &document["paths"][path]["get"]);
    for operation in [content, version] {
        assert!(operation["responses"]["200"]["headers"]["ETag"].is_object(), "{operation}");
        assert!(operation["responses"]["200"]["headers"]["Cache-Control"].is_object(), "{operation}");
        assert!(operation["responses"]["304"].is_object() && operation["responses"]["412"].is_object(), "{operation}");
        let names: Vec<_> = operation["parameters"].as_array().unwrap().iter().map(|one| one["name"].clone()).collect();
        assert_eq!(names, ["If-Match", "If-None-Match"], "{operation}");
    }
    assert!(document["paths"]["/content"]["post"]["responses"]["304"].is_null());
    let client = TestClient::new(api(&Caching::new("private, max-age=1").tag()).unwrap());
    for path in ["/content", "/version", "/own", "/part", "/stream"] {
        client.get(path).send().assert_documented();
    }
}
