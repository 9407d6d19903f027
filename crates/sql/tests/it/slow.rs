//! Slow statements in the log.

use std::time::Duration;

use restwright_conformance::Specimen;
use restwright_core::Component;
use restwright_list::{Comparison, Expression, SortBag, SortFields, ValueType, Window};
use restwright_resource::{
    EntityDefinition, FieldDefinition, IdentifierKind, ListQuery, Read, Repository, Statement, Store,
};
use restwright_sql::{SqlStore, TableMapping};

use crate::databases::{PostgresSchema, SqliteFile};
use crate::log::logged_fields;

fn pets() -> EntityDefinition {
    EntityDefinition::new("pets", "id", IdentifierKind::Integer)
        .field(FieldDefinition::new("text", ValueType::Text).nullable().searchable())
}

fn without_version() -> TableMapping {
    TableMapping::new("pets").without_version()
}

/// Runs each operation twice and returns the log lines.
async fn lines(store: SqlStore, after: Duration) -> Vec<String> {
    let store = store.migrate().slow_statements(after);
    store.declare(&pets()).unwrap();
    Component::start(&store).await.unwrap();
    let definition = pets();
    let (_, lines) = logged_fields(async {
        for _ in 0..2 {
            let statement = || Statement::new(&definition);
            let filter = Expression::condition("text", Comparison::Eq("a secret".into()));
            let order = SortBag::among(&SortFields::by_identifier("id"), []).unwrap();
            let window = Window::seek(None, 10);
            let inserted = Repository::insert::<Specimen>(&store, statement(), Specimen::default()).await.unwrap();
            let id = inserted.entity.id.into();
            Repository::list::<Specimen>(&store, statement(), &ListQuery::new(filter.clone(), &order, &window))
                .await
                .unwrap();
            Repository::count(&store, statement(), &filter).await.unwrap();
            Repository::find::<Specimen>(&store, statement(), &id).await.unwrap();
            let read = Read::Exists { identifier: &id, condition: &Expression::TRUE };
            store.read(statement(), read).await.unwrap();
            let updated = Repository::update::<Specimen>(&store, statement(), inserted.entity, None).await.unwrap();
            Repository::delete(&store, statement(), &id, Some(updated.version)).await.unwrap();
        }
    })
    .await;
    Component::stop(&store).await;
    lines
}

fn check(lines: &[String], scan: &str) {
    let operations = ["insert", "list", "count", "find", "exists", "update", "delete"];
    assert_eq!(lines.len(), operations.len(), "{lines:#?}");
    for (line, operation) in lines.iter().zip(operations) {
        assert!(line.starts_with("a statement was slow"), "{line}");
        assert!(line.contains("entity=\"pets\""), "{line}");
        assert!(line.contains(&format!("operation=\"{operation}\"")), "{line}");
        assert!(line.contains("statements=1"), "{line}");
        assert!(!line.contains("secret"), "{line}");
        let has_plan = !["insert", "update", "delete"].contains(&operation);
        assert_eq!(line.contains("plan=\"unknown\""), !has_plan, "{line}");
    }
    assert!(lines[1].contains(scan), "{}", lines[1]);
}

#[tokio::test]
async fn logs_slow_statements_of_sqlite_with_their_plan() {
    check(&lines(SqliteFile::new().store(), Duration::ZERO).await, "SCAN pets");
    check(&lines(SqliteFile::new().store().table(without_version()), Duration::ZERO).await, "SCAN pets");
    assert_eq!(lines(SqliteFile::new().store(), Duration::from_mins(1)).await, [""; 0]);
}

#[tokio::test]
async fn logs_the_plan_of_each_slow_list() {
    let file = SqliteFile::new();
    let store = file.store().migrate().slow_statements(Duration::ZERO);
    store.declare(&pets()).unwrap();
    Component::start(&store).await.unwrap();
    let definition = pets();
    let list = async |filter: Expression| {
        let order = SortBag::among(&SortFields::by_identifier("id"), []).unwrap();
        let window = Window::seek(None, 10);
        let query = ListQuery::new(filter, &order, &window);
        Repository::list::<Specimen>(&store, Statement::new(&definition), &query).await.unwrap();
    };
    let (_, lines) = logged_fields(async {
        for text in ["a", "b"] {
            list(Expression::condition("text", Comparison::Eq(text.into()))).await;
            list(Expression::condition("text", Comparison::IsNull(true))).await;
        }
    })
    .await;
    assert_eq!(lines.len(), 2, "{lines:#?}");
    // The first 20 statements have a line each, and all others have one together.
    let (_, lines) = logged_fields(async {
        for count in 1..=30_i64 {
            list(Expression::condition("id", Comparison::In((0..count).map(Into::into).collect()))).await;
        }
    })
    .await;
    assert_eq!(lines.len(), 19, "{lines:#?}");
    Component::stop(&store).await;
}

#[tokio::test]
async fn logs_slow_statements_of_postgresql_with_their_plan() {
    let Some(schema) = PostgresSchema::new().await else { return };
    check(&lines(schema.store(), Duration::ZERO).await, "Filter: (text = '..'::text)");
    schema.drop().await;
    let schema = PostgresSchema::new().await.unwrap();
    check(&lines(schema.store().table(without_version()), Duration::ZERO).await, "Filter: (text = '..'::text)");
    schema.drop().await;
}

#[tokio::test]
async fn logs_a_statement_beyond_its_time_limit_with_its_plan() {
    use sqlx::Connection;
    let Some(schema) = PostgresSchema::new().await else { return };
    let store =
        schema.store().migrate().statement_timeout(Duration::from_secs(2)).slow_statements(Duration::from_millis(100));
    store.declare(&pets()).unwrap();
    Component::start(&store).await.unwrap();
    let definition = pets();
    // A view replaces the table and sleeps for ten seconds at each row.
    let mut other = sqlx::PgConnection::connect(&schema.url()).await.unwrap();
    sqlx::raw_sql(
        "CREATE FUNCTION slow(text) RETURNS boolean LANGUAGE sql VOLATILE AS 'SELECT pg_sleep(10) IS NOT NULL'",
    )
    .execute(&mut other)
    .await
    .unwrap();
    sqlx::raw_sql("INSERT INTO pets DEFAULT VALUES").execute(&mut other).await.unwrap();
    sqlx::raw_sql("ALTER TABLE pets RENAME TO pets_of; CREATE VIEW pets AS SELECT id, text, text_folded, row_folding, row_version FROM pets_of WHERE slow(text)")
        .execute(&mut other)
        .await
        .unwrap();
    let (failed, lines) =
        logged_fields(Repository::count(&store, Statement::new(&definition), &Expression::TRUE)).await;
    failed.unwrap_err();
    assert_eq!(lines.len(), 1, "{lines:#?}");
    assert!(lines[0].contains("operation=\"count\"") && lines[0].contains("Seq Scan on pets_of"), "{}", lines[0]);
    Component::stop(&store).await;
    schema.drop().await;
}
