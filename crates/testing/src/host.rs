//! Defines [`TestRequestHead`], which contains the path, query, headers and client address of a test request.

use std::net::SocketAddr;

use restwright_runtime::core::http::{HeaderMap, HeaderName, HostRequest};

pub(crate) struct TestRequestHead {
    pub(crate) path: String,
    pub(crate) query: Option<String>,
    pub(crate) headers: HeaderMap,
    pub(crate) peer: Option<SocketAddr>,
    /// True if the request is sent with `TestRequest::websocket`.
    pub(crate) can_upgrade: bool,
}

impl HostRequest for TestRequestHead {
    fn path(&self) -> &str {
        &self.path
    }

    fn query(&self) -> Option<&str> {
        self.query.as_deref()
    }

    fn header(&self, name: &HeaderName) -> Option<&[u8]> {
        self.headers.get(name).map(|value| value.as_bytes())
    }

    fn each_value<'h>(&'h self, name: &HeaderName, visit: &mut dyn FnMut(&'h [u8])) {
        self.headers.get_all(name).iter().for_each(|value| visit(value.as_bytes()));
    }

    fn each_header<'h>(&'h self, visit: &mut dyn FnMut(&'h str, &'h [u8])) {
        self.headers.iter().for_each(|(name, value)| visit(name.as_str(), value.as_bytes()));
    }

    fn peer(&self) -> Option<SocketAddr> {
        self.peer
    }

    fn can_upgrade(&self) -> bool {
        self.can_upgrade
    }
}
