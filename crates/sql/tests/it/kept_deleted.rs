//! Entities that stay in their table after a delete: concurrent references, and the indexes of their unique values.

use std::time::Duration;

use jiff::Timestamp;
use restwright::prelude::*;
use restwright_core::Component;
use restwright_list::{Comparison, Expression, SearchText};
use restwright_resource::{EntityDefinition, EntityStore, MemoryStore, Repository, Scope, Statement, Store};
use restwright_sql::SqlStore;
use serde::{Deserialize, Serialize};
use tokio::task::{JoinSet, LocalSet};

use crate::databases::{PostgresSchema, SqliteFile};
use crate::log::logged_fields;

const ROUNDS: usize = 40;

/// A project, which stays in its table.
#[derive(Clone, Debug, Serialize, Deserialize, Resource)]
#[resource(path = "/projects")]
struct Project {
    #[property(id)]
    id: i64,
    #[property(unique)]
    name: String,
    #[property(deleted_at)]
    deleted_at: Option<Timestamp>,
}

/// A task, which prevents the delete of its project.
#[derive(Clone, Debug, Serialize, Deserialize, Resource)]
#[resource(path = "/tasks")]
struct Task {
    #[property(id)]
    id: i64,
    #[property(references(Project))]
    project_id: i64,
}

/// A label, which stays in its table and is deleted with its project.
#[derive(Clone, Debug, Serialize, Deserialize, Resource)]
#[resource(path = "/labels")]
struct Label {
    #[property(id)]
    id: i64,
    #[property(references(Project, on_delete = cascade))]
    project_id: i64,
    #[property(deleted_at)]
    deleted_at: Option<Timestamp>,
}

fn entities<R: Resource>(store: &dyn Store) -> EntityStore<'_, R> {
    EntityStore::new(store, &Scope::new())
}

/// Deletes a project in a transaction that has read before, so its snapshot may be older than a concurrent reference.
async fn delete_after_a_read<S: Store + Clone>(store: &S, id: i64) -> Result<()> {
    store
        .transaction(async |transaction| {
            let mut projects = EntityStore::<Project>::new(store, &Scope::new()).within(transaction);
            projects.find(&id).await?;
            tokio::task::yield_now().await;
            projects.delete(&id, None).await
        })
        .await
}

/// Deletes a project while tasks and labels with a reference to it are inserted.
async fn no_live_entity_refers_to_a_deleted_one<S: Store + Clone>(store: &S) {
    for round in 0..ROUNDS {
        let project = Project { id: 0, name: format!("p{round}"), deleted_at: None };
        let id = entities::<Project>(store).insert(project).await.unwrap().id;
        let local = LocalSet::new();
        let done = local.run_until(async {
            let mut writes = JoinSet::new();
            for number in 0..4 {
                let store = store.clone();
                writes.spawn_local(async move {
                    if number % 2 == 0 {
                        let label = Label { id: 0, project_id: id, deleted_at: None };
                        entities::<Label>(&store).insert(label).await.map(drop)
                    } else {
                        entities::<Task>(&store).insert(Task { id: 0, project_id: id }).await.map(drop)
                    }
                });
            }
            let deleting = store.clone();
            writes.spawn_local(async move {
                match round % 2 {
                    0 => entities::<Project>(&deleting).delete(&id, None).await,
                    _ => delete_after_a_read(&deleting, id).await,
                }
            });
            writes.join_all().await
        });
        for outcome in done.await {
            let status = outcome.map_err(|problem| problem.status().as_u16()).err();
            assert!([None, Some(409), Some(422), Some(503)].contains(&status), "{status:?}");
        }
        let lives = entities::<Project>(store).find(&id).await.unwrap().is_some();
        let tasks = entities::<Task>(store).count(Task::FIELDS.project_id.eq(id)).await.unwrap();
        let labels = entities::<Label>(store).count(Label::FIELDS.project_id.eq(id)).await.unwrap();
        assert!(lives || (tasks, labels) == (0, 0), "round {round}: {tasks} tasks and {labels} labels remain");
    }
}

