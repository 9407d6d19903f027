//! The endpoints of a resource, in process and over a socket.

mod access;
mod actions;
mod animal;
mod batch;
mod commits;
mod concurrency;
mod copies;
mod counting_store;
mod cursors;
mod declare;
mod document;
mod failing_store;
mod failures;
mod groups;
mod hook_stores;
mod hooks;
mod leaks;
mod lists;
mod managed;
mod merge_patches;
mod mistakes;
mod notes;
mod parents;
mod presenters;
mod put;
mod requests;
mod scopes;
mod sequences;
mod shelter;
mod socket;
mod tenants;
mod values;

pub(crate) use self::animal::Animal;
pub(crate) use self::failing_store::FailingStore;
pub(crate) use self::shelter::{Shelter, api, id};
