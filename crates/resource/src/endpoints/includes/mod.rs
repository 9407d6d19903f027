//! Embeds related entities in views and lists, with the query parameter `include`.
//!
//! Each resource adds a [`Source`] of its entities. A relation finds the source of its target by the name of the definition. [`Plan`]
//! resolves the relations of a resource when the Api is built, [`Includes`] contains the relations that one request selects, and
//! [`load`](Includes::load) reads one level after the other, with one statement for each relation.

mod access;
mod document;
mod load;
mod parameter;
mod plan;
mod related_fields;
mod resolve;
mod resolved;
mod settings;
mod source;

use restwright_core::Result;

use crate::endpoints::caller::call::Call;
use crate::endpoints::declare::info::ResourceInfo;
use crate::endpoints::declare::relation::Relation;
use crate::endpoints::erased::any_entity::AnyEntity;
use crate::endpoints::erased::member_changes::Embedded;
use crate::endpoints::respond::computed_values;
use crate::endpoints::{Endpoints, Resource};

pub(super) use self::parameter::Includes;
pub(super) use self::plan::Plan;
pub(super) use self::related_fields::RelatedFields;
pub(super) use self::settings::IncludeSettings;
pub(super) use self::source::{Source, Sources};

impl<R: Resource> Endpoints<R> {
    /// Lets clients embed related entities in views and lists, with the query parameter `include`.
    ///
    /// `GET /tickets?include=customer,comments` embeds the customer and the comments of each ticket, under the names of the relations. Each
    /// relation needs one statement, regardless of the number of tickets. The scope, the policy and the field permissions of the related
    /// resource apply. The caller needs the access to view its entities. A relation to many entities also requires the access to list them.
    /// Otherwise the response is a 403. A missing or hidden entity is null.
    ///
    /// Building the Api fails if no resource of the Api serves the related entities.
    pub fn include(mut self, relation: Relation) -> Self {
        self.declared.info.relations.push(relation);
        self
    }
}

/// Computes the computed fields of the given entities, and reads the related entities that a request includes. Returns `None` if the
/// resource has no computed fields and the request includes no relations.
pub(super) async fn embedded<'e>(
    info: &ResourceInfo,
    call: &Call,
    includes: Option<&Includes>,
    entities: impl FnOnce() -> Vec<&'e dyn AnyEntity>,
) -> Result<Option<Embedded>> {
    if info.computed.is_empty() && includes.is_none() {
        return Ok(None);
    }
    let entities = entities();
    let members = computed_values::members(info, call, &entities).await?;
    let computed = Embedded::new(members, computed_values::are_guarded(info));
    match includes {
        Some(includes) => Ok(Some(computed.and(includes.load(&entities).await?))),
        None => Ok(Some(computed)),
    }
}
