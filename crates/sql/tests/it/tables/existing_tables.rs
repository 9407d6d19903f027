//! Existing tables with their own names, types and constraints.

use restwright_conformance::Specimen;
use restwright_list::{
    Comparison, Direction, Expression, Offset, Position, Record, SortBag, SortFields, Value, ValueType, Window,
};
use restwright_resource::{
    EntityDefinition, FieldDefinition, IdentifierKind, ListQuery, OnDelete, Repository, Statement, StoreError,
    Versioned,
};
use restwright_sql::{SqlStore, TableMapping};
use uuid::Uuid;

use super::database::{Database, on_postgres, on_sqlite, start};

fn animals() -> EntityDefinition {
    EntityDefinition::new("animals", "id", IdentifierKind::Integer)
        .field(FieldDefinition::new("label", ValueType::Text).sortable())
        .field(FieldDefinition::new("email", ValueType::Text).nullable().unique())
        .field(FieldDefinition::new("owner", ValueType::Integer).nullable().references("animals", OnDelete::Restrict))
        .field(FieldDefinition::new("integer", ValueType::Integer).nullable())
        .field(FieldDefinition::new("flag", ValueType::Boolean).nullable())
        .field(FieldDefinition::new("date", ValueType::Date).nullable())
        .field(FieldDefinition::new("moment", ValueType::DateTime).nullable().sortable())
        .field(FieldDefinition::new("uuid", ValueType::Uuid).nullable().sortable())
}

fn mapping(schema: &str) -> TableMapping {
    TableMapping::new("animals")
        .schema(schema)
        .table("tbl_animal")
        .column("id", "nr")
        .column("label", "animal name")
        .column("email", "mail")
        .column("owner", "owned_by")
        .without_version()
}

async fn insert(
    store: &SqlStore,
    label: &str,
    change: impl FnOnce(&mut Specimen),
) -> Result<Versioned<Specimen>, StoreError> {
    let mut specimen = Specimen::default();
    specimen.label = label.to_owned();
    change(&mut specimen);
    store.insert(Statement::new(&animals()), specimen).await
}

fn order(field: &'static str) -> SortBag {
    SortBag::among(&SortFields::by_identifier("id").field(field), [(field, Direction::Ascending)]).unwrap()
}

async fn labels(store: &SqlStore, query: &ListQuery<'_>) -> Vec<String> {
    let listed = store.list(Statement::new(&animals()), query).await.unwrap();
    listed.items.into_iter().map(|item: Versioned<Specimen>| item.entity.label).collect()
}

