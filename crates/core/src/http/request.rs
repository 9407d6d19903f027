//! Defines [`HttpRequest`], the request that authenticators, middlewares and parts receive.

mod claims;

use std::borrow::Cow;
use std::cell::OnceCell;
use std::fmt;
use std::net::SocketAddr;
use std::ops::Range;
use std::rc::Rc;
use std::sync::{Arc, LazyLock};

use bytes::Bytes;
use http::header::{CONTENT_LENGTH, COOKIE, TRANSFER_ENCODING};
use http::{HeaderMap, HeaderName, HeaderValue, Method};
use percent_encoding::percent_decode_str;

use self::claims::ClaimedParameter;
use super::cookie::pairs;
use super::in_flight::InFlight;
use super::single_value::single;
use super::{BodyStream, Extensions, HostRequest, IncomingBody, Query, RequestId, SingleValueError};
use crate::identity::Identity;
use crate::problem::Problem;
use crate::route_info::RouteInfo;

/// A request in the pipeline, with its method, path, headers, body and [attached values](Extensions).
///
/// Middlewares can change headers and extensions. They cannot change method and path, because routing is complete.
pub struct HttpRequest(pub(super) Box<RequestData<dyn HostRequest>>);

/// The data of a request, stored in one allocation with the request head from the HTTP server.
pub(super) struct RequestData<H: ?Sized> {
    method: Method,
    changed_headers: Option<Box<HeaderMap>>,
    body: IncomingBody,
    id: RequestId,
    identity: Option<Identity>,
    route: Option<Arc<RouteInfo>>,
    /// The routes of all methods at the path. Set only for `OPTIONS` requests.
    routes_at_path: Vec<Arc<RouteInfo>>,
    normal_path: Option<String>,
    /// The byte range of each path parameter in the path, in the order of the template.
    captures: Vec<Range<usize>>,
    /// The parsed query. The inner `None` means that the query is malformed.
    query: OnceCell<Option<Query>>,
    claimed_query: Vec<ClaimedParameter>,
    extensions: Extensions,
    response_headers: Vec<(HeaderName, HeaderValue)>,
    /// The limits of the worker that handles the request.
    pub(super) in_flight: Option<Rc<InFlight>>,
    host: H,
}

impl HttpRequest {
    /// Creates a request from a method, the request head of the HTTP server, and a body.
    #[must_use]
    pub fn new(method: Method, host: impl HostRequest + 'static, body: BodyStream) -> Self {
        let id = RequestId::accept(host.header(&RequestId::HEADER));
        let announced = if body.is_empty() { None } else { content_length(&host) };
        // Most requests have no query.
        let query = if host.query().is_none() { OnceCell::from(Some(Query::default())) } else { OnceCell::new() };
        Self(Box::new(RequestData {
            method,
            changed_headers: None,
            body: IncomingBody::new(body, announced),
            id,
            identity: None,
            route: None,
            routes_at_path: Vec::new(),
            normal_path: None,
            captures: Vec::new(),
            query,
            claimed_query: Vec::new(),
            extensions: Extensions::default(),
            response_headers: Vec::new(),
            in_flight: None,
            host,
        }))
    }

    /// Returns the method.
    #[must_use]
    pub fn method(&self) -> &Method {
        &self.0.method
    }

    /// Returns the percent-encoded path. Characters that need no encoding are decoded (RFC 3986, section 6.2.2.2).
    #[must_use]
    pub fn path(&self) -> &str {
        self.0.normal_path.as_deref().unwrap_or_else(|| self.0.host.path())
    }

    /// Returns the raw query string without the `?`.
    #[must_use]
    pub fn query(&self) -> Option<&str> {
        self.0.host.query()
    }

    /// Returns the parsed query. The first call parses it.
    ///
    /// # Errors
    /// The errors of [`Query::parse`].
    pub fn parsed_query(&self) -> Result<&Query, Problem> {
        self.0.query.get_or_init(|| Query::parse(self.query()).ok()).as_ref().ok_or_else(Query::not_utf8)
    }

    /// Returns the first value of a header, if it is valid UTF-8.
    #[must_use]
    pub fn header(&self, name: &HeaderName) -> Option<&str> {
        std::str::from_utf8(self.header_bytes(name)?).ok()
    }

    /// Returns the first value of a header, as bytes.
    #[must_use]
    pub fn header_bytes(&self, name: &HeaderName) -> Option<&[u8]> {
        match &self.0.changed_headers {
            Some(headers) => headers.get(name).map(HeaderValue::as_bytes),
            None => self.0.host.header(name),
        }
    }

    /// Returns the value of a header that may occur only once.
    ///
    /// # Errors
    /// The header occurs several times or is not UTF-8.
    pub fn only_header(&self, name: &HeaderName) -> Result<Option<&str>, SingleValueError> {
        let (mut first, mut count) = (None, 0_usize);
        self.each_value(name, &mut |value| {
            first.get_or_insert(value);
            count += 1;
        });
        single(first, count)
    }

