//! Defines [`Module`], the trait for a part of an application, such as a resource.

use super::ApiBuilder;

/// A part of an application that registers its controllers, middlewares and components.
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
    note = "a middleware, such as `Cors` or `RequestLog`, is registered with `.middleware(..)`, a group with `.group(..)`, and a component with `.component(..)`",
    note = "for your own type, implement `Module` with `fn register`, which adds the controllers and groups to the builder"
)]
pub trait Module {
    /// Adds the controllers, middlewares and components of this module to the builder, and returns the builder.
    fn register(&self, api: ApiBuilder) -> ApiBuilder;
}
