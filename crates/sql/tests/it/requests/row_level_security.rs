//! Row-level security of PostgreSQL with parameters of the caller.

use std::num::NonZeroU32;
use std::sync::{Arc, Mutex};

use restwright::auth::{Access, Identity};
use restwright::prelude::*;
use restwright::testing::{TestClient, TestResponse};
use restwright_resource::idempotency::Idempotency;
use restwright_resource::{Endpoints, EntityStore, HookContext, Hooks, NoBody, Repository, Scope, Store};
use restwright_sql::{SqlIdempotency, SqlStatements, SqlStore};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use sqlx::Row;
use sqlx::postgres::PgPoolOptions;

use super::outbox::on_postgres;
use crate::databases::{PostgresSchema, SqliteFile};
use crate::idempotency::Callers;
use crate::pgbouncer::PgBouncer;

/// A note of a user.
#[derive(Clone, Debug, Serialize, Deserialize, Resource)]
#[resource(path = "/notes")]
struct Note {
    #[property(id)]
    id: i64,
    #[property(max_length = 20)]
    owner: String,
    #[property(max_length = 20, filter(eq))]
    text: String,
}

/// A line of a note.
#[derive(Clone, Debug, Serialize, Deserialize, Resource)]
#[resource(path = "/notes/{note_id}/lines")]
struct Line {
    #[property(id)]
    id: i64,
    #[property(parent(Note))]
    note_id: i64,
}

#[derive(Request)]
struct CountRequest {
    identity: Identity,
}

/// Records the number of notes that hooks see, through the store and through SQL.
#[derive(Clone, Default)]
struct Seen(Arc<Mutex<Vec<(u64, i64)>>>);

impl Seen {
    async fn note(&self, context: &mut HookContext<'_>) -> Result<()> {
        let by_store = context.store::<Note>().count(&()).await?;
        let connection = context.transaction().postgres()?;
        let counting = sqlx::query("select count(*) from notes").fetch_one(connection);
        let by_sql = counting.await.map_err(Problem::internal)?.get(0);
        self.0.lock().unwrap().push((by_store, by_sql));
        Ok(())
    }
}

impl Hooks<Note> for Seen {
    async fn before_create(&self, context: &mut HookContext<'_>, _: &mut Note) -> Result<()> {
        self.note(context).await
    }

    async fn before_view(&self, context: &mut HookContext<'_>, _: &i64) -> Result<()> {
        self.note(context).await
    }
}

/// Tables with policies, and a user who does not own them.
struct Policies<'s> {
    schema: &'s PostgresSchema,
    role: String,
}

impl<'s> Policies<'s> {
    fn new(schema: &'s PostgresSchema) -> Self {
        let role = format!("{}_user", schema.name);
        let client = TestClient::new(api(&schema.store().migrate(), None));
        client.start().unwrap();
        client.stop();
        let sql = format!(
            "CREATE ROLE {role} LOGIN PASSWORD 'secret';
             GRANT USAGE ON SCHEMA {schema} TO {role};
             GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA {schema} TO {role};
             GRANT USAGE ON ALL SEQUENCES IN SCHEMA {schema} TO {role};
             ALTER TABLE notes ENABLE ROW LEVEL SECURITY;
             CREATE POLICY own ON notes USING (owner = nullif(current_setting('app.user_id', true), ''));
             ALTER TABLE lines ENABLE ROW LEVEL SECURITY;
             CREATE POLICY own ON lines USING (EXISTS (SELECT 1 FROM notes WHERE notes.id = note_id))",
            schema = schema.name
        );
        block_on(schema.run(&sql));
        Self { schema, role }
    }

    fn url(&self) -> String {
        let url = self.schema.url();
        let (_, place) = url.split_once('@').unwrap();
        format!("postgres://{}:secret@{place}", self.role)
    }

    fn store(&self) -> SqlStore {
        per_caller(SqlStore::new(self.url()))
    }

    fn drop(self) {
        block_on(self.schema.run(&format!("DROP OWNED BY {0}; DROP ROLE {0}", self.role)));
    }
}

fn per_caller(store: SqlStore) -> SqlStore {
    store.per_transaction(|caller| {
        [
            ("app.user_id", caller.subject().unwrap_or_default().to_owned()),
            ("app.is_guest", caller.is_guest().to_string()),
        ]
    })
}

fn block_on<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(future)
}

