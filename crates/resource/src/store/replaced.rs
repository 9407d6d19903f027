//! The fields that a change replaces without reading them.

use super::Statement;

/// Returns `true` if a change replaces the field with this name.
pub(crate) type IsReplaced<'s> = dyn Fn(&str) -> bool + Sync + 's;

impl<'s> Statement<'s> {
    /// Allows the store to find an entity although it cannot read the values of some fields, because the change that follows replaces them. Such
    /// a value may be any other value of the field in the returned entity.
    ///
    /// Endpoints call it for updates of entities that no hook and no policy reads. A store may ignore it. The update is then a 500 if a value
    /// is unreadable.
    pub fn replacing(mut self, is_replaced: &'s (dyn Fn(&str) -> bool + Sync + 's)) -> Self {
        self.is_replaced = Some(is_replaced);
        self
    }

    /// Returns `true` if the change that follows replaces the value of a field. Call it only for an unreadable value, because it reads the body
    /// of the request.
    #[must_use]
    pub fn replaces(&self, field: &str) -> bool {
        self.is_replaced.is_some_and(|is_replaced| is_replaced(field))
    }
}
