//! Converts the URL of a SQLite database.

use super::connection_string::{IS_CONNECTION_STRING, is_connection_string};

/// The advice for the URL of a database that the application is built without.
const OFF: &str = "for which the feature `postgres` is off; enable it";

/// Converts a file path to a `sqlite://` URL. Returns a `sqlite:` URL unchanged.
pub(super) fn sqlite_url(url: &str) -> Result<String, String> {
    if let Some(path) = url.strip_prefix("sqlite:") {
        // Each connection to a database without a path would have its own.
        let path = path.trim_start_matches('/').split('?').next().unwrap_or_default();
        return if path.is_empty() {
            Err("it has no path; write `sqlite://shop.db` for a file, or `sqlite::memory:`".to_owned())
        } else {
            Ok(url.to_owned())
        };
    }
    if url.is_empty() {
        return Err("it is empty".to_owned());
    }
    if is_connection_string(url) {
        return Err(IS_CONNECTION_STRING.to_owned());
    }
    // A host and a port, or a user and a password, which the message must not contain.
    if let Some((host, rest)) = url.split_once(':')
        && host.contains('.')
        && (rest.starts_with(|first: char| first.is_ascii_digit()) || rest.contains('@'))
    {
        return Err("it has no scheme; write `postgres://` in front of it".to_owned());
    }
    // A single letter before the colon is a drive letter of Windows.
    if let Some((scheme, rest)) =
        url.split_once(':').filter(|(scheme, _)| scheme.len() > 1 && !scheme.contains(['/', '\\', '.']))
    {
        if matches!(scheme, "postgres" | "postgresql") && rest.starts_with("//") {
            let advice = if cfg!(feature = "postgres") { "but the store is on SQLite" } else { OFF };
            return Err(format!("it names PostgreSQL, {advice}"));
        }
        return Err(format!(
            "no store supports the scheme `{scheme}:`; the URL must begin with `postgres://`, `postgresql://` or `sqlite://`"
        ));
    }
    if !url.contains(['/', '\\', '.']) {
        return Err(format!(
            "`{url}` is neither a URL nor the path of a file; write `sqlite://{url}` for the file of this name"
        ));
    }
    Ok(format!("sqlite://{url}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rejects_urls_with_unknown_schemes_and_bare_words() {
        for (url, expected) in [
            ("sqlite://animals.db", Ok("sqlite://animals.db")),
            ("sqlite:animals", Ok("sqlite:animals")),
            ("sqlite::memory:", Ok("sqlite::memory:")),
            ("animals.db", Ok("sqlite://animals.db")),
            ("/var/lib/animals", Ok("sqlite:///var/lib/animals")),
            ("./animals", Ok("sqlite://./animals")),
            ("C:\\animals.db", Ok("sqlite://C:\\animals.db")),
            ("posgres://localhost/animals", Err("no store supports the scheme `posgres:`")),
            ("postgres://localhost/animals", Err("it names PostgreSQL, ")),
            ("mysql://localhost/animals", Err("no store supports the scheme `mysql:`")),
            ("animals", Err("`animals` is neither a URL nor the path of a file; write `sqlite://animals`")),
            ("", Err("it is empty")),
            ("sqlite:", Err("it has no path; write `sqlite://shop.db`")),
            ("sqlite://", Err("it has no path; write `sqlite://shop.db`")),
            ("sqlite://?mode=rwc", Err("it has no path; write `sqlite://shop.db`")),
            ("sqlite:///shop.db?mode=rwc", Ok("sqlite:///shop.db?mode=rwc")),
            ("127.0.0.1:5432/shop", Err("it has no scheme")),
            ("host=db.local dbname=shop", Err("it is a connection string of keywords")),
        ] {
            match (sqlite_url(url), expected) {
                (Ok(found), Ok(expected)) => assert_eq!(found, expected, "{url}"),
                (Err(found), Err(expected)) => assert!(found.starts_with(expected), "{url}: {found}"),
                (found, expected) => panic!("{url}: {found:?} instead of {expected:?}"),
            }
        }
    }
}
