//! Defines [`OperationSettings`], the settings of one operation of a resource.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use restwright_core::schema::{CompiledSchema, Mode};
use restwright_core::{BuildContext, BuildErrors};

use super::info::ResourceInfo;
use super::relation::RelationNames;
use super::scope_rule::ScopeRule;
use crate::store::Store;

/// The settings of one operation, which are stored on its route. The code that reads requests uses the settings.
pub(in crate::endpoints) struct OperationSettings {
    pub(in crate::endpoints) resource: Arc<ResourceInfo>,
    pub(in crate::endpoints) store: Arc<dyn Store>,
    /// The relations that views can embed.
    pub(in crate::endpoints) relations: RelationNames,
    pub(in crate::endpoints) rules: Arc<[ScopeRule]>,
    pub(in crate::endpoints) mode: Mode,
    /// `true` if the response is a file of the entity, which embeds no relations.
    pub(in crate::endpoints) is_download: bool,
    /// `true` if hooks or an action run in the operation.
    pub(in crate::endpoints) runs_hooks: bool,
    /// `true` if steps run on the body of the operation.
    pub(in crate::endpoints) runs_steps: bool,
    /// The time limit of each hook and step, if any of them run in the operation.
    pub(in crate::endpoints) hook_timeout: Option<Duration>,
    /// `true` if the operation requires a transaction, but the store does not support transactions.
    pub(in crate::endpoints) lacks_transactions: bool,
    /// The schema of the stored entity. It checks changes by hooks.
    pub(in crate::endpoints) schema: Arc<OnceLock<CompiledSchema>>,
}

/// The error of an action whose name is not valid. The error is stored as a setting of the route.
pub(in crate::endpoints) struct ActionMistake(pub(in crate::endpoints) String);

/// Returns the resource of the endpoint that is currently being prepared.
pub(in crate::endpoints) fn resource_of<'a>(context: &BuildContext<'a>) -> Result<&'a ResourceInfo, BuildErrors> {
    let settings = context.route().setting::<OperationSettings>();
    settings.map(|settings| &*settings.resource).ok_or_else(not_of_resource)
}

/// Returns the error for a route that does not belong to a resource.
pub(in crate::endpoints) fn not_of_resource() -> BuildErrors {
    BuildErrors::one("the route is not an endpoint of a resource; add it with `Endpoints`")
}
