//! The time of lists of a million rows, with the plans of slow ones, for the table in the guide on databases:
//! `cargo test -p restwright-sql --test it costs -- --ignored --nocapture`.

use std::time::{Duration, Instant};

use restwright_list::{
    Comparison, Direction, Expression, Position, SearchText, SortBag, SortFields, Value, ValueType, Window,
};
use restwright_resource::conformance::Specimen;
use restwright_resource::{EntityDefinition, FieldDefinition, IdentifierKind, ListQuery, Repository, Scope, Statement};
use restwright_sql::SqlStore;

use crate::log::logged_fields;
use crate::schema::database::{Database, on_each, start};

const ROWS: u32 = 1_000_000;

/// One tenant. `integer` has five values, `serial` and `owner` one of 100,000 each, and `number` is the order.
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
            Read::Count => drop(Repository::<Specimen>::count(store, statement(), filter).await.unwrap()),
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
                drop(Repository::<Specimen>::list(store, statement(), &query).await.unwrap());
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
