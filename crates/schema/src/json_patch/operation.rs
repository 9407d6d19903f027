//! Defines [`Operation`], one operation of a JSON Patch.

use super::document::{Document, Extent, by_name};
use super::pointer::Pointer;
use super::{PatchError, PatchErrorKind};

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

    /// Applies the operation. `index` is the position of the operation in the patch.
    pub(super) fn apply(&self, document: &mut Document<'j>, index: usize, max_bytes: usize) -> Result<(), PatchError> {
        let missing = |member| PatchError::new(index, PatchErrorKind::NoTarget(member));
        let no_path = || missing("path");
        match &self.action {
            Action::Add(value) => self.path.add(document, value.clone()).ok_or_else(no_path)?,
            Action::Remove => {
                if self.path.len() == 0 {
                    return Err(PatchError::new(index, PatchErrorKind::RemovesDocument));
                }
                self.path.remove(document).ok_or_else(no_path)?;
            }
            Action::Replace(value) => *self.path.find(document).ok_or_else(no_path)? = value.clone(),
            Action::Move(from) => {
                if from.contains(&self.path) {
                    return Err(PatchError::new(index, PatchErrorKind::MovesIntoItself));
                }
                if from.find(document).is_none() {
                    return Err(missing("from"));
                }
                // Moving a value to its own place changes nothing.
                if *from != self.path {
                    let value = from.remove(document).ok_or_else(|| missing("from"))?;
                    self.path.add(document, value).ok_or_else(no_path)?;
                }
            }
            Action::Copy(from) => {
                let value = from.find(document).ok_or_else(|| missing("from"))?.clone();
                check(value.extent(), index, max_bytes)?;
                self.path.add(document, value).ok_or_else(no_path)?;
            }
            Action::Test(value) => {
                let is_equal = self.path.find(document).is_some_and(|found| found.equals(value));
                return if is_equal { Ok(()) } else { Err(PatchError::new(index, PatchErrorKind::TestFailed)) };
            }
        }
        check(document.extent(), index, max_bytes)
    }
}

fn check(extent: Extent, index: usize, max_bytes: usize) -> Result<(), PatchError> {
    if extent.bytes > max_bytes {
        return Err(PatchError::new(index, PatchErrorKind::TooLarge(max_bytes)));
    }
    if extent.levels > MAX_LEVELS {
        return Err(PatchError::new(index, PatchErrorKind::TooDeep(MAX_LEVELS)));
    }
    Ok(())
}
