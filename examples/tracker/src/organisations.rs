//! Organisations, which are the tenants of all other resources.

use restwright::prelude::*;
use restwright::resource::{EntityStore, RowPolicy, Rows, Scope};
use restwright::sql::SqlStore;
use serde::{Deserialize, Serialize};

/// An organisation. Callers see only their own organisation.
#[derive(Clone, Serialize, Deserialize, Resource)]
#[resource(path = "/organisations", policy = Own, reveals(id), without(create, delete))]
pub struct Organisation {
    /// The short name of the organisation, such as `north`.
    #[property(id(given), min_length = 1, max_length = 50)]
    pub id: String,
    /// The full name of the organisation.
    #[property(min_length = 1, max_length = 200)]
    pub name: String,
}

struct Own;

impl RowPolicy<Organisation> for Own {
    fn visible(&self, caller: &Identity) -> Rows {
        let own = caller.claim("organisation").and_then(|claim| claim.as_str());
        own.map_or(Rows::none(), |own| Rows::matching(Organisation::FIELDS.id.eq(own)))
    }
}

/// Creates the organisations at the first start.
pub(crate) struct Organisations(pub(crate) SqlStore);

impl Component for Organisations {
    fn name(&self) -> &str {
        "organisations"
    }

    async fn start(&self) -> Result<(), ComponentError> {
        let (store, scope) = (&self.0, Scope::new());
        for (id, name) in [("north", "North Ltd"), ("south", "South Ltd")] {
            let mut organisations = EntityStore::<Organisation>::new(store, &scope).unrestricted();
            if organisations.find(&id.to_owned()).await.map_err(|problem| problem.to_string())?.is_none() {
                let organisation = Organisation { id: id.to_owned(), name: name.to_owned() };
                organisations.insert(organisation).await.map_err(|problem| problem.to_string())?;
            }
        }
        Ok(())
    }
}