/// Checks that the store works with the table like with its own.
async fn check(database: &Database, store: &SqlStore) {
    // The indexes are missing, and the message contains the statements that create them.
    let message = start(store).await.unwrap_err();
    let sql: Vec<_> = message.lines().filter_map(|line| line.strip_prefix("    ")).collect();
    assert!(sql.iter().all(|sql| sql.starts_with("CREATE INDEX")), "{message}");
    database.run(&sql.join("\n")).await;
    start(store).await.unwrap();

    let uuid = Uuid::from_u128(0xABCD << 96);
    let first = insert(store, "b", |animal| {
        animal.uuid = Some(uuid);
        animal.moment = "2024-02-29T12:00:00.000001Z".parse().ok();
        animal.date = "2024-02-29".parse().ok();
        animal.flag = Some(true);
        animal.integer = Some(7);
        animal.email = Some("b@example.org".to_owned());
    });
    let first = first.await.unwrap();
    insert(store, "A", |animal| animal.uuid = Some(Uuid::from_u128(0xABCE << 96))).await.unwrap();
    insert(store, "a", |animal| animal.moment = "2024-02-29T12:00:01Z".parse().ok()).await.unwrap();
    insert(store, "B", |_| {}).await.unwrap();

    let found: Versioned<Specimen> =
        store.find(Statement::new(&animals()), &first.entity.id.into()).await.unwrap().unwrap();
    assert_eq!((&found.entity, found.version), (&first.entity, first.version));

    let all = Offset::new(0, 100).unwrap();
    for (field, value) in [
        ("uuid", Value::from(uuid)),
        ("moment", first.entity.value("moment").into_owned()),
        ("date", first.entity.value("date").into_owned()),
        ("flag", true.into()),
        ("integer", 7.into()),
        ("email", "b@example.org".into()),
    ] {
        let filter = Expression::condition(field, Comparison::Eq(value));
        assert_eq!(labels(store, &ListQuery::new(filter, &order("label"), &all)).await, ["b"], "{field}");
    }
    // The order is by code point, with null before all values.
    for (field, expected) in
        [("label", ["A", "B", "a", "b"]), ("uuid", ["a", "B", "b", "A"]), ("moment", ["A", "B", "b", "a"])]
    {
        let listed = labels(store, &ListQuery::new(Expression::TRUE, &order(field), &all)).await;
        assert_eq!(listed, expected, "{field}");
        let position = |item: &Specimen| {
            let fields = [field, "id"].map(|name| (name.into(), Direction::Ascending, item.value(name).into_owned()));
            Position::after(fields)
        };
        let (mut visited, mut last) = (Vec::new(), None);
        loop {
            let window = Window::seek(last.as_ref(), 1);
            let query = ListQuery::new(Expression::TRUE, &order(field), &window);
            let listed = store.list(Statement::new(&animals()), &query).await.unwrap();
            let Some(item) = listed.items.first() else { break };
            let item: &Versioned<Specimen> = item;
            visited.push(item.entity.label.clone());
            last = Some(position(&item.entity));
        }
        assert_eq!(visited, expected, "from cursor to cursor by {field}");
    }

    let again = insert(store, "c", |animal| animal.email = Some("b@example.org".to_owned())).await.unwrap_err();
    assert!(matches!(&again, StoreError::Conflict { fields } if *fields == ["email"]), "{again:?}");
    let lost = insert(store, "c", |animal| animal.owner = Some(99)).await.unwrap_err();
    assert!(matches!(&lost, StoreError::MissingReference { field } if field == "owner"), "{lost:?}");

    let mut changed = first.entity.clone();
    changed.integer = Some(8);
    let updated = store.update(Statement::new(&animals()), changed.clone(), Some(first.version)).await.unwrap();
    assert_ne!(updated.version, first.version);
    let stale = store.update(Statement::new(&animals()), changed, Some(first.version)).await.unwrap_err();
    assert!(matches!(stale, StoreError::StaleVersion), "{stale:?}");
    let id = first.entity.id.into();
    Repository::delete(store, Statement::new(&animals()), &id, Some(updated.version)).await.unwrap();

    // Filters would not find the value in this form.
    database
        .run("INSERT INTO tbl_animal (\"animal name\", uuid) VALUES ('c', '0000ABCD-0000-0000-0000-000000000000')")
        .await;
    let query = ListQuery::new(Expression::TRUE, &order("label"), &all);
    let listed: Result<restwright_list::ListSlice<Versioned<Specimen>, _>, _> =
        store.list(Statement::new(&animals()), &query).await;
    let error = listed.unwrap_err();
    assert!(format!("{error:?}").contains("not in lower case with hyphens"), "{error:?}");
}

#[tokio::test]
async fn an_existing_table_of_postgresql_can_be_mapped() {
    on_postgres(async |database| {
        database
            .run(
                "CREATE TABLE tbl_animal (nr serial PRIMARY KEY, note text DEFAULT '', \
                 \"animal name\" varchar(50) COLLATE \"en-x-icu\" NOT NULL, mail varchar COLLATE \"en-x-icu\" \
                 CONSTRAINT one_mail UNIQUE, owned_by integer CONSTRAINT owner_is_there REFERENCES tbl_animal, integer smallint, \
                 flag boolean, date date, moment timestamp, uuid text COLLATE \"en-x-icu\"); \
                 CREATE INDEX owners ON tbl_animal (owned_by)",
            )
            .await;
        let Database::Postgres(schema) = database else { unreachable!() };
        let store = database.mapped(&[animals()], vec![mapping(&schema.name)]);
        check(database, &store).await;
    })
    .await;
}

#[tokio::test]
async fn an_existing_table_of_sqlite_can_be_mapped() {
    on_sqlite(async |database| {
        database
            .run(
                "CREATE TABLE tbl_animal (nr INTEGER PRIMARY KEY, note TEXT DEFAULT '', \"animal name\" VARCHAR(50) NOT NULL, \
                 mail TEXT, owned_by INT REFERENCES tbl_animal, integer SMALLINT, flag TINYINT, date DATE, moment INTEGER, uuid CHAR(36)); \
                 CREATE UNIQUE INDEX one_mail ON tbl_animal (mail); CREATE INDEX owners ON tbl_animal (owned_by)",
            )
            .await;
        let store = database.mapped(&[animals()], vec![mapping("main")]);
        check(database, &store).await;
    })
    .await;
}
