//! Parses and checks the keys that verify tokens.

mod algorithm;
mod edwards;
mod elliptic;
mod jwk;
mod key;
mod key_set;
mod pem;
mod rsa;
mod unusable_key;

pub(crate) use algorithm::{ALL as ALL_ALGORITHMS, named as algorithm_named};
pub(crate) use key_set::KeyCandidates;
pub use key_set::{KeySet, KeySetError};
