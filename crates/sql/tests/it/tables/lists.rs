//! The log line about the indexes of a list.

use restwright::auth::Access;
use restwright::prelude::*;
use restwright_core::Component;
use restwright_list::{Operator, PlannedList, ValueType};
use restwright_resource::{Endpoints, EntityDefinition, FieldDefinition, IdentifierKind, OnDelete, Store};
use restwright_sql::SqlStore;
use serde::{Deserialize, Serialize};

use super::database::{on_each, start};
use crate::databases::SqliteFile;
use crate::log::logged_of;

const TOPIC: &str = "of the list of";
const TOTAL: &str = "; a total reads every row that matches";

/// Starts a store with a list and returns the lines about it.
async fn lines(definition: EntityDefinition, list: PlannedList) -> Vec<String> {
    let mut all = lines_of_each(&[definition], list).await;
    assert!(all.windows(2).all(|pair| pair[0] == pair[1]), "{all:#?}");
    all.remove(0)
}

/// Starts a store of each database with a list of the first definition, and returns the lines about it.
async fn lines_of_each(definitions: &[EntityDefinition], list: PlannedList) -> Vec<Vec<String>> {
    let all = std::sync::Mutex::new(Vec::new());
    on_each(async |database| {
        let store = database.migrating(definitions);
        store.plan_list(&definitions[0], &list);
        let (started, lines) = logged_of(TOPIC, start(&store)).await;
        started.unwrap();
        all.lock().unwrap().push(lines);
    })
    .await;
    all.into_inner().unwrap()
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
            "no index serves {unserved} of 16 combinations of a filter and an order of the list of `pets`: {names}{TOTAL}"
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
    let list = PlannedList::new().filter("name", [Operator::Eq]).order("kind").order("id");
    assert_eq!(
        lines(pets(), list).await,
        [format!(
            "no index serves 1 of 4 combinations of a filter and an order of the list of `pets`: order_by=kind{TOTAL}"
        )]
    );
    let list = PlannedList::new().filter("name", [Operator::Eq]).order("name").order("id");
    assert_eq!(lines(pets(), list).await, ["indexes serve all filters and orders of the list of `pets`"]);
}

#[tokio::test]
async fn ranges_and_related_fields_need_statistics() {
    let owners = EntityDefinition::new("owners", "id", IdentifierKind::Integer)
        .field(FieldDefinition::new("tenant", ValueType::Integer).scope())
        .field(FieldDefinition::new("name", ValueType::Text).sortable())
        .field(FieldDefinition::new("city", ValueType::Text));
    let owner = FieldDefinition::new("owner", ValueType::Integer).references("owners", OnDelete::Restrict);
    let list = PlannedList::new()
        .filter("name", [Operator::Gte])
        .relation("owner", "owners")
        .filter("owner.name", [Operator::Eq, Operator::Lt])
        .filter("owner.city", [Operator::Eq])
        .order("name")
        .order("id")
        .order("owner.name");
    let expected = |unserved: u32, names: &str| {
        format!(
            "no index serves {unserved} of 15 combinations of a filter and an order of the list of `pets`: order_by=owner.name, {names}{TOTAL}"
        )
    };
    let lines = lines_of_each(&[pets().field(owner), owners], list).await.concat();
    let sqlite = "name[gte] in another order, owner.name[eq], owner.name[lt], owner.city[eq]";
    assert_eq!(lines[0], expected(12, sqlite));
    if let Some(line) = lines.get(1) {
        assert_eq!(*line, expected(4, "owner.city[eq]"));
    }
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
    let notes = Endpoints::<Note>::new(store.clone(), Access::public());
    let _api = Api::builder(Configuration::new("notes", "1.0.0")).module(&notes).build().unwrap();
    let (started, lines) = logged_of(TOPIC, Component::start(&store)).await;
    started.unwrap();
    assert_eq!(
        lines,
        [format!(
            "no index serves 2 of 6 combinations of a filter and an order of the list of `notes`: text[contains]{TOTAL}"
        )]
    );
    Component::stop(&store).await;
}

/// A reply to a note.
#[derive(Clone, Debug, Serialize, Deserialize, Resource)]
#[resource(path = "/replies", include(note(filter(text(eq)), sort(text))))]
struct Reply {
    #[property(id)]
    id: i64,
    #[property(references(Note))]
    note_id: i64,
}

#[test]
fn the_table_of_routes_names_related_fields() {
    let on = |url: &str| {
        let store = SqlStore::new(url);
        let api = Api::builder(Configuration::new("notes", "1.0.0"))
            .resource::<Note>(store.clone(), Access::public())
            .resource::<Reply>(store, Access::public())
            .build()
            .unwrap();
        let table = api.explain();
        let (_, after) = table.split_once("listReplies").unwrap();
        after.lines().find(|line| line.contains("combinations")).unwrap_or_default().trim().to_owned()
    };
    let note = |unserved: u32, names: &str| {
        format!("note: no declared index serves {unserved} of 4 combinations of a filter and an order: {names}")
    };
    assert_eq!(on("sqlite://missing/notes.db"), note(3, "order_by=note.text, note.text[eq]"));
    assert_eq!(on("postgres://127.0.0.1:1/missing"), note(1, "order_by=note.text"));
}

/// The table of routes uses the declared indexes, not the database.
#[test]
fn the_table_of_routes_names_filters_without_a_declared_index() {
    let on = |url: &str| {
        let notes = Endpoints::<Note>::new(SqlStore::new(url), Access::public());
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
