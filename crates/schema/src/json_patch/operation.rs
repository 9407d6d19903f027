//! Defines [`Operation`], one operation of a JSON Patch.

use super::pointer::Pointer;
use super::{PatchError, PatchErrorKind};
use crate::document::{Document, Extent, by_name};

/// The maximum number of levels of a document, which equals the limit of JSON in requests.
const MAX_LEVELS: usize = 128;

/// An operation (RFC 6902, section 4).
#[derive(Clone, Debug)]
pub(super) struct Operation<'j> {
    pub(super) path: Pointer,
    action: Action<'j>,
}

#[derive(Clone, Debug)]
enum Action<'j> {
    Add(Document<'j>),
    Remove,
    Replace(Document<'j>),
    Move(Pointer),
    Copy(Pointer),
    Test(Document<'j>),
}

impl<'j> Operation<'j> {
    /// Reads an operation. Returns `None` if it does not match the schema.
    pub(super) fn read(json: &Document<'j>) -> Option<Self> {
        let Document::Object(members) = json else { return None };
        let members = by_name(members);
        let text = |name: &str| members.get(name)?.as_text();
        let value = || members.get("value").map(|value| (*value).clone());
        let from = || Some(Pointer::parse(&text("from")?));
        let action = match &*text("op")? {
            "add" => Action::Add(value()?),
            "remove" => Action::Remove,
            "replace" => Action::Replace(value()?),
            "move" => Action::Move(from()?),
            "copy" => Action::Copy(from()?),
            "test" => Action::Test(value()?),
            _ => return None,
        };
        Some(Self { path: Pointer::parse(&text("path")?), action })
    }

    /// Returns `true` if the value at the path comes from the member `value` of the operation.
    pub(super) fn has_value(&self) -> bool {
        matches!(self.action, Action::Add(_) | Action::Replace(_))
    }

    pub(super) fn changes(&self) -> bool {
        !matches!(self.action, Action::Test(_))
    }
}

/// A document to which operations are applied. Its length is counted, so an operation does not depend on the size of the document.
pub(super) struct Target<'j> {
    document: Document<'j>,
    /// The length of the document in bytes.
    bytes: usize,
    /// The length of all copied values in bytes.
    copied: usize,
    max_bytes: usize,
}

impl<'j> Target<'j> {
    pub(super) fn new(document: Document<'j>, max_bytes: usize) -> Self {
        let bytes = document.extent().bytes;
        Self { document, bytes, copied: 0, max_bytes }
    }

    pub(super) fn into_document(self) -> Document<'j> {
        debug_assert_eq!(self.bytes, self.document.extent().bytes, "the length is counted");
        self.document
    }

    /// Applies an operation. `index` is the position of the operation in the patch.
    pub(super) fn apply(&mut self, operation: &Operation<'j>, index: usize) -> Result<(), PatchError> {
        self.change(operation).map_err(|kind| PatchError { index, kind })?;
        if operation.changes() && self.bytes > self.max_bytes {
            return Err(PatchError { index, kind: PatchErrorKind::TooLarge(self.max_bytes) });
        }
        Ok(())
    }

    fn change(&mut self, Operation { path, action }: &Operation<'j>) -> Result<(), PatchErrorKind> {
        const NO_PATH: PatchErrorKind = PatchErrorKind::NoTarget("path");
        const NO_SOURCE: PatchErrorKind = PatchErrorKind::NoTarget("from");
        match action {
            Action::Add(value) => self.add(path, value.clone(), value.extent()),
            Action::Remove if path.len() == 0 => Err(PatchErrorKind::RemovesDocument),
            Action::Remove => {
                let (value, around) = path.remove(&mut self.document).ok_or(NO_PATH)?;
                self.bytes -= value.extent().bytes + around;
                Ok(())
            }
            Action::Replace(value) => {
                check_levels(path, value.extent())?;
                let old = std::mem::replace(path.find(&mut self.document).ok_or(NO_PATH)?, value.clone());
                self.bytes = self.bytes + value.extent().bytes - old.extent().bytes;
                Ok(())
            }
            Action::Move(from) => {
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
            Action::Copy(from) => {
                let value = from.find(&mut self.document).ok_or(NO_SOURCE)?;
                let extent = value.extent();
                self.copied += extent.bytes;
                if self.copied > self.max_bytes {
                    return Err(PatchErrorKind::TooLarge(self.max_bytes));
                }
                let value = value.clone();
                self.add(path, value, extent)
            }
            Action::Test(value) => {
                let is_equal = path.find(&mut self.document).is_some_and(|found| found.equals(value));
                if is_equal { Ok(()) } else { Err(PatchErrorKind::TestFailed) }
            }
        }
    }

    fn add(&mut self, path: &Pointer, value: Document<'j>, extent: Extent) -> Result<(), PatchErrorKind> {
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
