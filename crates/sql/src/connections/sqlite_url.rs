//! Parses the URL of a SQLite database.

use std::path::PathBuf;
use std::time::Duration;

use percent_encoding::percent_decode_str;

use super::connection_string::{IS_CONNECTION_STRING, is_connection_string};
use crate::driver::SqliteFile;

/// The advice for the URL of a database that the application is built without.
const OFF: &str = "for which the feature `postgres` is off; enable it";

/// Parses the URL or the path of a SQLite database. Statements wait up to `wait` for locks of other connections.
pub(super) fn sqlite_file(url: &str, wait: Duration) -> Result<SqliteFile, String> {
    let url = sqlite_url(url)?;
    let path = url.strip_prefix("sqlite:").unwrap_or(&url);
    let path = path.strip_prefix("//").unwrap_or(path);
    let (path, parameters) = path.split_once('?').unwrap_or((path, ""));
    let decoded = percent_decode_str(path).decode_utf8().map_err(|_source| "its path is not UTF-8".to_owned())?;
    let path = if decoded == ":memory:" { PathBuf::new() } else { PathBuf::from(&*decoded) };
    // Only the start creates the file. If the file disappears later, a new one would be empty.
    let mut file = SqliteFile { path, is_read_only: false, is_immutable: false, is_created: false, wait };
    for parameter in parameters.split('&').filter(|parameter| !parameter.is_empty()) {
        match parameter {
            "mode=ro" => file.is_read_only = true,
            "mode=rw" | "mode=rwc" => {}
            "mode=memory" => file.path = PathBuf::new(),
            "immutable=1" | "immutable=true" => (file.is_read_only, file.is_immutable) = (true, true),
            _ => {
                return Err(format!(
                    "its parameter `{parameter}` is not supported; the parameters are `mode=ro`, `mode=rw`, `mode=rwc`, `mode=memory` and `immutable=1`"
                ));
            }
        }
    }
    Ok(file)
}

/// Converts a file path to a `sqlite://` URL. Returns a `sqlite:` URL unchanged.
fn sqlite_url(url: &str) -> Result<String, String> {
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
    fn parses_paths_and_parameters() {
        for (url, path, is_read_only, is_immutable) in [
            ("sqlite://shop.db", "shop.db", false, false),
            ("sqlite:shop.db", "shop.db", false, false),
            ("shop.db", "shop.db", false, false),
            ("sqlite:///var/lib/shop.db?mode=rwc", "/var/lib/shop.db", false, false),
            ("sqlite://shop.db?mode=ro", "shop.db", true, false),
            ("sqlite://shop.db?mode=ro&immutable=1", "shop.db", true, true),
            ("sqlite://my%20shop%3F.db", "my shop?.db", false, false),
            ("sqlite::memory:", "", false, false),
            ("sqlite://:memory:", "", false, false),
            ("sqlite://shop?mode=memory", "", false, false),
        ] {
            let expected =
                SqliteFile { path: path.into(), is_read_only, is_immutable, is_created: false, wait: Duration::ZERO };
            assert_eq!(sqlite_file(url, Duration::ZERO), Ok(expected), "{url}");
        }
        for (url, expected) in [
            ("sqlite://shop.db?mode=write", "its parameter `mode=write` is not supported"),
            ("sqlite://shop.db?cache=shared", "its parameter `cache=shared` is not supported"),
            ("sqlite://%ff.db", "its path is not UTF-8"),
        ] {
            let error = sqlite_file(url, Duration::ZERO).unwrap_err();
            assert!(error.starts_with(expected), "{url}: {error}");
        }
    }

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
