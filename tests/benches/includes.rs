//! A list of 20 with two embedded entities each, next to the same three statements by hand with sqlx:
//! `cargo bench -p restwright-benches --bench includes`.
//!
//! Each side runs in a separate process, in an `App` of actix-web. Its instructions are counted by valgrind's callgrind: two runs of different length, and
//! the difference divided by the difference in requests. Its processor time includes the kernel's, and is the median of rounds in turns. On SQLite both
//! contain the database, on PostgreSQL only the client. `POSTGRES_URL` names the server.
#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a benchmark prints, and stops at the first surprise"
)]

mod callgrind;

use std::collections::BTreeMap;
use std::process::Command;

use actix_web::test::{TestRequest, call_and_read_body, init_service};
use actix_web::{App, HttpResponse, web};
use restwright::auth::Access;
use restwright::prelude::*;
use restwright::resource::{EntityStore, Scope};
use restwright::sql::SqlStore;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sqlx::postgres::PgPoolOptions;
use sqlx::sqlite::SqlitePoolOptions;
use sqlx::{AssertSqlSafe, Connection, PgPool, SqlitePool};

/// Requests in the short and in the long counted run.
const COUNTED: (u64, u64) = (100, 600);
/// Rounds and requests of a round, for the processor time.
const TIMED: (usize, u64) = (15, 1000);
const PATH: &str = "/tickets?include=customer,assignee";

/// A customer.
#[derive(Clone, Serialize, Deserialize, Resource)]
#[resource(path = "/customers")]
struct Customer {
    #[property(id)]
    id: i64,
    name: String,
    email: String,
}

/// A person of the staff.
#[derive(Clone, Serialize, Deserialize, Resource)]
#[resource(path = "/agents")]
struct Agent {
    #[property(id)]
    id: i64,
    name: String,
}

/// A ticket, with its customer and the person who works on it.
#[derive(Clone, Serialize, Deserialize, Resource)]
#[resource(path = "/tickets", pagination = page(default = 20, max = 100, total = false), include(customer, assignee))]
struct Ticket {
    #[property(id)]
    id: i64,
    title: String,
    text: String,
    points: i64,
    #[property(references(Customer))]
    customer_id: i64,
    #[property(references(Agent))]
    assignee_id: Option<i64>,
}

/// A ticket by hand.
#[derive(Serialize)]
struct ShownTicket {
    id: i64,
    title: String,
    text: String,
    points: i64,
    customer_id: i64,
    assignee_id: Option<i64>,
    customer: Option<Customer>,
    assignee: Option<Agent>,
}

#[derive(Serialize)]
struct Shown {
    data: Vec<ShownTicket>,
    pagination: Pagination,
}

#[derive(Serialize)]
struct Pagination {
    page: u32,
    limit: u32,
    has_next: bool,
}

#[derive(Deserialize)]
struct Parameters {
    include: Option<String>,
    page: Option<u32>,
    limit: Option<u32>,
}

type TicketRow = (i64, String, String, i64, i64, Option<i64>);

/// Defines the handler by hand for one database.
macro_rules! by_hand {
    ($name:ident, $pool:ty, $list:literal, $customers:expr, $agents:expr) => {
        async fn $name(pool: web::Data<$pool>, query: web::Query<Parameters>) -> HttpResponse {
            let (page, limit) = (query.page.unwrap_or(1), query.limit.unwrap_or(20).min(100));
            let offset = i64::from((page - 1) * limit);
            let rows: Vec<TicketRow> =
                sqlx::query_as($list).bind(i64::from(limit) + 1).bind(offset).fetch_all(pool.get_ref()).await.unwrap();
            let wanted = query.include.clone().unwrap_or_default();
            let (mut customers, mut agents) = (BTreeMap::new(), BTreeMap::new());
            if wanted.split(',').any(|name| name == "customer") {
                let mut ids: Vec<i64> = rows.iter().map(|row| row.4).collect();
                ids.sort_unstable();
                ids.dedup();
                let found: Vec<(i64, String, String)> = $customers(pool.get_ref(), ids).await;
                customers = found.into_iter().map(|(id, name, email)| (id, Customer { id, name, email })).collect();
            }
            if wanted.split(',').any(|name| name == "assignee") {
                let mut ids: Vec<i64> = rows.iter().filter_map(|row| row.5).collect();
                ids.sort_unstable();
                ids.dedup();
                let found: Vec<(i64, String)> = $agents(pool.get_ref(), ids).await;
                agents = found.into_iter().map(|(id, name)| (id, Agent { id, name })).collect();
            }
            let has_next = rows.len() > limit as usize;
            let data = rows.into_iter().take(limit as usize).map(|row| {
                let (id, title, text, points, customer_id, assignee_id) = row;
                let customer = customers.get(&customer_id).cloned();
                let assignee = assignee_id.and_then(|id| agents.get(&id).cloned());
                ShownTicket { id, title, text, points, customer_id, assignee_id, customer, assignee }
            });
            HttpResponse::Ok().json(Shown { data: data.collect(), pagination: Pagination { page, limit, has_next } })
        }
    };
}

