//! Where keys come from, and how they are kept fresh.

use std::path::PathBuf;
use std::time::Duration;

use restwright_core::Clock;

use super::fetch::Source;
use super::provider::KeyProvider;

/// Says where an issuer's keys come from and how they are kept fresh; [`provider`](Self::provider) makes the component that
/// does it.
///
/// Keys are fetched in the background: once when the component starts, then before they expire by the answer's
/// `Cache-Control`, within bounds, and when a token names a key that is not there or is not signed by those that are, at most
/// once per cooldown. A set replaces the one before, so that a key that the issuer takes back is not trusted any more. When
/// fetching fails, the last keys serve up to the hard limit; after that callers get 503, never 401.
#[derive(Debug, Clone)]
pub struct Jwks {
    pub(super) source: Source,
    pub(super) shortest: Duration,
    pub(super) longest: Duration,
    pub(super) hard_limit: Duration,
    pub(super) cooldown: Duration,
    pub(super) timeout: Duration,
    pub(super) largest: usize,
    pub(super) loopback: bool,
    #[cfg(feature = "jwks")]
    pub(super) root_certificates: Vec<Vec<u8>>,
    pub(super) clock: Clock,
}

impl Jwks {
    fn new(source: Source) -> Self {
        Self {
            source,
            shortest: Duration::from_secs(60),
            longest: Duration::from_secs(60 * 60),
            hard_limit: Duration::from_secs(24 * 60 * 60),
            cooldown: Duration::from_secs(30),
            timeout: Duration::from_secs(5),
            largest: 256 * 1024,
            loopback: false,
            #[cfg(feature = "jwks")]
            root_certificates: Vec::new(),
            clock: Clock::system(),
        }
    }

    /// Keys in a file, which is read again like an address is fetched again.
    #[must_use]
    pub fn file(path: impl Into<PathBuf>) -> Self {
        Self::new(Source::File(path.into()))
    }

    /// Keys at an `https` address.
    #[cfg(feature = "jwks")]
    #[must_use]
    pub fn url(url: impl Into<String>) -> Self {
        Self::new(Source::Url(url.into()))
    }

    /// Keys at the address that the issuer names by OpenID Connect Discovery 1.0 (section 4), at
    /// `/.well-known/openid-configuration` under its own identifier.
    #[cfg(feature = "jwks")]
    #[must_use]
    pub fn discover(issuer: impl Into<String>) -> Self {
        Self::new(Source::Discovery(issuer.into()))
    }

    /// Sets the bounds within which `Cache-Control` says how long keys are fresh; 1 minute and 1 hour by default. Keys are
    /// fetched again in the last fifth of that time; an answer that says nothing is fresh for 10 minutes.
    #[must_use]
    pub fn fresh_between(mut self, shortest: Duration, longest: Duration) -> Self {
        self.shortest = shortest;
        self.longest = longest.max(shortest);
        self
    }

    /// Sets how long the last keys serve when fetching fails; 24 hours by default. After that callers get 503.
    ///
    /// Keys are never fresh for more than half of it, and when fetches fail the provider is not
    /// [ready](restwright_core::Component::ready) any more in its last tenth.
    #[must_use]
    pub fn hard_limit(mut self, limit: Duration) -> Self {
        self.hard_limit = limit;
        self
    }

    /// Sets how long after a fetch for an unknown key or a wrong signature another one waits; 30 seconds by default.
    #[must_use]
    pub fn cooldown(mut self, cooldown: Duration) -> Self {
        self.cooldown = cooldown;
        self
    }

    /// Sets how long one fetch may take, with connecting and discovery; 5 seconds by default.
    #[must_use]
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }

    /// Sets the largest answer in bytes; 256 KiB by default.
    #[must_use]
    pub fn max_size(mut self, bytes: usize) -> Self {
        self.largest = bytes;
        self
    }

    /// Also trusts a certificate authority, beside those that the system trusts, by its certificate in PEM; several may stand in
    /// one text.
    ///
    /// For an issuer within an organisation that signs its own certificates:
    ///
    /// ```no_run
    /// use restwright_auth::Jwks;
    ///
    /// let authority = std::fs::read("/etc/pets/authority.pem")?;
    /// let keys = Jwks::url("https://login.internal/keys").root_certificate(authority);
    /// # Ok::<(), std::io::Error>(())
    /// ```
    ///
    /// A text without a certificate that can be used is an error when the Api is built.
    #[cfg(feature = "jwks")]
    #[must_use]
    pub fn root_certificate(mut self, pem: impl Into<Vec<u8>>) -> Self {
        self.root_certificates.push(pem.into());
        self
    }

    /// Also takes `http` addresses of this machine (`localhost`, 127.0.0.0/8, `[::1]`), for development and tests; then no proxy of the
    /// environment (`HTTP_PROXY`, `HTTPS_PROXY`) is asked.
    #[must_use]
    pub fn allow_loopback_http(mut self) -> Self {
        self.loopback = true;
        self
    }

    /// Goes by another clock.
    #[must_use]
    pub fn clock(mut self, clock: Clock) -> Self {
        self.clock = clock;
        self
    }

    /// The component that keeps the keys.
    #[must_use]
    pub fn provider(self) -> KeyProvider {
        KeyProvider::new(self)
    }

    /// What is wrong with the declaration.
    pub(super) fn mistakes(&self) -> Vec<String> {
        #[cfg(feature = "jwks")]
        let roots = super::fetch::check_roots(&self.root_certificates).err();
        #[cfg(not(feature = "jwks"))]
        let roots: Option<String> = None;
        let roots = roots.map(|mistake| format!("keys of {}: {mistake}", self.source));
        self.source.mistake(self.loopback).into_iter().chain(roots).collect()
    }
}
