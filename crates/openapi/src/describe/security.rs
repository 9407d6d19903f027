//! Security schemes.

use restwright_core::operation as described;

use crate::document::{OAuthFlow, SecurityScheme};

pub(super) fn scheme(scheme: described::SecurityScheme) -> SecurityScheme {
    match scheme {
        described::SecurityScheme::Http { scheme, bearer_format, description } => {
            SecurityScheme::Http { scheme, bearer_format, description }
        }
        described::SecurityScheme::ApiKey { location, name, description } => {
            SecurityScheme::ApiKey { location: location.as_str(), name, description }
        }
        described::SecurityScheme::OAuth2 { flows, description } => {
            let flows = flows.into_iter().map(|(name, flow)| (name, written(flow)));
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

fn written(flow: described::OAuthFlow) -> OAuthFlow {
    OAuthFlow {
        authorization_url: flow.authorization_url,
        token_url: flow.token_url,
        refresh_url: flow.refresh_url,
        scopes: flow.scopes,
    }
}
