//! References from the root behind a proxy that removes a prefix.

use restwright_core::client_address::TrustedProxies;
use restwright_core::http::header::{CONTENT_LOCATION, LOCATION};
use restwright_core::http::{HeaderName, HeaderValue, HttpRequest, HttpResponse};
use restwright_core::operation::Operation;
use restwright_core::{Configuration, Created, Location, Middleware, Next, NoContent, Result, Route};
use restwright_runtime::Api;
use restwright_testing::TestClient;

/// Sets a header of each response.
struct Set(HeaderName, &'static str);

impl Middleware for Set {
    fn describe(&self, _: &mut Operation) {}

    async fn handle(&self, request: &mut HttpRequest, next: Next<'_>) -> Result<HttpResponse> {
        let mut response = next.run(request).await;
        response.insert_header(self.0.clone(), HeaderValue::from_static(self.1));
        Ok(response)
    }
}

/// The `Location` of a created pet is a path. Other values are written by middlewares.
fn client(configuration: Configuration) -> TestClient {
    let create = || Created::at(Location::to("viewPet"), 7);
    let route = Route::post("/pets").id("createPet").public().middleware(Set(CONTENT_LOCATION, "/pets/seven?full"));
    let mut api = Api::builder(configuration)
        .controller(route.handler(async move |()| Ok(create())))
        .controller(Route::get("/pets/7").id("viewPet").public().handler(async |()| Ok(NoContent)));
    for (path, location) in [
        ("/absolute", "https://example.com/pets"),
        ("/other-host", "//example.com/pets"),
        ("/relative", "pets"),
        ("/handwritten", "/pets"),
    ] {
        let route = Route::get(path).id(path.trim_start_matches('/').to_owned()).public();
        api = api.controller(route.middleware(Set(LOCATION, location)).handler(async |()| Ok(NoContent)));
    }
    TestClient::new(api.build().unwrap())
}

fn configuration() -> Configuration {
    Configuration::new("pets", "1.0.0")
}

fn proxies() -> TrustedProxies {
    TrustedProxies::new(["127.0.0.1"]).forwarded_prefix()
}

/// Returns the `Location` and `Content-Location` of a created pet.
#[track_caller]
fn created(client: &TestClient, headers: &[(&str, &[u8])]) -> (String, String) {
    let request = headers.iter().fold(client.post("/pets"), |request, (name, value)| request.header(name, value));
    let response = request.send();
    response.assert_status(201);
    let text = |name| response.header(name).unwrap().to_owned();
    (text("location"), text("content-location"))
}

#[test]
fn a_declared_path_is_put_in_front_of_references_from_the_root() {
    for (servers, prefix) in [
        (&[][..], ""),
        (&["/"], ""),
        (&["https://example.com/shop"], ""),
        (&["/shop"], "/shop"),
        (&["/shop/"], "/shop"),
        (&["https://example.com/old", "/shop/v%201", "/new"], "/shop/v%201"),
    ] {
        let client =
            client(servers.iter().fold(configuration(), |configuration, server| configuration.server(*server)));
        let expected = (format!("{prefix}/pets/7"), format!("{prefix}/pets/seven?full"));
        assert_eq!(created(&client, &[]), expected, "{servers:?}");
        // Without a trusted proxy, the header of the request is ignored.
        assert_eq!(created(&client, &[("x-forwarded-prefix", b"/sent")]), expected, "{servers:?}");
        for (path, location) in [
            ("/absolute", "https://example.com/pets"),
            ("/other-host", "//example.com/pets"),
            ("/relative", "pets"),
            ("/handwritten", &format!("{prefix}/pets")),
        ] {
            client.get(path).send().assert_header("location", location);
        }
        // The client of tests follows the reference, and other paths are as before.
        client.get(created(&client, &[]).0).send().assert_status(204);
        client.get("/shopping/7").send().assert_status(404);
    }
}

#[test]
fn a_trusted_proxy_sends_the_prefix() {
    let client = client(configuration().server("/declared").trusted_proxies(proxies()));
    let location = |headers: &[(&str, &[u8])]| created(&client, headers).0;
    let longest = format!("/{}", "a".repeat(255));
    let long = format!("{longest}a");
    for (values, expected) in [
        (&[&b"/shop"[..]][..], "/shop/pets/7"),
        (&[b"/shop/"], "/shop/pets/7"),
        (&[b"/outer, /inner"], "/outer/inner/pets/7"),
        (&[b"/outer", b"/inner"], "/outer/inner/pets/7"),
        (&[b"/a%20b:c"], "/a%20b:c/pets/7"),
        (&[b"/outer, ", b""], "/outer/pets/7"),
        // A value that is not a path is ignored.
        (&[], "/declared/pets/7"),
        (&[b""], "/declared/pets/7"),
        (&[b"/"], "/declared/pets/7"),
        (&[b"shop"], "/declared/pets/7"),
        (&[b"/outer, inner"], "/declared/pets/7"),
        (&[b"/outer", b"inner"], "/declared/pets/7"),
        (&[b"//example.com"], "/declared/pets/7"),
        (&[b"https://example.com"], "/declared/pets/7"),
        (&[b"/shop/../admin"], "/declared/pets/7"),
        (&[b"/shop?x"], "/declared/pets/7"),
        (&[b"/sh\xc3\xb6p"], "/declared/pets/7"),
        (&[b"/shop", b"\xff"], "/declared/pets/7"),
        (&[long.as_bytes()], "/declared/pets/7"),
        (&[longest.as_bytes()], &format!("{longest}/pets/7")),
    ] {
        let headers: Vec<_> = values.iter().map(|value| ("x-forwarded-prefix", *value)).collect();
        assert_eq!(location(&headers), expected, "{values:?}");
    }
    let other = client.post("/pets").header("x-forwarded-prefix", "/shop").peer(([192, 0, 2, 1], 80).into()).send();
    other.assert_header("location", "/declared/pets/7");
}

#[test]
fn references_are_relative_by_choice() {
    for configuration in [configuration(), configuration().server("/shop").trusted_proxies(proxies())] {
        let client = client(configuration.relative_locations());
        let expected = ("pets/7".to_owned(), "pets/seven?full".to_owned());
        assert_eq!(created(&client, &[("x-forwarded-prefix", b"/sent")]), expected);
        client.get("/absolute").send().assert_header("location", "https://example.com/pets");
    }
}
