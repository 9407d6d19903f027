//! An authenticator.

use std::collections::HashMap;

use restwright_core::auth::{Authentication, Authenticator, Identity, Rejection};
use restwright_core::http::{HeaderName, HttpRequest};
use restwright_core::operation::{ApiKeyLocation, SecurityScheme};
use restwright_core::{ApiState, BuildContext, BuildErrors};

const CARD: HeaderName = HeaderName::from_static("x-card");

/// Authenticates callers by the number of their card.
#[derive(Debug, Default)]
pub struct AccessCards {
    owners: HashMap<String, String>,
}

impl AccessCards {
    /// Adds a card.
    #[must_use]
    pub fn card(mut self, number: &str, owner: &str) -> Self {
        self.owners.insert(number.to_owned(), owner.to_owned());
        self
    }
}

impl Authenticator for AccessCards {
    fn describe(&self) -> SecurityScheme {
        SecurityScheme::api_key(ApiKeyLocation::Header, CARD.as_str())
    }

    fn plan(&self, _: &mut BuildContext<'_, ApiState>) -> Result<(), BuildErrors> {
        if self.owners.is_empty() { Err(BuildErrors::one("there is no card; add one with `card`")) } else { Ok(()) }
    }

    async fn authenticate(&self, request: &mut HttpRequest) -> Authentication {
        match request.only_header(&CARD) {
            Ok(None) => Authentication::NoCredentials,
            Ok(Some(number)) => match self.owners.get(number) {
                Some(owner) => Authentication::Identity(Identity::builder(owner).build()),
                None => Authentication::Rejected(Rejection::new("nobody has this card")),
            },
            Err(error) => Authentication::Rejected(Rejection::new(error.to_string())),
        }
    }
}
