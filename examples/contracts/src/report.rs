//! A handwritten endpoint on the store of the resources. It counts the customers and contracts of a tenant.

use std::collections::BTreeMap;

use restwright::operation::TagObject;
use restwright::prelude::*;
use restwright::resource::{CallerScope, EntityStore};
use restwright::sql::SqlStore;
use serde::Serialize;

use crate::SCHEME;
use crate::contracts::{Contract, State};
use crate::customers::Customer;

/// The numbers of customers and contracts of a tenant.
#[derive(Serialize, Schema)]
pub struct Report {
    /// The number of customers.
    pub customers: u64,
    /// The number of contracts in each state.
    pub contracts: BTreeMap<State, u64>,
}

/// Counts the customers and the contracts of the caller's tenant.
#[derive(Request)]
pub struct ReportRequest {
    scope: CallerScope<Contract>,
}

/// Returns the endpoint of the report.
pub(crate) fn view_report(store: SqlStore) -> impl Controller {
    let tag = TagObject::new("Reports").description("Reports about a tenant.");
    let route = Route::get("/report").id("viewReport").summary("Report about the tenant").tag(tag);
    route.authorize(SCHEME, ["contracts:read"]).handler(async move |ReportRequest { scope }| {
        let customers = EntityStore::<Customer>::new(&store, &scope).count(&()).await?;
        let mut counted = EntityStore::<Contract>::new(&store, &scope);
        let mut contracts = BTreeMap::new();
        for state in [State::Active, State::Cancelled] {
            contracts.insert(state, counted.count(Contract::FIELDS.state.eq(state)).await?);
        }
        Ok(Data(Report { customers, contracts }))
    })
}
