//! Defines [`PatchOperation`], one operation of a JSON Patch.

use super::pointer::Pointer;
use super::{PatchError, PatchErrorKind};
use crate::document::{Extent, JsonDocument, by_name};

/// The maximum number of levels of a document, which equals the limit of JSON in requests.
const MAX_LEVELS: usize = 128;

/// An operation (RFC 6902, section 4).
#[derive(Clone, Debug)]
pub(super) struct PatchOperation<'j> {
    pub(super) path: Pointer,
    action: PatchAction<'j>,
}

#[derive(Clone, Debug)]
enum PatchAction<'j> {
    Add(JsonDocument<'j>),
    Remove,
    Replace(JsonDocument<'j>),
    Move(Pointer),
    Copy(Pointer),
    Test(JsonDocument<'j>),
}

impl<'j> PatchOperation<'j> {
    /// Reads an operation. Returns `None` if it does not match the schema.
    pub(super) fn read(json: &JsonDocument<'j>) -> Option<Self> {
        let JsonDocument::Object(members) = json else { return None };
        let members = by_name(members);
        let text = |name: &str| members.get(name)?.as_text();
        let value = || members.get("value").map(|value| (*value).clone());
        let from = || Some(Pointer::parse(&text("from")?));
        let action = match &*text("op")? {
            "add" => PatchAction::Add(value()?),
            "remove" => PatchAction::Remove,
            "replace" => PatchAction::Replace(value()?),
            "move" => PatchAction::Move(from()?),
            "copy" => PatchAction::Copy(from()?),
            "test" => PatchAction::Test(value()?),
            _ => return None,
        };
        Some(Self { path: Pointer::parse(&text("path")?), action })
    }

    /// Returns `true` if the value at the path comes from the member `value` of the operation.
    pub(super) fn has_value(&self) -> bool {
        matches!(self.action, PatchAction::Add(_) | PatchAction::Replace(_))
    }

    pub(super) fn changes(&self) -> bool {
        !matches!(self.action, PatchAction::Test(_))
    }
}

/// A document to which operations are applied. Its length is counted, so an operation does not depend on the size of the document.
pub(super) struct PatchTarget<'j> {
    document: JsonDocument<'j>,
    /// The length of the document in bytes.
    bytes: usize,
    /// The length of all copied values in bytes.
    copied: usize,
    max_bytes: usize,
}

impl<'j> PatchTarget<'j> {
    pub(super) fn new(document: JsonDocument<'j>, max_bytes: usize) -> Self {
        let bytes = document.extent().bytes;
        Self { document, bytes, copied: 0, max_bytes }
    }

    pub(super) fn into_document(self) -> JsonDocument<'j> {
        debug_assert_eq!(self.bytes, self.document.extent().bytes, "the length is counted");
        self.document
    }

    /// Applies an operation. `index` is the position of the operation in the patch.
    pub(super) fn apply(&mut self, operation: &PatchOperation<'j>, index: usize) -> Result<(), PatchError> {
        self.change(operation).map_err(|kind| PatchError { index, kind })?;
        if operation.changes() && self.bytes > self.max_bytes {
            return Err(PatchError { index, kind: PatchErrorKind::TooLarge(self.max_bytes) });
        }
        Ok(())
    }

    fn change(&mut self, PatchOperation { path, action }: &PatchOperation<'j>) -> Result<(), PatchErrorKind> {
        const NO_PATH: PatchErrorKind = PatchErrorKind::NoTarget("path");
        const NO_SOURCE: PatchErrorKind = PatchErrorKind::NoTarget("from");
        match action {
            PatchAction::Add(value) => self.add(path, value.clone(), value.extent()),
            PatchAction::Remove if path.len() == 0 => Err(PatchErrorKind::RemovesDocument),
            PatchAction::Remove => {
                let (value, around) = path.remove(&mut self.document).ok_or(NO_PATH)?;
                self.bytes -= value.extent().bytes + around;
                Ok(())
            }
            PatchAction::Replace(value) => {
                check_levels(path, value.extent())?;
                let old = std::mem::replace(path.find(&mut self.document).ok_or(NO_PATH)?, value.clone());
                self.bytes = self.bytes + value.extent().bytes - old.extent().bytes;
                Ok(())
            }
            PatchAction::Move(from) => {
                if from.contains(path) {
                    return Err(PatchErrorKind::MovesIntoItself);
                }
                if from == path {
                    return from.find(&mut self.document).map(|_| ()).ok_or(NO_SOURCE);
                }
                let (value, around) = from.remove(&mut self.document).ok_or(NO_SOURCE)?;
                let extent = value.extent();
                self.bytes -= extent.bytes + around;
                self.add(path, value, extent)
            }
            PatchAction::Copy(from) => {
                let value = from.find(&mut self.document).ok_or(NO_SOURCE)?;
                let extent = value.extent();
                self.copied += extent.bytes;
                if self.copied > self.max_bytes {
                    return Err(PatchErrorKind::TooLarge(self.max_bytes));
                }
                let value = value.clone();
                self.add(path, value, extent)
            }
            PatchAction::Test(value) => {
                let is_equal = path.find(&mut self.document).is_some_and(|found| found.equals(value));
                if is_equal { Ok(()) } else { Err(PatchErrorKind::TestFailed) }
            }
        }
    }

    fn add(&mut self, path: &Pointer, value: JsonDocument<'j>, extent: Extent) -> Result<(), PatchErrorKind> {
        check_levels(path, extent)?;
        let added = path.add(&mut self.document, value).ok_or(PatchErrorKind::NoTarget("path"))?;
        let (replaced, around) = added;
        self.bytes = self.bytes + extent.bytes + around - replaced.map_or(0, |old| old.extent().bytes);
        Ok(())
    }
}

/// Checks the nesting of a value at a path.
fn check_levels(path: &Pointer, extent: Extent) -> Result<(), PatchErrorKind> {
    if path.len() + extent.levels > MAX_LEVELS { Err(PatchErrorKind::TooDeep(MAX_LEVELS)) } else { Ok(()) }
}