/// Restores a project while it is deleted again and another project gets its name.
async fn restores_end_with_success_or_409<S: Store + Clone>(store: &S) {
    let mut found = [0; 3];
    for round in 0..ROUNDS {
        let project = || Project { id: 0, name: format!("r{round}"), deleted_at: None };
        let id = entities::<Project>(store).insert(project()).await.unwrap().id;
        entities::<Project>(store).delete(&id, None).await.unwrap();
        let local = LocalSet::new();
        let done = local.run_until(async {
            let mut restores = JoinSet::new();
            for number in 0..4 {
                let store = store.clone();
                let other = project();
                restores.spawn_local(async move {
                    let restored = entities::<Project>(&store).restore(&id).await.map(drop);
                    match number {
                        0 => drop(entities::<Project>(&store).delete(&id, None).await),
                        1 if round % 2 == 0 => drop(entities::<Project>(&store).insert(other).await),
                        _ => {}
                    }
                    restored
                });
            }
            restores.join_all().await
        });
        for outcome in done.await {
            match outcome.map_err(|problem| problem.status().as_u16()) {
                Ok(()) => found[0] += 1,
                // It is not deleted, since another restore was first.
                Err(404) => found[1] += 1,
                Err(409) => found[2] += 1,
                Err(status) => panic!("round {round}: {status}"),
            }
        }
    }
    assert!(found[0] >= ROUNDS, "{found:?}");
}

#[tokio::test]
async fn concurrent_references_and_deletes_leave_no_reference_to_a_deleted_entity() {
    no_live_entity_refers_to_a_deleted_one(&MemoryStore::new()).await;
    restores_end_with_success_or_409(&MemoryStore::new()).await;
    let file = SqliteFile::new();
    let sqlite = file.store().migrate();
    let definitions = [Project::definition(), Task::definition(), Label::definition()];
    definitions.iter().for_each(|definition| sqlite.declare(definition).unwrap());
    sqlite.start().await.unwrap();
    no_live_entity_refers_to_a_deleted_one(&sqlite).await;
    restores_end_with_success_or_409(&sqlite).await;
    if let Some(schema) = PostgresSchema::new().await {
        let postgres = schema.store().migrate();
        definitions.iter().for_each(|definition| postgres.declare(definition).unwrap());
        postgres.start().await.unwrap();
        no_live_entity_refers_to_a_deleted_one(&postgres).await;
        restores_end_with_success_or_409(&postgres).await;
        postgres.stop().await;
        schema.drop().await;
    }
    sqlite.stop().await;
}

#[tokio::test]
async fn the_index_of_a_unique_value_contains_only_live_rows() {
    let file = SqliteFile::new();
    let store = file.store().migrate();
    store.declare(&Project::definition()).unwrap();
    store.start().await.unwrap();
    let sql = "SELECT sql FROM sqlite_master WHERE name = 'projects_name_key'";
    let sql: String =
        store.with_sqlite(move |connection| connection.query_row(sql, [], |row| row.get(0))).await.unwrap();
    assert_eq!(
        sql,
        "CREATE UNIQUE INDEX \"projects_name_key\" ON \"projects\" (\"name\") WHERE \"deleted_at\" IS NULL"
    );
    store.stop().await;
    // The next start accepts the table.
    let again = file.store();
    again.declare(&Project::definition()).unwrap();
    again.start().await.unwrap();
    again.stop().await;
}

/// Returns the plan of a total on SQLite.
async fn plan_of_total(store: &SqlStore, definition: &EntityDefinition, filter: Expression) -> String {
    let counted = logged_fields(Repository::count(store, Statement::new(definition), &filter)).await;
    counted.0.unwrap();
    counted.1.concat()
}

#[tokio::test]
async fn a_total_of_sqlite_does_not_find_each_row_of_a_partial_index() {
    let condition = |field: &'static str, comparison| Expression::condition(field, comparison);
    for (filter, expected) in [
        (condition("name", Comparison::Contains(SearchText::new("a"))), "SCAN projects\""),
        (condition("id", Comparison::Ne(1.into())), "SCAN projects\""),
        (condition("name", Comparison::Eq("a".into())), "SEARCH projects USING INDEX projects_name_key (name=?)"),
        (condition("name", Comparison::Gt("a".into())), "SEARCH projects USING INDEX projects_name_key (name>?)"),
        (Expression::TRUE, "SCAN projects USING INDEX projects_name_key"),
    ] {
        let file = SqliteFile::new();
        let store = file.store().migrate().slow_statements(Duration::ZERO);
        store.declare(&Project::definition()).unwrap();
        store.start().await.unwrap();
        let plan = plan_of_total(&store, &Project::definition(), filter.clone()).await;
        assert!(plan.contains(expected), "{filter:?}: {plan}");
        store.stop().await;
    }
}
