//! A store that counts its calls. A test can make its commits slow or let them fail.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use restwright::list::{Comparison, Exists, Expression, Record, Related, Value};
use restwright::{ApiState, BuildContext, BuildErrors};
use restwright_resource::{
    Change, EntityDefinition, ListQuery, MemoryStore, Read, ReadResult, Row, Statement, Store, StoreError, StoreFuture,
    Transaction, Version, Versioned,
};

/// The pairs of requests in the test of noninterference. The gate sets `RESTWRIGHT_PAIRS` to 20,000.
pub(crate) const PAIRS: usize = 500;

/// A memory store with transactions, which records the names of its calls.
#[derive(Clone, Default)]
pub(crate) struct CountingStore {
    inner: MemoryStore,
    state: Arc<Mutex<State>>,
}

#[derive(Default)]
struct State {
    calls: Vec<String>,
    commit_delay: Duration,
    commit_errors: VecDeque<StoreError>,
    leak: Option<Leak>,
    inserts: i64,
}

/// A mistake of a store with policies, planted for a test that has to find it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Leak {
    /// The total of a list counts what the caller cannot see.
    Total,
    /// A reference to a hidden entity, or to one below a hidden parent, is one that exists.
    Exists,
    /// A list has what the caller cannot see.
    List,
    /// A list is filtered after its limit, so hidden rows count for the limit and for the next page.
    Window,
    /// The page after a cursor is filtered after its limit.
    Cursor,
    /// A changed reference to a hidden entity is one that exists.
    ChangedReference,
    /// A reference to a hidden entity is one that exists, except for the first entity of a batch.
    BatchReference,
    /// A changed reference to a hidden entity is one that exists, except for the first entity of a batch.
    BatchChange,
    /// A policy looks for related entities in every tenant.
    Related,
    /// A search finds what the caller cannot see.
    Search,
    /// A list has the deleted entities that the caller could not see.
    Deleted,
    /// An embedded entity is read without its policy.
    Include,
    /// An embedded list is read without its policy.
    IncludeMany,
    /// A list is filtered by fields of related entities that the caller cannot see.
    RelatedFilter,
    /// A list is sorted by fields of related entities that the caller cannot see.
    RelatedOrder,
    /// The version of a new entity is the number of inserts.
    Version,
    /// The version of a changed entity is the value of a hidden field.
    VersionOfValue,
    /// A list is in the order of a hidden field.
    Order,
    /// A list lacks the rows with a large value in a hidden field.
    Filter,
    /// A list with a `not` in its filter lacks the rows with a large value in a hidden field.
    Negation,
    /// A computed field that everybody reads depends on a hidden field.
    Computed,
}

/// The field with hidden values, in the resources that have one.
const HIDDEN_FIELD: &str = "estimate";

impl CountingStore {
    /// Returns the calls since the last time.
    pub(crate) fn take_calls(&self) -> Vec<String> {
        std::mem::take(&mut self.state.lock().unwrap().calls)
    }

    pub(crate) fn delay_commits(&self, by: Duration) {
        self.state.lock().unwrap().commit_delay = by;
    }

    pub(crate) fn fail_commits(&self, errors: impl IntoIterator<Item = StoreError>) {
        self.state.lock().unwrap().commit_errors.extend(errors);
    }

    pub(crate) fn leaking(self, leak: Option<Leak>) -> Self {
        self.state.lock().unwrap().leak = leak;
        self
    }

    /// Returns `true` if a computed field shows the estimate.
    pub(super) fn shows_estimate(&self) -> bool {
        self.leaks(Leak::Computed)
    }

    fn leaks(&self, leak: Leak) -> bool {
        self.state.lock().unwrap().leak == Some(leak)
    }

    fn note(&self, call: &str, about: &str) {
        self.state.lock().unwrap().calls.push(format!("{call} {about}"));
    }
}

/// Returns the search in a filter: one of several fields contains a string.
fn search_of(filter: &Expression) -> Option<Expression> {
    let is_search = |one: &Expression| matches!(one, Expression::Condition(one) if matches!(one.comparison(), Comparison::Contains(_)));
    match filter {
        Expression::Any(any) if !any.is_empty() && any.iter().all(is_search) => Some(filter.clone()),
        Expression::All(all) => all.iter().find_map(search_of),
        _ => None,
    }
}

