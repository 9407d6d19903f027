//! Pages and offsets, their envelopes and links.

use restwright::Next;
use restwright::auth::{Access, Authentication, Authenticator, Identity};
use restwright::http::{HttpRequest, HttpResponse, header};
use restwright::list::{CursorKey, Limits, LinkHeader, PageResponse};
use restwright::openapi::Document;
use restwright::operation::{ApiKeyLocation, SecurityScheme};
use restwright::prelude::*;
use restwright::testing::TestClient;
use serde_json::{Value, json};

use crate::pets::{ByPage, ListByCursor, ListByOffset, ListByPage, Pet, Shelter, client, five, lenient_client};
use crate::{get, ids, link, links};

fn pagination(target: &str) -> Value {
    get(&client(&five()), target).json::<Value>()["pagination"].clone()
}

#[test]
fn envelopes_of_pages() {
    for (target, expected) in [
        ("/pets", json!({"page": 1, "page_size": 20, "total": 5, "total_pages": 1, "has_more": false})),
        ("/pets?limit=2", json!({"page": 1, "page_size": 2, "total": 5, "total_pages": 3, "has_more": true})),
        ("/pets?limit=2&page=3", json!({"page": 3, "page_size": 2, "total": 5, "total_pages": 3, "has_more": false})),
        ("/pets?limit=5", json!({"page": 1, "page_size": 5, "total": 5, "total_pages": 1, "has_more": false})),
        ("/pets?page=9", json!({"page": 9, "page_size": 20, "total": 5, "total_pages": 1, "has_more": false})),
        ("/pets?name=x", json!({"page": 1, "page_size": 20, "total": 0, "total_pages": 0, "has_more": false})),
        ("/pets/uncounted?limit=2", json!({"page": 1, "page_size": 2, "has_more": true})),
        ("/pets/uncounted?limit=2&page=3", json!({"page": 3, "page_size": 2, "has_more": false})),
    ] {
        assert_eq!(pagination(target), expected, "{target}");
    }
}

#[test]
fn envelopes_of_offsets() {
    for (target, expected) in [
        ("/pets/by-offset", json!({"offset": 0, "limit": 20, "total": 5, "has_more": false})),
        ("/pets/by-offset?offset=1&limit=2", json!({"offset": 1, "limit": 2, "total": 5, "has_more": true})),
        ("/pets/by-offset?offset=3&limit=2", json!({"offset": 3, "limit": 2, "total": 5, "has_more": false})),
        ("/pets/by-offset?offset=100", json!({"offset": 100, "limit": 20, "total": 5, "has_more": false})),
    ] {
        assert_eq!(pagination(target), expected, "{target}");
    }
}

#[test]
fn items_of_pages_and_offsets() {
    let client = client(&five());
    for (target, expected) in [
        ("/pets?order_by=id&limit=2&page=2", &[3_i64, 4] as &[i64]),
        ("/pets?order_by=id&limit=2&page=3", &[5]),
        ("/pets?order_by=id&limit=2&page=4", &[]),
        ("/pets/by-offset?order_by=id&limit=2&offset=1", &[2, 3]),
        ("/pets/by-offset?order_by=id&limit=3&offset=4", &[5]),
    ] {
        assert_eq!(ids(&get(&client, target)), expected, "{target}");
    }
}

#[test]
fn links_keep_filters_and_order_as_the_client_spelt_them() {
    let client = lenient_client(&five());
    let response = get(&client, "/pets?filter%5Bname%5D[ne]=a%26b+c&page=2&order_by=+id&limit=2&x");
    let kept = "&filter%5Bname%5D%5Bne%5D=a%26b+c&order_by=+id&x";
    assert_eq!(
        links(&response),
        [
            ("first".to_owned(), format!("?page=1&limit=2{kept}")),
            ("prev".to_owned(), format!("?page=1&limit=2{kept}")),
            ("next".to_owned(), format!("?page=3&limit=2{kept}")),
            ("last".to_owned(), format!("?page=3&limit=2{kept}")),
        ]
    );
}

