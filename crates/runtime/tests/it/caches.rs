//! `Cache-Control` and `Vary` of responses that set neither (RFC 9111).

use restwright_core::auth::{Access, Authentication, Authenticator, Identity};
use restwright_core::http::{HeaderName, HeaderValue, HttpRequest, HttpResponse, StatusCode};
use restwright_core::operation::{
    ApiKeyLocation, HeaderObject, MediaTypeObject, OAuthFlow, Operation, SchemaUse, SecurityScheme,
};
use restwright_core::problem::catalogue;
use restwright_core::route::SameForAllCallers;
use restwright_core::schema::SchemaObject;
use restwright_core::{BuildContext, BuildErrors, Configuration, Middleware, Next, Problem, Response, Result, Route};
use restwright_runtime::{Api, Group};
use restwright_testing::TestClient;

/// A scheme that admits every request with `X-Who`.
struct Scheme(SecurityScheme);

impl Authenticator for Scheme {
    fn describe(&self) -> SecurityScheme {
        self.0.clone()
    }

    fn challenge(&self) -> String {
        "Any".to_owned()
    }

    async fn authenticate(&self, request: &mut HttpRequest) -> Authentication {
        match request.header(&HeaderName::from_static("x-who")) {
            Some(who) => Authentication::Identity(Identity::builder(who).build()),
            None => Authentication::NoCredentials,
        }
    }
}

