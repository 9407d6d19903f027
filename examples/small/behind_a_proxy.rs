//! Serve below a path, behind a proxy that removes this path.
//!
//! `cargo run -p restwright-examples --example behind_a_proxy`, with nginx in front:
//!
//! ```text
//! location /shop/ {
//!     proxy_pass http://127.0.0.1:8080/;
//! }
//! ```
//!
//! ```sh
//! curl -si -H 'Content-Type: application/json' -d '{"title": "Buy milk"}' http://127.0.0.1/shop/notes
//! ```
//!
//! The response contains `Location: /shop/notes/1`. `ADDRESS` replaces the address of the server.

use restwright::auth::Access;
use restwright::client_address::TrustedProxies;
use restwright::prelude::*;
use restwright::resource::MemoryStore;
use serde::Serialize;

/// A note.
#[derive(Clone, Serialize, Resource)]
#[resource(path = "/notes")]
struct Note {
    #[property(id)]
    id: i64,
    #[property(max_length = 100)]
    title: String,
}

fn api() -> Result<Api, BuildErrors> {
    let configuration = Configuration::new("shop", "1.0.0")
        // The path of requests that have no `X-Forwarded-Prefix`.
        .server("/shop")
        .trusted_proxies(TrustedProxies::new(["127.0.0.1"]).forwarded_prefix());
    Api::builder(configuration).resource::<Note>(MemoryStore::new(), Access::public()).build()
}

fn main() -> Result<(), restwright::ServeError> {
    let address = std::env::var("ADDRESS").unwrap_or_else(|_| "127.0.0.1:8080".to_owned());
    restwright::run(restwright::serve(api()?, &*address))
}

#[cfg(test)]
mod tests {
    use restwright::testing::TestClient;
    use serde_json::json;

    #[test]
    fn references_have_the_path_of_the_proxy() {
        let client = TestClient::new(super::api().unwrap());
        let create = || client.post("/shop/notes").json(&json!({"title": "Buy milk"}));
        let created = create().send();
        created.assert_status(201).assert_documented().assert_header("Location", "/shop/notes/1");
        client.get("/shop/notes/1").send().assert_status(200).assert_documented();
        create().header("X-Forwarded-Prefix", "/old-shop").send().assert_header("Location", "/old-shop/notes/2");
    }
}
