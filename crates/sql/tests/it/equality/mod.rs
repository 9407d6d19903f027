//! The same random steps on a store in memory, on SQLite and on PostgreSQL: the same rows, order, totals and errors.

mod choices;
mod steps;
mod thing;
mod values;
mod world;

use restwright_core::Component;
use restwright_list::Expression;
use restwright_resource::MemoryStore;
use restwright_sql::{DatabaseStore, Dialect, PostgresStore, SqliteStore};
use sqlx::AssertSqlSafe;

use self::steps::{Expected, Step};
use self::thing::{KINDS, Kind, Thing};
use self::world::{Outcome, World};
use crate::databases::{PostgresSchema, SqliteFile};

/// The number of cases without `RESTWRIGHT_CASES`; the full run has 5,000.
const CASES: u32 = 200;

/// Forgets everything. What refers to its own kind is not in the way, since references are checked at the end of a statement.
const EMPTY: &str = r#"DELETE FROM "parts"; DELETE FROM "things"; DELETE FROM "families""#;

#[test]
fn memory_and_databases_do_the_same() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let file = SqliteFile::new();
    let schema = runtime.block_on(PostgresSchema::new());
    let sqlite = runtime.block_on(started(file.store()));
    let postgres = schema.as_ref().map(|schema| {
        // No commit waits for a disk.
        let url = format!("{}%20-csynchronous_commit%3Doff", schema.url());
        runtime.block_on(started(PostgresStore::new(url)))
    });
    choices::run("memory and databases", CASES, |choices| {
        runtime.block_on(compare(&steps::steps(choices), &sqlite, postgres.as_ref()))
    });
    runtime.block_on(async {
        sqlite.stop().await;
        if let (Some(postgres), Some(schema)) = (postgres, schema) {
            postgres.stop().await;
            schema.drop().await;
        }
    });
}

async fn started<D: Dialect>(store: DatabaseStore<D>) -> DatabaseStore<D> {
    let store = store.migrate();
    KINDS.iter().for_each(|kind| store.declare(&kind.definition()).unwrap());
    store.start().await.unwrap();
    store
}

/// A part that is deleted with its thing does not hold the family of both.
#[tokio::test]
async fn a_cascade_takes_along_what_would_hold() {
    let (file, schema) = (SqliteFile::new(), PostgresSchema::new().await);
    let sqlite = started(file.store()).await;
    let postgres = match &schema {
        Some(schema) => Some(started(schema.store()).await),
        None => None,
    };
    let insert = |kind: Kind, thing: Thing| Step::Insert(kind, Box::new(thing));
    let family = Some("a".to_owned());
    let steps = [
        insert(Kind::Family, Thing { code: "a".to_owned(), ..Thing::default() }),
        insert(Kind::Thing, Thing { number: 1, family: family.clone(), ..Thing::default() }),
        insert(Kind::Part, Thing { owner: Some(1), family, ..Thing::default() }),
        Step::Delete(Kind::Family, 0, "a".into(), Expected::Any),
        Step::Count(Kind::Part, None, Expression::TRUE),
    ];
    compare(&steps, &sqlite, postgres.as_ref()).await.unwrap();
    if let Some(schema) = schema {
        schema.drop().await;
    }
}

async fn compare(steps: &[Step], sqlite: &SqliteStore, postgres: Option<&PostgresStore>) -> Result<(), String> {
    let mut memory = World::new(MemoryStore::new());
    let mut on_sqlite = World::new(sqlite.clone());
    let mut on_postgres = postgres.cloned().map(World::new);
    let mut outcome = Ok(());
    'steps: for (index, step) in steps.iter().enumerate() {
        let outside: &[bool] = if step.reads() { &[false, true] } else { &[false] };
        for is_outside in outside.iter().copied() {
            let expected = memory.take(step, is_outside).await;
            let mut found = vec![("SQLite", on_sqlite.take(step, is_outside).await)];
            if let Some(postgres) = &mut on_postgres {
                found.push(("PostgreSQL", postgres.take(step, is_outside).await));
            }
            if let Some((name, found)) = found.into_iter().find(|(_, found)| *found != expected) {
                let before: Vec<_> = steps[..index].iter().map(|step| format!("{step:?}")).collect();
                let differences = differences(&expected, &found);
                outcome = Err(format!("{name} differs at {step:?}\n{differences}\nbehind {}", before.join("\n")));
                break 'steps;
            }
        }
    }
    drop((on_sqlite, on_postgres));
    sqlx::raw_sql(AssertSqlSafe(EMPTY)).execute(&sqlite.pool().unwrap()).await.unwrap();
    if let Some(postgres) = postgres {
        sqlx::raw_sql(AssertSqlSafe(EMPTY)).execute(&postgres.pool().unwrap()).await.unwrap();
    }
    outcome
}

/// Returns the lines in which two values differ, those of memory first.
fn differences(expected: &Outcome, found: &Outcome) -> String {
    let [expected, found] = [expected, found].map(|outcome| format!("{outcome:#?}"));
    let lines = |of: &str, other: &str, sign: &str| -> Vec<String> {
        let other: Vec<_> = other.lines().collect();
        of.lines().filter(|line| !other.contains(line)).map(|line| format!("{sign} {line}")).collect()
    };
    let mut all = lines(&expected, &found, "-");
    all.extend(lines(&found, &expected, "+"));
    if all.is_empty() { format!("- {expected}\n+ {found}") } else { all.join("\n") }
}
