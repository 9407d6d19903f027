//! Renamed fields.

use std::sync::Mutex;

use restwright_list::ValueType;
use restwright_resource::{EntityDefinition, FieldDefinition, IdentifierKind, OnDelete};

use super::database::{Database, on_each, start};
use crate::log::logged;

fn shelters(tenant: FieldDefinition) -> EntityDefinition {
    EntityDefinition::new("shelters", "id", IdentifierKind::Given(ValueType::Integer)).field(tenant.scope())
}

fn text(name: &'static str) -> FieldDefinition {
    FieldDefinition::new(name, ValueType::Text)
}

fn integer(name: &'static str) -> FieldDefinition {
    FieldDefinition::new(name, ValueType::Integer)
}

/// Returns animals in a shelter with fields of these names: a scope, a searchable string, a unique value and a reference.
fn animals(fields: [FieldDefinition; 4]) -> EntityDefinition {
    let [tenant, name, chip, shelter] = fields;
    EntityDefinition::new("animals", "id", IdentifierKind::Integer)
        .field(tenant.scope())
        .field(name.searchable().sortable())
        .field(chip.nullable().unique())
        .field(shelter.nullable().references("shelters", OnDelete::Restrict))
}

fn before() -> [EntityDefinition; 2] {
    let fields = [integer("tenant"), text("name"), text("chip"), integer("shelter")];
    [shelters(integer("tenant")), animals(fields)]
}

fn after() -> [EntityDefinition; 2] {
    let tenant = || integer("organisation").renamed_from("tenant");
    let name = text("title").renamed_from("name");
    let fields = [tenant(), name, text("tag").renamed_from("chip"), integer("home").renamed_from("shelter")];
    [shelters(tenant()), animals(fields)]
}

async fn fill(database: &Database) {
    start(&database.migrating(&before())).await.unwrap();
    let shelter = "INSERT INTO shelters (tenant, id) VALUES (1, 7)";
    let animal = "INSERT INTO animals (tenant, name, name_folded, row_folding, chip, shelter) VALUES (1, 'REX', 'rex', 16, 'c', 7)";
    database.run(&format!("{shelter}; {animal}")).await;
}

/// Returns the names in each database after a test.
async fn names_after(test: impl AsyncFn(&Database)) -> Vec<Vec<String>> {
    let all = Mutex::new(Vec::new());
    on_each(async |database| {
        test(database).await;
        let names = names(database).await;
        all.lock().unwrap().push(names);
    })
    .await;
    all.into_inner().unwrap()
}

/// Returns the names of columns, indexes and constraints.
async fn names(database: &Database) -> Vec<String> {
    match database {
        Database::Sqlite(_) => {
            let sql = "SELECT 'index ' || name || ' ' || sql FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL \
                UNION SELECT m.name || ' ' || c.name || ' ' || c.\"notnull\" FROM sqlite_master m, pragma_table_info(m.name) c \
                UNION SELECT m.name || ' ' || k.\"from\" || ' ' || k.\"to\" FROM sqlite_master m, pragma_foreign_key_list(m.name) k \
                ORDER BY 1";
            database.texts(sql).await
        }
        Database::Postgres(schema) => {
            let keys = format!(
                "SELECT conname || ' ' || pg_get_constraintdef(oid) FROM pg_constraint WHERE connamespace = '{}'::regnamespace \
                 AND contype = 'f' ORDER BY 1",
                schema.name
            );
            let (all, keys) = (database.schema().await, database.texts(&keys).await);
            all.into_iter().chain(keys).map(|line| line.replace(&schema.name, "")).collect()
        }
    }
}

#[tokio::test]
async fn a_renamed_field_keeps_the_values_and_indexes_of_its_column() {
    let fresh = names_after(async |database| start(&database.migrating(&after())).await.unwrap()).await;
    let renamed = names_after(async |database| {
        fill(database).await;
        start(&database.migrating(&after())).await.unwrap();
        let columns = ["organisation", "title", "title_folded", "row_folding", "tag", "home"].join(" || ' ' || ");
        assert_eq!(database.texts(&format!("SELECT {columns} FROM animals")).await, ["1 REX rex 16 c 7"]);
    })
    .await;
    assert_eq!(renamed, fresh);
}

