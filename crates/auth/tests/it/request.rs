//! Requests of a host that has headers only.

use std::net::SocketAddr;

use restwright_core::auth::{Authentication, Authenticator, Identity};
use restwright_core::http::{BodyStream, HeaderName, HostRequest, HttpRequest, Method};

/// The outcome of authenticating: a subject, or the reason for the log.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    Nothing,
    Caller(String),
    Rejected(String),
    Unavailable(String),
}

/// Authenticates a request with these headers.
pub(crate) async fn ask(authenticator: &impl Authenticator, headers: &[(&str, impl AsRef<[u8]>)]) -> Verdict {
    match authenticate(authenticator, "/", headers).await {
        Ok(Some(identity)) => Verdict::Caller(identity.subject().unwrap().to_owned()),
        Ok(None) => Verdict::Nothing,
        Err(verdict) => verdict,
    }
}

pub(crate) async fn authenticate(
    authenticator: &impl Authenticator,
    target: &str,
    headers: &[(&str, impl AsRef<[u8]>)],
) -> Result<Option<Identity>, Verdict> {
    let (path, query) = target.split_once('?').map_or((target, None), |(path, query)| (path, Some(query.to_owned())));
    let headers = headers.iter().map(|(name, value)| (name.to_ascii_lowercase(), value.as_ref().to_vec()));
    let host = Host { path: path.to_owned(), query, headers: headers.collect() };
    let mut request = HttpRequest::new(Method::GET, host, BodyStream::empty());
    match authenticator.authenticate(&mut request).await {
        Authentication::NoCredentials => Ok(None),
        Authentication::Identity(identity) => Ok(Some(identity)),
        Authentication::Rejected(rejection) => Err(Verdict::Rejected(rejection.reason)),
        Authentication::Unavailable { reason, .. } => Err(Verdict::Unavailable(reason)),
        other => panic!("{other:?}"),
    }
}

struct Host {
    path: String,
    query: Option<String>,
    headers: Vec<(String, Vec<u8>)>,
}

impl HostRequest for Host {
    fn path(&self) -> &str {
        &self.path
    }

    fn query(&self) -> Option<&str> {
        self.query.as_deref()
    }

    fn header(&self, name: &HeaderName) -> Option<&[u8]> {
        self.headers.iter().find(|(known, _)| known == name.as_str()).map(|(_, value)| &**value)
    }

    fn each_value<'h>(&'h self, name: &HeaderName, visit: &mut dyn FnMut(&'h [u8])) {
        self.headers.iter().filter(|(known, _)| known == name.as_str()).for_each(|(_, value)| visit(value));
    }

    fn each_header<'h>(&'h self, visit: &mut dyn FnMut(&'h str, &'h [u8])) {
        self.headers.iter().for_each(|(name, value)| visit(name, value));
    }

    fn peer(&self) -> Option<SocketAddr> {
        None
    }
}
