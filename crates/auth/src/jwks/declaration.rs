//! Defines [`Jwks`], the source and the fetch schedule of an issuer's keys.

use std::path::PathBuf;
use std::time::Duration;

use restwright_core::{Clock, ComponentClock};

use super::fetch::KeySetSource;
use super::provider::KeyProvider;

/// The settings for fetching an issuer's keys (JSON Web Key Set, RFC 7517), such as the URL and the lifetime.
/// [`provider`](Self::provider) creates the component that fetches the keys.
///
/// Keys are fetched in the background when the component starts, and again before they expire. `Cache-Control` sets the
/// expiry, within bounds. They are also fetched, at most once per cooldown, when a token names an unknown key or no
/// known key verifies its signature. A new set replaces the previous one, so a key that the issuer removes is no longer
/// trusted. If fetching fails, the last keys are used up to the hard limit. After that, requests receive 503, never
/// 401.
#[derive(Debug, Clone)]
pub struct Jwks {
    pub(super) source: KeySetSource,
    pub(super) shortest: Duration,
    pub(super) longest: Duration,
    pub(super) hard_limit: Duration,
    pub(super) cooldown: Duration,
    pub(super) timeout: Duration,
    pub(super) max_size: usize,
    pub(super) loopback: bool,
    #[cfg(feature = "jwks")]
    pub(super) root_certificates: Vec<Vec<u8>>,
    pub(super) clock: ComponentClock,
}

impl Jwks {
    fn new(source: KeySetSource) -> Self {
        Self {
            source,
            shortest: Duration::from_secs(60),
            longest: Duration::from_secs(60 * 60),
            hard_limit: Duration::from_secs(24 * 60 * 60),
            cooldown: Duration::from_secs(30),
            timeout: Duration::from_secs(5),
            max_size: 256 * 1024,
            loopback: false,
            #[cfg(feature = "jwks")]
            root_certificates: Vec::new(),
            clock: ComponentClock::default(),
        }
    }

    /// Reads keys from a file. By default, the file is read again every 8 to 10 minutes, like a URL without
    /// `Cache-Control`.
    #[must_use]
    pub fn file(path: impl Into<PathBuf>) -> Self {
        Self::new(KeySetSource::File(path.into()))
    }

    /// Fetches keys from an `https` URL.
    #[cfg(feature = "jwks")]
    #[must_use]
    pub fn url(url: impl Into<String>) -> Self {
        Self::new(KeySetSource::Url(url.into()))
    }

    /// Fetches keys from the URL that the issuer publishes at `/.well-known/openid-configuration` (OpenID Connect
    /// Discovery 1.0, section 4).
    #[cfg(feature = "jwks")]
    #[must_use]
    pub fn discover(issuer: impl Into<String>) -> Self {
        Self::new(KeySetSource::Discovery(issuer.into()))
    }

    /// Sets the minimum and maximum lifetime of fetched keys, 1 minute and 1 hour by default.
    ///
    /// `Cache-Control` of the response sets the lifetime within these bounds. Without this header, the lifetime is 10
    /// minutes. Keys are fetched again in the last fifth of their lifetime.
    #[must_use]
    pub fn fresh_between(mut self, shortest: Duration, longest: Duration) -> Self {
        self.shortest = shortest;
        self.longest = longest.max(shortest);
        self
    }

    /// Sets the maximum age of the keys that are used while fetching fails, 24 hours by default. If the keys are older,
    /// requests receive 503.
    ///
    /// The lifetime of keys is at most half of this limit. While fetches fail, the provider is not
    /// [ready](restwright_core::Component::ready) in the last tenth of this limit.
    #[must_use]
    pub fn hard_limit(mut self, limit: Duration) -> Self {
        self.hard_limit = limit;
        self
    }

    /// Sets the minimum time between two unscheduled fetches, 30 seconds by default. A token with an unknown key or a
    /// wrong signature causes an unscheduled fetch.
    #[must_use]
    pub fn cooldown(mut self, cooldown: Duration) -> Self {
        self.cooldown = cooldown;
        self
    }

    /// Sets the timeout of one fetch, including the connection and discovery, 5 seconds by default.
    #[must_use]
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }

    /// Sets the maximum size of a response with keys in bytes, 256 KiB by default.
    #[must_use]
    pub fn max_size(mut self, bytes: usize) -> Self {
        self.max_size = bytes;
        self
    }

    /// Adds trusted root certificates for the connection to the issuer. `pem` contains one or more root certificates in
    /// PEM.
    ///
    /// Use it for an internal issuer whose certificate is signed by a private authority:
    ///
    /// ```no_run
    /// use restwright_auth::Jwks;
    ///
    /// let authority = std::fs::read("/etc/pets/authority.pem")?;
    /// let keys = Jwks::url("https://login.internal/keys").root_certificate(authority);
    /// # Ok::<(), std::io::Error>(())
    /// ```
    ///
    /// Building the Api fails if `pem` contains no usable certificate.
    #[cfg(feature = "jwks")]
    #[must_use]
    pub fn root_certificate(mut self, pem: impl Into<Vec<u8>>) -> Self {
        self.root_certificates.push(pem.into());
        self
    }

    /// Also accepts `http` URLs of the local machine (`localhost`, 127.0.0.0/8, `[::1]`), for development and tests.
    /// The proxies in `HTTP_PROXY` and `HTTPS_PROXY` are then not used.
    #[must_use]
    pub fn allow_loopback_http(mut self) -> Self {
        self.loopback = true;
        self
    }

    /// Sets the clock that measures the age and lifetime of fetched keys. The default is the clock of the Api, or the
    /// system clock without an Api.
    #[must_use]
    pub fn clock(mut self, clock: Clock) -> Self {
        self.clock = clock.into();
        self
    }

    /// Creates the component that fetches the keys with these settings.
    #[must_use]
    pub fn provider(self) -> KeyProvider {
        KeyProvider::new(self)
    }

    /// Returns an error message for each invalid setting.
    pub(super) fn mistakes(&self) -> Vec<String> {
        #[cfg(feature = "jwks")]
        let roots = super::fetch::check_roots(&self.root_certificates).err();
        #[cfg(not(feature = "jwks"))]
        let roots: Option<String> = None;
        let roots = roots.map(|mistake| format!("keys of {}: {mistake}", self.source));
        self.source.mistake(self.loopback).into_iter().chain(roots).collect()
    }
}