fn api(store: &SqlStore, hooks: Option<Seen>) -> Api {
    let access = || Access::authenticated("caller");
    let keys = Idempotency::new(SqlIdempotency::new(store));
    let clear = async |note: &mut Note, _: NoBody, _: &mut HookContext<'_>| {
        note.text = "cleared".to_owned();
        Ok(())
    };
    let notes =
        Endpoints::<Note>::new(store.clone(), access()).batch().idempotency(keys).action("clear", access(), clear);
    let notes = match hooks {
        Some(seen) => notes.hooks(seen),
        None => notes.stale_lists(),
    };
    let lines = Endpoints::<Line>::new(store.clone(), access());
    let (counting, forgetting) = (store.clone(), store.clone());
    let count = Route::get("/count").id("count").access(access()).handler(async move |request: CountRequest| {
        let store = counting.for_caller(&request.identity);
        let counted = store.transaction(async |transaction| {
            EntityStore::<Note>::new(&store, &Scope::new()).within(transaction).count(&()).await
        });
        Ok(Data(counted.await?))
    });
    let forget = Route::get("/forget").id("forget").access(access()).handler(async move |_: CountRequest| {
        Ok(Data(EntityStore::<Note>::new(&forgetting, &Scope::new()).count(&()).await?))
    });
    let configuration = Configuration::new("notes", "1.0.0").authenticator("caller", Callers);
    let api = Api::builder(configuration).module(&notes).module(&lines).controller(count).controller(forget);
    api.build().unwrap()
}

fn send(client: &TestClient, caller: &str, request: &str, body: &Value) -> TestResponse {
    let (method, path) = request.split_once(' ').unwrap();
    let request = client.request(method.parse().unwrap(), path).header("X-Caller", caller);
    match method {
        "GET" => request.send(),
        "DELETE" => request.header("If-Match", "*").send(),
        _ => request.json(body).send(),
    }
}

/// Checks that callers find and change only their own notes in every operation.
fn callers_see_their_own_notes(store: &SqlStore, hooks: Option<Seen>) {
    let client = TestClient::new(api(store, hooks));
    client.start().unwrap();
    let note = |owner: &str| json!({"owner": owner, "text": "x"});
    let check = |caller: &str, request: &str, body: Value, expected: u16| {
        let response = send(&client, caller, request, &body);
        assert_eq!(response.status().as_u16(), expected, "{caller}: {request} {body}\n{}", response.text());
        response.text().to_owned()
    };
    for (caller, request, body, expected) in [
        ("ann", "POST /notes", note("ann"), 201),
        ("bob", "POST /notes", note("bob"), 201),
        ("ann", "POST /notes", note("bob"), 422),
        ("bob", "POST /notes/2/lines", json!({}), 201),
        ("ann", "POST /notes/2/lines", json!({}), 422),
        ("ann", "GET /notes/1", Value::Null, 200),
        ("ann", "GET /notes/2", Value::Null, 404),
        ("ann", "GET /notes/1/lines", Value::Null, 200),
        ("ann", "GET /notes/2/lines", Value::Null, 404),
        ("ann", "GET /notes/2/lines/1", Value::Null, 404),
        ("bob", "GET /notes/2/lines/1", Value::Null, 200),
        ("ann", "PATCH /notes/1", json!({"text": "y"}), 200),
        ("ann", "PATCH /notes/2", json!({"text": "y"}), 404),
        ("ann", "PATCH /notes/1", json!({"owner": "bob"}), 422),
        ("ann", "POST /notes/2/clear", Value::Null, 404),
        ("ann", "POST /notes/1/clear", Value::Null, 200),
        ("ann", "DELETE /notes/2", Value::Null, 404),
        ("ann", "POST /notes/batch", json!({"data": [note("ann"), note("ann")]}), 201),
        ("ann", "POST /notes/batch", json!({"data": [note("ann"), note("bob")]}), 422),
        // A statement without a caller fails.
        ("ann", "GET /forget", Value::Null, 500),
    ] {
        check(caller, request, body, expected);
    }
    for (caller, notes) in [("ann", 3), ("bob", 1), ("eve", 0), ("' OR true --", 0), (r"\' OR true --", 0)] {
        let listed: Value = serde_json::from_str(&check(caller, "GET /notes", Value::Null, 200)).unwrap();
        let owners: Vec<_> = listed["data"].as_array().unwrap().iter().map(|note| note["owner"].clone()).collect();
        assert_eq!(owners, vec![json!(caller); notes], "{listed}");
        assert_eq!(listed["pagination"]["total"], notes, "{listed}");
        assert_eq!(check(caller, "GET /count", Value::Null, 200), json!({"data": notes}).to_string());
    }
    check("ann", "DELETE /notes/1", Value::Null, 204);
    // The transaction of an idempotency key begins before the endpoint runs.
    let with_key = |caller: &str, owner: &str| {
        let request = client.post("/notes").header("X-Caller", caller).header("Idempotency-Key", "\"one\"");
        let response = request.json(&note(owner)).send();
        (response.status().as_u16(), response.text().to_owned())
    };
    let created = with_key("ann", "ann");
    assert_eq!(created.0, 201, "{}", created.1);
    assert_eq!(with_key("ann", "ann"), created);
    assert_eq!(with_key("bob", "ann").0, 422);
    client.stop();
}

