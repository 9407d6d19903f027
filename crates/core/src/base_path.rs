//! Defines [`BasePath`], which completes references from the root behind a proxy that removes a prefix.

use std::borrow::Cow;

use http::header::{CONTENT_LOCATION, LOCATION};
use http::{HeaderName, HeaderValue};

use crate::client_address::TrustedProxies;
use crate::configuration::Configuration;
use crate::http::{HttpRequest, HttpResponse};

const X_FORWARDED_PREFIX: HeaderName = HeaderName::from_static("x-forwarded-prefix");

/// The maximum length of a base path that a proxy sends, in bytes.
const LONGEST: usize = 256;

/// The base path of an Api, which clients see in front of each path. A proxy removes it from requests.
#[derive(Debug, Clone)]
pub struct BasePath {
    declared: Option<String>,
    /// The proxies whose `X-Forwarded-Prefix` is read.
    proxies: Option<TrustedProxies>,
    /// `true` if references are sent relative to the path of the request.
    is_relative: bool,
}

impl BasePath {
    /// Returns the base path of a configuration. Returns `None` if references are sent as they are.
    #[must_use]
    pub fn new(configuration: &Configuration) -> Option<Self> {
        let declared = declared(configuration).map(str::to_owned);
        let proxies = configuration.get::<TrustedProxies>().filter(|proxies| proxies.reads_prefix()).cloned();
        let is_relative = configuration.get::<RelativeLocations>().is_some();
        let has_effect = declared.is_some() || proxies.is_some() || is_relative;
        has_effect.then_some(Self { declared, proxies, is_relative })
    }

    /// Completes `Location` and `Content-Location` if they are paths.
    pub fn complete(&self, request: &HttpRequest, response: &mut HttpResponse) {
        for name in [LOCATION, CONTENT_LOCATION] {
            let is_path = |reference: &&str| reference.starts_with('/') && !reference.starts_with("//");
            let Some(reference) = response.header_text(&name).filter(is_path) else { continue };
            let complete = match self.is_relative {
                true => relative(request.path(), reference),
                false => format!("{}{reference}", self.prefix(request)),
            };
            if let Ok(value) = HeaderValue::try_from(complete) {
                response.insert_header(name, value);
            }
        }
    }

    fn prefix(&self, request: &HttpRequest) -> Cow<'_, str> {
        let trusting = self.proxies.as_ref().filter(|proxies| proxies.trusts_peer(request));
        match trusting.and_then(|_| forwarded(request)) {
            Some(prefix) => Cow::Owned(prefix),
            None => Cow::Borrowed(self.declared.as_deref().unwrap_or_default()),
        }
    }
}

/// The setting of [`Configuration::relative_locations`].
struct RelativeLocations;

impl Configuration {
    /// Sends `Location` and `Content-Location` relative to the path of the request (RFC 3986, section 4.2) if they start
    /// with `/`. They are then right behind a proxy that removes an unknown prefix.
    ///
    /// A `POST` of `/animals` returns `animals/7`. By default, the headers contain the path from the root: `/animals/7`.
    #[must_use]
    pub fn relative_locations(self) -> Self {
        self.with(RelativeLocations)
    }
}

/// Returns the path of the first server of a configuration that is a path, without a slash at its end.
#[must_use]
pub fn declared(configuration: &Configuration) -> Option<&str> {
    let mut paths = configuration.values().servers.iter().map(|server| &*server.url);
    let path = paths.find(|url| url.starts_with('/'))?.trim_end_matches('/');
    (!path.is_empty()).then_some(path)
}

/// Returns the value of `X-Forwarded-Prefix`, or `None` if it is absent or not a path. The values of several proxies form one path.
fn forwarded(request: &HttpRequest) -> Option<String> {
    let mut prefix = String::new();
    let mut is_valid = true;
    request.each_value(&X_FORWARDED_PREFIX, &mut |line| {
        for value in line.split(|byte| *byte == b',') {
            let path = std::str::from_utf8(value).ok().map(|value| value.trim().trim_end_matches('/'));
            match path.filter(|path| is_path(path)) {
                Some(path) => prefix.push_str(path),
                None => is_valid = false,
            }
        }
    });
    (is_valid && (1..=LONGEST).contains(&prefix.len())).then_some(prefix)
}

/// Returns `true` if a string is empty or a path (RFC 3986, section 3.3) without empty segments, `.` and `..`.
fn is_path(text: &str) -> bool {
    let is_segment = |segment: &str| {
        !matches!(segment, "" | "." | "..")
            && segment.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-._~!$&'()*+;=:@%".contains(&byte))
    };
    text.is_empty() || text.strip_prefix('/').is_some_and(|path| path.split('/').all(is_segment))
}

/// Returns the reference to the path `to` in a response to a request for the path `from` (RFC 3986, section 4.2).
fn relative(from: &str, to: &str) -> String {
    let (to, query) = to.split_at(to.find(['?', '#']).unwrap_or(to.len()));
    let (folder, _) = from.rsplit_once('/').unwrap_or_default();
    let (mut folders, mut rest) = (folder.split('/').skip(1).peekable(), to.strip_prefix('/').unwrap_or(to));
    while let Some((segment, after)) = rest.split_once('/') {
        if folders.next_if_eq(&segment).is_none() {
            break;
        }
        rest = after;
    }
    let up = "../".repeat(folders.count());
    // A colon in the first segment would end a scheme, and an empty first segment would begin a path from the root.
    let first = rest.split('/').next().unwrap_or_default();
    let here = if up.is_empty() && (first.is_empty() || first.contains(':')) { "./" } else { "" };
    format!("{up}{here}{rest}{query}")
}

#[cfg(test)]
mod tests {
    use super::relative;

    #[test]
    fn references_are_relative_to_the_folder_of_the_request() {
        for (from, to, expected) in [
            ("/animals", "/animals/7", "animals/7"),
            ("/animals/7", "/animals/7", "7"),
            ("/animals/7/close", "/animals/7", "../7"),
            ("/animals/7/close", "/reports/8?page=2", "../../reports/8?page=2"),
            ("/animals/batch", "/animals", "../animals"),
            ("/animals/", "/animals/", "./"),
            ("/animals/", "/animals/7", "7"),
            ("/towns", "/a:b", "./a:b"),
            ("/towns/7", "/towns/a:b/streets", "./a:b/streets"),
            ("/towns/7/x", "/a:b", "../../a:b"),
            ("/a/x", "/a//b", ".//b"),
            ("/", "/", "./"),
            ("*", "/x", "x"),
        ] {
            assert_eq!(relative(from, to), expected, "{from} {to}");
        }
    }
}
