//! Contains the crates that the output of the derives uses. Their items are no part of the interface of this crate.

#[cfg(feature = "files")]
pub use restwright_files as files;
#[cfg(feature = "list")]
pub use restwright_list as list;
#[cfg(feature = "resource")]
pub use restwright_resource as resource;
pub use {restwright_core as core, restwright_schema as schema};
