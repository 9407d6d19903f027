//! Security schemes.

use std::collections::BTreeSet;

use restwright_core::Api;
use restwright_core::operation as described;

use crate::document::{OAuthFlow, SecurityScheme};

/// The scopes that operations require of a scheme.
pub(super) fn required_scopes(api: &Api, name: &str) -> BTreeSet<String> {
    let requirements = api.operations().flat_map(|operation| &operation.security);
    requirements.filter_map(|requirement| requirement.schemes.get(name)).flatten().cloned().collect()
}

/// A flow lists what it says of scopes, and what operations require beside.
pub(super) fn scheme(scheme: described::SecurityScheme, required: &BTreeSet<String>) -> SecurityScheme {
    match scheme {
        described::SecurityScheme::Http { scheme, bearer_format, description } => {
            SecurityScheme::Http { scheme, bearer_format, description }
        }
        described::SecurityScheme::ApiKey { location, name, description } => {
            SecurityScheme::ApiKey { location: location.as_str(), name, description }
        }
        described::SecurityScheme::OAuth2 { flows, description } => {
            let flows = flows.into_iter().map(|(name, flow)| (name, written(flow, required)));
            SecurityScheme::OAuth2 { flows: flows.collect(), description }
        }
        described::SecurityScheme::OpenIdConnect { url, description } => {
            SecurityScheme::OpenIdConnect { open_id_connect_url: url, description }
        }
        // A kind of scheme that this crate does not know yet.
        other => SecurityScheme::Http {
            scheme: "unknown".to_owned(),
            bearer_format: None,
            description: Some(format!("{other:?}")),
        },
    }
}

fn written(flow: described::OAuthFlow, required: &BTreeSet<String>) -> OAuthFlow {
    let mut scopes = flow.scopes;
    for scope in required {
        scopes.entry(scope.clone()).or_default();
    }
    OAuthFlow {
        authorization_url: flow.authorization_url,
        token_url: flow.token_url,
        refresh_url: flow.refresh_url,
        scopes,
    }
}
