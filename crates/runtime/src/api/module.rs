//! Pieces of a larger application.

use super::ApiBuilder;

/// A piece of an application that registers its own controllers, middlewares and components.
///
/// ```
/// use restwright_runtime::{ApiBuilder, Group, Module};
///
/// struct Pets;
///
/// impl Module for Pets {
///     fn register(&self, api: ApiBuilder) -> ApiBuilder {
///         api.group(Group::new("/pets").tag("Pets"))
///     }
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a module",
    label = "not a module",
    note = "implement `Module` for it: `fn register`, which adds its controllers and groups to the builder"
)]
pub trait Module {
    /// Registers everything that belongs to this piece and returns the builder.
    fn register(&self, api: ApiBuilder) -> ApiBuilder;
}
