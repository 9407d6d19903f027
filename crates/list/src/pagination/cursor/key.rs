//! Defines [`CursorKey`], the key that authenticates cursors.

use std::fmt;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use restwright_core::runtime::log;
use restwright_core::{BuildContext, BuildErrors, Clock};

/// The key that authenticates cursors (HMAC-SHA-256, RFC 2104), with the lifetime of the cursors.
///
/// Without a key in the [`Configuration`](restwright_core::Configuration), each process generates a random key. Cursors
/// then become invalid when the process ends, and other instances reject them.
///
/// ```
/// use std::time::Duration;
///
/// use restwright_core::Configuration;
/// use restwright_list::CursorKey;
///
/// let secret = [7; 32]; // from the environment
/// let key = CursorKey::new(secret).expires_after(Duration::from_secs(24 * 60 * 60));
/// let configuration = Configuration::new("animals", "1.0.0").with(key);
/// ```
#[derive(Clone)]
pub struct CursorKey {
    secret: Arc<[u8]>,
    lifetime: Option<Duration>,
    clock: Clock,
}

impl CursorKey {
    /// The minimum length of a secret in bytes. It is the length of a SHA-256 digest (RFC 2104, section 3).
    const SHORTEST: usize = 32;

    /// Creates a key from a secret that all instances of the service share. Use at least 32 random bytes, such as the
    /// output of `openssl rand -hex 32`. Building an Api with cursors fails if the secret is shorter.
    #[must_use]
    pub fn new(secret: impl AsRef<[u8]>) -> Self {
        Self { secret: secret.as_ref().into(), lifetime: None, clock: Clock::system() }
    }

    /// Sets the lifetime of cursors, rounded down to whole seconds. By default they do not expire.
    #[must_use]
    pub fn expires_after(mut self, lifetime: Duration) -> Self {
        self.lifetime = Some(lifetime);
        self
    }

    pub(super) fn clock(self, clock: Clock) -> Self {
        Self { clock, ..self }
    }

    /// Returns the configured key, or a random key that the process generates once. The key uses the clock of the Api.
    pub(super) fn of_configuration(context: &BuildContext<'_>) -> Result<Self, BuildErrors> {
        match context.configuration().get::<Self>() {
            Some(key) if key.secret.len() < Self::SHORTEST => Err(BuildErrors::one(format!(
                "the cursor key has {} bytes, so cursors can be forged; it must have at least {}, such as the output of `openssl rand -hex {1}`; check that the setting is present",
                key.secret.len(),
                Self::SHORTEST
            ))),
            Some(key) => Ok(key.clone()),
            None => Self::of_process(),
        }
        .map(|key| key.clock(context.clock().clone()))
    }

    pub(super) fn secret(&self) -> &[u8] {
        &self.secret
    }

    /// Returns the current Unix time in seconds.
    pub(super) fn now(&self) -> u64 {
        u64::try_from(self.clock.unix_seconds()).unwrap_or(0)
    }

    /// Returns `true` if a cursor that was created at this time has expired.
    pub(super) fn has_expired(&self, made: u64) -> bool {
        self.lifetime.is_some_and(|lifetime| self.now().saturating_sub(made) > lifetime.as_secs())
    }

    fn of_process() -> Result<Self, BuildErrors> {
        static KEY: OnceLock<Option<CursorKey>> = OnceLock::new();
        let made = KEY.get_or_init(|| {
            log(|| tracing::warn!(
                "no cursor key is configured, so this process generated one: its cursors are invalid after a restart and in other instances; add a `CursorKey` to the configuration"
            ));
            let mut secret = [0; 32];
            getrandom::fill(&mut secret).ok().map(|()| Self::new(secret))
        });
        made.clone().ok_or_else(|| {
            BuildErrors::one(
                "the operating system provides no randomness for a cursor key; add a `CursorKey` to the configuration",
            )
        })
    }
}

impl fmt::Debug for CursorKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("CursorKey").field("lifetime", &self.lifetime).finish_non_exhaustive()
    }
}
