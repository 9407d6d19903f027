//! Idempotency keys in both databases.

mod concurrency;

mod crashes;
mod failures;
mod groups;
mod kept;
mod lost_connections;
mod one_change;
mod round_trips;
mod second_runs;
mod sweep;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use restwright::auth::{Access, Authentication, Authenticator, Identity};
use restwright::http::{HeaderName, HttpRequest};
use restwright::operation::{ApiKeyLocation, SecurityScheme};
use restwright::prelude::*;
use restwright::problem::catalogue;
use restwright::testing::{TestClient, TestResponse};
use restwright_core::Clock;
use restwright_core::schema::Mode;
use restwright_resource::idempotency::Idempotency;
use restwright_resource::{CommittedChange, Endpoints, HookContext, Hooks, InputContext};
use restwright_sql::{SqlIdempotency, SqlStore};
use serde::{Deserialize, Serialize};
use serde_json::json;
use tokio::sync::Notify;
use uuid::Uuid;

use crate::databases::{PostgresSchema, SqliteFile};

/// A parcel with a unique label.
#[derive(Clone, Serialize, Deserialize, Resource)]
#[resource(path = "/parcels", tag = "Parcels")]
struct Parcel {
    #[property(id)]
    id: Uuid,
    #[property(min_length = 1, max_length = 100_000, unique)]
    label: String,
    #[property(version)]
    version: i64,
}

/// Reads the subject of a caller from a header.
pub(crate) struct Callers;

impl Authenticator for Callers {
    fn describe(&self) -> SecurityScheme {
        SecurityScheme::api_key(ApiKeyLocation::Header, "X-Caller")
    }

    fn challenge(&self) -> String {
        "Callers".to_owned()
    }

    async fn authenticate(&self, request: &mut HttpRequest) -> Authentication {
        let name = HeaderName::from_static("x-caller");
        let Some(caller) = request.header(&name) else { return Authentication::NoCredentials };
        Authentication::Identity(Identity::builder(caller).build())
    }
}

/// Counts creations and follows the labels of parcels: `slow 400` takes this many milliseconds, `held 1` waits for
/// [`Shop::release`], and `busy` is a 503 the first time.
#[derive(Clone, Default)]
struct Script(Arc<Counts>);

#[derive(Default)]
struct Counts {
    begun: AtomicUsize,
    committed: AtomicUsize,
    prepared: AtomicUsize,
    released: Notify,
}

impl Hooks<Parcel> for Script {
    const MODES: &'static [Mode] = &[Mode::Create];

    async fn before_create(&self, _: &mut HookContext<'_>, parcel: &mut Parcel) -> Result<()> {
        let is_first = self.0.begun.fetch_add(1, Ordering::SeqCst) == 0;
        if let Some(milliseconds) = parcel.label.strip_prefix("slow ") {
            tokio::time::sleep(Duration::from_millis(milliseconds.parse().unwrap())).await;
        }
        if parcel.label.starts_with("held ") {
            self.0.released.notified().await;
        }
        if parcel.label == "busy" && is_first {
            return Err(Problem::new(catalogue::UNAVAILABLE).retry_after(1));
        }
        Ok(())
    }

    async fn after_create(&self, _: &mut HookContext<'_>, _: &Parcel) -> Result<()> {
        crashes::halt_if("inserted").await;
        Ok(())
    }

    async fn after_commit(&self, _: &CommittedChange<Parcel>) {
        crashes::halt_if("committed").await;
        self.0.committed.fetch_add(1, Ordering::SeqCst);
    }
}

/// A database, which is deleted after the test.
enum Database {
    Sqlite(SqliteFile),
    Postgres(PostgresSchema),
}

impl Database {
    fn url(&self) -> String {
        match self {
            Self::Sqlite(file) => file.url(),
            Self::Postgres(schema) => schema.url(),
        }
    }

    async fn drop(self) {
        if let Self::Postgres(schema) = self {
            schema.drop().await;
        }
    }
}

/// Runs a test on both databases.
async fn on_both(test: impl AsyncFn(&Database)) {
    let sqlite = Database::Sqlite(SqliteFile::new());
    test(&sqlite).await;
    if let Some(schema) = PostgresSchema::new().await {
        let postgres = Database::Postgres(schema);
        test(&postgres).await;
        postgres.drop().await;
    }
}

/// A process that stores parcels, whose creations have keys.
struct Shop {
    client: TestClient,
    clock: Clock,
    counts: Arc<Counts>,
}

impl Shop {
    async fn new(database: &Database) -> Self {
        Self::at(&database.url(), |keys| keys).await
    }

    async fn at(url: &str, change: impl FnOnce(SqlIdempotency) -> SqlIdempotency) -> Self {
        let (clock, script) = (Clock::manual(1_800_000_000), Script::default());
        let counts = Arc::clone(&script.0);
        let store = SqlStore::new(url).migrate();
        let idempotency = Idempotency::new(change(SqlIdempotency::new(&store)));
        let steps = Arc::clone(&counts);
        let parcels = Endpoints::<Parcel>::new(store, Access::authenticated("key")).batch().hooks(script);
        let parcels = parcels.prepare_new(async move |_: &mut NewParcel, _: &InputContext<'_>| {
            steps.prepared.fetch_add(1, Ordering::SeqCst);
            Ok(())
        });
        let configuration = Configuration::new("shop", "1.0.0").authenticator("key", Callers).clock(clock.clone());
        let api = Api::builder(configuration).module(&parcels.idempotency(idempotency)).build().unwrap();
        api.start().await.unwrap();
        Self { client: TestClient::new(api).with_header("X-Caller", "ann"), clock, counts }
    }

    async fn create(&self, key: &str, label: &str) -> TestResponse {
        let request = self.client.post("/parcels").header("Idempotency-Key", key);
        let response = request.json(&json!({"label": label})).await;
        response.assert_documented();
        response
    }

    /// Waits until this many creations have begun.
    async fn await_begun(&self, count: usize) {
        let wait = async {
            while self.begun() < count {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        };
        tokio::time::timeout(Duration::from_secs(60), wait).await.expect("a creation begins");
    }

    /// Lets a parcel with such a label be created.
    fn release(&self) {
        self.counts.released.notify_one();
    }

    async fn parcels(&self) -> usize {
        let page: serde_json::Value = self.client.get("/parcels").await.assert_status(200).json();
        page["data"].as_array().unwrap().len()
    }

    fn begun(&self) -> usize {
        self.counts.begun.load(Ordering::SeqCst)
    }

    /// Returns how often the step before the transaction has run.
    fn prepared(&self) -> usize {
        self.counts.prepared.load(Ordering::SeqCst)
    }

    fn committed(&self) -> usize {
        self.counts.committed.load(Ordering::SeqCst)
    }

    async fn stop(self) {
        self.client.api().stop().await;
    }
}

/// Returns the status, followed by `replay` if the response belongs to an earlier request.
fn outcome(response: &TestResponse) -> String {
    let status = response.status().as_str().to_owned();
    if response.header("idempotency-replayed") == Some("true") { status + " replay" } else { status }
}
