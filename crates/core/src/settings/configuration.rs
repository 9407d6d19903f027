//! Adds the settings of the environment to a [`Configuration`].

use std::time::Duration;

use super::{Settings, SetupError};
use crate::client_address::TrustedProxies;
use crate::configuration::Configuration;

impl Configuration {
    /// Sets the limits and the trusted proxies that the environment contains. Other values do not change.
    ///
    /// The variables are `BODY_LIMIT` in bytes, `DEADLINE` in seconds, `MAX_CONCURRENT`, and `TRUSTED_PROXIES`, a list of
    /// addresses and networks, and `unix` for every peer on a Unix socket. Each name has the prefix of the settings.
    ///
    /// # Errors
    /// Fails if a number is invalid. Building the Api fails if a proxy is neither an address nor a network.
    pub fn settings(mut self, settings: &Settings) -> Result<Self, SetupError> {
        // A number that this machine cannot count to is no limit.
        let number = |number| usize::try_from(number).unwrap_or(usize::MAX);
        if let Some(bytes) = settings.number("BODY_LIMIT", 1..=u64::MAX)? {
            self = self.body_limit(number(bytes));
        }
        if let Some(seconds) = settings.number("DEADLINE", 1..=24 * 60 * 60)? {
            self = self.deadline(Duration::from_secs(seconds));
        }
        if let Some(requests) = settings.number("MAX_CONCURRENT", 1..=1_000_000)? {
            self = self.max_concurrent(number(requests));
        }
        let (sockets, networks): (Vec<_>, Vec<_>) =
            settings.list("TRUSTED_PROXIES")?.into_iter().partition(|part| part == "unix");
        if sockets.is_empty() && networks.is_empty() {
            return Ok(self);
        }
        let proxies = TrustedProxies::new(networks);
        Ok(self.trusted_proxies(if sockets.is_empty() { proxies } else { proxies.unix_socket() }))
    }
}
