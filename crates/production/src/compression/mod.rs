//! Compresses responses, and decompresses requests.

mod accept;
mod coding;
mod decoder;
mod encoder;
mod kept;
mod media_type;
mod response;
mod route_setting;

use http::header::{CONTENT_ENCODING, CONTENT_LENGTH, IF_NONE_MATCH, IF_RANGE, RANGE};
use http::{HeaderValue, Method};
use restwright_runtime::core::conditional::EntityTag;
use restwright_runtime::core::http::{HttpRequest, HttpResponse};
use restwright_runtime::core::operation::{HeaderObject, Operation, ParameterLocation, SchemaUse};
use restwright_runtime::core::problem::catalogue;
use restwright_runtime::core::schema::SchemaObject;
use restwright_runtime::core::{BuildContext, BuildErrors, Middleware, Next, Result};

use accept::AcceptedCodings;
use decoder::{DECODED, decode};
use kept::KeptBodies;

pub use coding::{CompressionLevel, ContentCoding};
pub use route_setting::{BodyAsSent, Uncompressed};

/// A middleware that compresses responses and decompresses requests (RFC 9110, sections 8.4 and 12.5.3). Register it on
/// the Api, a group or a route.
///
/// **Responses** are compressed with Zstandard, Brotli or gzip, as `Accept-Encoding` prefers. They have
/// `Content-Encoding`, and `Vary` even if the client accepts no coding. A response is compressed if its body is a
/// stream or has [at least 1 KiB](Self::minimum_size), and if its media type is one of these:
/// - `text/*`;
/// - `application/` with `json`, `ndjson`, `javascript`, `xml`, `yaml`, `toml`, `graphql` or `x-www-form-urlencoded`;
/// - any type that ends with `+json`, `+xml` or `+yaml`, such as SVG.
///
/// A smaller 2xx of these types also has `Vary`, because the next response at its URL may be larger.
///
/// The OpenAPI document and its page are compressed once for each coding, and then kept in memory.
///
/// A body up to 64 KiB is compressed in one step. Larger bodies and streams are compressed as the client reads, so they
/// have no `Content-Length`. Each piece of a stream is flushed before the next one is awaited, so events arrive
/// immediately.
///
/// These responses are not compressed: a 206, and a response with `Accept-Ranges`, because ranges refer to the
/// uncompressed bytes; a response with `Content-Encoding`, `Content-Digest`, `Repr-Digest` or
/// `Cache-Control: no-transform`; and a body that compression would enlarge.
///
/// **`ETag`** gets the coding as a suffix, such as `"5;zstd"`; see [`EntityTag`]. A 304 repeats the client's tag. If
/// the client no longer accepts the coding of its tag, it receives the whole response. A range request for a compressed
/// body (`If-Range`) also receives the whole response.
///
/// **Requests** may have the `Content-Encoding` `gzip` or `zstd`. Inner middlewares and the controller read the decoded
/// body, piece by piece. The body limit of the route applies before and after decoding (413). Invalid data is a 400.
/// Any other coding, or several codings, are a 415 with `Accept-Encoding`. A Zstandard window may have at most 8 MiB
/// (RFC 9659).
///
/// If a response contains a secret next to text that an untrusted client chooses, the compressed length reveals the
/// secret (BREACH). Mark such a route with [`Uncompressed`]. Mark a route that verifies a signature of the body with
/// [`BodyAsSent`].
///
/// Register it after `RequestLog` and `Cors`, and before middlewares that read bodies and tags, such as `Caching`.
///
/// ```
/// use restwright_production::Compression;
/// use restwright_runtime::Api;
/// use restwright_runtime::core::Configuration;
///
/// let api = Api::builder(Configuration::new("shop", "1.0.0")).middleware(Compression::new()).build()?;
/// # Ok::<(), restwright_runtime::core::BuildErrors>(())
/// ```
#[derive(Debug, Clone)]
#[must_use = "it has no effect until it is registered with `.middleware(..)`"]
pub struct Compression {
    minimum_size: usize,
    codings: Vec<ContentCoding>,
    level: CompressionLevel,
}

/// The compression settings of a route.
#[derive(Debug, Default, Clone, Copy)]
pub(crate) struct RouteCoding {
    is_uncompressed: bool,
    takes_body_as_sent: bool,
}

impl Compression {
    /// Creates the middleware with default settings.
    pub fn new() -> Self {
        Self {
            minimum_size: 1024,
            codings: vec![ContentCoding::Zstd, ContentCoding::Brotli, ContentCoding::Gzip],
            level: CompressionLevel::Balanced,
        }
    }

    /// Sets the minimum size of bodies that are compressed, in bytes. The default is 1,024.
    pub fn minimum_size(mut self, bytes: usize) -> Self {
        self.minimum_size = bytes;
        self
    }

    /// Sets the content codings of responses. The default is Zstandard, Brotli and gzip.
    ///
    /// If a client accepts several codings with the same weight, the response uses the first of them in this list.
    ///
    /// Building the Api fails if the list is empty.
    pub fn codings(mut self, codings: impl IntoIterator<Item = ContentCoding>) -> Self {
        self.codings = codings.into_iter().collect();
        self
    }

    /// Sets the compression level, which is a trade-off between CPU time and response size.
    pub fn level(mut self, level: CompressionLevel) -> Self {
        self.level = level;
        self
    }

