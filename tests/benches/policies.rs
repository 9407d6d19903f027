//! What a row policy adds to a view and to a list on SQLite: `cargo bench -p restwright-benches --bench policies`.
//!
//! Each variant runs in a separate process under valgrind's callgrind, on requests in process: two runs of different length, and the difference
//! divided by the difference in requests.
#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a benchmark prints, and stops at the first surprise"
)]

mod callgrind;

use restwright::auth::{Access, Authentication, Authenticator, Identity};
use restwright::http::HttpRequest;
use restwright::operation::{ApiKeyLocation, SecurityScheme};
use restwright::prelude::*;
use restwright::resource::{EntityDefinition, EntityStore, RowPolicy, Rows, Scope, exists};
use restwright::sql::SqlStore;
use restwright::testing::TestClient;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// Requests in the short and in the long counted run.
const COUNTED: (u64, u64) = (200, 1200);

/// Defines a resource of the same shape with another policy.
macro_rules! tickets {
    ($name:ident, $path:literal $(, $policy:ident)?) => {
        #[derive(Clone, Serialize, Deserialize, Resource)]
        #[resource(path = $path, pagination = page(default = 20, max = 100) $(, policy = $policy)?)]
        struct $name {
            #[property(id)]
            id: Uuid,
            #[property(filter(eq), sort)]
            owner: String,
            #[property(filter(eq))]
            is_public: bool,
            title: String,
        }

        impl $name {
            async fn fill(store: &SqlStore) -> Vec<String> {
                let mut rows = Vec::new();
                for number in 0..1_000 {
                    let owner = if number % 5 == 0 { "ann" } else { "bob" }.to_owned();
                    let title = format!("ticket {number}");
                    let new = Self { id: Uuid::nil(), owner, is_public: false, title };
                    let mut tickets = EntityStore::<Self>::new(store, &Scope::new()).unrestricted();
                    let stored = tickets.insert(new).await.unwrap();
                    rows.extend((stored.owner == "ann").then(|| stored.id.to_string()));
                }
                rows
            }
        }
    };
}

tickets!(Plain, "/plain");
tickets!(Everything, "/everything", All);
tickets!(Owned, "/owned", Own);
tickets!(Shared, "/shared", Members);

/// A membership, for the policy that looks for one.
#[derive(Clone, Serialize, Deserialize, Resource)]
#[resource(path = "/memberships")]
struct Membership {
    #[property(id)]
    id: Uuid,
    #[property(sort)]
    owner: String,
    user: String,
}

struct All;
struct Own;
struct Members;

impl RowPolicy<Everything> for All {
    fn visible(&self, _: &Identity) -> Rows {
        Rows::all()
    }
}

impl RowPolicy<Owned> for Own {
    fn visible(&self, caller: &Identity) -> Rows {
        Rows::matching(Owned::FIELDS.owner.eq(caller.subject().unwrap_or_default()))
    }
}

impl RowPolicy<Shared> for Members {
    fn visible(&self, caller: &Identity) -> Rows {
        let user = caller.subject().unwrap_or_default();
        Rows::matching(exists::<Membership>(|membership| {
            membership.owner.same_as(Shared::FIELDS.owner).and(membership.user.eq(user))
        }))
    }

    fn related(&self) -> Vec<EntityDefinition> {
        vec![Membership::definition()]
    }
}

struct Ann;

impl Authenticator for Ann {
    fn describe(&self) -> SecurityScheme {
        SecurityScheme::api_key(ApiKeyLocation::Header, "X-Caller")
    }

    async fn authenticate(&self, _: &mut HttpRequest) -> Authentication {
        Authentication::Identity(Identity::builder("ann").build())
    }
}

/// Sends so many requests of a kind, such as `/owned` or `/plain?owner=ann`. A path that ends with `/` is a view.
fn send(path: &str, requests: u64) {
    let file = std::env::temp_dir().join(format!("policies-{}.db", std::process::id()));
    let store = SqlStore::new(format!("sqlite://{}", file.display())).migrate();
    let access = || Access::authenticated("caller");
    let api = Api::builder(Configuration::new("tickets", "1.0.0").authenticator("caller", Ann))
        .resource::<Plain>(store.clone(), access())
        .resource::<Everything>(store.clone(), access())
        .resource::<Owned>(store.clone(), access())
        .resource::<Shared>(store.clone(), access())
        .resource::<Membership>(store.clone(), access())
        .build()
        .unwrap();
    let client = TestClient::new(api);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        client.api().start().await.unwrap();
        let membership = Membership { id: Uuid::nil(), owner: "ann".to_owned(), user: "ann".to_owned() };
        EntityStore::<Membership>::new(&store, &Scope::new()).insert(membership).await.unwrap();
        let ids = match path.split(['/', '?']).nth(1).unwrap() {
            "plain" => Plain::fill(&store).await,
            "everything" => Everything::fill(&store).await,
            "owned" => Owned::fill(&store).await,
            _ => Shared::fill(&store).await,
        };
        let path = if path.ends_with('/') { format!("{path}{}", ids.first().unwrap()) } else { path.to_owned() };
        for _ in 0..requests {
            let response = client.get(&path).await;
            assert_eq!(response.status(), 200, "{}", response.text());
        }
        client.api().stop().await;
    });
    drop(std::fs::remove_file(file));
}

fn per_request(path: &str) -> u64 {
    callgrind::per_request(COUNTED, |requests| callgrind::instructions(&["send", path, &requests.to_string()]))
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|argument| argument != "--bench").collect();
    if let [command, path, requests] = arguments.as_slice()
        && command == "send"
    {
        return send(path, requests.parse().unwrap());
    }
    println!("| | instructions per request | added |\n|---|--:|--:|");
    for (title, path, compared_with) in [
        ("view without a policy", "/plain/", "/plain/"),
        ("view, `Rows::all()`", "/everything/", "/plain/"),
        ("view, one condition", "/owned/", "/plain/"),
        ("view, `exists`", "/shared/", "/plain/"),
        ("list without a policy, filtered by the same condition", "/plain?owner=ann", "/plain?owner=ann"),
        ("list, one condition", "/owned", "/plain?owner=ann"),
        ("list, one condition and the same filter", "/owned?owner=ann", "/plain?owner=ann"),
        ("list, `exists` and the same filter", "/shared?owner=ann", "/plain?owner=ann"),
        ("list, `Rows::all()` and the same filter", "/everything?owner=ann", "/plain?owner=ann"),
    ] {
        let (with, without) = (per_request(path), per_request(compared_with));
        #[expect(clippy::cast_precision_loss, reason = "a few digits are shown")]
        let added = 100.0 * (with as f64 - without as f64) / without as f64;
        println!("| {title} | {with} | {added:.1} % |");
    }
}
