//! Defines [`KeptResponse`], a response that is stored under an idempotency key.

use std::fmt;
use std::sync::Arc;

use restwright_core::http::header::{CONTENT_ENCODING, CONTENT_LANGUAGE, CONTENT_TYPE, ETAG, LOCATION};
use restwright_core::http::{HeaderName, HeaderValue, HttpResponse, Payload, StatusCode};

use super::is_kept;

/// A response that is stored under an idempotency key. It contains the status, some of the headers, and the body. It is cheap to clone.
///
/// The stored headers are `Content-Type`, `Content-Encoding`, `Content-Language`, `Location` and `ETag`. Headers that outer middlewares add, such as
/// the request id, are added to each response.
///
/// ```
/// use restwright_core::http::header::LOCATION;
/// use restwright_core::http::{HeaderValue, StatusCode};
/// use restwright_resource::idempotency::KeptResponse;
///
/// // A store outside the process creates it from the stored values.
/// let kept = KeptResponse::new(StatusCode::CREATED, [(LOCATION, HeaderValue::from_static("/payments/7"))], "{}");
/// assert_eq!((kept.status(), kept.body(), kept.headers().count()), (StatusCode::CREATED, &b"{}"[..], 1));
/// ```
#[derive(Clone)]
pub struct KeptResponse(Arc<Parts>);

struct Parts {
    status: StatusCode,
    headers: Box<[(HeaderName, HeaderValue)]>,
    body: Box<[u8]>,
}

/// The names of the headers that are stored. These headers describe the body, or clients need them for the next request.
const KEPT: [HeaderName; 5] = [CONTENT_TYPE, CONTENT_ENCODING, CONTENT_LANGUAGE, LOCATION, ETAG];

/// The header that stores a digest of the caller's rights. It is not sent to clients.
const RIGHTS: HeaderName = HeaderName::from_static("restwright-rights");

const REPLAYED: HeaderName = HeaderName::from_static("idempotency-replayed");

impl KeptResponse {
    /// Creates a response from the stored status, headers and body.
    #[must_use]
    pub fn new(
        status: StatusCode,
        headers: impl IntoIterator<Item = (HeaderName, HeaderValue)>,
        body: impl Into<Vec<u8>>,
    ) -> Self {
        let body = body.into().into_boxed_slice();
        Self(Arc::new(Parts { status, headers: headers.into_iter().collect(), body }))
    }

    /// Returns the status of the stored response.
    #[must_use]
    pub fn status(&self) -> StatusCode {
        self.0.status
    }

    /// Returns the stored headers.
    pub fn headers(&self) -> impl Iterator<Item = (&HeaderName, &HeaderValue)> {
        self.0.headers.iter().map(|(name, value)| (name, value))
    }

    /// Returns the stored body, which may be empty.
    #[must_use]
    pub fn body(&self) -> &[u8] {
        &self.0.body
    }

    /// Returns the total size of the headers and the body in bytes.
    #[must_use]
    pub fn bytes(&self) -> usize {
        let headers = self.headers().map(|(name, value)| name.as_str().len() + value.len());
        headers.sum::<usize>() + self.body().len()
    }

    /// Copies the status, the body and the stored headers of a response. Returns `None` for streams, and for every status except 2xx and
    /// 409.
    pub(super) fn of(response: &HttpResponse) -> Option<Self> {
        let status = response.status();
        if !is_kept(response.declared_status()) {
            return None;
        }
        // The body is copied, so the buffer of the response can be freed.
        let body = response.payload().as_bytes()?.to_vec();
        let headers = KEPT.into_iter().filter_map(|name| {
            let value = response.headers().get(&name)?.clone();
            Some((name, value))
        });
        Some(Self::new(status, headers, body))
    }

    /// Adds a digest of the caller's rights to the stored headers.
    pub(super) fn with_rights(self, rights: Option<HeaderValue>) -> Self {
        let Some(rights) = rights else { return self };
        let headers = self.headers().map(|(name, value)| (name.clone(), value.clone()));
        Self::new(self.status(), headers.chain([(RIGHTS, rights)]), self.body())
    }

    /// Returns the stored digest of the caller's rights.
    pub(super) fn rights(&self) -> Option<&HeaderValue> {
        self.headers().find(|(name, _)| **name == RIGHTS).map(|(_, rights)| rights)
    }

    /// Creates the response to a repeated request from the stored response.
    pub(super) fn replay(&self) -> HttpResponse {
        let mut response = HttpResponse::new(self.status()).header(REPLAYED, HeaderValue::from_static("true"));
        for (name, value) in self.headers().filter(|(name, _)| **name != RIGHTS) {
            response.headers_mut().insert(name, value.clone());
        }
        if !self.body().is_empty() {
            response.set_payload(Payload::Bytes(self.body().to_vec().into()));
        }
        response
    }
}

impl fmt::Debug for KeptResponse {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("KeptResponse")
            .field("status", &self.status())
            .field("body", &self.body().len())
            .finish_non_exhaustive()
    }
}
