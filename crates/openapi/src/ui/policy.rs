//! What a browser may load for the page.

use crate::document::{Document, OAuthFlow, SecurityScheme};

/// The `Content-Security-Policy` of the page: its own origin; what is tried out also goes to the declared servers, and
/// tokens come from where they are declared to be issued, or where an OpenID Connect provider describes itself.
pub(super) fn of_page(document: &Document) -> String {
    let servers = document.servers.iter().map(|server| server.url.as_str());
    let tokens = document.components.security_schemes.values().flat_map(flows).flat_map(token_urls);
    let providers = document.components.security_schemes.values().filter_map(provider);
    let mut connect = "'self'".to_owned();
    for origin in servers.chain(tokens).chain(providers).filter_map(origin) {
        if !connect.split(' ').any(|known| known == origin) {
            connect.push(' ');
            connect.push_str(&origin);
        }
    }
    // Swagger UI sets style attributes and has its icons in data addresses.
    format!(
        "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; \
         connect-src {connect}; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    )
}

/// The policy of the page that an OAuth 2.0 provider leads back to.
pub(super) const OF_REDIRECT: &str = "default-src 'none'; script-src 'self'; base-uri 'none'; frame-ancestors 'none'";

fn flows(scheme: &SecurityScheme) -> impl Iterator<Item = &OAuthFlow> {
    let flows = match scheme {
        SecurityScheme::OAuth2 { flows, .. } => Some(flows),
        SecurityScheme::Http { .. } | SecurityScheme::ApiKey { .. } | SecurityScheme::OpenIdConnect { .. } => None,
    };
    flows.into_iter().flat_map(|flows| flows.values())
}

fn provider(scheme: &SecurityScheme) -> Option<&str> {
    match scheme {
        SecurityScheme::OpenIdConnect { open_id_connect_url, .. } => Some(open_id_connect_url),
        SecurityScheme::Http { .. } | SecurityScheme::ApiKey { .. } | SecurityScheme::OAuth2 { .. } => None,
    }
}

fn token_urls(flow: &OAuthFlow) -> impl Iterator<Item = &str> {
    [&flow.token_url, &flow.refresh_url].into_iter().flatten().map(String::as_str)
}

/// Scheme and authority of an absolute `http` or `https` address.
fn origin(url: &str) -> Option<String> {
    let (scheme, rest) = url.split_once("://")?;
    let authority = rest.split(['/', '?', '#']).next().filter(|authority| !authority.is_empty())?;
    let plain = authority.chars().all(|character| character.is_ascii_alphanumeric() || "-.:[]".contains(character));
    (matches!(scheme, "http" | "https") && plain).then(|| format!("{scheme}://{authority}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_provider_is_asked_where_it_describes_itself() {
        let url = "https://login.example.com/.well-known/openid-configuration";
        let scheme = SecurityScheme::OpenIdConnect { open_id_connect_url: url.to_owned(), description: None };
        assert_eq!(provider(&scheme).and_then(origin).as_deref(), Some("https://login.example.com"));
    }

    #[test]
    fn only_plain_origins_are_allowed() {
        for (url, expected) in [
            ("https://api.example.com/v1", Some("https://api.example.com")),
            ("http://127.0.0.1:8080", Some("http://127.0.0.1:8080")),
            ("/v1", None),
            ("https://{tenant}.example.com", None),
            ("https://a.example; script-src *", None),
            ("ftp://example.com", None),
            ("https://", None),
        ] {
            assert_eq!(origin(url).as_deref(), expected, "{url}");
        }
    }
}
