//! The application in restwright.

use std::sync::LazyLock;

use restwright::Host;
use restwright::auth::{Access, ApiKey, ApiKeyAuthenticator, Identity, KeyList};
use restwright::list::{Direction, Expression, Page, SortBag, SortFields};
use restwright::prelude::*;
use restwright::rate_limit::{Quota, RateLimit, RedisLimiter, WhenUnavailable};
use restwright::resource::idempotency::Idempotency;
use restwright::resource::{Endpoints, HookContext, Hooks, ListQuery, RowPolicy, Rows, Store};
use restwright::sql::{SqlIdempotency, SqlStore};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::STATEMENT_TIMEOUT;
use crate::http::{API_KEY, STRANGER_KEY};
use crate::process;

pub fn serve(database: &str) {
    let store = SqlStore::new(database).migrate().statement_timeout(STATEMENT_TIMEOUT);
    let idempotency = Idempotency::new(SqlIdempotency::new(&store));
    serve_over(store, idempotency);
}

/// Serves the application on PostgreSQL with serializable transactions. Transactions on SQLite always are.
pub fn serve_serializable(database: &str) {
    if database.starts_with("sqlite") {
        return serve(database);
    }
    let store = SqlStore::new(database).migrate().statement_timeout(STATEMENT_TIMEOUT).serializable();
    let idempotency = Idempotency::new(SqlIdempotency::new(&store));
    serve_over(store, idempotency);
}

fn serve_over<S: Store + Clone>(store: S, idempotency: Idempotency) {
    let listener = process::listen();
    let api = api(store, idempotency).unwrap_or_else(|errors| panic!("{errors}"));
    let host = Host::new(api).workers(2).listen(listener).expect("a bound socket");
    restwright::run(host.serve()).expect("the server runs");
}

fn api<S: Store + Clone>(store: S, idempotency: Idempotency) -> Result<Api, BuildErrors> {
    let key = API_KEY.parse::<ApiKey>().expect("a key").subject("soak").scopes(["costs"]);
    let stranger = STRANGER_KEY.parse::<ApiKey>().expect("a key").subject("stranger");
    let keys = ApiKeyAuthenticator::new(KeyList::new([key, stranger]));
    let mut configuration = Configuration::new("shop", "1.0.0").authenticator("key", keys);
    if let (Ok(redis), Ok(prefix)) = (std::env::var("REDIS_URL"), std::env::var("SOAK_REDIS_PREFIX")) {
        // A busy machine may need more than the default of 100 ms, and the server would then not start.
        let limiter = RedisLimiter::new(&redis, WhenUnavailable::FailClosed).timeout(STATEMENT_TIMEOUT);
        configuration = configuration.limiter_store(limiter.prefix(prefix));
    }
    let access = || Access::authenticated("key");
    let orders = Endpoints::<Order>::new(store.clone(), access()).hooks(Outbox).idempotency(idempotency);
    let outbox = Endpoints::<OutboxEntry>::new(store.clone(), access());
    let counters = Endpoints::<Counter>::new(store.clone(), access()).hooks(Counting);
    let entries = Endpoints::<Entry>::new(store, access()).hooks(Ledger);
    let limit = RateLimit::global("limited", Quota::per_hour(10));
    let limited = Route::get("/limited").id("limited").public().middleware(limit).handler(async |()| Ok(Data("here")));
    let builder = Api::builder(configuration).controller(limited);
    builder.module(&orders).module(&outbox).module(&counters).module(&entries).build()
}

/// An order, which its owner sees.
#[derive(Clone, Deserialize, Serialize, Resource)]
#[resource(path = "/orders", policy = OwnOrders, pagination = page(max = 1000), without(update, delete))]
struct Order {
    #[property(id, sort(default = asc))]
    id: Uuid,
    #[property(read_only)]
    #[serde(default)]
    owner: String,
    #[property(min_length = 1, max_length = 100)]
    article: String,
    #[property(minimum = 1, maximum = 50)]
    quantity: i64,
    #[property(max_length = 4000)]
    note: String,
    #[property(read(scope = "costs"), write(scope = "costs"))]
    cost: Option<i64>,
}

struct OwnOrders;

impl RowPolicy<Order> for OwnOrders {
    fn visible(&self, caller: &Identity) -> Rows {
        Rows::matching(Order::FIELDS.owner.eq(caller.subject().unwrap_or_default()))
    }
}

#[derive(Clone, Deserialize, Serialize, Resource)]
#[resource(path = "/outbox", table = "outbox", pagination = page(max = 1000), without(create, update, delete))]
struct OutboxEntry {
    #[property(id, sort(default = asc))]
    id: Uuid,
    order_id: Uuid,
    article: String,
}

struct Outbox;

impl Hooks<Order> for Outbox {
    async fn before_create(&self, context: &mut HookContext<'_>, order: &mut Order) -> Result<()> {
        order.owner = context.identity().subject().unwrap_or_default().to_owned();
        Ok(())
    }

    async fn after_create(&self, context: &mut HookContext<'_>, order: &Order) -> Result<()> {
        let entry = OutboxEntry { id: Uuid::nil(), order_id: order.id, article: order.article.clone() };
        context.insert(entry).await.map(drop)
    }
}

#[derive(Clone, Deserialize, Serialize, Resource)]
#[resource(path = "/counters")]
struct Counter {
    #[property(id, sort(default = asc))]
    id: Uuid,
    #[property(max_length = 100)]
    name: String,
    #[property(read_only)]
    #[serde(default)]
    count: i64,
}

struct Counting;

impl Hooks<Counter> for Counting {
    async fn before_update(&self, _: &mut HookContext<'_>, before: &Counter, after: &mut Counter) -> Result<()> {
        after.count = before.count + 1;
        Ok(())
    }
}

#[derive(Clone, Deserialize, Serialize, Resource)]
#[resource(path = "/entries", table = "entries", pagination = page(max = 1000), without(update, delete))]
struct Entry {
    #[property(id)]
    id: Uuid,
    amount: i64,
    #[property(read_only, sort(default = asc))]
    #[serde(default)]
    number: i64,
    #[property(read_only)]
    #[serde(default)]
    total: i64,
}

struct Ledger;

static BY_NUMBER: LazyLock<SortFields> = LazyLock::new(|| SortFields::by_identifier("id").field("number"));

impl Hooks<Entry> for Ledger {
    async fn before_create(&self, context: &mut HookContext<'_>, entry: &mut Entry) -> Result<()> {
        let order = SortBag::among(&BY_NUMBER, [("number", Direction::Descending)]).expect("a field");
        let first = Page::new(1, 1).expect("a page");
        let last = context.store::<Entry>().list(&ListQuery::new(Expression::All(Vec::new()), &order, &first)).await?;
        let (number, total) = last.items.first().map_or((0, 0), |last| (last.entity.number, last.entity.total));
        entry.number = number + 1;
        entry.total = total + entry.amount;
        Ok(())
    }
}
