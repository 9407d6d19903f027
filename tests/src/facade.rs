//! The names of the facade, for the tests of the crates below it.

/// Declares the modules and names of the crate `restwright` in the root of a test, with the given parts. The test then builds only the crates
/// of these parts, and neither its imports nor the output of the derives differ from those in an application.
///
/// After `restwright_tests::facade!(list, testing);`, files of the test begin with `use restwright::prelude::*;`.
#[macro_export]
macro_rules! facade {
    ($($part:ident),* $(,)?) => {
        extern crate self as restwright;

        /// The crates that the derives name. This program depends on those whose derives it uses.
        pub mod derived {
            pub use restwright_runtime::core;
            pub use restwright_runtime::core::schema;
            $($crate::facade_derived!($part);)*
        }

        pub use restwright_macros::{Part, Problem, Request, Response, Schema};
        pub use restwright_runtime::core::{self, *};
        pub use restwright_runtime::core::schema::{self, Patch, PropertyCollection, Schema};
        pub use restwright_runtime::{self as runtime, *};
        $($crate::facade_part!($part);)*

        /// The names of the prelude.
        pub mod prelude {
            pub use restwright::auth::{Caller, Identity};
            pub use restwright::language::LanguageSettings as _;
            pub use restwright::{
                Api, BuildErrors, Component, ComponentError, Configuration, Controller, Created, Data,
                Group, Location, Middleware, NoContent, Part, Patch, Problem, PropertyCollection, Request, Response,
                Result, Route, Schema,
            };
            $($crate::facade_prelude!($part);)*
        }
    };
}

/// Declares the names of one part in the root.
#[doc(hidden)]
#[macro_export]
macro_rules! facade_part {
    (actix) => {
        pub use restwright_actix::*;
    };
    (api_key) => {
        /// The types for authentication and authorisation.
        pub mod auth {
            pub use restwright_auth::*;
            pub use restwright_runtime::core::auth::*;
        }
    };
    (files) => {
        pub use restwright_files as files;
    };
    (list) => {
        pub use restwright_list::{self as list, Filters, Record, Sort};
        pub use restwright_macros::{Filters, Record, Sort};
    };
    (cursor) => {};
    (openapi) => {
        pub use restwright_openapi::{self as openapi, Documentation};
    };
    (production) => {
        pub use restwright_production::{self as production, telemetry};
    };
    (rate_limit) => {
        pub use restwright_rate_limit as rate_limit;
    };
    (resource) => {
        pub use restwright_macros::Resource;
        pub use restwright_resource::{self as resource, Resource};
    };
    (testing) => {
        pub use restwright_testing as testing;
    };
    (websocket) => {
        pub use restwright_websocket as websocket;
    };
}

/// Declares the crate of one part for the derives.
#[doc(hidden)]
#[macro_export]
macro_rules! facade_derived {
    (files) => {
        pub use restwright_files as files;
    };
    (list) => {
        pub use restwright_list as list;
    };
    (resource) => {
        pub use restwright_resource as resource;
    };
    ($other:ident) => {};
}

/// Declares the names of one part in the prelude.
#[doc(hidden)]
#[macro_export]
macro_rules! facade_prelude {
    (list) => {
        pub use restwright::list::RecordFields as _;
        pub use restwright::{Filters, Record, Sort};
    };
    (openapi) => {
        pub use restwright::Documentation;
    };
    (resource) => {
        pub use restwright::Resource;
        pub use restwright::resource::Resources as _;
    };
    ($other:ident) => {};
}
