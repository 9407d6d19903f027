//! Measures lists of a million rows, with the plans of slow ones, for the table in the guide on databases. Also measures the resources of slow lists:
//! `cargo test -p restwright-sql --test it costs -- --ignored --nocapture`.

use std::time::{Duration, Instant};

use restwright_conformance::Specimen;
use restwright_list::{
    Comparison, Direction, Expression, Position, SearchText, SortBag, SortFields, Value, ValueType, Window,
};
use restwright_resource::{EntityDefinition, FieldDefinition, IdentifierKind, ListQuery, Repository, Scope, Statement};
use restwright_sql::SqlStore;

use crate::log::logged_fields;
use crate::tables::database::{Database, on_each, on_sqlite, start};

const ROWS: u32 = 1_000_000;

/// Rows of one tenant. `integer` has five values, `serial` and `owner` 100,000 each, and `number` is the order.
fn rows() -> EntityDefinition {
    EntityDefinition::new("rows", "id", IdentifierKind::Integer)
        .field(FieldDefinition::new("tenant", ValueType::Integer).scope())
        .field(FieldDefinition::new("label", ValueType::Text).searchable())
        .field(FieldDefinition::new("integer", ValueType::Integer).nullable())
        .field(FieldDefinition::new("serial", ValueType::Integer).nullable())
        .field(FieldDefinition::new("owner", ValueType::Integer).nullable())
        .field(FieldDefinition::new("number", ValueType::Number).nullable().sortable())
        .index(["integer", "number"])
        .index(["owner"])
}

async fn fill(database: &Database) {
    let columns = "tenant, label, label_folded, row_folding, integer, serial, owner, number";
    let values = "3, 'Label ' || n, 'label ' || n, 16, n % 5, n % 100000, n % 100000, n % 1000 * 1000 + n / 1000";
    database
        .run(&format!(
            "WITH RECURSIVE n(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < {ROWS}) INSERT INTO rows ({columns}) SELECT {values} FROM n"
        ))
        .await;
    database.run(if database.is_postgres() { "VACUUM ANALYZE rows" } else { "ANALYZE" }).await;
}

