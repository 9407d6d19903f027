//! A handwritten endpoint on the store of the resources. It counts the customers and contracts of a tenant.

use restwright::operation::TagObject;
use restwright::prelude::*;
use restwright::resource::EntityStore;
use restwright::sql::SqlStore;
use serde::Serialize;

use crate::contracts::{Contract, State};
use crate::customers::Customer;
use crate::{SCHEME, scope_of};

/// The numbers of customers and active contracts of a tenant.
#[derive(Serialize, Schema)]
pub struct Report {
    /// The number of customers.
    pub customers: u64,
    /// The number of contracts that are not cancelled.
    pub active_contracts: u64,
}

/// Counts the customers and the active contracts of the caller's tenant.
#[derive(Request)]
pub struct ReportRequest {
    caller: Caller,
}

/// Returns the endpoint of the report.
pub(crate) fn view_report(store: SqlStore) -> impl Controller {
    let tag = TagObject::new("Reports").description("Reports about a tenant.");
    let route = Route::get("/report").id("viewReport").summary("Report about the tenant").tag(tag);
    route.authorize(SCHEME, ["contracts:read"]).handler(async move |ReportRequest { caller }| {
        let scope = scope_of(&caller)?;
        let is_active = Contract::FIELDS.state.eq(State::Active);
        let customers = EntityStore::<Customer, _>::new(&store, &scope).count(&()).await?;
        let active_contracts = EntityStore::<Contract, _>::new(&store, &scope).count(is_active).await?;
        Ok(Data(Report { customers, active_contracts }))
    })
}
