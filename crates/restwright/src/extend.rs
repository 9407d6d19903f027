//! Contains the crates of the framework as a whole, for extensions: stores, hosts, limiters, and types of values and bodies.
//!
//! A minor release may change what the other modules of this crate do not contain. Applications need this module only
//! for a trait that [an extension implements](crate::guide::own_store).

#[cfg(feature = "actix")]
pub use restwright_actix as actix;
#[cfg(any(feature = "api-key", feature = "jwt"))]
pub use restwright_auth as auth;
#[cfg(feature = "files")]
pub use restwright_files as files;
#[cfg(feature = "list")]
pub use restwright_list as list;
#[cfg(feature = "openapi")]
pub use restwright_openapi as openapi;
#[cfg(feature = "production")]
pub use restwright_production as production;
#[cfg(feature = "rate-limit")]
pub use restwright_rate_limit as rate_limit;
#[cfg(feature = "resource")]
pub use restwright_resource as resource;
#[cfg(any(feature = "sqlite", feature = "postgres"))]
pub use restwright_sql as sql;
#[cfg(feature = "testing")]
pub use restwright_testing as testing;
#[cfg(feature = "websocket")]
pub use restwright_websocket as websocket;
pub use {restwright_core as core, restwright_runtime as runtime, restwright_schema as schema};
