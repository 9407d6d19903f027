//! Changes of tables by other programs. The start detects each change, and the SQL in its message repairs the table.

mod postgres;
mod sqlite;

use restwright_list::ValueType;
use restwright_resource::{EntityDefinition, FieldDefinition, IdentifierKind, OnDelete};
use restwright_sql::SqlStore;

use super::database::{Database, start};

/// A change of the tables.
struct Mutation {
    /// The SQL of another program.
    change: &'static str,
    /// A part of the message.
    expected: &'static str,
    /// The SQL of a person for parts that the message leaves open. It runs before the SQL of the message.
    repair: &'static str,
}

const fn mutation(change: &'static str, expected: &'static str) -> Mutation {
    Mutation { change, expected, repair: "" }
}

impl Mutation {
    const fn repaired(self, repair: &'static str) -> Self {
        Self { repair, ..self }
    }
}

fn definitions() -> [EntityDefinition; 2] {
    let animals = EntityDefinition::new("animals", "id", IdentifierKind::Integer)
        .field(FieldDefinition::new("name", ValueType::Text).searchable().sortable())
        .field(FieldDefinition::new("chip", ValueType::Text).nullable().unique())
        .field(FieldDefinition::new("kind", ValueType::Enumeration).sortable())
        .field(FieldDefinition::new("legs", ValueType::Integer).sortable())
        .field(FieldDefinition::new("weight", ValueType::Number))
        .field(FieldDefinition::new("tame", ValueType::Boolean))
        .field(FieldDefinition::new("born", ValueType::Date).nullable().sortable())
        .field(FieldDefinition::new("moment", ValueType::DateTime))
        .field(FieldDefinition::new("uuid", ValueType::Uuid).nullable())
        .field(FieldDefinition::new("tags", ValueType::Json))
        .field(FieldDefinition::new("owner", ValueType::Integer).nullable().references("owners", OnDelete::Cascade))
        .field(FieldDefinition::new("friend", ValueType::Integer).nullable().references("animals", OnDelete::Restrict));
    let owners = EntityDefinition::new("owners", "code", IdentifierKind::Given(ValueType::Integer))
        .field(FieldDefinition::new("note", ValueType::Text));
    [animals, owners]
}

fn store(url: String) -> SqlStore {
    declared(SqlStore::new(url))
}

fn declared(store: SqlStore) -> SqlStore {
    definitions().iter().for_each(|definition| store.declare(definition).unwrap());
    store
}

/// Changes the tables and their rows. Starts a store before and after the SQL in the message.
async fn check(database: &Database, url: String, rows: &str, mutation: &Mutation) -> Result<(), String> {
    let Mutation { change, expected, repair } = mutation;
    let tables = store(url.clone()).ddl();
    database.try_run(&format!("{tables} {rows}")).await.map_err(|error| format!("the tables: {error}"))?;
    start(&store(url.clone())).await?;
    database.try_run(change).await.map_err(|error| format!("the change failed: {error}"))?;
    let Err(message) = start(&store(url.clone())).await else { return Err("the start succeeded".to_owned()) };
    if !message.contains(expected) {
        return Err(format!("unexpected: {message}"));
    }
    // A migration changes nothing if a person must decide, not even a part.
    let migrated = start(&declared(SqlStore::new(url.clone()).migrate())).await;
    let is_addition = migrated.is_ok();
    if is_addition && !repair.is_empty() {
        return Err(format!("a migration has changed the table without the repair: {message}"));
    }
    if is_addition {
        return start(&store(url)).await;
    }
    database.try_run(repair).await.map_err(|error| format!("the repair failed: {error}\n{message}"))?;
    let sql: Vec<_> = message.lines().filter_map(|line| line.strip_prefix("    ")).collect();
    if sql.is_empty() && repair.is_empty() {
        return Err(format!("without SQL: {message}"));
    }
    database.try_run(&sql.join("\n")).await.map_err(|error| format!("the SQL failed: {error}\n{message}"))?;
    start(&store(url)).await.map_err(|error| format!("{message}\n\nthen: {error}"))
}

/// Fails with a list of all failed mutations.
fn report(outcomes: &[(&Mutation, Result<(), String>)]) {
    assert!(outcomes.len() >= 40, "{}", outcomes.len());
    let failed = outcomes.iter().filter_map(|(mutation, outcome)| {
        outcome.as_ref().err().map(|error| format!("{}\n{error}\n", mutation.change))
    });
    let failed: Vec<_> = failed.collect();
    assert!(failed.is_empty(), "{} of {} mutations:\n\n{}", failed.len(), outcomes.len(), failed.join("\n"));
}
