//! Replaces an entity.

use restwright_core::Result;
use restwright_core::conditional::Preconditions;
use restwright_core::schema::{Mode, Violations};

use super::changed::{check_changed, check_created};
use super::entities::{Entities, check_preconditions};
use super::hooks::CommittedChange;
use super::unit::Unit;
use crate::definition::IdentifierKind;
use crate::endpoints::caller::call::Call;
use crate::endpoints::caller::problem::Failure;
use crate::endpoints::erased::any_entity::{AnyBody, AnyEntity, AnyIdentifier};
use crate::endpoints::read::body::Sent;
use crate::entity::Versioned;
use crate::store::StoreError;

impl Entities {
    /// Replaces an entity. Creates a missing entity if clients choose identifiers. Returns `true` if the entity was created.
    pub(in crate::endpoints) async fn put(
        &self,
        call: &Call,
        id: &dyn AnyIdentifier,
        preconditions: &Preconditions,
        mut new: Sent,
    ) -> Result<(Box<dyn AnyEntity>, bool)> {
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
                return Ok((entity, true));
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
            Ok((entity, false))
        })
        .await
    }
}
