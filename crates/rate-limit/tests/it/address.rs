//! The client's address, behind proxies and not.

use std::fmt::Debug;
use std::net::SocketAddr;

use restwright::Api;
use restwright::core::client_address::{ClientAddress, TrustedProxies};
use restwright::core::http::StatusCode;
use restwright::core::schema::{PropertyCollection, string};
use restwright::core::{
    BuildContext, BuildErrors, Configuration, Controller, Input, Output, Part, Problem, Reader, Request, Result, Route,
};
use restwright::testing::TestClient;
use serde_json::json;

/// A request that reads nothing but the client's address.
struct AddressRequest(ClientAddress);

impl Request for AddressRequest {
    type Plan = (<Input as Request>::Plan, <ClientAddress as Part>::Plan);

    fn plan(context: &mut BuildContext<'_>) -> Result<Self::Plan, BuildErrors> {
        Ok((Input::plan(context)?, ClientAddress::plan(context)?))
    }

    fn describe(plan: &Self::Plan, operation: &mut restwright::core::operation::Operation) {
        ClientAddress::describe(&plan.1, operation);
    }

    async fn read(plan: &Self::Plan, reader: &mut Reader<'_>) -> Result<Option<Self>, Problem> {
        Ok(reader.part::<ClientAddress>(&plan.1).map(Self))
    }
}

struct ShowAddress;

impl Controller for ShowAddress {
    type Request = AddressRequest;
    type Response = Output;

    fn route(&self) -> Route {
        let shown = PropertyCollection::new("Shown").property(string("address"));
        Route::get("/address").public().response(200, shown)
    }

    async fn handle(&self, request: AddressRequest) -> Result<Output> {
        let address = request.0.0.map_or_else(|| "none".to_owned(), |address| address.to_string());
        Ok(Output::new(StatusCode::OK, json!({ "address": address })))
    }
}

/// Sends headers from a peer, and compares the address that the controller gets.
fn check<V: AsRef<[u8]> + Debug>(proxies: Option<TrustedProxies>, peer: &str, headers: &[(&str, V)], expected: &str) {
    let mut configuration = Configuration::new("addresses", "1.0.0");
    if let Some(proxies) = proxies {
        configuration = configuration.trusted_proxies(proxies);
    }
    let client = TestClient::new(Api::builder(configuration).controller(ShowAddress).build().unwrap());
    let peer = SocketAddr::new(peer.parse().unwrap(), 40000);
    let request =
        headers.iter().fold(client.get("/address").peer(peer), |request, (name, value)| request.header(name, value));
    let shown = request.send().assert_documented().json::<serde_json::Value>();
    assert_eq!(shown["address"], expected, "{peer} {headers:?}");
}

#[test]
fn without_trusted_proxies_headers_count_for_nothing() {
    check(None, "198.51.100.1", &[("X-Forwarded-For", "1.1.1.1"), ("Forwarded", "for=1.1.1.1")], "198.51.100.1");
    check(None, "::ffff:198.51.100.1", &[("Accept", "*/*")], "198.51.100.1");
}