#[tokio::test]
async fn a_start_without_a_migration_lists_the_statements() {
    on_each(async |database| {
        fill(database).await;
        let store = database.store(&after());
        let message = start(&store).await.unwrap_err();
        assert!(message.contains("the table `animals` has the column `name`, whose name is now `title`"), "{message}");
        assert!(message.contains("RENAME COLUMN \"name_folded\" TO \"title_folded\""), "{message}");
        assert!(!message.contains("lacks"), "{message}");
        let sql: Vec<_> = message.lines().filter_map(|line| line.strip_prefix("    ")).collect();
        database.run(&sql.join("\n")).await;
        start(&store).await.unwrap();
    })
    .await;
}

#[tokio::test]
async fn nothing_is_renamed_if_both_columns_exist() {
    let notes = |field| EntityDefinition::new("notes", "id", IdentifierKind::Integer).field(field);
    on_each(async |database| {
        let both = notes(text("text").nullable()).field(text("body").nullable());
        start(&database.migrating(&[both])).await.unwrap();
        database.run("INSERT INTO notes (text, body) VALUES ('a', 'b')").await;
        let first = database.schema().await;
        let renamed = notes(text("body").nullable().renamed_from("text"));
        start(&database.migrating(&[renamed])).await.unwrap();
        assert_eq!(database.schema().await, first);
        assert_eq!(database.texts("SELECT text || body FROM notes").await, ["ab"]);
    })
    .await;
}

#[tokio::test]
async fn another_field_may_reuse_the_former_name() {
    let notes = |fields: [FieldDefinition; 2]| {
        let notes = EntityDefinition::new("notes", "id", IdentifierKind::Integer);
        fields.into_iter().fold(notes, EntityDefinition::field)
    };
    on_each(async |database| {
        let rank = || integer("rank").nullable();
        start(&database.migrating(&[notes([text("text").nullable().sortable(), rank()])])).await.unwrap();
        database.run("INSERT INTO notes (text) VALUES ('a')").await;
        let definition = notes([text("body").nullable().sortable().renamed_from("text"), rank()]);
        let definition = definition.field(text("text").nullable().sortable());
        start(&database.migrating(std::slice::from_ref(&definition))).await.unwrap();
        assert_eq!(database.texts("SELECT body FROM notes WHERE text IS NULL").await, ["a"]);
        start(&database.store(&[definition])).await.unwrap();
    })
    .await;
}

#[tokio::test]
async fn a_rename_with_another_required_change_changes_nothing() {
    let notes = |field| EntityDefinition::new("notes", "id", IdentifierKind::Integer).field(field);
    on_each(async |database| {
        start(&database.migrating(&[notes(text("text"))])).await.unwrap();
        let first = database.schema().await;
        let message = start(&database.migrating(&[notes(integer("body").renamed_from("text"))])).await.unwrap_err();
        let (renamed, changed) = (message.find("RENAME COLUMN").unwrap(), message.find("of the type").unwrap());
        assert!(renamed < changed || message.find("has the column `text`, whose name").unwrap() < changed, "{message}");
        assert_eq!(database.schema().await, first);
    })
    .await;
}

#[tokio::test]
async fn logs_columns_without_a_field_when_one_is_added() {
    let notes = |fields: &[&'static str]| {
        let notes = EntityDefinition::new("notes", "id", IdentifierKind::Integer);
        fields.iter().fold(notes, |notes, field| notes.field(text(field).nullable()))
    };
    on_each(async |database| {
        let migrate = async |fields| logged(start(&database.migrating(&[notes(fields)]))).await;
        let (started, lines) = migrate(&["text"]).await;
        assert_eq!((started, lines), (Ok(()), vec![]));
        let (started, lines) = migrate(&["text", "title"]).await;
        assert_eq!((started, lines), (Ok(()), vec![]));
        let (started, lines) = migrate(&["body"]).await;
        started.unwrap();
        assert_eq!(
            lines,
            ["the migration adds empty columns to the table `notes`: `body`; no field uses its columns `text`, `title`. If a field was \
              renamed, drop the new column and declare `renamed_from` on the field"]
        );
        let (started, lines) = migrate(&["body"]).await;
        assert_eq!((started, lines), (Ok(()), vec![]));
        let rank = notes(&["body"]).field(integer("rank"));
        let message = start(&database.migrating(&[rank])).await.unwrap_err();
        let hint = "or declare `renamed_from` if the field had the name of an unused column (`text`, `title`)";
        assert!(message.contains(hint), "{message}");
    })
    .await;
}
