//! The keys with which tokens are checked.

mod algorithm;
mod edwards;
mod elliptic;
mod jwk;
mod key;
mod pem;
mod rsa;
mod set;

pub use algorithm::Algorithm;
pub(crate) use key::Key;
pub(crate) use set::Found;
pub use set::{KeySet, KeySetError};