by_hand!(
    list_of_sqlite,
    SqlitePool,
    "SELECT id, title, text, points, customer_id, assignee_id FROM tickets ORDER BY id LIMIT ?1 OFFSET ?2",
    |pool, ids| in_sqlite(pool, "SELECT id, name, email FROM customers WHERE id IN", ids),
    |pool, ids| in_sqlite(pool, "SELECT id, name FROM agents WHERE id IN", ids)
);
by_hand!(
    list_of_postgres,
    PgPool,
    "SELECT id, title, text, points, customer_id, assignee_id FROM tickets ORDER BY id LIMIT $1 OFFSET $2",
    |pool, ids| in_postgres(pool, "SELECT id, name, email FROM customers WHERE id = ANY($1)", ids),
    |pool, ids| in_postgres(pool, "SELECT id, name FROM agents WHERE id = ANY($1)", ids)
);

async fn in_sqlite<R>(pool: &SqlitePool, sql: &str, ids: Vec<i64>) -> Vec<R>
where
    R: for<'r> sqlx::FromRow<'r, sqlx::sqlite::SqliteRow> + Send + Unpin,
{
    let places = vec!["?"; ids.len()].join(",");
    let query = sqlx::query_as(AssertSqlSafe(format!("{sql} ({places})")));
    ids.into_iter().fold(query, |query, id| query.bind(id)).fetch_all(pool).await.unwrap()
}

