//! What a browser may load for the page.

/// The `Content-Security-Policy` of the page: its own origin; requests to try out also go to the declared servers.
pub(super) fn content_security_policy(servers: &[String]) -> String {
    let mut connect = "'self'".to_owned();
    for origin in servers.iter().filter_map(|url| origin(url)) {
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

    #[test]
    fn a_server_is_named_once() {
        let servers = ["https://a.example/v1".to_owned(), "https://a.example/v2".to_owned()];
        assert!(content_security_policy(&servers).contains("connect-src 'self' https://a.example;"));
    }
}
