//! Extends [`ApiBuilder`] with the method [`resource`](Resources::resource).

use restwright_core::auth::CrudAccess;
use restwright_runtime::ApiBuilder;

use crate::endpoints::{Endpoints, Resource};
use crate::store::Store;

/// Extends [`ApiBuilder`] with the method [`resource`](Self::resource).
pub trait Resources: sealed::Sealed {
    /// Adds the [`Endpoints`] of a resource, configured by [`Resource::configure`]. To change the settings, add [`Endpoints`] as a module.
    ///
    #[cfg_attr(not(doctest), doc = include_str!("doc_examples/resources_resource.md"))]
    #[must_use]
    fn resource<R: Resource>(self, store: impl Store, access: impl Into<CrudAccess>) -> Self;
}

impl Resources for ApiBuilder {
    fn resource<R: Resource>(self, store: impl Store, access: impl Into<CrudAccess>) -> Self {
        self.module(&Endpoints::<R>::new(store, access))
    }
}

mod sealed {
    pub trait Sealed {}
    impl Sealed for super::ApiBuilder {}
}
