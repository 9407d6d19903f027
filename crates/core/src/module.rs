//! Pieces of a larger application.

use crate::api::ApiBuilder;

/// A piece of an application that registers its own controllers, middlewares and components.
///
/// ```
/// use restwright_core::{ApiBuilder, Group, Module};
///
/// struct Pets;
///
/// impl Module for Pets {
///     fn register(&self, api: &mut ApiBuilder) {
///         api.group(Group::new("/pets").tag("Pets"));
///     }
/// }
/// ```
pub trait Module {
    /// Registers everything that belongs to this piece.
    fn register(&self, api: &mut ApiBuilder);
}