    /// Decodes the request body for inner middlewares and the controller.
    fn decode(request: &mut HttpRequest) {
        let decoding = decode(&request.header_values(&CONTENT_ENCODING));
        let Some(decoder) = decoding else { return };
        request.body_mut().decode(decoder);
        // These headers describe the encoded body.
        let headers = request.headers_mut();
        headers.remove(CONTENT_ENCODING);
        headers.remove(CONTENT_LENGTH);
    }

    /// Removes the entity tags that cannot match the response from the conditional request headers. An `If-None-Match`
    /// tag is removed if the client does not accept its content coding. `If-Range` and `Range` are removed if the tag
    /// is the tag of a compressed body, because ranges refer to the uncompressed bytes.
    fn check_conditions(request: &mut HttpRequest) {
        let is_coded = |value: Option<&[u8]>| value.is_some_and(|value| value.contains(&b';'));
        if is_coded(request.header_bytes(&IF_RANGE)) {
            let headers = request.headers_mut();
            headers.remove(IF_RANGE);
            headers.remove(RANGE);
        }
        if request.header_bytes(&IF_NONE_MATCH).is_none() {
            return;
        }
        let lines = request.header_values(&IF_NONE_MATCH).join(&b',');
        let tags = std::str::from_utf8(&lines).ok().filter(|_| is_coded(Some(&lines))).and_then(EntityTag::parse_list);
        let Some(tags) = tags else { return };
        let accepted = AcceptedCodings::read(request);
        let coding = |tag: &EntityTag| tag.coding().and_then(ContentCoding::from_name);
        let usable = tags.iter().filter(|tag| coding(tag).is_none_or(|coding| accepted.accepts(coding)));
        let usable: Vec<_> = usable.map(EntityTag::to_string).collect();
        if usable.len() == tags.len() {
            return;
        }
        let headers = request.headers_mut();
        headers.remove(IF_NONE_MATCH);
        if let Some(value) = HeaderValue::try_from(usable.join(", ")).ok().filter(|_| !usable.is_empty()) {
            headers.insert(IF_NONE_MATCH, value);
        }
    }

    fn describe_route(&self, route: RouteCoding, operation: &mut Operation) {
        if !route.is_uncompressed {
            let mut header = |name: &str, schema: SchemaObject, description: &str| {
                let header = HeaderObject::new(name, SchemaUse::output(schema)).description(description);
                operation.add_common_header(header.optional());
            };
            let names: Vec<_> = self.codings.iter().map(|coding| coding.name()).collect();
            let coding =
                format!("The content coding of the body, chosen by `Accept-Encoding`: one of {}.", names.join(", "));
            header("Content-Encoding", SchemaObject::string(), &coding);
            header("Vary", SchemaObject::string(), "The request headers that the response depends on.");
        }
        let is_parameter = operation.parameter(ParameterLocation::Header, "Content-Encoding").is_some();
        let Some(body) = operation.request_body.as_mut().filter(|_| !route.takes_body_as_sent && !is_parameter) else {
            return;
        };
        // Generated clients would ask their callers for a parameter, although only the HTTP library knows the coding.
        let codings = format!("`Content-Encoding` may be {DECODED}.");
        let description = body.description.take().map(|known| format!("{known} {codings}"));
        body.description = Some(description.unwrap_or(codings));
        operation.unlisted_headers.push(CONTENT_ENCODING);
        operation.add_problem(catalogue::UNDECODABLE_BODY);
        operation.add_problem(catalogue::UNSUPPORTED_CODING);
    }
}

impl Default for Compression {
    fn default() -> Self {
        Self::new()
    }
}

impl Middleware for Compression {
    /// Checks the configured content codings, and adds them to the OpenAPI operation. Settings of the route can turn
    /// compression or decompression off.
    fn plan(&self, context: &mut BuildContext<'_>) -> Result<(), BuildErrors> {
        if self.codings.is_empty() {
            context.api_errors().push(
                "the list of response codings is empty; add one in `.codings([..])`, or mark groups and routes with `.with(Uncompressed)`",
            );
        }
        let route = RouteCoding {
            is_uncompressed: context.route().setting::<Uncompressed>().is_some(),
            takes_body_as_sent: context.route().setting::<BodyAsSent>().is_some(),
        };
        *context.kept() = route;
        if context.operation().is_documentation {
            context.kept::<KeptBodies>();
        }
        self.describe_route(route, context.operation());
        Ok(())
    }

    async fn handle(&self, request: &mut HttpRequest, next: Next<'_>) -> Result<HttpResponse> {
        let route = Self::begin(request);
        let mut response = next.run(request).await;
        self.end(route, request, &mut response);
        Ok(response)
    }
}

impl Compression {
    /// Decodes the request body. Removes the entity tags that cannot match the response from the conditional request
    /// headers.
    pub(crate) fn begin(request: &mut HttpRequest) -> RouteCoding {
        let route: RouteCoding = request.route().and_then(|route| route.kept().copied()).unwrap_or_default();
        // An empty body is decoded too, because its readers would reject the coding.
        if !route.takes_body_as_sent && request.header_bytes(&CONTENT_ENCODING).is_some() {
            Self::decode(request);
        }
        if !route.is_uncompressed && matches!(*request.method(), Method::GET | Method::HEAD) {
            Self::check_conditions(request);
        }
        route
    }

    /// Compresses the response if the route, the client and the response allow it.
    pub(crate) fn end(&self, route: RouteCoding, request: &mut HttpRequest, response: &mut HttpResponse) {
        if !route.is_uncompressed {
            self.respond(request, response);
        }
    }
}
