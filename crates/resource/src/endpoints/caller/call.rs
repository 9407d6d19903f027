//! Defines [`Call`], the context of one call to a resource operation.

use jiff::Timestamp;
use restwright_core::auth::Identity;
use restwright_core::http::{HeaderMap, HeaderName, HeaderValue, HttpRequest, Method};
use restwright_core::{Problem, Result};

use super::claim::Claim;
use super::field_rights::FieldRights;
use crate::store::Scope;

/// The context of one call to a resource operation. It contains the scope, the time and the caller. For hooks and steps, it also contains the
/// request head.
pub(in crate::endpoints) struct Call {
    pub(in crate::endpoints) scope: Scope,
    pub(in crate::endpoints) now: Timestamp,
    pub(in crate::endpoints) identity: Identity,
    /// The fields that the caller may not read or write.
    pub(in crate::endpoints) rights: FieldRights,
    /// `true` if hooks or an action run in the operation, so it needs a transaction.
    pub(in crate::endpoints) runs_hooks: bool,
    /// The head of the request, if hooks or steps run in the operation.
    pub(in crate::endpoints) head: Option<Box<Head>>,
    pub(in crate::endpoints) claim: Claim,
    /// The 403 problem if the caller has no value for a scope field.
    pub(in crate::endpoints) rejection: Option<Box<Problem>>,
}

/// The method, path, query and headers of a request.
#[derive(Clone)]
pub(in crate::endpoints) struct Head {
    pub(in crate::endpoints) method: Method,
    pub(in crate::endpoints) path: String,
    pub(in crate::endpoints) query: Option<String>,
    pub(in crate::endpoints) headers: HeaderMap,
}

impl Call {
    /// Returns the call, or a 403 problem if the caller has no value for a scope field.
    pub(in crate::endpoints) fn admit(self) -> Result<Self> {
        match self.rejection {
            None => Ok(self),
            Some(rejection) => Err(*rejection),
        }
    }
}

impl Head {
    pub(in crate::endpoints) fn new(request: &HttpRequest) -> Self {
        let mut headers = HeaderMap::new();
        request.each_header(&mut |name, value| {
            let header = (HeaderName::from_bytes(name.as_bytes()), HeaderValue::from_bytes(value));
            if let (Ok(name), Ok(value)) = header {
                headers.append(name, value);
            }
        });
        let (path, query) = (request.path().to_owned(), request.query().map(str::to_owned));
        Self { method: request.method().clone(), path, query, headers }
    }
}
