//! Tests that lists and embedded relations use the indexes that the store creates. Also tests how many rows a page reads.

#![cfg(all(feature = "postgres", feature = "sqlite"))]

use std::sync::Arc;

use restwright_core::Component;
use restwright_list::{Comparison, Direction, Expression, Position, SortBag, SortFields, Value, ValueType, Window};
use restwright_resource::{EntityDefinition, FieldDefinition, IdentifierKind, ListQuery, OnDelete, Scope};

use super::reads::lines;
use crate::connections::{Access, Held};
use crate::driver::Cell;
use crate::statements::{condition, per_key, select};
use crate::store::SqlStore;
use crate::table::Table;

/// The number of items on a page.
const LIMIT: u32 = 10;

fn definition(name: &'static str, is_scoped: bool) -> EntityDefinition {
    let definition = EntityDefinition::new(name, "id", IdentifierKind::Integer);
    let definition = if is_scoped {
        definition.field(FieldDefinition::new("tenant", ValueType::Integer).scope())
    } else {
        definition
    };
    definition
        .field(FieldDefinition::new("name", ValueType::Text).sortable())
        .field(FieldDefinition::new("rank", ValueType::Integer).nullable().sortable())
        .field(FieldDefinition::new("kind", ValueType::Integer).nullable())
        .index(["kind", "name"])
}

