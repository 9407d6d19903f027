//! Contains the names that most files of an application use. Import them with `use restwright::prelude::*;`.
//!
//! All of them are names of the facade's root, besides [`Caller`] and [`Identity`]. Lists and limits have modules with further names: `restwright::list` and
//! `restwright::rate_limit`.

pub use crate::auth::{Caller, Identity};
pub use crate::{
    Api, BuildErrors, Component, ComponentError, Configuration, Controller, Created, Data, Group, Location, Middleware,
    NoContent, Part, Patch, Problem, PropertyCollection, Request, Response, Result, Route, Schema,
};

pub use crate::language::LanguageSettings as _;

#[cfg(feature = "openapi")]
pub use crate::Documentation;
#[cfg(any(feature = "resource", feature = "macros"))]
pub use crate::Resource;
#[cfg(feature = "list")]
pub use crate::list::RecordFields as _;
#[cfg(feature = "resource")]
pub use crate::resource::{Repository as _, Resources as _};
#[cfg(any(feature = "list", feature = "macros"))]
pub use crate::{Filters, Record, Sort};
