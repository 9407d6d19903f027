//! Defines [`Fetcher`], which fetches keys once, from a file or a URL.

mod file;
#[cfg(feature = "jwks")]
mod http;

#[cfg(feature = "jwks")]
pub(super) use http::check_roots;

use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use super::declaration::Jwks;
use super::lifetime::lifetime;
use crate::keys::KeySet;

/// The file or URL from which a key set is fetched.
#[derive(Debug, Clone)]
pub(super) enum KeySetSource {
    File(PathBuf),
    #[cfg(feature = "jwks")]
    Url(String),
    #[cfg(feature = "jwks")]
    Discovery(String),
}

/// Fetched keys and their lifetime.
pub(super) struct Fetched {
    pub(super) set: KeySet,
    pub(super) fresh: Duration,
}

/// A fetched document, with the headers `Cache-Control` and `Age` of its response.
struct FetchedDocument {
    bytes: Vec<u8>,
    cache_control: Option<String>,
    age: Option<String>,
}

/// Fetches keys from one file or URL.
pub(super) struct Fetcher<'a> {
    declaration: &'a Jwks,
    reading: Option<file::ReadTask>,
}

impl<'a> Fetcher<'a> {
    pub(super) fn new(declaration: &'a Jwks) -> Self {
        Self { declaration, reading: None }
    }

    /// Fetches the keys within the timeout. Returns an error message if the fetch fails.
    pub(super) async fn fetch(&mut self) -> Result<Fetched, String> {
        let Jwks { source, timeout, shortest, longest, hard_limit, .. } = self.declaration;
        let document = tokio::time::timeout(*timeout, self.document())
            .await
            .unwrap_or_else(|_elapsed| Err(format!("{source} did not respond within {} ms", timeout.as_millis())))?;
        let set = KeySet::from_json(&document.bytes).map_err(|error| error.to_string())?;
        let fresh = lifetime(document.cache_control.as_deref(), document.age.as_deref(), *shortest, *longest);
        Ok(Fetched { set, fresh: fresh.min(*hard_limit / 2) })
    }

    async fn document(&mut self) -> Result<FetchedDocument, String> {
        match &self.declaration.source {
            KeySetSource::File(path) => {
                // If the previous read timed out and is still blocked, it is awaited again.
                let begin = || file::begin(path.clone(), self.declaration.max_size);
                let read = self.reading.get_or_insert_with(begin).await;
                self.reading = None;
                read.unwrap_or_else(|error| Err(error.to_string()))
            }
            #[cfg(feature = "jwks")]
            KeySetSource::Url(_) | KeySetSource::Discovery(_) => http::fetch(self.declaration.clone()).await,
        }
    }
}

impl KeySetSource {
    /// Returns an error message if the URL is invalid. `loopback` allows `http` on this machine.
    #[cfg_attr(not(feature = "jwks"), expect(unused_variables, reason = "any path may be read"))]
    pub(super) fn mistake(&self, loopback: bool) -> Option<String> {
        match self {
            Self::File(_) => None,
            #[cfg(feature = "jwks")]
            Self::Url(url) | Self::Discovery(url) => http::check_address(url, loopback).err(),
        }
    }
}

impl fmt::Display for KeySetSource {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(path) => path.display().fmt(formatter),
            #[cfg(feature = "jwks")]
            Self::Url(address) | Self::Discovery(address) => formatter.write_str(address),
        }
    }
}