/// Returns an `exists` of notes without the last condition, which is the policy.
fn without_policy(exists: &Exists) -> Exists {
    let mut condition = exists.condition().clone();
    if let (true, Expression::All(all)) = (exists.related() == "notes", &mut condition) {
        all.pop();
    }
    let links = exists.links().map(|(theirs, own)| Related::same(theirs.to_owned(), own.to_owned()));
    Exists::new(exists.related().to_owned(), links.fold(Related::from(condition), Related::and))
}

fn with_each_exists(filter: Expression, change: &impl Fn(&Exists) -> Exists) -> Expression {
    let each = |several: Vec<Expression>| several.into_iter().map(|one| with_each_exists(one, change)).collect();
    match filter {
        Expression::All(all) => Expression::All(each(all)),
        Expression::Any(any) => Expression::Any(each(any)),
        Expression::Not(one) => !with_each_exists(*one, change),
        Expression::Exists(exists) => change(&exists).into(),
        other => other,
    }
}

fn has_not(filter: &Expression) -> bool {
    match filter {
        Expression::All(items) | Expression::Any(items) => items.iter().any(has_not),
        Expression::Not(_) => true,
        _ => false,
    }
}

impl Store for CountingStore {
    fn has_transactions(&self) -> bool {
        true
    }

    fn plan(&self, definition: &EntityDefinition, _: &mut BuildContext<'_, ApiState>) -> Result<(), BuildErrors> {
        self.inner.declare(definition).map_err(|error| BuildErrors::one(error.to_string()))
    }

    fn sorts_by_related(&self) -> bool {
        true
    }

    fn definition(&self, name: &str) -> Option<EntityDefinition> {
        self.inner.definition(name)
    }

    fn begin(&self) -> StoreFuture<'_, Transaction> {
        Box::pin(async move {
            self.note("begin", "");
            self.inner.begin().await
        })
    }

    fn commit(&self, transaction: Transaction) -> StoreFuture<'static, ()> {
        let store = self.clone();
        Box::pin(async move {
            store.note("commit", "");
            let (delay, error) = {
                let mut state = store.state.lock().unwrap();
                (state.commit_delay, state.commit_errors.pop_front())
            };
            if !delay.is_zero() {
                tokio::time::sleep(delay).await;
            }
            error.map_or(Ok(()), Err)?;
            store.inner.commit(transaction).await
        })
    }

    fn read<'a>(&'a self, statement: Statement<'a>, read: Read<'a>) -> StoreFuture<'a, ReadResult> {
        Box::pin(async move {
            let name = statement.definition().name();
            match read {
                Read::Find(_) => self.note("find", name),
                Read::List { query, is_counted } => return self.list(statement, query, is_counted).await,
                Read::ListPerKey { query, fields, keys } => {
                    self.note("list_per_key", name);
                    let mut query = query.clone();
                    if self.leaks(Leak::IncludeMany) {
                        query.filter = Expression::TRUE;
                    }
                    let read = Read::ListPerKey { query: &query, fields, keys };
                    return self.inner.read(statement, read).await;
                }
                Read::Count(filter) => {
                    self.note("count", name);
                    let filter = if self.leaks(Leak::Total) { &Expression::TRUE } else { filter };
                    return self.inner.read(statement, Read::Count(filter)).await;
                }
                Read::Exists { identifier, condition } => {
                    let is_leaked = self.leaks_existence();
                    self.note("exists", name);
                    let condition = if is_leaked { &Expression::TRUE } else { condition };
                    return self.inner.read(statement, Read::Exists { identifier, condition }).await;
                }
                Read::Any(condition) => {
                    self.note("any", name);
                    let mut condition = condition.clone();
                    if let (true, Expression::All(all)) = (self.leaks(Leak::Related), &mut condition) {
                        all.retain(|one| !matches!(one, Expression::Condition(one) if one.field() == "tenant"));
                    }
                    return self.inner.read(statement, Read::Any(&condition)).await;
                }
                _ => {}
            }
            self.inner.read(statement, read).await
        })
    }

    fn write<'a>(&'a self, statement: Statement<'a>, change: Change) -> StoreFuture<'a, Option<Versioned<Row>>> {
        Box::pin(async move {
            let (call, is_insert) = match &change {
                Change::Insert(_) => ("insert", true),
                Change::Update { .. } => ("update", false),
                _ => ("delete", false),
            };
            self.note(call, statement.definition().name());
            let Some(mut written) = self.inner.write(statement, change).await? else { return Ok(None) };
            match written.entity.value(HIDDEN_FIELD) {
                _ if is_insert && self.leaks(Leak::Version) => {
                    let mut state = self.state.lock().unwrap();
                    state.inserts += 1;
                    written.version = Version::new(state.inserts);
                }
                Value::Integer(value) if !is_insert && self.leaks(Leak::VersionOfValue) => {
                    written.version = Version::new(i64::try_from(value).unwrap());
                }
                _ => {}
            }
            Ok(Some(written))
        })
    }
}

