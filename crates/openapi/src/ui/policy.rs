//! Creates the `Content-Security-Policy` of the documentation pages.

use restwright_runtime::core::operation::{OAuthFlow, SecurityScheme};

use crate::generate::Document;

/// Returns the `Content-Security-Policy` of the documentation page. It allows scripts only from the origin of the page.
/// It also allows requests to the declared servers, the token URLs of the declared flows, and the origins of OpenID
/// Connect providers.
pub(super) fn of_page(document: &Document) -> String {
    let servers = document.servers.iter().map(|server| server.url.as_str());
    let tokens = document.components.security_schemes.iter().flat_map(|(_, scheme)| flows(scheme)).flat_map(token_urls);
    let providers = document.components.security_schemes.iter().filter_map(|(_, scheme)| provider(scheme));
    let mut connect = "'self'".to_owned();
    for origin in servers.chain(tokens).chain(providers).filter_map(origin) {
        if !connect.split(' ').any(|known| known == origin) {
            connect.push(' ');
            connect.push_str(&origin);
        }
    }
    // Swagger UI sets style attributes and uses data URLs for icons.
    format!(
        "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; \
         connect-src {connect}; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    )
}

/// The `Content-Security-Policy` of the page that an OAuth 2.0 provider redirects to.
pub(super) const OF_REDIRECT: &str = "default-src 'none'; script-src 'self'; base-uri 'none'; frame-ancestors 'none'";

fn flows(scheme: &SecurityScheme) -> &[OAuthFlow] {
    match scheme {
        SecurityScheme::OAuth2 { flows, .. } => flows,
        _ => &[],
    }
}

fn provider(scheme: &SecurityScheme) -> Option<&str> {
    match scheme {
        SecurityScheme::OpenIdConnect { url, .. } => Some(url),
        _ => None,
    }
}

fn token_urls(flow: &OAuthFlow) -> impl Iterator<Item = &str> {
    [&flow.token_url, &flow.refresh_url].into_iter().flatten().map(String::as_str)
}

/// Returns the origin (scheme and authority) of an absolute `http` or `https` URL.
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
    fn allows_the_origin_of_a_provider() {
        let url = "https://login.example.com/.well-known/openid-configuration";
        let scheme = SecurityScheme::open_id_connect(url);
        assert_eq!(provider(&scheme).and_then(origin).as_deref(), Some("https://login.example.com"));
    }

    #[test]
    fn allows_only_plain_origins() {
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
