//! The number of statements of each request.

use std::net::SocketAddr;
use std::sync::{Mutex, OnceLock};
use std::time::Duration;

use restwright::auth::Access;
use restwright::list::CursorKey;
use restwright::prelude::*;
use restwright_resource::{Endpoints, HookContext, Hooks, Store};
use restwright_sql::{SqlStore, TableMapping};
use serde::{Deserialize, Serialize};
use serde_json::json;
use sqlx::postgres::PgPoolOptions;
use tracing::field::{Field, Visit};
use tracing::{Event, Metadata, Subscriber, span};

use super::outbox::on_postgres;
use super::proxy::{self, Statements};
use super::server::{send, with_server};
use crate::databases::SqliteFile;

/// A shelf.
#[derive(Clone, Debug, Serialize, Deserialize, Resource)]
#[resource(
    path = "/shelves",
    put,
    include(books(max = 2), newest(max = 1, of = "books", order = "-id", include(shelf)))
)]
struct Shelf {
    #[property(id)]
    id: i64,
    #[property(unique)]
    title: String,
}

/// A book on a shelf.
#[derive(Clone, Debug, Serialize, Deserialize, Resource)]
#[resource(path = "/shelves/{shelf_id}/books", pagination = cursor, include(shelf))]
struct Book {
    #[property(id)]
    id: i64,
    #[property(parent(Shelf, on_delete = cascade))]
    shelf_id: i64,
    title: String,
}

/// A label, in a table without a version column.
#[derive(Clone, Debug, Serialize, Deserialize, Resource)]
#[resource(path = "/labels")]
struct Label {
    #[property(id)]
    id: i64,
    title: String,
}

/// A loan, with a hook.
#[derive(Clone, Debug, Serialize, Deserialize, Resource)]
#[resource(path = "/loans")]
struct Loan {
    #[property(id)]
    id: i64,
    title: String,
}

struct Nothing;

impl Hooks<Loan> for Nothing {
    async fn after_create(&self, _: &mut HookContext<'_>, _: &Loan) -> Result<()> {
        Ok(())
    }
}

/// The requests, each with the number of its statements outside of transactions and whether it runs in a transaction.
const REQUESTS: [(&str, Option<&str>, usize, bool); 17] = [
    ("POST /shelves", Some("new"), 1, false),
    ("GET /shelves/1", None, 1, false),
    // One statement reads the page and its total.
    ("GET /shelves", None, 1, false),
    ("GET /shelves?limit=1", None, 1, false),
    // A page without rows does not contain the total.
    ("GET /shelves?page=9", None, 2, false),
    // The state is read before it is changed.
    ("PATCH /shelves/1", Some("other"), 2, false),
    // The reference detects the missing parent.
    ("POST /shelves/1/books", Some("new"), 1, false),
    // The parent, and the page of a cursor, which has no total.
    ("GET /shelves/1/books", None, 2, false),
    ("GET /shelves/1/books?limit=2", None, 2, false),
    // The condition includes the parent.
    ("GET /shelves/1/books/1", None, 1, false),
    // One more statement for each relation and level.
    ("GET /shelves/1?include=books", None, 2, false),
    ("GET /shelves?limit=100&include=books,newest", None, 3, false),
    ("GET /shelves?limit=100&include=newest.shelf", None, 3, false),
    ("GET /shelves/1/books?include=shelf", None, 3, false),
    ("GET /loans/1", None, 1, false),
    ("POST /loans", Some("new"), 1, true),
    ("POST /loans/batch", Some("batch"), 3, true),
];

fn api<S: Store + Clone>(store: &S) -> Api {
    let loans = Endpoints::<Loan>::new(store.clone(), Access::public()).hooks(Nothing).batch();
    Api::builder(Configuration::new("library", "1.0.0").with(CursorKey::new([7; 32])))
        .module(&Endpoints::<Shelf>::new(store.clone(), Access::public()))
        .module(&Endpoints::<Book>::new(store.clone(), Access::public()))
        .module(&Endpoints::<Label>::new(store.clone(), Access::public()))
        .module(&loans)
        .build()
        .unwrap()
}

/// Sends each request twice, because the first use of a statement prepares it. Compares the statements of the second request.
fn check(address: SocketAddr, take: impl Fn() -> Vec<String>, shows_transactions: bool) {
    let mut titles = 0;
    let mut send = |request: &str, body: Option<&str>| {
        titles += 1;
        let one = json!({"title": format!("title {titles}")});
        let body = match body {
            None => String::new(),
            Some("batch") => json!({"data": [one, one, one]}).to_string(),
            Some(_) => one.to_string(),
        };
        let (status, body) = send(address, request, &body);
        assert!((200..300).contains(&status), "{request}: {status} {body}");
    };
    for _ in 0..98 {
        send("POST /shelves", Some("new"));
    }
    for request in ["POST /shelves", "POST /shelves", "POST /shelves/1/books", "POST /shelves/1/books", "POST /loans"] {
        send(request, Some("new"));
    }
    let mut differences = Vec::new();
    for (request, body, expected, is_in_transaction) in REQUESTS {
        send(request, body);
        take();
        send(request, body);
        let found = take();
        let ends = found.iter().filter(|statement| statement.starts_with("BEGIN") || statement.starts_with("COMMIT"));
        let ends = ends.count();
        if found.len() - ends != expected || (shows_transactions && ends != if is_in_transaction { 2 } else { 0 }) {
            differences.push(format!("{request}: {found:?}"));
        }
    }
    assert!(differences.is_empty(), "{differences:#?}");
}

