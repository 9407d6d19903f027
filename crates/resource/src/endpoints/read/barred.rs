//! Rejects members of a request body that the caller may not write.

use std::borrow::Cow;
use std::sync::Arc;

use restwright_core::schema::{Code, ReadError, SchemaSide, Violation, Violations};
use restwright_core::{BuildContext, RequestHead};

use crate::codes;
use crate::endpoints::caller::field_rights::{FieldNames, FieldRights, Guards};
use crate::endpoints::declare::info::ResourceInfo;
use crate::endpoints::erased::kind::Shape;
use crate::endpoints::erased::members::{Place, member_pointer, renamed};

/// The fields of a request body that only some callers may write. They are collected when the Api is built.
pub(in crate::endpoints) struct BodyGuards {
    guards: Arc<Guards>,
    names: Vec<FieldNames>,
    place: Place,
}

/// The members of a request body that the caller may not write.
pub(super) struct Barred<'g> {
    names: Vec<String>,
    /// The members in `names` that the caller may read, although the caller may not write them.
    pub(super) readable: Vec<&'g str>,
    place: Place,
}

/// The prefix that marks the names of members that the caller may not write. No schema declares a member with this prefix.
const PREFIX: char = '\u{1}';

impl BodyGuards {
    /// Collects the JSON names of the fields that only some callers may write. Returns `None` if the resource has no such fields.
    pub(super) fn new(info: &ResourceInfo, shape: Shape, place: Place, context: &mut BuildContext<'_>) -> Option<Self> {
        let guards = Guards::of(&info.definition)?;
        let names = guards.names(info, &[shape, Shape::View], SchemaSide::Input, context.registry());
        Some(Self { guards, names, place })
    }

    pub(super) fn rights(&self, head: &RequestHead<'_>) -> FieldRights {
        self.guards.rights(&head.request().identity())
    }

    /// Reads the body of a create and rejects the members that the caller may not write. Without guards, accepts every declared member.
    pub(super) fn read_new<T>(
        guards: Option<&Self>,
        head: &RequestHead<'_>,
        json: &[u8],
        limit: usize,
        read: impl Fn(&[u8], usize) -> Result<T, ReadError>,
    ) -> Result<T, ReadError> {
        match guards.and_then(|guards| guards.barred(&guards.rights(head))) {
            Some(barred) => barred.read_new(json, limit, read),
            None => read(json, limit),
        }
    }

    /// Returns `true` if the caller may read the member with this name.
    pub(super) fn may_read(&self, name: &str, rights: &FieldRights) -> bool {
        let mut fields = self.names.iter().filter(|field| field.names.iter().any(|known| known == name));
        fields.all(|field| rights.may_read(&field.field))
    }

    /// Returns the members that the caller may not write, or `None` if the caller may write all members.
    pub(super) fn barred(&self, rights: &FieldRights) -> Option<Barred<'_>> {
        let barred = || self.names.iter().filter(|field| !rights.may_write(&field.field));
        let names: Vec<_> = barred().flat_map(|field| field.names.iter().cloned()).collect();
        let readable = barred().filter(|field| rights.may_read(&field.field));
        let readable = readable.flat_map(|field| field.names.iter().map(String::as_str)).collect();
        (!names.is_empty()).then_some(Barred { names, readable, place: self.place })
    }
}

impl Barred<'_> {
    /// Reads a body, and handles members that the caller may not write as if they were unknown. They cause the same violations as unknown
    /// members. A schema that ignores unknown members ignores these members.
    pub(super) fn read<T>(
        &self,
        json: &[u8],
        limit: usize,
        read: impl Fn(&[u8], usize) -> Result<T, ReadError>,
    ) -> Result<T, ReadError> {
        let mut pointers = Vec::new();
        let mut rename = |entity: &str, name: &str| {
            let new = format!("{PREFIX}{name}");
            pointers.push((member_pointer(entity, &new), member_pointer(entity, name)));
            Some(Cow::Owned(new))
        };
        let Ok(unknown) = renamed(json, self.place, &mut rename, &self.names) else {
            // The body is not JSON. The reader of the body reports the error.
            return read(json, limit).and_then(|_| Err(invalid()));
        };
        if pointers.is_empty() {
            return read(json, limit);
        }
        match read(&unknown, limit) {
            Ok(_) => {
                let rest = renamed(json, self.place, &mut |_, _| None, &self.names).map_err(|_source| invalid())?;
                read(&rest, limit)
            }
            Err(ReadError::Violations(found)) => Err(ReadError::Violations(found.map(|mut one| {
                if let Some((_, pointer)) = pointers.iter().find(|(unknown, _)| *unknown == one.pointer) {
                    one.pointer.clone_from(pointer);
                }
                one
            }))),
            Err(error) => Err(error),
        }
    }

    /// Reads the body of a create. A member that the caller may read but not write causes a `read_only` violation.
    fn read_new<T>(
        &self,
        json: &[u8],
        limit: usize,
        read: impl Fn(&[u8], usize) -> Result<T, ReadError>,
    ) -> Result<T, ReadError> {
        let mut sent = Vec::new();
        let mut note = |entity: &str, name: &str| {
            if self.readable.contains(&name) {
                sent.push(member_pointer(entity, name));
            }
            None
        };
        // The reader below reports the same error.
        let _ = renamed(json, self.place, &mut note, &self.names);
        let mut found = match self.read(json, limit, read) {
            Ok(value) if sent.is_empty() => return Ok(value),
            Ok(_) => Violations::with_limit(limit),
            Err(ReadError::Violations(found)) => found,
            Err(error) => return Err(error),
        };
        let is_sent = |one: &Violation| one.code == Code::UNKNOWN_PROPERTY && sent.contains(&one.pointer);
        if found.is_empty() {
            sent.iter().for_each(|pointer| found.push(read_only(pointer.clone())));
            return Err(ReadError::Violations(found));
        }
        Err(ReadError::Violations(found.map(|one| if is_sent(&one) { read_only(one.pointer) } else { one })))
    }
}

fn read_only(pointer: String) -> Violation {
    Violation::new(pointer, codes::READ_ONLY, "cannot be set by this caller; leave it out")
}

fn invalid() -> ReadError {
    ReadError::Violations(Violations::one(Violation::new("", Code::INVALID, "cannot be read")))
}
