//! Detects connection strings of libpq in place of URLs.

/// The keywords at which the connection strings of libpq begin.
const KEYWORDS: &[&str] = &["host=", "hostaddr=", "port=", "dbname=", "user=", "password=", "service="];

/// The error for a connection string of libpq. It does not contain the string, which may contain a password.
pub(super) const IS_CONNECTION_STRING: &str =
    "it is a connection string of keywords; write a URL, `postgres://user:password@host:5432/database`";

/// Returns `true` for a connection string of libpq, such as `host=db dbname=shop`.
pub(super) fn is_connection_string(url: &str) -> bool {
    KEYWORDS.iter().any(|keyword| url.trim_start().starts_with(keyword))
}