/// Inserts rows into the tables, and checks each line in the query plans of all lists.
async fn check(store: &SqlStore, explain: &str, shape: &str, is_good: impl Fn(&str, &str) -> bool) {
    let definitions = [definition("alone", false), definition("scoped", true)];
    definitions.iter().for_each(|definition| store.declare(definition).unwrap());
    store.start().await.unwrap();
    let mut connection = store.shared.connections.acquire(Access::Write).await.unwrap();
    let rows = "WITH RECURSIVE n(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < 8000)";
    // A fifth of the rows has no rank, and many rows share each rank.
    let values = "SELECT 'name ' || n % 2000, CASE WHEN n % 5 > 0 THEN n % 50 END, n % 20";
    let sql = format!(
        "{rows} INSERT INTO alone (name, rank, kind) {values} FROM n; {rows} INSERT INTO scoped (name, rank, kind, tenant) {values}, n % 3 FROM n; ANALYZE"
    );
    for sql in sql.split(';') {
        connection.connection().run(sql.trim().into()).await.unwrap();
    }
    let (ascending, descending) = (Direction::Ascending, Direction::Descending);
    let places: [(&str, Option<Value<'static>>); 8] = [
        ("name", None),
        ("name", Some("name 3".into())),
        ("name", Some("none".into())),
        ("rank", None),
        ("rank", Some(7.into())),
        ("rank", Some(Value::Null)),
        ("id", None),
        ("id", Some(3_000.into())),
    ];
    for definition in &definitions {
        let table = store.shared.table(definition).unwrap();
        for (field, value) in &places {
            for (direction, is_backward) in
                [(ascending, false), (ascending, true), (descending, false), (descending, true)]
            {
                let order = order(field, direction);
                let fields = order.iter().map(|entry| {
                    let value = if entry.name() == *field { value.clone() } else { Some(4_444.into()) };
                    (entry.name().to_owned().into(), entry.direction, value.unwrap_or(Value::Null))
                });
                let position = value.is_some().then(|| Position::after(fields.collect::<Vec<_>>()));
                let position = position.map(|position| if is_backward { position.backward() } else { position });
                let window = Window::seek(position.as_ref(), LIMIT);
                let query = ListQuery::new(Expression::TRUE, &order, &window);
                let (sql, plan) = plan(&mut connection, explain, &table, &query, false).await;
                let is_start = value.is_none();
                if is_start {
                    check_counted(&mut connection, shape, &table, &query).await;
                }
                for line in &plan {
                    let start = if is_start { "start" } else { "place" };
                    assert!(
                        is_good(start, line),
                        "{line}\n{field} {value:?} {direction:?} {is_backward}\n{sql}\n{}",
                        plan.join("\n")
                    );
                }
            }
        }
        // A declared index supports a filter with its order, from either end.
        for is_placed in [false, true] {
            for direction in [ascending, descending] {
                let order = order("name", direction);
                let values = order.iter().map(|entry| {
                    let value: Value<'static> = if entry.name() == "name" { "name 3".into() } else { 4_444.into() };
                    (entry.name().to_owned().into(), entry.direction, value)
                });
                let position = is_placed.then(|| Position::after(values.collect::<Vec<_>>()));
                let window = Window::seek(position.as_ref(), LIMIT);
                let kind = Expression::condition("kind", Comparison::Eq(7.into()));
                let query = ListQuery::new(kind, &order, &window);
                let (sql, plan) = plan(&mut connection, explain, &table, &query, false).await;
                if !is_placed {
                    check_counted(&mut connection, shape, &table, &query).await;
                }
                for line in &plan {
                    assert!(is_good("place", line), "{line}\n{direction:?}\n{sql}\n{}", plan.join("\n"));
                }
            }
        }
    }
}

/// Checks that the query plan of a page with a total contains the query plan of the page without a total.
async fn check_counted(connection: &mut Held, shape: &str, table: &Table, query: &ListQuery<'_>) {
    let (_, page) = plan(connection, shape, table, query, false).await;
    let (sql, counted) = plan(connection, shape, table, query, true).await;
    assert!(counted.len() > page.len(), "{sql}\n{}", counted.join("\n"));
    assert!(page.iter().all(|line| counted.contains(line)), "{sql}\n{}\n{}", page.join("\n"), counted.join("\n"));
}

/// Returns the SQL of a list query and the lines of its query plan. With `is_counted`, the query also counts all items.
async fn plan(
    connection: &mut Held,
    explain: &str,
    table: &Table,
    query: &ListQuery<'_>,
    is_counted: bool,
) -> (Arc<str>, Vec<String>) {
    let is_scoped = table.definition.name() == "scoped";
    let scope = if is_scoped { Scope::new().with("tenant", 2) } else { Scope::new() };
    let filter = match &query.filter {
        Expression::All(_) => Vec::new(),
        one => vec![condition::expression(table, one).unwrap()],
    };
    let mut select = select::list(&|_| None, table, &scope, filter.clone(), query).unwrap();
    if is_counted {
        let conditions = condition::scope(table, &scope).unwrap().into_iter().chain(filter);
        select::add_total(&mut select, table, conditions.collect());
    }
    let (sql, values) = table.dialect.build(&select);
    let sql: Arc<str> = format!("{explain} {sql}").into();
    let rows = connection.connection().fetch(Arc::clone(&sql), values, false).await.unwrap();
    let lines = rows.iter().map(|row| match row.cell(table.dialect.plan_column, ValueType::Text).unwrap() {
        Cell::Text(line) => line.to_owned(),
        other => panic!("{other:?}"),
    });
    (sql, lines.collect())
}

pub(super) fn order(field: &'static str, direction: Direction) -> SortBag {
    let fields = SortFields::by_identifier("id");
    let fields = if field == "id" { fields } else { fields.field(field) };
    SortBag::among(&fields, [(field, direction)]).unwrap()
}

#[tokio::test]
async fn sqlite_reads_an_index_from_the_cursor_on() {
    let file = std::env::temp_dir().join(format!("restwright-plans-{}.db", std::process::id()));
    let store = SqlStore::new(format!("sqlite://{}", file.display())).migrate();
    check(&store, "EXPLAIN QUERY PLAN", "EXPLAIN QUERY PLAN", |start, line| {
        let is_of_table = line.contains("alone") || line.contains("scoped");
        let is_read = line.starts_with("SEARCH") || (start == "start" && line.starts_with("SCAN"));
        !line.contains("TEMP B-TREE") && (!is_of_table || is_read)
    })
    .await;
    store.stop().await;
    for suffix in ["", "-wal", "-shm"] {
        let _ = std::fs::remove_file(format!("{}{suffix}", file.display()));
    }
}

#[tokio::test]
async fn postgresql_reads_one_row_more_than_a_page() {
    let Some(url) = restwright_tests::environment("POSTGRES_URL") else { return };
    let schema = format!("restwright_plans_{}", std::process::id());
    let admin = SqlStore::new(url.clone());
    let run = async |sql: String| {
        let mut connection = admin.shared.connections.acquire(Access::Write).await.unwrap();
        connection.connection().run(sql.into()).await.unwrap();
    };
    run(format!("CREATE SCHEMA {schema}")).await;
    let separator = if url.contains('?') { '&' } else { '?' };
    let store = SqlStore::new(format!("{url}{separator}options=-csearch_path%3D{schema}"))
        .statement_timeout(std::time::Duration::from_mins(1))
        .migrate();
    check(&store, "EXPLAIN (ANALYZE, TIMING OFF)", "EXPLAIN (COSTS OFF)", |_, line| {
        let read = line.split("(actual rows=").nth(1).and_then(|rest| rest.split([' ', '.']).next());
        let is_page = read.is_none_or(|rows| rows.parse::<u32>().is_ok_and(|rows| rows <= LIMIT + 1));
        is_page && !line.contains("->  Sort") && !line.contains("Rows Removed") && !line.contains("Bitmap")
    })
    .await;
    store.stop().await;
    run(format!("DROP SCHEMA {schema} CASCADE")).await;
}

/// Returns a definition of books, each with an author of the same tenant.
fn books(name: &'static str, kind: IdentifierKind) -> EntityDefinition {
    EntityDefinition::new(name, "id", kind)
        .field(FieldDefinition::new("tenant", ValueType::Integer).scope())
        .field(FieldDefinition::new("author", ValueType::Integer).references("authors", OnDelete::Restrict))
        .field(FieldDefinition::new("place", ValueType::Integer))
        .field(FieldDefinition::new("title", ValueType::Text).sortable())
}

#[tokio::test]
async fn sqlite_finds_embedded_rows_by_their_reference() {
    let authors = EntityDefinition::new("authors", "id", IdentifierKind::Integer)
        .field(FieldDefinition::new("tenant", ValueType::Integer).scope());
    let plain = books("books", IdentifierKind::Integer);
    let uuid = books("uuid_books", IdentifierKind::Uuid);
    let indexed = books("indexed_books", IdentifierKind::Uuid).index(["author", "title"]);
    let unique = books("unique_books", IdentifierKind::Integer).unique(["author", "place"]);
    let store = SqlStore::new("sqlite::memory:").migrate();
    [&authors, &plain, &uuid, &indexed, &unique].into_iter().for_each(|one| store.declare(one).unwrap());
    store.start().await.unwrap();
    let mut connection = store.shared.connections.acquire(Access::Write).await.unwrap();
    for (definition, field, is_sorted) in [
        // The rows of one author are sorted.
        (&plain, "title", true),
        (&uuid, "title", true),
        (&uuid, "id", true),
        (&unique, "title", true),
        // An index contains them in this order.
        (&plain, "id", false),
        (&indexed, "title", false),
        (&unique, "place", false),
    ] {
        for direction in [Direction::Ascending, Direction::Descending] {
            let (order, window) = (order(field, direction), Window::skip(0, LIMIT));
            let query = ListQuery::new(Expression::TRUE, &order, &window);
            let table = store.shared.table(definition).unwrap();
            let scope = condition::scope(&table, &Scope::new().with("tenant", 2)).unwrap();
            let keys = [vec![1.into()], vec![2.into()]];
            let select = per_key(&table, scope, &query, &["author"], &keys).unwrap().unwrap();
            let (sql, values) = store.dialect().build(&select);
            let plan = lines(&mut connection, "EXPLAIN QUERY PLAN", &sql, values).await.join("\n");
            assert!(plan.contains("(tenant=? AND author=?)"), "{field} {direction:?}\n{sql}\n{plan}");
            assert_eq!(plan.contains("TEMP B-TREE"), is_sorted, "{field} {direction:?}\n{sql}\n{plan}");
        }
    }
}
