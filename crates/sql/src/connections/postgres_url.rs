//! Parses the URL of a PostgreSQL database.

use std::ffi::OsStr;
use std::path::Path;
use std::str::FromStr;

use sqlx::postgres::PgConnectOptions;

use super::connection_string::{IS_CONNECTION_STRING, is_connection_string};
use crate::driver::DriverError;

/// The parameters that the driver reads. `options[..]` is another one.
const READ: &[&str] = &[
    "sslmode",
    "ssl-mode",
    "sslrootcert",
    "ssl-root-cert",
    "ssl-ca",
    "sslcert",
    "ssl-cert",
    "sslkey",
    "ssl-key",
    "statement-cache-capacity",
    "host",
    "hostaddr",
    "port",
    "dbname",
    "user",
    "password",
    "application_name",
    "options",
];

/// Parses a URL into connection options. The sessions of the server show the name of the program, unless the URL has an
/// `application_name`.
pub(super) fn options(url: &str) -> Result<PgConnectOptions, String> {
    let options = PgConnectOptions::from_str(&checked(url)?).map_err(|error| DriverError::from(error).message())?;
    if options.get_application_name().is_some() {
        return Ok(options);
    }
    let path = std::env::current_exe().ok();
    let name = path.as_deref().and_then(Path::file_stem).and_then(OsStr::to_str);
    Ok(options.application_name(name.unwrap_or("restwright")))
}

/// Returns the names of the parameters of a URL and of the environment that have no effect.
pub(super) fn ignored(url: &str) -> Vec<String> {
    let service = std::env::var_os("PGSERVICE").map(|_| "PGSERVICE");
    ignored_parameters(url).chain(service).map(str::to_owned).collect()
}

/// Returns a URL without the parameters that the driver ignores.
///
/// # Errors
/// The URL has several hosts, or requires channel binding, which the driver does not support. Or it is a connection string of libpq.
fn checked(url: &str) -> Result<String, &'static str> {
    if is_connection_string(url) {
        return Err(IS_CONNECTION_STRING);
    }
    if !["postgres://", "postgresql://"].iter().any(|scheme| url.starts_with(scheme)) {
        return Err(if cfg!(feature = "sqlite") {
            "it must begin with `postgres://`, because the store is on PostgreSQL"
        } else {
            "it must begin with `postgres://`; a store on SQLite needs the feature `sqlite`"
        });
    }
    let (address, query) = split(url);
    let authority = address.split_once("://").map(|(_, rest)| rest).unwrap_or_default();
    let authority = authority.split('/').next().unwrap_or_default();
    let hosts = authority.rsplit('@').next().unwrap_or_default();
    let has_several = |value: &str| value.contains(',') || value.contains("%2C") || value.contains("%2c");
    if has_several(hosts) || parameters(query).any(|(name, value)| name.starts_with("host") && has_several(value)) {
        return Err(
            "it has several hosts, and one is supported; write the host of the primary, or of a proxy that finds it",
        );
    }
    if parameters(query).any(|(name, value)| name == "channel_binding" && value == "require") {
        return Err("`channel_binding=require` is not supported; write `sslmode=verify-full` instead");
    }
    let kept: Vec<_> =
        parameters(query).filter(|(name, _)| is_read(name)).map(|(name, value)| format!("{name}={value}")).collect();
    Ok(if kept.is_empty() { address.to_owned() } else { format!("{address}?{}", kept.join("&")) })
}

fn ignored_parameters(url: &str) -> impl Iterator<Item = &str> {
    // Without a parameter, the driver behaves like these values.
    let is_default = |name: &str, value: &str| {
        matches!((name, value), ("channel_binding", "prefer" | "disable") | ("target_session_attrs", "any"))
    };
    let ignored = parameters(split(url).1).filter(move |(name, value)| !is_read(name) && !is_default(name, value));
    ignored.map(|(name, _)| name)
}

fn is_read(name: &str) -> bool {
    READ.contains(&name) || name.starts_with("options[") || name.starts_with("options%5B")
}

fn split(url: &str) -> (&str, &str) {
    url.split_once('?').unwrap_or((url, ""))
}

fn parameters(query: &str) -> impl Iterator<Item = (&str, &str)> {
    let parameters = query.split('&').filter(|parameter| !parameter.is_empty());
    parameters.map(|parameter| parameter.split_once('=').unwrap_or((parameter, "")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rejects_what_the_driver_does_not_support() {
        for (url, expected) in [
            ("postgres://db/shop", ""),
            ("postgres://ann:a,b@db:5432/shop", ""),
            ("postgres://db/shop,2", ""),
            ("postgres://db/shop?channel_binding=prefer", ""),
            ("postgres://one,two/shop", "it has several hosts"),
            ("postgres://ann@one:5432,two:5432/shop?target_session_attrs=read-write", "it has several hosts"),
            ("postgres:///shop?host=one,two", "it has several hosts"),
            ("postgres:///shop?hostaddr=10.0.0.1%2C10.0.0.2", "it has several hosts"),
            (
                "postgres://db/shop?sslmode=require&channel_binding=require",
                "`channel_binding=require` is not supported",
            ),
            ("host=db.local port=5432 dbname=shop password=secret", "it is a connection string of keywords"),
            ("dbname=shop", "it is a connection string of keywords"),
            ("sqlite://shop.db", "it must begin with `postgres://`"),
        ] {
            let error = checked(url).err().unwrap_or_default();
            assert!(error.starts_with(expected) && error.is_empty() == expected.is_empty(), "{url}: {error}");
            assert!(!error.contains("secret"), "{error}");
        }
    }

    #[test]
    fn names_and_removes_the_parameters_without_effect() {
        for (url, kept, expected) in [
            ("postgres://db/shop", "postgres://db/shop", ""),
            ("postgres://db/shop?", "postgres://db/shop", ""),
            ("postgres://db/shop?sslmode=disable&options[a]=1", "postgres://db/shop?sslmode=disable&options[a]=1", ""),
            (
                "postgres://db/shop?connect_timeout=3&sslmode=disable&keepalives=0",
                "postgres://db/shop?sslmode=disable",
                "connect_timeout, keepalives",
            ),
            ("postgres://db/shop?target_session_attrs=any", "postgres://db/shop", ""),
            ("postgres://db/shop?target_session_attrs=read-write", "postgres://db/shop", "target_session_attrs"),
            ("postgres://db/shop?channel_binding=prefer", "postgres://db/shop", ""),
        ] {
            assert_eq!(
                (checked(url).as_deref(), ignored_parameters(url).collect::<Vec<_>>().join(", ").as_str()),
                (Ok(kept), expected),
                "{url}"
            );
        }
    }
}
