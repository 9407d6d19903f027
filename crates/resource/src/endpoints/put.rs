//! Replaces an entity.

use restwright_core::conditional::Preconditions;
use restwright_core::http::{HttpRequest, HttpResponse, StatusCode};
use restwright_core::operation::Operation;
use restwright_core::schema::{Mode, SchemaObject, Violations};
use restwright_core::{BuildContext, BuildErrors, Result};

use super::any_entity::{AnyBody, AnyEntity, AnyIdentifier};
use super::body::Sent;
use super::call::Call;
use super::changed::{check_changed, check_created};
use super::entities::{Entities, check_preconditions};
use super::hooks::CommittedChange;
use super::member_changes::MemberChanges;
use super::problem::Failure;
use super::settings::resource_of;
use super::shown::Unmasked;
use super::unit::Unit;
use super::view::{View, describe};
use crate::definition::IdentifierKind;
use crate::entity::Versioned;
use crate::store::StoreError;

/// The response to a replacement, which contains the entity. The status is 200, or 201 if the entity was created. The response has no
/// `ETag`, because the stored entity contains more than the body that was sent (RFC 9110, section 9.3.4).
pub(super) struct PutResponse {
    pub(super) entity: Box<dyn AnyEntity>,
    pub(super) is_created: bool,
}

pub(super) struct PutPlan {
    body: SchemaObject,
    creates: bool,
}

impl Unmasked for PutResponse {
    type Plan = PutPlan;

    fn plan(context: &mut BuildContext<'_>) -> Result<PutPlan, BuildErrors> {
        let creates = matches!(resource_of(context)?.definition.identifier_kind(), IdentifierKind::Given(_));
        Ok(PutPlan { body: View::plan(context)?, creates })
    }

    fn describe(plan: &PutPlan, operation: &mut Operation) {
        for status in [StatusCode::OK, StatusCode::CREATED] {
            if status == StatusCode::OK || plan.creates {
                View::describe_body(&plan.body, describe(operation, status));
            }
        }
    }

    fn respond(self, _: &PutPlan, _: &HttpRequest, changes: Option<MemberChanges>) -> Result<HttpResponse> {
        let mut response = HttpResponse::new(if self.is_created { StatusCode::CREATED } else { StatusCode::OK });
        self.entity.respond(changes.as_ref(), &mut response)?;
        Ok(response)
    }
}

impl Entities {
    /// Replaces an entity. Creates a missing entity if clients choose identifiers.
    pub(super) async fn put(
        &self,
        call: &Call,
        id: &dyn AnyIdentifier,
        preconditions: &Preconditions,
        mut new: Sent,
    ) -> Result<PutResponse> {
        self.prepare_replacement(call, &mut new).await?;
        let (new, definition) = (&new, &self.info.definition);
        self.run(call, Some(id), async |attempt| {
            let mut unit = Unit::begin_change(self, call, attempt).await?;
            let Some(Versioned { entity: before, version }) = unit.find(id).await? else {
                if !matches!(definition.identifier_kind(), IdentifierKind::Given(_)) {
                    return Err(StoreError::NotFound.into());
                }
                preconditions.check(None)?;
                let mut entity = self.new_entity(call, new.value.clone())?;
                self.check_identifier(&*entity, id)?;
                check_created(unit.shown(&*entity, new).await?, new)?;
                if let Some(prepared) = &new.prepared {
                    let (prepared, found) = self.stamped(call, prepared.clone())?;
                    self.check_prepared(Mode::Update, &self.steps.of_new, &*entity, (&*prepared, found))?;
                    entity = prepared;
                }
                let created = match unit.insert(entity).await {
                    // A concurrent request has created the entity, so the next attempt replaces it. A hidden entity stays a conflict.
                    Err(Failure::Store(StoreError::Conflict { fields }, _))
                        if fields == [definition.identifier()] && !unit.hides() =>
                    {
                        return Err(StoreError::StaleVersion.into());
                    }
                    created => created?.entity,
                };
                let changes = unit.changes(|| vec![CommittedChange::Created(created.clone())]);
                let entity = unit.commit_one(changes, created).await?;
                return Ok(PutResponse { entity, is_created: true });
            };
            unit.check_writable(&*before).await?;
            check_preconditions(preconditions, version, call)?;
            let shown = unit.shown(&*before, new).await?;
            let replace = |new: &dyn AnyBody| {
                let mut entity = before.clone();
                entity.replace(new.cloned())?;
                call.rights.unwritable().iter().try_for_each(|field| entity.copy_field(&*before, field))?;
                if matches!(definition.identifier_kind(), IdentifierKind::Given(_)) {
                    self.check_identifier(&*entity, id)?;
                }
                self.keep(&*before, &mut *entity)?;
                Ok::<_, Failure>(entity)
            };
            let mut entity = replace(&*new.value)?;
            check_changed(&*before, shown, &*entity, new, Violations::default(), &call.rights)?;
            if let Some(prepared) = &new.prepared {
                let prepared = replace(&**prepared)?;
                self.check_prepared(Mode::Update, &self.steps.of_new, &*entity, (&*prepared, Violations::default()))?;
                entity = prepared;
            }
            let entity = self.write(unit, call, before, entity, version).await?.entity;
            Ok(PutResponse { entity, is_created: false })
        })
        .await
    }
}
