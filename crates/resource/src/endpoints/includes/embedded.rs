//! Defines [`Embedded`], which contains the related entities of a response as JSON.

use restwright_core::conditional::EntityTag;

use crate::endpoints::field_rights::FieldRights;

/// The JSON members that computed fields and includes add to the entities of a response.
pub(in crate::endpoints) struct Embedded {
    /// The added members of each entity, as JSON without braces.
    members: Vec<String>,
    /// `true` if different callers may see different properties of the embedded entities.
    pub(in crate::endpoints) is_private: bool,
}

impl Embedded {
    pub(super) fn new(members: Vec<String>, is_private: bool) -> Self {
        Self { members, is_private }
    }

    /// Adds the members of another value for the same entities.
    pub(super) fn and(mut self, other: &Self) -> Self {
        for (members, more) in self.members.iter_mut().zip(&other.members) {
            let separator = if members.is_empty() || more.is_empty() { "" } else { "," };
            members.extend([separator, more]);
        }
        self.is_private |= other.is_private;
        self
    }

    /// Returns the added members of each entity, as JSON without braces.
    pub(in crate::endpoints) fn members(&self) -> &[String] {
        &self.members
    }

    /// Appends a digest of the embedded entities to an entity tag. The embedded entities can change while the version stays the same.
    /// `If-Match` ignores the digest, so the tag of a response with embedded entities is valid for changes.
    pub(in crate::endpoints) fn tag(&self, version: &EntityTag, rights: &FieldRights) -> EntityTag {
        let bytes = self.members.iter().flat_map(|members| members.bytes().chain([0]));
        // The 128-bit FNV-1a hash, which is the same in every process.
        let digest = bytes.fold(0x6c62_272e_07bb_0142_62b8_2175_6295_c58d_u128, |hash, byte| {
            (hash ^ u128::from(byte)).wrapping_mul(0x0000_0000_0100_0000_0000_0000_0000_013b)
        });
        version.with_variant(match rights.variant() {
            Some(variant) => format!("{variant:x}.{digest:x}"),
            None => format!("{digest:x}"),
        })
    }
}

/// Adds members to a JSON object.
pub(super) fn append(object: &mut String, members: &str) {
    if members.is_empty() || !object.ends_with('}') {
        return;
    }
    object.pop();
    if !object.trim_end().ends_with('{') {
        object.push(',');
    }
    object.push_str(members);
    object.push('}');
}

#[cfg(test)]
mod tests {
    use super::append;

    #[test]
    fn adds_members_to_objects_only() {
        for (object, members, expected) in [
            ("{}", "", "{}"),
            ("{ }", "\"a\":1", "{ \"a\":1}"),
            ("{\"b\":{}}", "\"a\":1", "{\"b\":{},\"a\":1}"),
            ("[]", "\"a\":1", "[]"),
            ("null", "\"a\":1", "null"),
        ] {
            let mut object = object.to_owned();
            append(&mut object, members);
            assert_eq!(object, expected);
        }
    }
}
