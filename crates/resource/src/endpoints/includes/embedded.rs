//! Defines [`Embedded`], which contains the computed fields and the related entities of a response as JSON.

use restwright_core::conditional::EntityTag;
use restwright_core::runtime::Members;

use crate::endpoints::field_rights::FieldRights;

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
    pub(super) fn new(members: Vec<AddedMember>, is_private: bool) -> Self {
        Self { members, is_private }
    }

    /// Adds the members of another value for the same entities.
    pub(super) fn and(mut self, other: Self) -> Self {
        self.members.extend(other.members);
        self.is_private |= other.is_private;
        self
    }

    /// Adds the members to an entity. `index` is the position of the entity in the response.
    pub(in crate::endpoints) fn add_to(&self, index: usize, entity: &mut Members) {
        for member in &self.members {
            if let Some(value) = member.values.get(index) {
                entity.push(&member.name, value);
            }
        }
    }

    /// Appends a digest of the embedded members to the entity tag of a response with one entity. The embedded entities can change while the
    /// version stays the same. `If-Match` ignores the digest, so the tag of a response with embedded entities is valid for changes.
    pub(in crate::endpoints) fn tag(&self, version: &EntityTag, rights: &FieldRights) -> EntityTag {
        let mut entity = Members::empty();
        self.add_to(0, &mut entity);
        let [b'{', members @ .., b'}'] = entity.json() else { return version.clone() };
        // The 128-bit FNV-1a hash, which is the same in every process.
        let bytes = members.iter().copied().chain([0]);
        let digest = bytes.fold(0x6c62_272e_07bb_0142_62b8_2175_6295_c58d_u128, |hash, byte| {
            (hash ^ u128::from(byte)).wrapping_mul(0x0000_0000_0100_0000_0000_0000_0000_013b)
        });
        version.with_variant(match rights.variant() {
            Some(variant) => format!("{variant:x}.{digest:x}"),
            None => format!("{digest:x}"),
        })
    }
}