enum Read {
    Page { order: &'static str, window: Place },
    Count,
}

enum Place {
    Start,
    Cursor,
    Offset(u64),
}

async fn time(store: &SqlStore, filter: &Expression, read: &Read) -> Duration {
    let definition = rows();
    let scope = Scope::new().with("tenant", 3);
    let statement = || Statement::new(&definition).scoped(&scope);
    let mut times = Vec::new();
    for _ in 0..5 {
        let began = Instant::now();
        match read {
            Read::Count => drop(Repository::count(store, statement(), filter).await.unwrap()),
            Read::Page { order, window } => {
                let fields = SortFields::by_identifier("id");
                let fields = if *order == "id" { fields } else { fields.field(*order) };
                let order = SortBag::among(&fields, [(*order, Direction::Ascending)]).unwrap();
                let place = Position::after(
                    order
                        .iter()
                        .map(|entry| {
                            let value: Value<'static> =
                                if entry.name() == "id" { 500_000.into() } else { 500_000.0.into() };
                            (entry.name().to_owned().into(), entry.direction, value)
                        })
                        .collect::<Vec<_>>(),
                );
                let window = match window {
                    Place::Start => Window::seek(None, 20),
                    Place::Cursor => Window::seek(Some(&place), 20),
                    Place::Offset(offset) => Window::skip(*offset, 20),
                };
                let query = ListQuery::new(filter.clone(), &order, &window);
                drop(Repository::list::<Specimen>(store, statement(), &query).await.unwrap());
            }
        }
        times.push(began.elapsed());
    }
    times.sort();
    times[times.len() / 2]
}

#[tokio::test]
#[ignore = "a measurement"]
async fn lists_of_a_million_rows() {
    let page = |order, window| Read::Page { order, window };
    let is = |field: &'static str, value: i64| Expression::condition(field, Comparison::Eq(value.into()));
    let text = |text: &str| SearchText::new(text.to_owned());
    let all = || Expression::TRUE;
    let contains = || Expression::condition("label", Comparison::Contains(text("9876543")));
    let starts = || Expression::condition("label", Comparison::StartsWith(text("label 98765")));
    let cases = [
        ("first page, by a sortable field", all(), page("number", Place::Start)),
        ("at a cursor, by a sortable field", all(), page("number", Place::Cursor)),
        ("offset 10,000, by a sortable field", all(), page("number", Place::Offset(10_000))),
        ("offset 900,000, by a sortable field", all(), page("number", Place::Offset(900_000))),
        ("eq of 1 in 5, by a sortable field, index on both", is("integer", 3), page("number", Place::Start)),
        ("eq of 1 in 100,000, by the id, no index", is("serial", 777), page("id", Place::Start)),
        ("eq of 1 in 100,000, by a sortable field, no index", is("serial", 777), page("number", Place::Start)),
        ("eq of 1 in 100,000, by the id, index", is("owner", 777), page("id", Place::Start)),
        ("eq of 1 in 100,000, by a sortable field, index", is("owner", 777), page("number", Place::Start)),
        ("contains, of no row", contains(), page("id", Place::Start)),
        ("starts_with, of few rows", starts(), page("id", Place::Start)),
        ("total of all", all(), Read::Count),
        ("total of eq of 1 in 5, index", is("integer", 3), Read::Count),
        ("total of eq of 1 in 100,000, no index", is("serial", 777), Read::Count),
        ("total of contains", contains(), Read::Count),
    ];
    on_each(async |database| {
        let store = database.migrating(&[rows()]);
        let store = store.statement_timeout(Duration::from_mins(1)).slow_statements(Duration::from_millis(50));
        store.declare(&rows()).unwrap();
        start(&store).await.unwrap();
        fill(database).await;
        println!("{}", if database.is_postgres() { "PostgreSQL" } else { "SQLite" });
        for (name, filter, read) in &cases {
            let (time, lines) = logged_fields(time(&store, filter, read)).await;
            println!("{:8.1} ms  {name}", time.as_secs_f64() * 1000.0);
            lines.iter().for_each(|line| println!("             {line}"));
        }
    })
    .await;
}

/// Returns the number of threads of the process, and the processor time of its threads.
fn usage() -> (u64, Duration) {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let threads = status.lines().find_map(|line| line.strip_prefix("Threads:")).unwrap().trim().parse().unwrap();
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap();
    let (_, after_name) = stat.rsplit_once(')').unwrap();
    let ticks = after_name.split_whitespace().skip(11).take(2).map(|ticks| ticks.parse::<u64>().unwrap());
    (threads, Duration::from_millis(ticks.sum::<u64>() * 10))
}

/// Measures forty concurrent lists of SQLite that take seconds each: their threads, and the processor time after the last response.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "a measurement"]
async fn slow_lists_of_sqlite_beyond_their_time_limit() {
    on_sqlite(async |database| {
        let store = database.migrating(&[rows()]).statement_timeout(Duration::from_millis(500));
        store.declare(&rows()).unwrap();
        start(&store).await.unwrap();
        fill(database).await;
        let (threads, before) = usage();
        println!("before: {threads} threads");
        let began = Instant::now();
        let lists = (0..40).map(|_| {
            let store = store.clone();
            tokio::spawn(async move {
                let (definition, scope) = (rows(), Scope::new().with("tenant", 3));
                let filter = Expression::condition("serial", Comparison::Eq(777.into()));
                let order = SortBag::among(
                    &SortFields::by_identifier("id").field("number"),
                    [("number", Direction::Ascending)],
                );
                let (order, window) = (order.unwrap(), Window::seek(None, 20));
                let statement = Statement::new(&definition).scoped(&scope);
                let query = ListQuery::new(filter, &order, &window);
                Repository::list::<Specimen>(&store, statement, &query).await.is_err()
            })
        });
        let lists: Vec<_> = lists.collect();
        let mut most = 0;
        while lists.iter().any(|list| !list.is_finished()) {
            most = most.max(usage().0);
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        let mut failed = 0;
        for list in lists {
            failed += usize::from(list.await.unwrap());
        }
        let (_, during) = usage();
        println!("{failed} of 40 lists failed within {:?}", began.elapsed());
        println!("during: at most {most} threads, {:?} of the processor", during.saturating_sub(before));
        tokio::time::sleep(Duration::from_secs(5)).await;
        let (threads, after) = usage();
        println!("5 s after the last response: {threads} threads, {:?} of the processor", after.saturating_sub(during));
    })
    .await;
}