#[test]
fn policies_apply_to_every_statement() {
    on_postgres(|schema| {
        let policies = Policies::new(schema);
        // All callers share one connection, one after another.
        let store = policies.store().connections(NonZeroU32::MIN);
        callers_see_their_own_notes(&store.read_from(policies.url()), None);
        policies.drop();
    });
}

#[test]
fn policies_apply_to_hooks() {
    on_postgres(|schema| {
        let policies = Policies::new(schema);
        let seen = Seen::default();
        callers_see_their_own_notes(&policies.store(), Some(seen.clone()));
        let seen = std::mem::take(&mut *seen.0.lock().unwrap());
        assert!(seen.iter().all(|(by_store, by_sql)| i64::try_from(*by_store).unwrap() == *by_sql), "{seen:?}");
        // The first notes of ann and of bob. Neither caller sees the other note.
        assert_eq!(seen[..2], [(0, 0), (0, 0)], "{seen:?}");
        policies.drop();
    });
}

#[test]
fn policies_apply_with_pgbouncer() {
    on_postgres(|schema| {
        let policies = Policies::new(schema);
        let Some(bouncer) = PgBouncer::start(&policies.url()) else { return policies.drop() };
        // pgbouncer does not forward the schema in the URL.
        block_on(schema.run(&format!("ALTER ROLE {} SET search_path = {}", policies.role, schema.name)));
        let store = SqlStore::new(bouncer.url()).transaction_pooler();
        callers_see_their_own_notes(&per_caller(store), None);
        drop(bouncer);
        policies.drop();
    });
}

#[test]
fn a_connection_returns_to_its_pool_without_parameters() {
    on_postgres(|schema| {
        let policies = Policies::new(schema);
        block_on(async {
            let pool = PgPoolOptions::new().max_connections(1).connect(&policies.url()).await.unwrap();
            let store = per_caller(SqlStore::from_postgres_pool(pool.clone()));
            for definition in [Note::definition(), Line::definition()] {
                store.declare(&definition).unwrap();
            }
            let handle = store.for_caller(&Identity::builder("ann").build());
            let mut notes = EntityStore::<Note>::new(&handle, &Scope::new());
            let note = |owner: &str| Note { id: 0, owner: owner.to_owned(), text: String::new() };
            notes.insert(note("ann")).await.unwrap();
            notes.insert(note("bob")).await.unwrap_err();
            assert_eq!(notes.count(&()).await.unwrap(), 1);
            drop(handle.begin().await.unwrap());
            handle.commit(handle.begin().await.unwrap()).await.unwrap();
            let mut connection = pool.acquire().await.unwrap();
            let row = sqlx::query("select current_setting('app.user_id', true)").fetch_one(&mut *connection).await;
            assert_eq!(row.unwrap().get::<Option<String>, _>(0).unwrap_or_default(), "");
            // Without a caller, no row is visible.
            drop(connection);
            assert!(store.begin().await.is_err());
            EntityStore::<Note>::new(&store, &Scope::new()).count(&()).await.unwrap_err();
            pool.close().await;
        });
        policies.drop();
    });
}

#[test]
fn rejects_parameters_of_callers_on_sqlite() {
    let file = SqliteFile::new();
    let store = SqlStore::new(file.url()).per_transaction(|_| [("app.user_id", String::new())]);
    let notes = Endpoints::<Note>::new(store, Access::public());
    let built = Api::builder(Configuration::new("notes", "1.0.0")).module(&notes).build();
    let errors = built.unwrap_err().to_string();
    assert_eq!(
        errors.matches("`per_transaction` sets parameters of PostgreSQL, but SQLite has none").count(),
        1,
        "{errors}"
    );
}