    /// Returns `true` if a header occurs several times.
    pub(crate) fn is_repeated(&self, name: &HeaderName) -> bool {
        let mut count = 0_usize;
        self.each_value(name, &mut |_| count += 1);
        count > 1
    }

    /// Returns the value of a cookie (RFC 6265, section 4.2), if it is valid UTF-8. If several cookies have this name,
    /// returns the first.
    ///
    /// Anyone who can set cookies for a parent domain can add a second cookie with the same name. Authenticators should
    /// use [`only_cookie`](Self::only_cookie).
    #[must_use]
    pub fn cookie(&self, name: &str) -> Option<&str> {
        std::str::from_utf8(self.cookies(name).0?).ok()
    }

    /// Returns the value of a cookie that may occur only once.
    ///
    /// # Errors
    /// The cookie occurs several times or is not UTF-8.
    pub fn only_cookie(&self, name: &str) -> Result<Option<&str>, SingleValueError> {
        let (value, count) = self.cookies(name);
        single(value, count)
    }

    /// Returns the first cookie named `name` and the number of cookies with this name (RFC 9113, section 8.2.3).
    pub(crate) fn cookies(&self, name: &str) -> (Option<&[u8]>, usize) {
        let (mut first, mut count) = (None, 0);
        if self.header_bytes(&COOKIE).is_none() {
            return (first, count);
        }
        self.each_header(&mut |header, line| {
            if header == COOKIE.as_str() {
                for (_, value) in pairs(line).filter(|(candidate, _)| *candidate == name.as_bytes()) {
                    first.get_or_insert(value);
                    count += 1;
                }
            }
        });
        (first, count)
    }

    /// Returns the decoded value of a path parameter. Returns `None` if the route has no parameter with this name.
    #[must_use]
    pub fn path_parameter(&self, name: &str) -> Option<Cow<'_, str>> {
        self.capture(self.0.route.as_ref()?.template().position_of(name)?)
    }

    /// Returns the decoded value of a path parameter by its position in the template.
    pub(crate) fn capture(&self, position: usize) -> Option<Cow<'_, str>> {
        let raw = self.path().get(self.0.captures.get(position)?.clone())?;
        percent_decode_str(raw).decode_utf8().ok()
    }

    /// Returns every value of a header as bytes, in order.
    #[must_use]
    pub fn header_values(&self, name: &HeaderName) -> Vec<Vec<u8>> {
        let mut values = Vec::new();
        self.each_value(name, &mut |value| values.push(value.to_vec()));
        values
    }

    pub(crate) fn each_value<'r>(&'r self, name: &HeaderName, visit: &mut dyn FnMut(&'r [u8])) {
        match &self.0.changed_headers {
            Some(headers) => headers.get_all(name).iter().for_each(|value| visit(value.as_bytes())),
            None => self.0.host.each_value(name, visit),
        }
    }

    /// Calls `visit` with every header. Names are lower case.
    pub fn each_header<'r>(&'r self, visit: &mut dyn FnMut(&'r str, &'r [u8])) {
        match &self.0.changed_headers {
            Some(headers) => headers.iter().for_each(|(name, value)| visit(name.as_str(), value.as_bytes())),
            None => self.0.host.each_header(visit),
        }
    }

    /// Returns the headers as a mutable map. The first call copies the headers from the HTTP server.
    pub fn headers_mut(&mut self) -> &mut HeaderMap {
        let RequestData { host, changed_headers, .. } = &mut *self.0;
        changed_headers.get_or_insert_with(|| {
            let mut headers = HeaderMap::new();
            host.each_header(&mut |name, value| {
                if let (Ok(name), Ok(value)) = (HeaderName::from_bytes(name.as_bytes()), HeaderValue::from_bytes(value))
                {
                    headers.append(name, value);
                }
            });
            Box::new(headers)
        })
    }

    /// Returns the socket address of the peer. Returns `None` on a Unix socket.
    #[must_use]
    pub fn peer(&self) -> Option<SocketAddr> {
        self.0.host.peer()
    }

    /// Returns the identifier of this request.
    #[must_use]
    pub fn id(&self) -> &RequestId {
        &self.0.id
    }

    /// Returns the identity of the caller. It is a guest before authentication, on public routes and without
    /// credentials.
    ///
    /// After the response, middlewares around authentication can read the caller too, even if the caller got a 403.
    #[must_use]
    pub fn identity(&self) -> Cow<'_, Identity> {
        static GUEST: LazyLock<Identity> = LazyLock::new(Identity::guest);
        Cow::Borrowed(self.0.identity.as_ref().unwrap_or(&GUEST))
    }

    /// Sets the identity of the caller. The pipeline calls this method with the identity from an authenticator.
    pub fn set_identity(&mut self, identity: Identity) {
        self.0.identity = Some(identity);
    }

    /// Returns the route of the request. Returns `None` if no route matches (404, 405).
    #[must_use]
    pub fn route(&self) -> Option<&RouteInfo> {
        self.0.route.as_deref()
    }

    /// Returns the routes of all methods at the path of an `OPTIONS` request (RFC 9110, section 9.3.7). The list is
    /// empty for other methods and unknown paths.
    #[must_use]
    pub fn routes_at_path(&self) -> &[Arc<RouteInfo>] {
        &self.0.routes_at_path
    }

    /// Returns the typed values that are attached to this request.
    #[must_use]
    pub fn extensions(&self) -> &Extensions {
        &self.0.extensions
    }

    /// Returns the typed values that are attached to this request, as a mutable reference.
    pub fn extensions_mut(&mut self) -> &mut Extensions {
        &mut self.0.extensions
    }

    /// Sets a header on the response to this request, even if the response is a 500 after a panic. It replaces a header
    /// of the same name from the controller, a middleware or the pipeline.
    pub fn set_response_header(&mut self, name: HeaderName, value: HeaderValue) {
        match self.0.response_headers.iter_mut().find(|(known, _)| *known == name) {
            Some((_, known)) => *known = value,
            None => self.0.response_headers.push((name, value)),
        }
    }

    /// Returns a response header that was set with [`set_response_header`](Self::set_response_header).
    #[must_use]
    pub fn response_header(&self, name: &HeaderName) -> Option<&HeaderValue> {
        self.0.response_headers.iter().find(|(known, _)| known == name).map(|(_, value)| value)
    }

    /// Returns the whole body. The first call buffers it, so authenticators and middlewares can read it before the
    /// controller.
    ///
    /// # Errors
    /// The errors of [`IncomingBody::bytes`].
    pub async fn body(&mut self) -> Result<Bytes, Problem> {
        self.0.body.bytes().await
    }

    /// Returns the size limit of the body in bytes, which the route or the configuration sets.
    #[must_use]
    pub fn body_limit(&self) -> usize {
        self.0.body.limit()
    }

    /// Returns `true` if the connection can switch to another protocol with a 101 response. A request with a body cannot
    /// switch. See [`Upgrade`](super::Upgrade).
    #[must_use]
    pub fn can_upgrade(&self) -> bool {
        let has_body = [&CONTENT_LENGTH, &TRANSFER_ENCODING].iter().any(|name| self.header_bytes(name).is_some());
        self.0.host.can_upgrade() && !has_body
    }

    /// Returns the body, which can be streamed or replaced.
    pub fn body_mut(&mut self) -> &mut IncomingBody {
        &mut self.0.body
    }
}

