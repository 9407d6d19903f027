//! Contains the names that most files of an application use. Import them with `use restwright::prelude::*;`.

pub use crate::auth::{Caller, Identity};
pub use crate::{
    Api, ApiBuilder, BuildErrors, Component, ComponentError, Configuration, Controller, Created, Data, Group, Location,
    Middleware, NoContent, Part, Patch, Problem, PropertyCollection, Request, Response, Result, Route, Schema,
};

pub use crate::language::LanguageSettings as _;

#[cfg(feature = "openapi")]
pub use crate::Documentation;
#[cfg(any(feature = "resource", feature = "macros"))]
pub use crate::Resource;
#[cfg(feature = "list")]
pub use crate::list::RecordFields as _;
#[cfg(feature = "cursor")]
pub use crate::list::{Cursor, CursorResponse};
#[cfg(feature = "list")]
pub use crate::list::{Filter, Limits, Offset, OffsetResponse, Page, PageResponse, SortBag};
#[cfg(feature = "rate-limit")]
pub use crate::rate_limit::{ConcurrencyLimit, Quota, RateLimit};
#[cfg(feature = "resource")]
pub use crate::resource::{Repository as _, Resources as _};
#[cfg(any(feature = "list", feature = "macros"))]
pub use crate::{Filters, Record, Sort};

#[cfg(not(feature = "cursor"))]
pub use crate::feature_off::cursor::{Cursor, CursorResponse};
#[cfg(not(feature = "list"))]
pub use crate::feature_off::list::{Filter, Limits, Offset, OffsetResponse, Page, PageResponse, SortBag};
#[cfg(not(feature = "rate-limit"))]
pub use crate::feature_off::rate_limit::{ConcurrencyLimit, Quota, RateLimit};