#[test]
fn hops_are_read_from_the_right() {
    let proxies = || Some(TrustedProxies::new(["10.0.0.0/8", "fd00::/8"]));
    for (peer, value, expected) in [
        ("198.51.100.1", "1.1.1.1", "198.51.100.1"),
        ("10.0.0.1", "203.0.113.7", "203.0.113.7"),
        ("fd00::1", "1.1.1.1, 203.0.113.7", "203.0.113.7"),
        ("10.0.0.1", "1.1.1.1, 203.0.113.7, 10.0.0.2, fd00::3", "203.0.113.7"),
        ("10.0.0.1", "10.0.0.3, 10.0.0.2", "10.0.0.3"),
        ("10.0.0.1", "1.1.1.1, hidden, 10.0.0.2", "10.0.0.2"),
        ("10.0.0.1", "1.1.1.1,", "10.0.0.1"),
        ("10.0.0.1", "2001:db8::7", "2001:db8::7"),
    ] {
        check(proxies(), peer, &[("X-Forwarded-For", value)], expected);
    }
    check(proxies(), "10.0.0.1", &[("Accept", "*/*")], "10.0.0.1");
    check(
        proxies(),
        "10.0.0.1",
        &[("X-Forwarded-For", "1.1.1.1"), ("X-Forwarded-For", "2.2.2.2, 10.0.0.2")],
        "2.2.2.2",
    );
    for (lines, expected) in [
        (["1.1.1.1, 2.2.2.2", "10.0.0.3, 10.0.0.2"], "2.2.2.2"),
        (["1.1.1.1, hidden", "10.0.0.2"], "10.0.0.2"),
        (["1.1.1.1, hidden, 10.0.0.3", "10.0.0.2"], "10.0.0.3"),
        (["1.1.1.1", "hidden"], "10.0.0.1"),
        (["10.0.0.3", "10.0.0.2"], "10.0.0.3"),
    ] {
        check(proxies(), "10.0.0.1", &lines.map(|line| ("X-Forwarded-For", line)), expected);
    }
}

#[test]
fn what_a_client_writes_does_not_change_what_its_proxy_says() {
    let proxies = || TrustedProxies::new(["10.0.0.0/8"]);
    for written in [&b"for=1.1.1.1;by=\""[..], b"for=\"", b"for=\"\\", b"\xff", b"for=1.1.1.1;for=\"\\\"", b",", b""] {
        for (name, proxies, hops) in [
            ("Forwarded", proxies().forwarded(), ["for=203.0.113.7", "for=\"10.0.0.2:_p\""]),
            ("X-Forwarded-For", proxies(), ["203.0.113.7", "10.0.0.2:80"]),
        ] {
            let check = |lines: &[Vec<u8>]| {
                let lines: Vec<_> = lines.iter().map(|line| (name, line)).collect();
                check(Some(proxies.clone()), "10.0.0.1", &lines, "203.0.113.7");
            };
            let [client, proxy] = hops.map(str::as_bytes);
            check(&[[written, b", ", client].concat()]);
            check(&[written.to_vec(), client.to_vec()]);
            check(&[[written, b", ", client, b", ", proxy].concat()]);
            check(&[[written, b", ", client].concat(), proxy.to_vec()]);
        }
    }
}

#[test]
fn a_mapped_range_is_that_of_the_addresses() {
    let proxies = TrustedProxies::new(["::ffff:10.0.0.0/104"]);
    check(Some(proxies), "10.0.0.1", &[("X-Forwarded-For", "203.0.113.7")], "203.0.113.7");
}

#[test]
fn one_header_is_read() {
    let both = [("X-Forwarded-For", "1.1.1.1"), ("Forwarded", "for=2.2.2.2;proto=https, for=\"[fd00::2]:80\"")];
    let proxies = || TrustedProxies::new(["10.0.0.0/8", "fd00::/8"]);
    check(Some(proxies()), "10.0.0.1", &both, "1.1.1.1");
    check(Some(proxies().forwarded()), "10.0.0.1", &both, "2.2.2.2");
    check(Some(proxies().forwarded()), "10.0.0.1", &[("Forwarded", "for=2.2.2.2, for=_hidden")], "10.0.0.1");
}

#[test]
fn what_is_no_range_is_a_build_error() {
    let configuration = Configuration::new("addresses", "1.0.0").trusted_proxies(TrustedProxies::new([
        "10.0.0.0/8",
        "proxy",
        "::/200",
    ]));
    let errors = Api::builder(configuration).controller(ShowAddress).build().unwrap_err();
    assert_eq!(errors.messages().len(), 2, "{errors}");
    let expected = "a trusted proxy: `proxy` must be an IP address, or a range such as `10.0.0.0/8`";
    assert_eq!(errors.messages()[0], expected);
}