#[test]
fn links_are_sent_and_documented_unless_they_are_off() {
    /// An endpoint with the setting of its route, if it has one.
    struct Set<C>(C, Option<LinkHeader>);

    impl<C: Controller> Controller for Set<C> {
        type Request = C::Request;
        type Response = C::Response;

        fn route(&self) -> Route {
            self.1.into_iter().fold(self.0.route().id("listPets"), Route::with)
        }

        async fn handle(&self, request: C::Request) -> Result<C::Response> {
            self.0.handle(request).await
        }
    }

    fn check<C: Controller>(
        controller: fn(Shelter) -> C,
        configured: Option<LinkHeader>,
        of_route: Option<LinkHeader>,
    ) {
        let configuration = Configuration::new("pets", "1.0.0").with(CursorKey::new([7; 32]));
        let configuration = configured.into_iter().fold(configuration, Configuration::with);
        let controller = Set(controller(five()), of_route);
        let path = controller.route().path().to_owned();
        let api = Api::builder(configuration).controller(controller).build().unwrap();
        let document = serde_json::to_value(Document::from_api(&api)).unwrap();
        let header = &document["paths"][&path]["get"]["responses"]["200"]["headers"]["Link"];
        let response = get(&TestClient::new(api), &format!("{path}?limit=2"));
        let expected = of_route.or(configured) != Some(LinkHeader::Off);
        assert_eq!(response.header("link").is_some(), expected, "{path} {configured:?} {of_route:?}");
        assert_eq!(header.is_object(), expected, "{path} {configured:?} {of_route:?}");
    }

    let settings = [None, Some(LinkHeader::On), Some(LinkHeader::Off)];
    for (configured, of_route) in settings.into_iter().flat_map(|first| settings.map(|second| (first, second))) {
        check(ListByPage, configured, of_route);
        check(ListByOffset, configured, of_route);
        check(ListByCursor, configured, of_route);
    }
}

#[test]
fn names_are_known_in_any_encoding() {
    let response = get(&lenient_client(&five()), "/pets?p%61ge=2&lim%69t=2&pages=1");
    assert_eq!(links(&response)[0].1, "?page=1&limit=2&pages=1");
}

#[test]
fn links_lead_through_the_whole_list() {
    let client = client(&five());
    for path in ["/pets", "/pets/uncounted", "/pets/by-offset"] {
        let start = format!("{path}?order_by=-id&limit=2&filter[id]");
        let (mut seen, mut targets, mut next) = (Vec::new(), Vec::new(), Some(start.replace("&filter[id]", "")));
        while let Some(target) = next {
            let response = get(&client, &target);
            seen.extend(ids(&response));
            next = link(path, &response, "next");
            targets.push((target, link(path, &response, "prev")));
        }
        assert_eq!(seen, [5, 4, 3, 2, 1], "{path}");
        for pair in targets.windows(2) {
            let previous = pair[1].1.clone().unwrap();
            assert_eq!(ids(&get(&client, &previous)), ids(&get(&client, &pair[0].0)));
        }
    }
    assert_eq!(link("/pets", &get(&client, "/pets?page=9&limit=2"), "prev").unwrap(), "/pets?page=3&limit=2");
    assert_eq!(
        link("/pets/by-offset", &get(&client, "/pets/by-offset?offset=1&limit=2"), "last").unwrap(),
        "/pets/by-offset?offset=3&limit=2"
    );
    assert_eq!(
        link("/pets/by-offset", &get(&client, "/pets/by-offset?offset=50&limit=2"), "prev").unwrap(),
        "/pets/by-offset?offset=4&limit=2"
    );
    assert_eq!(link("/pets", &get(&client, "/pets?name=x"), "last").unwrap(), "/pets?page=1&limit=20&name=x");
}

#[test]
fn the_last_items_have_no_link_after_the_largest_offset() {
    let configuration = Configuration::new("pets", "1.0.0").with(Limits::new(2, 2).max_offset(3));
    let api = Api::builder(configuration).controller(ListByPage(five())).controller(ListByOffset(five()));
    let client = TestClient::new(api.build().unwrap());
    for (target, next, last, status) in [
        ("/pets?limit=1", "?page=2&limit=1", None, 200),
        ("/pets?limit=1&page=4", "?page=5&limit=1", None, 422),
        ("/pets", "?page=2&limit=2", None, 200),
        ("/pets/by-offset", "?offset=2&limit=2", None, 200),
        ("/pets/by-offset?offset=1", "?offset=3&limit=2", Some("?offset=3&limit=2"), 200),
        // The way on is a violation that says so, since a list without a next page would look whole.
        ("/pets?page=2", "?page=3&limit=2", None, 422),
        ("/pets/by-offset?offset=3&limit=1", "?offset=4&limit=1", None, 422),
    ] {
        let links = links(&get(&client, target));
        let found = |relation: &str| links.iter().find(|(found, _)| found == relation).map(|(_, link)| link.as_str());
        assert_eq!((found("next"), found("last")), (Some(next), last), "{target}");
        let path = target.split('?').next().unwrap();
        let followed = get(&client, &format!("{path}{next}"));
        assert_eq!(followed.status(), status, "{target}");
    }
}