impl CountingStore {
    fn leaks_existence(&self) -> bool {
        let is_after = |call: &str| self.state.lock().unwrap().calls.last().is_some_and(|last| last.starts_with(call));
        let has_updated = || self.state.lock().unwrap().calls.iter().any(|call| call.starts_with("update"));
        self.leaks(Leak::Exists)
            || self.leaks(Leak::BatchChange) && has_updated()
            || self.leaks(Leak::ChangedReference) && is_after("find")
            || self.leaks(Leak::BatchReference) && is_after("insert")
    }

    /// Notes a counted list as a list and a count.
    async fn list(
        &self,
        mut statement: Statement<'_>,
        query: &ListQuery<'_>,
        is_counted: bool,
    ) -> Result<ReadResult, StoreError> {
        let mut result = self.list_leaking(statement.reborrow(), query).await?;
        if is_counted {
            self.note("count", statement.definition().name());
            let filter = if self.leaks(Leak::Total) { &Expression::TRUE } else { &query.filter };
            result.total = self.inner.read(statement.reborrow(), Read::Count(filter)).await?.total;
        }
        Ok(result)
    }

    async fn list_leaking(&self, statement: Statement<'_>, query: &ListQuery<'_>) -> Result<ReadResult, StoreError> {
        let definition = statement.definition();
        self.note("list", definition.name());
        let mut query = query.clone();
        if self.leaks(Leak::List) {
            query.filter = Expression::TRUE;
        }
        if self.leaks(Leak::Deleted)
            && let Some(field) = definition.deletion_field()
        {
            let field = field.name().to_owned();
            query.filter = query.filter.or(Expression::condition(field, Comparison::IsNull(false)));
            let read = Read::List { query: &query, is_counted: false };
            return self.inner.read(statement.with_deleted(), read).await;
        }
        if self.leaks(Leak::RelatedOrder) {
            query.related.iter_mut().for_each(|value| value.exists = without_policy(&value.exists));
        }
        if self.leaks(Leak::RelatedFilter) {
            query.filter = with_each_exists(query.filter, &without_policy);
        }
        if self.leaks(Leak::Search)
            && let Some(search) = search_of(&query.filter)
        {
            query.filter = search;
        }
        // Only includes read all entities of a query.
        if let (true, true, Expression::All(all)) =
            (self.leaks(Leak::Include), query.window.limit() == u64::from(u32::MAX), &mut query.filter)
        {
            all.truncate(1);
        }
        if self.leaks(Leak::Window) || self.leaks(Leak::Cursor) && query.window.position().is_some() {
            let filter = std::mem::replace(&mut query.filter, Expression::TRUE);
            let read = Read::List { query: &query, is_counted: false };
            let mut listed = self.inner.read(statement, read).await?;
            listed.rows.items.retain(|item| filter.holds(item));
            return Ok(listed);
        }
        let read = Read::List { query: &query, is_counted: false };
        let mut listed = self.inner.read(statement, read).await?;
        let has_hidden = definition.get(HIDDEN_FIELD).is_some();
        if self.leaks(Leak::Order) && has_hidden {
            listed.rows.items.sort_by_key(|item| format!("{:?}", item.value(HIDDEN_FIELD)));
        }
        let is_filtered = self.leaks(Leak::Filter) || self.leaks(Leak::Negation) && has_not(&query.filter);
        if is_filtered && has_hidden {
            let is_large =
                |item: &Versioned<Row>| matches!(item.value(HIDDEN_FIELD), Value::Integer(large) if large > 50_000_000);
            listed.rows.items.retain(|item| !is_large(item));
        }
        Ok(listed)
    }
}