/// Contains methods that only the runtime calls.
#[doc(hidden)]
impl HttpRequest {
    #[must_use]
    pub fn claims_query(&self, name: &str) -> bool {
        self.is_credential_in_query(name) || self.0.claimed_query.iter().any(|claim| claim.name == name)
    }

    #[must_use]
    pub fn claims_so_far(&self) -> usize {
        self.0.claimed_query.len()
    }

    // Marks all claims from this position on as credentials.
    pub fn claims_are_credentials_from(&mut self, start: usize) {
        self.0.claimed_query.iter_mut().skip(start).for_each(|claim| claim.is_credential = true);
    }

    pub fn take_response_headers(&mut self) -> Vec<(HeaderName, HeaderValue)> {
        std::mem::take(&mut self.0.response_headers)
    }

    pub fn set_guest(&mut self, guest: &Identity) {
        self.0.identity.get_or_insert_with(|| guest.clone());
    }

    /// Returns the limits of the worker that handles the request.
    #[must_use]
    pub fn in_flight(&self) -> Option<&Rc<InFlight>> {
        self.0.in_flight.as_ref()
    }

    // The captures are the ranges of the path parameters in the path, in the order of the template.
    pub fn set_route(&mut self, route: Arc<RouteInfo>, captures: Vec<Range<usize>>) {
        self.0.route = Some(route);
        self.0.captures = captures;
    }

    pub fn set_routes_at_path(&mut self, routes: Vec<Arc<RouteInfo>>) {
        self.0.routes_at_path = routes;
    }

    pub fn set_normal_path(&mut self, path: String) {
        self.0.normal_path = Some(path);
    }
}

impl fmt::Debug for HttpRequest {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("HttpRequest")
            .field("method", &self.0.method)
            .field("path", &self.path())
            .field("id", &self.0.id.as_str())
            .finish_non_exhaustive()
    }
}

fn content_length(host: &dyn HostRequest) -> Option<usize> {
    std::str::from_utf8(host.header(&CONTENT_LENGTH)?).ok()?.trim().parse().ok()
}
