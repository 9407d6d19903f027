//! What most files of an application use: `use restwright::prelude::*;`.

pub use crate::{
    Api, Configuration, Controller, Group, Middleware, Module, Next, Patch, Problem, PropertyCollection, Request,
    Response, Result, Route, Schema, StartErrors,
};

#[cfg(feature = "openapi")]
pub use crate::Documentation;
