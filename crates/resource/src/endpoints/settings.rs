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
pub(super) struct OperationSettings {
    pub(super) resource: Arc<ResourceInfo>,
    pub(super) store: Arc<dyn Store>,
    /// The relations that views can embed.
    pub(super) relations: RelationNames,
    pub(super) rules: Arc<[ScopeRule]>,
    pub(super) mode: Mode,
    /// `true` if the response is a file of the entity, which embeds no relations.
    pub(super) is_download: bool,
    /// `true` if hooks or an action run in the operation.
    pub(super) runs_hooks: bool,
    /// `true` if steps run on the body of the operation.
    pub(super) runs_steps: bool,
    /// The time limit of each hook and step, if any of them run in the operation.
    pub(super) hook_timeout: Option<Duration>,
    /// `true` if the operation requires a transaction, but the store does not support transactions.
    pub(super) lacks_transactions: bool,
    /// The schema of the stored entity. It checks changes by hooks.
    pub(super) schema: Arc<OnceLock<CompiledSchema>>,
}

/// The error of an action whose name is not valid. The error is stored as a setting of the route.
pub(super) struct ActionMistake(pub(super) String);

/// Returns the resource of the endpoint that is currently being prepared.
pub(super) fn resource_of<'a>(context: &BuildContext<'a>) -> Result<&'a ResourceInfo, BuildErrors> {
    let settings = context.route().setting::<OperationSettings>();
    settings.map(|settings| &*settings.resource).ok_or_else(not_of_resource)
}

/// Returns the error for a route that does not belong to a resource.
pub(super) fn not_of_resource() -> BuildErrors {
    BuildErrors::one("the route is not an endpoint of a resource; add it with `Endpoints`")
}
