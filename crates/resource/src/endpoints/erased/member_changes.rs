//! Defines [`MemberChanges`], the differences between the view of an entity and what a caller receives.

use restwright_core::conditional::EntityTag;
use restwright_core::runtime::Members;
use restwright_core::{Problem, Result};
use serde_json::value::RawValue;

/// The differences between the views of entities and what a caller receives. Fields are removed only here.
pub(crate) struct MemberChanges {
    /// The names of the members that the caller may not read.
    hidden: Vec<String>,
    /// The members to add.
    added: Option<Embedded>,
}

impl MemberChanges {
    /// Creates the changes for a caller. `hidden` are the names of the members that the caller may not read.
    pub(in crate::endpoints) fn new(hidden: Vec<String>, added: Option<Embedded>) -> Self {
        Self { hidden, added }
    }

    /// Returns `true` if the caller may not read some members.
    pub(in crate::endpoints) fn removes_members(&self) -> bool {
        !self.hidden.is_empty()
    }

    /// Changes the members of an entity. `index` is the position of the entity in the response.
    pub(in crate::endpoints) fn apply(&self, index: usize, entity: Result<Members>) -> Result<Members> {
        let mut entity = self.masked(entity?)?;
        self.added.iter().for_each(|added| added.add_to(index, &mut entity));
        Ok(entity)
    }

    /// Changes the members of the only entity of a response. If its view is an array, members are also removed from the items.
    pub(super) fn apply_to_one(&self, entity: Result<Members>) -> Result<Members> {
        let entity = self.apply(0, entity)?;
        if self.hidden.is_empty() || !entity.json().starts_with(b"[") {
            return Ok(entity);
        }
        let items: Vec<&RawValue> = serde_json::from_slice(entity.json()).map_err(Problem::internal)?;
        let items = items.into_iter().map(|item| self.masked(Members::of(&item)?));
        Members::of(&items.collect::<Result<Vec<_>>>()?)
    }

    fn masked(&self, mut entity: Members) -> Result<Members> {
        if !self.hidden.is_empty() {
            entity.retain(|name| self.hidden.iter().all(|hidden| hidden != name))?;
        }
        Ok(entity)
    }
}

/// The JSON members that computed fields and includes add to the entities of a response.
pub(in crate::endpoints) struct Embedded {
    members: Vec<AddedMember>,
    /// `true` if different callers may see different properties of the embedded entities.
    pub(in crate::endpoints) is_private: bool,
}

/// A member that is added to each entity of a response.
pub(in crate::endpoints) struct AddedMember {
    pub(in crate::endpoints) name: String,
    /// The value in each entity, as JSON.
    pub(in crate::endpoints) values: Vec<String>,
}

impl Embedded {
    pub(in crate::endpoints) fn new(members: Vec<AddedMember>, is_private: bool) -> Self {
        Self { members, is_private }
    }

    /// Adds the members of another value for the same entities.
    pub(in crate::endpoints) fn and(mut self, other: Self) -> Self {
        self.members.extend(other.members);
        self.is_private |= other.is_private;
        self
    }

    /// Adds the members to an entity. `index` is the position of the entity in the response.
    pub(super) fn add_to(&self, index: usize, entity: &mut Members) {
        let members =
            || self.members.iter().filter_map(|member| Some((member.name.as_str(), member.values.get(index)?)));
        entity.reserve(members().map(|(name, value)| (name, value.as_str())));
        members().for_each(|(name, value)| entity.push(name, value));
    }

    /// Appends a digest of the embedded members to the entity tag of a response with one entity. The embedded entities can change while the
    /// version stays the same. `If-Match` ignores the digest, so the tag of a response with embedded entities is valid for changes.
    pub(in crate::endpoints) fn tag(&self, version: &EntityTag, variant: Option<u64>) -> EntityTag {
        let mut entity = Members::empty();
        self.add_to(0, &mut entity);
        let [b'{', members @ .., b'}'] = entity.json() else { return version.clone() };
        // The 128-bit FNV-1a hash, which is the same in every process.
        let bytes = members.iter().copied().chain([0]);
        let digest = bytes.fold(0x6c62_272e_07bb_0142_62b8_2175_6295_c58d_u128, |hash, byte| {
            (hash ^ u128::from(byte)).wrapping_mul(0x0000_0000_0100_0000_0000_0000_0000_013b)
        });
        version.with_variant(match variant {
            Some(variant) => format!("{variant:x}.{digest:x}"),
            None => format!("{digest:x}"),
        })
    }
}
