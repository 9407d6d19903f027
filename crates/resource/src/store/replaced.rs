//! The fields that a change replaces without reading them.

use super::{Statement, Store};

impl<'s, S: Store> Statement<'s, S> {
    /// Allows the store to find an entity although it cannot read the values of these fields, because the change that follows replaces them. Such
    /// a value may be any other value of the field in the returned entity.
    ///
    /// Endpoints call it for updates of entities that no hook and no policy reads. A store may ignore it. The update is then a 500 if a value
    /// is unreadable.
    pub fn replacing(mut self, fields: &'s [String]) -> Self {
        self.replaced = fields;
        self
    }

    /// Returns the fields whose values the change that follows replaces.
    #[must_use]
    pub fn replaced(&self) -> &'s [String] {
        self.replaced
    }
}
