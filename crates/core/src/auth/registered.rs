//! Registers authenticators in a configuration.

use std::sync::Arc;

use super::{Authenticator, ErasedAuthenticator};
use crate::configuration::Configuration;
use crate::operation::SecurityScheme;

/// A shared, type-erased [`Authenticator`].
pub type SharedAuthenticator = Arc<dyn ErasedAuthenticator>;

/// The registered authenticators, each with its name. They are stored as a setting, so the module `configuration` does
/// not depend on this module.
#[derive(Clone, Default)]
struct Authenticators(Vec<(String, SharedAuthenticator)>);

impl Configuration {
    /// Registers an authenticator under a name that routes refer to.
    #[must_use]
    pub fn authenticator(mut self, name: impl Into<String>, authenticator: impl Authenticator) -> Self {
        let mut registered = self.get::<Authenticators>().cloned().unwrap_or_default();
        registered.0.push((name.into(), Arc::new(authenticator)));
        self.settings_mut().insert(registered);
        self
    }

    /// Returns the security scheme of the authenticator with this name.
    #[must_use]
    pub fn security_scheme(&self, name: &str) -> Option<SecurityScheme> {
        let found = self.authenticators().iter().find(|(known, _)| known == name);
        found.map(|(_, authenticator)| authenticator.describe())
    }

    #[doc(hidden)]
    #[must_use]
    pub fn authenticators(&self) -> &[(String, SharedAuthenticator)] {
        self.get::<Authenticators>().map(|registered| registered.0.as_slice()).unwrap_or_default()
    }
}