async fn in_postgres<R>(pool: &PgPool, sql: &'static str, ids: Vec<i64>) -> Vec<R>
where
    R: for<'r> sqlx::FromRow<'r, sqlx::postgres::PgRow> + Send + Unpin,
{
    sqlx::query_as(sql).bind(ids).fetch_all(pool).await.unwrap()
}

async fn fill(store: &SqlStore) {
    for number in 0..50 {
        let (name, email) = (format!("Customer {number}"), format!("customer{number}@example.com"));
        let mut customers = EntityStore::<Customer>::new(store, &Scope::new());
        customers.insert(Customer { id: 0, name, email }).await.unwrap();
        let mut agents = EntityStore::<Agent>::new(store, &Scope::new());
        agents.insert(Agent { id: 0, name: format!("Agent {number}") }).await.unwrap();
    }
    for number in 0..200 {
        let mut tickets = EntityStore::<Ticket>::new(store, &Scope::new());
        let assignee_id = (number % 4 > 0).then_some(1 + number % 50);
        let (title, text) = (format!("Ticket {number}"), "The light in the hall does not work.".repeat(3));
        let ticket = Ticket { id: 0, title, text, points: number % 9, customer_id: 1 + number % 47, assignee_id };
        tickets.insert(ticket).await.unwrap();
    }
}

/// Sends so many requests to one side, which stores its rows in a database.
fn send(side: &str, url: &str, requests: u64) {
    actix_web::rt::System::new().block_on(async {
        let store = SqlStore::new(url).migrate();
        let api = Api::builder(Configuration::new("tickets", "1.0.0"))
            .resource::<Customer>(store.clone(), Access::public())
            .resource::<Agent>(store.clone(), Access::public())
            .resource::<Ticket>(store.clone(), Access::public())
            .build()
            .unwrap();
        api.start().await.unwrap();
        fill(&store).await;
        let app = App::new();
        let declared = init_service(App::new().service(restwright::service(api))).await;
        let request = || TestRequest::get().uri(PATH).to_request();
        let expected: Value = serde_json::from_slice(&call_and_read_body(&declared, request()).await).unwrap();
        macro_rules! repeat {
            ($service:expr) => {
                let before = processor_time();
                for _ in 0..requests {
                    let body = call_and_read_body($service, request()).await;
                    assert!(body.len() > 4_000);
                }
                println!("{}", (processor_time() - before) / requests);
            };
        }
        let is_tested = side == "by hand";
        if side == "declared" {
            repeat!(&declared);
            return;
        }
        let app = if url.starts_with("sqlite") {
            let pool =
                web::Data::new(SqlitePoolOptions::new().test_before_acquire(is_tested).connect(url).await.unwrap());
            app.app_data(pool).route("/tickets", web::get().to(list_of_sqlite))
        } else {
            let pool = web::Data::new(PgPoolOptions::new().test_before_acquire(is_tested).connect(url).await.unwrap());
            app.app_data(pool).route("/tickets", web::get().to(list_of_postgres))
        };
        let by_hand = init_service(app).await;
        let found: Value = serde_json::from_slice(&call_and_read_body(&by_hand, request()).await).unwrap();
        assert_eq!(found.get("data"), expected.get("data"));
        repeat!(&by_hand);
    });
}

/// Nanoseconds that all threads of this process have run; Linux counts them.
fn processor_time() -> u64 {
    let threads = std::fs::read_dir("/proc/self/task").unwrap();
    let times = threads.map(|thread| {
        let text = std::fs::read_to_string(thread.unwrap().path().join("schedstat")).unwrap();
        text.split(' ').next().unwrap().parse::<u64>().unwrap()
    });
    times.sum()
}

/// Returns the processor time of a request in nanoseconds.
fn time(side: &str, kind: &str) -> u64 {
    let database = Database::create(kind);
    let arguments = ["send", side, &database.url, &TIMED.1.to_string()];
    let output = Command::new(std::env::current_exe().unwrap()).args(arguments).output().unwrap();
    assert!(output.status.success(), "{side} {kind}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap().trim().parse().unwrap()
}

/// By hand with the defaults of sqlx's pool, by hand without its test of each connection before it is used, and restwright.
const SIDES: [&str; 3] = ["by hand", "untested", "declared"];

/// Returns the median processor time of a request on each side.
fn times(kind: &str) -> [u64; 3] {
    let mut times = [Vec::new(), Vec::new(), Vec::new()];
    for _ in 0..TIMED.0 {
        for (side, times) in SIDES.into_iter().zip(&mut times) {
            times.push(time(side, kind));
        }
    }
    times.map(|mut times| {
        times.sort_unstable();
        times.get(times.len() / 2).copied().unwrap()
    })
}

/// A database for one run, which is removed afterwards.
struct Database {
    url: String,
    server: Option<String>,
}

impl Database {
    fn create(kind: &str) -> Self {
        let name = format!("includes_{}", std::process::id());
        if kind == "SQLite" {
            let file = std::env::temp_dir().join(format!("{name}.db"));
            return Self { url: format!("sqlite://{}?mode=rwc", file.display()), server: None };
        }
        let server = std::env::var("POSTGRES_URL").unwrap_or("postgres://postgres@127.0.0.1:5432/postgres".to_owned());
        execute(&server, format!("CREATE SCHEMA {name}"));
        Self { url: format!("{server}?options[search_path]={name}"), server: Some(server) }
    }
}

impl Drop for Database {
    fn drop(&mut self) {
        let name = format!("includes_{}", std::process::id());
        match &self.server {
            Some(server) => execute(server, format!("DROP SCHEMA {name} CASCADE")),
            None => drop(std::fs::remove_file(std::env::temp_dir().join(format!("{name}.db")))),
        }
    }
}

fn execute(server: &str, sql: String) {
    actix_web::rt::System::new().block_on(async {
        let mut connection = sqlx::PgConnection::connect(server).await.unwrap();
        sqlx::raw_sql(AssertSqlSafe(sql)).execute(&mut connection).await.unwrap();
    });
}

fn per_request(side: &str, kind: &str) -> u64 {
    callgrind::per_request(COUNTED, |requests| {
        let database = Database::create(kind);
        callgrind::instructions(&["send", side, &database.url, &requests.to_string()])
    })
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|argument| argument != "--bench").collect();
    if let [command, side, url, requests] = arguments.as_slice()
        && command == "send"
    {
        return send(side, url, requests.parse().unwrap());
    }
    println!("| | by hand | without tests | restwright | ratio | to without tests |\n|---|--:|--:|--:|--:|--:|");
    for kind in ["SQLite", "PostgreSQL"] {
        let counted = SIDES.map(|side| per_request(side, kind));
        for (unit, [by_hand, untested, declared]) in [("instructions", counted), ("ns of processor time", times(kind))]
        {
            #[expect(clippy::cast_precision_loss, reason = "a few digits are shown")]
            let [ratio, to_untested] = [by_hand, untested].map(|by_hand| declared as f64 / by_hand as f64);
            println!("| {kind}, {unit} | {by_hand} | {untested} | {declared} | {ratio:.2} | {to_untested:.2} |");
        }
    }
}
