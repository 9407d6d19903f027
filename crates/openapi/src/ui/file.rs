//! Defines [`File`], a file in memory with its response headers.

use bytes::Bytes;
use restwright_runtime::core::conditional::{EntityTag, Tagged};
use restwright_runtime::core::http::header::{
    ACCEPT_ENCODING, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_SECURITY_POLICY, CONTENT_TYPE, REFERRER_POLICY, VARY,
    X_CONTENT_TYPE_OPTIONS,
};
use restwright_runtime::core::http::{
    HeaderMap, HeaderValue, HttpRequest, HttpResponse, Payload, StatusCode, coding_weight,
};
use restwright_runtime::core::operation::Operation;
use restwright_runtime::core::problem::catalogue;
use restwright_runtime::core::{BuildContext, BuildErrors, Problem, Response, Result};

use super::asset::Asset;
use crate::generate::Document;

/// A file in memory, with its entity tag and its response headers. It is cheap to clone.
#[derive(Debug, Clone)]
pub(super) struct File {
    tag: EntityTag,
    headers: HeaderMap,
    bytes: Bytes,
    /// `true` if the path of the file changes with its content.
    is_versioned: bool,
}

impl File {
    /// Creates a file with the OpenAPI document. Clients revalidate the file on each request.
    pub(super) fn document(document: &Document) -> Self {
        Self::new("application/json", document.to_compact_json().into())
    }

    /// Creates an HTML file with its `Content-Security-Policy` header.
    pub(super) fn page(html: String, policy: &str) -> Self {
        let mut page = Self::new("text/html; charset=utf-8", html.into());
        page.headers.extend(HeaderValue::from_str(policy).ok().map(|policy| (CONTENT_SECURITY_POLICY, policy)));
        page.headers.insert(REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
        page
    }

    /// Creates a file from an embedded asset of the documentation page.
    pub(super) fn asset(asset: &'static Asset) -> Self {
        let mut file = Self::new(asset.content_type, Bytes::from_static(asset.bytes));
        if asset.compressed {
            file.headers.insert(CONTENT_ENCODING, HeaderValue::from_static("gzip"));
            file.headers.insert(VARY, HeaderValue::from_static("Accept-Encoding"));
        }
        if asset.versioned {
            file.headers.insert(CACHE_CONTROL, HeaderValue::from_static("max-age=31536000, immutable"));
            file.is_versioned = true;
        }
        file
    }

    fn new(content_type: &'static str, bytes: Bytes) -> Self {
        let mut headers = HeaderMap::new();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static(content_type));
        headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-cache"));
        headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
        Self { tag: tag(&bytes), headers, bytes, is_versioned: false }
    }

    /// Returns a response that contains the file.
    pub(super) fn response(&self) -> Tagged<Self> {
        Tagged::new(self.tag.clone(), self.clone())
    }
}

impl Response for File {
    type Plan = ();

    fn plan(_: &mut BuildContext<'_>) -> Result<(), BuildErrors> {
        Ok(())
    }

    fn describe((): &(), operation: &mut Operation) {
        operation.is_documentation = true;
    }

    fn respond(self, (): &(), request: &HttpRequest) -> Result<HttpResponse> {
        let compressed = self.headers.contains_key(CONTENT_ENCODING);
        let accepted = request.header_values(&ACCEPT_ENCODING).join(&b',');
        let accepted = String::from_utf8_lossy(&accepted);
        if compressed && request.header_bytes(&ACCEPT_ENCODING).is_some() && coding_weight(&accepted, "gzip") == 0 {
            return Err(Problem::new(catalogue::NOT_ACCEPTABLE)
                .detail("The file is compressed with gzip, which `Accept-Encoding` does not allow.")
                .detail_key("not_acceptable.encoding"));
        }
        let mut response = HttpResponse::new(StatusCode::OK);
        *response.headers_mut() = self.headers;
        let is_public = request.route().is_none_or(|route| route.operation().security.is_empty());
        if !is_public {
            let cache = if self.is_versioned { "private, max-age=31536000, immutable" } else { "private, no-cache" };
            response.insert_header(CACHE_CONTROL, HeaderValue::from_static(cache));
        }
        response.set_payload(Payload::Bytes(self.bytes));
        Ok(response)
    }
}

/// Computes a strong entity tag from the FNV-1a hash and the length of the content. The tag is the same for every
/// build.
fn tag(bytes: &[u8]) -> EntityTag {
    let hash = bytes
        .iter()
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3));
    EntityTag::strong(format_args!("{hash:016x}-{:x}", bytes.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entity_tags_do_not_depend_on_the_toolchain() {
        assert_eq!(tag(b"").to_string(), "\"cbf29ce484222325-0\"");
        assert_eq!(tag(b"foobar").to_string(), "\"85944171f73967e8-6\"");
    }
}