#[test]
fn a_link_cannot_be_broken_out_of() {
    let client = lenient_client(&five());
    let response = client.get("/pets?x=>;%20rel=\"next\",<http://evil").send();
    assert_eq!(links(&response).len(), 2, "{:?}", response.header("link"));
    assert!(response.header("link").unwrap().contains("x=%3E;%20rel=%22next%22,%3Chttp://evil"));
}

#[test]
fn a_long_query_is_not_repeated_in_links() {
    let client = lenient_client(&five());
    for (path, count, expected) in [
        ("/pets?limit=2", 0, Some(101)),
        ("/pets?limit=2", 649, Some(2_048)),
        ("/pets?limit=2", 650, None),
        ("/pets/uncounted?limit=2", 990, Some(2_047)),
        ("/pets/uncounted?limit=2", 991, None),
        ("/pets?limit=2", 60_000, None),
    ] {
        let response = get(&client, &format!("{path}&x={}", "a".repeat(count)));
        assert_eq!(response.header("link").map(str::len), expected, "{path} {count}");
        assert_eq!(response.json::<Value>()["pagination"]["has_more"], true, "{path} {count}");
    }
    // A link contains three bytes for `[`.
    for (count, expected) in [(216, Some(2_045)), (217, None)] {
        let response = get(&client, &format!("/pets?limit=2&x={}", "[".repeat(count)));
        assert_eq!(response.header("link").map(str::len), expected, "{count}");
    }
}

/// Admits callers by a name in the query.
struct ByKey;

impl Authenticator for ByKey {
    fn describe(&self) -> SecurityScheme {
        SecurityScheme::api_key(ApiKeyLocation::Query, "my key")
    }

    async fn authenticate(&self, _: &mut HttpRequest) -> Authentication {
        Authentication::Identity(Identity::builder("ann").build())
    }
}

/// Admits callers with a token, also from the query (RFC 6750, section 2.3), without a description of it.
struct ByToken;

impl Authenticator for ByToken {
    fn describe(&self) -> SecurityScheme {
        SecurityScheme::http("bearer")
    }

    async fn authenticate(&self, request: &mut HttpRequest) -> Authentication {
        request.claim_query("access_token");
        if request.header(&header::AUTHORIZATION).is_none() {
            return Authentication::NoCredentials;
        }
        Authentication::Identity(Identity::builder("ann").build())
    }
}

/// Says in which language the names are, which it reads from the query.
struct Language;

impl Middleware for Language {
    async fn handle(&self, request: &mut HttpRequest, next: Next<'_>) -> Result<HttpResponse> {
        request.claim_query("language");
        Ok(next.run(request).await)
    }
}

struct ListGuarded;

impl Controller for ListGuarded {
    type Request = ByPage;
    type Response = PageResponse<Pet>;

    fn route(&self) -> Route {
        Route::get("/pets").access(Access::authenticated("token").or("key")).middleware(Language)
    }

    async fn handle(&self, request: ByPage) -> Result<PageResponse<Pet>> {
        ListByPage(five()).handle(request).await
    }
}

#[test]
fn links_repeat_no_credentials() {
    let configuration =
        Configuration::new("pets", "1.0.0").strict().authenticator("token", ByToken).authenticator("key", ByKey);
    let client = TestClient::new(Api::builder(configuration).controller(ListGuarded).build().unwrap());
    for key in ["my+key", "my%20key", "%6Dy+k%65y"] {
        let response = get(&client, &format!("/pets?language=de&{key}=secret&limit=3&order_by=id"));
        // What a middleware reads may say which list it is.
        let next = link("/pets", &response, "next").unwrap();
        assert_eq!(next, "/pets?page=2&limit=3&language=de&order_by=id");
        get(&client, &next).assert_status(200);
        // The token decides: the key is not asked for, and is no less secret.
        let target = format!("/pets?access_token=secret&{key}=secret&limit=3");
        let response = client.get(&target).header("Authorization", "Bearer secret").send();
        assert_eq!(link("/pets", &response, "next").as_deref(), Some("/pets?page=2&limit=3"));
    }
}