/// A response with these headers.
struct Headers(&'static [(&'static str, &'static str)]);

impl Response for Headers {
    type Plan = ();

    fn plan(_: &mut BuildContext<'_>) -> Result<(), BuildErrors> {
        Ok(())
    }

    fn describe((): &(), operation: &mut Operation) {
        let response = operation.response(StatusCode::OK);
        response.content.push(MediaTypeObject::new("text/plain"));
        for name in ["ETag", "Last-Modified", "Cache-Control", "Vary"] {
            response.add_header(HeaderObject::new(name, SchemaUse::output(SchemaObject::string())).optional());
        }
    }

    fn respond(self, (): &(), _: &HttpRequest) -> Result<HttpResponse> {
        let mut response =
            HttpResponse::with_bytes(StatusCode::OK, HeaderValue::from_static("text/plain"), self.0.len().to_string());
        for (name, value) in self.0 {
            response.headers_mut().append(*name, HeaderValue::from_static(value));
        }
        Ok(response)
    }
}

const TAG: (&str, &str) = ("ETag", "\"1\"");
const TIME: (&str, &str) = ("Last-Modified", "Sun, 06 Nov 1994 08:49:37 GMT");

/// The responses of each route: their headers, `Cache-Control` of a public route and of others, and the names in `Vary`
/// before the names of the credentials.
type Row = (&'static str, &'static [(&'static str, &'static str)], Option<&'static str>, &'static str, &'static str);

const ROWS: [Row; 7] = [
    ("plain", &[], None, "no-store", ""),
    ("tagged", &[TAG], None, "private, no-cache", ""),
    ("timed", &[TIME], Some("no-cache"), "no-store", ""),
    ("both", &[TAG, TIME], Some("no-cache"), "private, no-cache", ""),
    ("own", &[TAG, ("Cache-Control", "max-age=9")], Some("max-age=9"), "max-age=9", ""),
    ("varied", &[("Vary", "Accept"), ("Vary", "Origin")], None, "no-store", "Accept, Origin"),
    ("any", &[("Vary", "*")], None, "no-store", "*"),
];

/// Each access, and the names of the credentials in `Vary`. `None` means that responses are shared.
fn accesses() -> Vec<(&'static str, Access, Option<&'static str>)> {
    vec![
        ("public", Access::public(), None),
        ("shared", Access::authenticated("header").into(), None),
        ("header", Access::authenticated("header").into(), Some("X-Key")),
        ("optional", Access::optional("header").into(), Some("X-Key")),
        ("cookie", Access::authenticated("cookie").into(), Some("Cookie")),
        ("query", Access::authenticated("query").into(), Some("")),
        ("basic", Access::authenticated("basic").into(), Some("Authorization")),
        ("oauth", Access::authenticated("oauth").into(), Some("Authorization")),
        ("and", Access::authenticated("basic").and("header").into(), Some("Authorization, X-Key")),
        ("or", Access::authenticated("header").or("cookie").or("oauth").into(), Some("X-Key, Cookie, Authorization")),
    ]
}

fn client() -> TestClient {
    let flow = OAuthFlow::client_credentials("https://id.example.com/token");
    let key = SecurityScheme::api_key;
    let configuration = Configuration::new("caches", "1.0.0")
        .authenticator("header", Scheme(key(ApiKeyLocation::Header, "X-Key")))
        .authenticator("cookie", Scheme(key(ApiKeyLocation::Cookie, "session")))
        .authenticator("query", Scheme(key(ApiKeyLocation::Query, "key")))
        .authenticator("basic", Scheme(SecurityScheme::http("basic")))
        .authenticator("oauth", Scheme(SecurityScheme::oauth2([flow])));
    let mut api = Api::builder(configuration);
    for (path, access, _) in accesses() {
        let route = |name: &str| {
            let route = Route::get(&*format!("/{path}/{name}")).id(format!("{path}_{name}")).access(access.clone());
            if path == "shared" { route.with(SameForAllCallers) } else { route }
        };
        for (name, headers, ..) in ROWS {
            api = api.controller(route(name).handler(async |(): ()| Ok(Headers(headers))));
        }
        let failing = route("problem").problem(catalogue::CONFLICT);
        api = api.controller(failing.handler(async |(): ()| Err::<Headers, _>(Problem::new(catalogue::CONFLICT))));
    }
    let tagged = Route::get("/tagged-problem").id("tagged").access(Access::authenticated("header"));
    let tagged = tagged.problem(catalogue::CONFLICT).handler(async |(): ()| {
        let problem = Problem::new(catalogue::CONFLICT);
        Err::<Headers, _>(problem.header(HeaderName::from_static("etag"), HeaderValue::from_static("\"1\"")))
    });
    api = api.controller(tagged);
    let inside = Route::get("/plain").id("inside").handler(async |(): ()| Ok(Headers(&[])));
    let group = Group::new("/group").access(Access::authenticated("header")).controller(inside);
    let set = Route::get("/set").id("set").access(Access::authenticated("header")).middleware(Set);
    let set = set.handler(async |(): ()| Ok(Headers(&[])));
    TestClient::new(api.group(group).controller(set).build().unwrap())
}

/// A middleware that sets the headers of its responses on the request.
struct Set;

impl Middleware for Set {
    fn describe(&self, _: &mut Operation) {}

    async fn handle(&self, request: &mut HttpRequest, next: Next<'_>) -> Result<HttpResponse> {
        request.set_response_header(HeaderName::from_static("cache-control"), HeaderValue::from_static("max-age=1"));
        request.set_response_header(HeaderName::from_static("vary"), HeaderValue::from_static("Range"));
        Ok(next.run(request).await)
    }
}

#[test]
fn responses_belong_to_their_caller_unless_the_route_is_public() {
    let client = client();
    for (path, _, credentials) in accesses() {
        for (name, _, of_public, of_caller, varied) in ROWS {
            let response = client.get(format!("/{path}/{name}")).header("X-Who", "ann").send();
            response.assert_status(200).assert_documented();
            let cache = if credentials.is_some() { Some(of_caller) } else { of_public };
            assert_eq!(response.header("cache-control"), cache, "{path} {name}");
            let names = [varied, credentials.unwrap_or_default()].into_iter().filter(|names| !names.is_empty());
            let names = if varied == "*" { varied.to_owned() } else { names.collect::<Vec<_>>().join(", ") };
            let lines: Vec<_> = response.headers().get_all("vary").iter().map(|line| line.to_str().unwrap()).collect();
            assert_eq!(lines.join(", "), names, "{path} {name}");
        }
    }
    for path in ["/group/plain", "/optional/plain"] {
        let response = client.get(path).header("X-Who", "ann").send();
        let found = (response.header("cache-control"), response.header("vary"));
        assert_eq!(found, (Some("no-store"), Some("X-Key")), "{path}");
    }
    let set = client.get("/set").header("X-Who", "ann").send();
    assert_eq!((set.header("cache-control"), set.header("vary")), (Some("max-age=1"), Some("Range, X-Key")));
}

#[test]
fn no_cache_stores_a_problem() {
    let client = client();
    for (path, _, credentials) in accesses() {
        let response = client.get(format!("/{path}/problem")).header("X-Who", "ann").send();
        response.assert_status(409).assert_documented().assert_header("cache-control", "no-store");
        assert_eq!(response.header("vary").unwrap_or_default(), credentials.unwrap_or_default(), "{path}");
    }
    let tagged = client.get("/tagged-problem").header("X-Who", "ann").send();
    tagged.assert_status(409).assert_header("etag", "\"1\"").assert_header("cache-control", "no-store");
    client.get("/header/plain").send().assert_status(401).assert_header("cache-control", "no-store");
    client.get("/nothing").send().assert_status(404).assert_header("cache-control", "no-store");
    client.post("/public/plain").send().assert_status(405).assert_header("cache-control", "no-store");
}
