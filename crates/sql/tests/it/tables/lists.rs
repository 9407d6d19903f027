//! The log line about the indexes of a list.

use restwright::auth::Access;
use restwright::prelude::*;
use restwright_core::Component;
use restwright_list::{Operator, PlannedList, ValueType};
use restwright_resource::{Endpoints, EntityDefinition, FieldDefinition, IdentifierKind, Store};
use restwright_sql::SqlStore;
use serde::{Deserialize, Serialize};

use super::database::{on_each, start};
use crate::databases::SqliteFile;
use crate::log::logged_of;

const TOPIC: &str = "of the list of";

/// Starts a store with a list and returns the lines about it.
async fn lines(definition: EntityDefinition, list: PlannedList) -> Vec<String> {
    let all = std::sync::Mutex::new(Vec::new());
    on_each(async |database| {
        let store = database.migrating(std::slice::from_ref(&definition));
        store.plan_list(&definition, &list);
        let (started, lines) = logged_of(TOPIC, start(&store)).await;
        started.unwrap();
        all.lock().unwrap().push(lines);
    })
    .await;
    let mut all = all.into_inner().unwrap();
    assert!(all.windows(2).all(|pair| pair[0] == pair[1]), "{all:#?}");
    all.remove(0)
}

fn pets() -> EntityDefinition {
    let text = |name: &'static str| FieldDefinition::new(name, ValueType::Text).nullable();
    EntityDefinition::new("pets", "id", IdentifierKind::Integer)
        .field(FieldDefinition::new("tenant", ValueType::Integer).scope())
        .field(text("name").searchable().sortable())
        .field(text("chip").unique())
        .field(text("kind"))
}

#[tokio::test]
async fn a_start_counts_unsupported_filters_and_orders() {
    let list = PlannedList::new()
        .filter("name", [Operator::Eq, Operator::Contains, Operator::StartsWith])
        .filter("chip", [Operator::Eq, Operator::In, Operator::Ne])
        .filter("kind", [Operator::Eq])
        .order("name")
        .order("id");
    let expected = |unserved: &str, names: &str| {
        [format!(
            "no index serves {unserved} of 16 combinations of a filter and an order of the list of `pets`: {names}"
        )]
    };
    assert_eq!(
        lines(pets(), list.clone()).await,
        expected("8", "name[contains], name[starts_with], chip[ne], kind[eq]")
    );
    assert_eq!(
        lines(pets().index(["kind", "name"]), list).await,
        expected("6", "name[contains], name[starts_with], chip[ne]")
    );
    let list = PlannedList::new().filter("name", [Operator::Gte]).order("kind").order("id");
    assert_eq!(
        lines(pets(), list).await,
        ["no index serves 1 of 4 combinations of a filter and an order of the list of `pets`: order_by=kind"]
    );
    let list = PlannedList::new().filter("name", [Operator::Gte]).order("name").order("id");
    assert_eq!(lines(pets(), list).await, ["indexes serve all filters and orders of the list of `pets`"]);
}

#[derive(Clone, Debug, Serialize, Deserialize, Resource)]
#[resource(path = "/notes")]
struct Note {
    #[property(id)]
    id: i64,
    #[property(filter(eq, contains), sort)]
    text: String,
}

#[tokio::test]
async fn the_log_covers_the_lists_of_resources() {
    let file = SqliteFile::new();
    let store = file.store().migrate();
    let notes = Endpoints::<Note, _>::new(store.clone(), Access::public());
    let _api = Api::builder(Configuration::new("notes", "1.0.0")).module(&notes).build().unwrap();
    let (started, lines) = logged_of(TOPIC, Component::start(&store)).await;
    started.unwrap();
    assert_eq!(
        lines,
        ["no index serves 2 of 6 combinations of a filter and an order of the list of `notes`: text[contains]"]
    );
    Component::stop(&store).await;
}

/// The table of routes uses the declared indexes, not the database.
#[test]
fn the_table_of_routes_names_filters_without_a_declared_index() {
    let on = |url: &str| {
        let notes = Endpoints::<Note, _>::new(SqlStore::new(url), Access::public());
        let api = Api::builder(Configuration::new("notes", "1.0.0")).module(&notes).build().unwrap();
        let table = api.explain();
        let (_, after) = table.split_once("listNotes").unwrap();
        after.lines().nth(1).unwrap_or_default().trim().to_owned()
    };
    for url in ["sqlite://missing/notes.db", "postgres://127.0.0.1:1/missing"] {
        assert_eq!(
            on(url),
            "note: no declared index serves 2 of 6 combinations of a filter and an order: text[contains]"
        );
    }
}
