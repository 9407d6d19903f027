//! Converts security schemes to okapi's types.

use okapi::openapi3::{self, OAuthFlows, Object, SecuritySchemeData};
use restwright_runtime::core::operation::{OAuthFlow, OAuthFlowKind, SecurityScheme};

pub(crate) fn scheme(scheme: &SecurityScheme) -> openapi3::SecurityScheme {
    let (data, description) = match scheme {
        SecurityScheme::Http { scheme, bearer_format, description, .. } => {
            (SecuritySchemeData::Http { scheme: scheme.clone(), bearer_format: bearer_format.clone() }, description)
        }
        SecurityScheme::ApiKey { location, name, description, .. } => {
            (SecuritySchemeData::ApiKey { name: name.clone(), location: location.to_string() }, description)
        }
        SecurityScheme::OAuth2 { flows, description, .. } => {
            let first = flows.iter().min_by_key(|flow| flow.kind);
            let none = OAuthFlow::client_credentials("");
            (SecuritySchemeData::OAuth2 { flows: flow(first.unwrap_or(&none)) }, description)
        }
        SecurityScheme::OpenIdConnect { url, description, .. } => {
            (SecuritySchemeData::OpenIdConnect { open_id_connect_url: url.clone() }, description)
        }
        // All schemes of OpenAPI 3.0 are handled above.
        _ => (SecuritySchemeData::Http { scheme: String::new(), bearer_format: None }, &None),
    };
    openapi3::SecurityScheme { description: description.clone(), data, extensions: Object::default() }
}

fn flow(flow: &OAuthFlow) -> OAuthFlows {
    let (authorization_url, token_url) = (flow.authorization_url.clone(), flow.token_url.clone());
    let (authorization_url, token_url) = (authorization_url.unwrap_or_default(), token_url.unwrap_or_default());
    let refresh_url = flow.refresh_url.clone();
    let scopes = flow.scopes.clone().into_iter().collect();
    let extensions = Object::default();
    match flow.kind {
        OAuthFlowKind::Implicit => OAuthFlows::Implicit { authorization_url, refresh_url, scopes, extensions },
        OAuthFlowKind::Password => OAuthFlows::Password { token_url, refresh_url, scopes, extensions },
        OAuthFlowKind::ClientCredentials => {
            OAuthFlows::ClientCredentials { token_url, refresh_url, scopes, extensions }
        }
        _ => OAuthFlows::AuthorizationCode { authorization_url, token_url, refresh_url, scopes, extensions },
    }
}
