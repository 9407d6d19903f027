//! Contracts, which are cancelled instead of deleted, and the history of their changes.

use jiff::Timestamp;
use restwright::prelude::*;
use restwright::problem::catalogue::{CONFLICT, NOT_FOUND, UNAVAILABLE};
use restwright::resource::{CallerScope, EntityStore, HookContext, Hooks, Repository};
use restwright::sql::SqlStore;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::SCHEME;
use crate::customers::Customer;

/// A contract with a customer.
#[derive(Clone, Serialize, Deserialize, Resource)]
#[resource(path = "/contracts", include(customer(filter(name(contains)), sort(name))))]
pub struct Contract {
    /// Set by the server. Newer identifiers are greater.
    #[property(id)]
    pub id: Uuid,
    /// The tenant. Clients do not see it.
    #[property(scope = "tenant", exclude(view, list))]
    pub tenant: String,
    /// The customer. A customer with contracts cannot be deleted.
    #[property(references = Customer, filter(eq, in))]
    pub customer_id: Uuid,
    /// The title of the contract.
    #[property(min_length = 1, max_length = 200, filter(eq, contains), sort)]
    pub title: String,
    /// The state of the contract.
    #[property(read_only, filter(eq, in))]
    #[serde(default)]
    pub state: State,
    /// The time of creation.
    #[property(created_at, sort(default = desc))]
    pub created_at: Timestamp,
    /// The time of the last change.
    #[property(updated_at)]
    pub updated_at: Timestamp,
}

/// The state of a contract.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, Schema)]
#[serde(rename_all = "lowercase")]
pub enum State {
    #[default]
    Active,
    Cancelled,
}

/// A change of a contract. The event is written in the same transaction as the change.
#[derive(Clone, Serialize, Deserialize, Resource)]
#[resource(path = "/events", pagination = cursor, without(create, update, delete))]
pub struct Event {
    /// Set by the server. Newer identifiers are greater.
    #[property(id)]
    pub id: Uuid,
    /// The tenant. Clients do not see it.
    #[property(scope = "tenant", exclude(view, list))]
    pub tenant: String,
    /// The contract.
    #[property(filter(eq))]
    pub contract_id: Uuid,
    /// The caller who changed the contract.
    pub caller: String,
    /// A description of the change.
    pub text: String,
    /// The time of the change.
    #[property(created_at, sort(default = desc))]
    pub created_at: Timestamp,
}

/// Writes an event for each contract that is created or changed.
pub struct Events;

impl Hooks<Contract> for Events {
    async fn after_create(&self, context: &mut HookContext<'_>, contract: &Contract) -> Result<()> {
        record(context, contract, "was made").await
    }

    async fn before_update(&self, _: &mut HookContext<'_>, before: &Contract, _: &mut Contract) -> Result<()> {
        let is_active = before.state == State::Active;
        is_active.then_some(()).ok_or_else(|| Problem::new(CONFLICT).detail("A cancelled contract cannot change."))
    }

    async fn after_update(&self, context: &mut HookContext<'_>, _: &Contract, contract: &Contract) -> Result<()> {
        record(context, contract, "was changed").await
    }
}

async fn record(context: &mut HookContext<'_>, contract: &Contract, text: &str) -> Result<()> {
    let event = Event::new(contract, context.identity().subject().unwrap_or_default(), text);
    context.insert(event).await.map(drop)
}

impl Event {
    fn new(contract: &Contract, caller: &str, text: &str) -> Self {
        let (contract_id, tenant) = (contract.id, contract.tenant.clone());
        let (caller, text) = (caller.to_owned(), format!("`{}` {text}", contract.title));
        // The store replaces the identifier and the time.
        Self { id: Uuid::nil(), tenant, contract_id, caller, text, created_at: Timestamp::UNIX_EPOCH }
    }
}

/// Cancels the contract with this identifier and returns it. The contract is not deleted.
#[derive(Request)]
pub struct CancelRequest {
    /// The identifier of the contract.
    #[segment]
    id: Uuid,
    caller: Caller,
    scope: CallerScope<Contract>,
}

/// Returns the endpoint that cancels a contract, in place of the generated `DELETE`. It writes the event in the same
/// transaction.
pub(crate) fn cancel_contract(store: SqlStore) -> impl Controller {
    let route = Route::delete("/contracts/{id}").id("cancelContract").summary("Cancel a contract").tag("Contracts");
    let route = route.authorize(SCHEME, ["contracts:delete"]).problem(NOT_FOUND).problem(UNAVAILABLE);
    route.handler(async move |CancelRequest { id, caller, scope }| {
        let cancelled = store.transaction(async |transaction| {
            let mut contracts = EntityStore::<Contract>::new(&store, &scope).within(transaction);
            let found = contracts.find(&id).await?.ok_or_else(|| Problem::not_found("There is no such contract."))?;
            let cancelled = Contract { state: State::Cancelled, ..found.entity };
            let cancelled = contracts.update(cancelled, Some(found.version)).await?;
            let event = Event::new(&cancelled, caller.subject(), "was cancelled");
            EntityStore::new(&store, &scope).within(transaction).insert(event).await?;
            Ok(cancelled)
        });
        let cancelled = cancelled.await?;
        Ok(Data(ContractView::from(cancelled)))
    })
}