#[test]
fn statements_on_postgres() {
    on_postgres(|schema| {
        let (url, statements) = proxy::start(&schema.url());
        let store = SqlStore::new(url).migrate();
        with_server(api(&store), 1, |address| check(address, || statements.take(), true));
    });
}

/// The requests, each with its round trips on three stores: on the store's connections, on the application's pool, and with parameters of the caller.
///
/// A pool of sqlx pings a connection before and after each use. Parameters need a transaction, and are set in the message that begins it.
const ROUND_TRIPS: [(&str, Option<&str>, [usize; 3]); 8] = [
    ("GET /shelves/1", None, [1, 3, 3]),
    ("POST /shelves", Some("new"), [1, 3, 3]),
    ("PATCH /shelves/1", Some("other"), [2, 4, 4]),
    ("GET /shelves", None, [1, 3, 3]),
    ("GET /shelves?page=9", None, [2, 6, 6]),
    ("DELETE /shelves/{last}", None, [1, 3, 3]),
    // A hook needs a transaction with a begin, the insert and a commit.
    ("POST /loans", Some("new"), [3, 5, 3]),
    // The digest of the row is compared in a transaction under a lock.
    ("PATCH /labels/1", Some("other"), [6, 8, 6]),
];

/// Compares the round trips of each request, as the minimum of several attempts. A connection that was idle for a second is pinged.
fn check_round_trips(address: SocketAddr, statements: &Statements, store: usize) {
    let mut titles = 0;
    let mut post = |request: &str, body: Option<&str>| {
        titles += 1;
        let body = body.map(|_| json!({"title": format!("title {titles}")}).to_string()).unwrap_or_default();
        let (status, response) = send(address, request, &body);
        assert!((200..300).contains(&status), "{request}: {status} {response}");
        serde_json::from_str::<serde_json::Value>(&response).ok().and_then(|response| response["data"]["id"].as_i64())
    };
    post("POST /shelves", Some("new"));
    post("POST /labels", Some("new"));
    let mut differences = Vec::new();
    for (request, body, expected) in ROUND_TRIPS {
        let attempts = (0..6).map(|_| {
            let last = if request.contains("{last}") { post("POST /shelves", Some("new")) } else { None };
            let request = request.replace("{last}", &last.unwrap_or_default().to_string());
            // A pool of sqlx pings after the response.
            std::thread::sleep(Duration::from_millis(50));
            statements.take_round_trips();
            post(&request, body);
            std::thread::sleep(Duration::from_millis(50));
            statements.take_round_trips()
        });
        let fewest = attempts.min().unwrap_or_default();
        if fewest != expected[store] {
            differences.push(format!("{request}: {fewest}"));
        }
    }
    assert!(differences.is_empty(), "{differences:#?}");
}

#[test]
fn round_trips_on_connections_of_the_store() {
    on_postgres(|schema| {
        let (url, statements) = proxy::start(&schema.url());
        let store = SqlStore::new(url).migrate().table(without_version());
        with_server(api(&store), 1, |address| check_round_trips(address, &statements, 0));
    });
}

fn without_version() -> TableMapping {
    TableMapping::new("labels").without_version()
}

#[test]
fn round_trips_on_a_pool_of_the_application() {
    on_postgres(|schema| {
        let (url, statements) = proxy::start(&schema.url());
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let _entered = runtime.enter();
        let pool = PgPoolOptions::new().max_connections(1).connect_lazy(&url).unwrap();
        let store = SqlStore::from_postgres_pool(pool).migrate().table(without_version());
        with_server(api(&store), 1, |address| check_round_trips(address, &statements, 1));
    });
}

#[test]
fn round_trips_with_parameters_of_the_caller() {
    on_postgres(|schema| {
        let (url, statements) = proxy::start(&schema.url());
        let store = SqlStore::new(url).migrate().table(without_version());
        let store = store.per_transaction(|_| [("app.user_id", "ann".to_owned())]);
        with_server(api(&store), 1, |address| check_round_trips(address, &statements, 2));
    });
}

/// Counts the statements that the store logs. These do not include the ends of transactions.
#[test]
fn statements_on_sqlite() {
    restwright_tests::alone("requests::statements::statements_on_sqlite", || {
        tracing::subscriber::set_global_default(Log).unwrap();
        let file = SqliteFile::new();
        let store = file.store().migrate();
        let take = || std::mem::take(&mut *logged().lock().unwrap());
        with_server(api(&store), 1, |address| check(address, take, false));
    });
}

fn logged() -> &'static Mutex<Vec<String>> {
    static LOGGED: OnceLock<Mutex<Vec<String>>> = OnceLock::new();
    LOGGED.get_or_init(Mutex::default)
}

/// Records the statements on the tables of this file.
struct Log;

impl Subscriber for Log {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target() == "restwright::sql"
    }

    fn event(&self, event: &Event<'_>) {
        let mut statement = Statement::default();
        event.record(&mut statement);
        if ["shelfs", "books", "loans"].iter().any(|name| statement.0.contains(name)) {
            logged().lock().unwrap().push(statement.0);
        }
    }

    fn new_span(&self, _: &span::Attributes<'_>) -> span::Id {
        span::Id::from_u64(1)
    }

    fn record(&self, _: &span::Id, _: &span::Record<'_>) {}
    fn record_follows_from(&self, _: &span::Id, _: &span::Id) {}
    fn enter(&self, _: &span::Id) {}
    fn exit(&self, _: &span::Id) {}
}

/// The text of a statement.
#[derive(Default)]
struct Statement(String);

impl Visit for Statement {
    fn record_debug(&mut self, field: &Field, value: &dyn std::fmt::Debug) {
        if field.name() == "sql" {
            self.0.push_str(&format!("{value:?}"));
        }
    }
}
