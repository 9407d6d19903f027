//! Defines [`FileResponse`], the response that sends a file.

use std::error::Error;
use std::fmt;
use std::ops::Range;
use std::path::PathBuf;
use std::time::SystemTime;

use bytes::Bytes;
use futures_core::Stream;
use http::header::{
    ACCEPT_RANGES, CONTENT_DISPOSITION, CONTENT_ENCODING, CONTENT_RANGE, LAST_MODIFIED, RANGE, X_CONTENT_TYPE_OPTIONS,
};
use http::{HeaderValue, Method, StatusCode};
use restwright_runtime::core::conditional::{EntityTag, describe_tag, respond_with_tag, set_not_modified};
use restwright_runtime::core::http::{HttpRequest, HttpResponse, Payload, PayloadStream};
use restwright_runtime::core::operation::{
    HeaderObject, MediaTypeObject, Operation, ParameterLocation, ParameterObject, ResponseObject, SchemaUse,
};
use restwright_runtime::core::problem::catalogue;
use restwright_runtime::core::schema::SchemaObject;
use restwright_runtime::core::{BuildContext, BuildErrors, Problem, Response, Result};
use tokio::task::spawn_blocking;

use crate::disposition::disposition;
use crate::file_pieces::{FilePieces, SharedFile};
use crate::media_type;
use crate::opened_file::{OpenedFile, problem};
use crate::range::{Selection, select};
use crate::validators::Validators;

/// A response that sends a file, bytes in memory, or a stream of known length.
///
/// On `GET` and `HEAD` it evaluates the preconditions of RFC 9110, section 13, with `ETag` and `Last-Modified`. A `GET`
/// with one `Range` gets a 206 with this part of the file, so browsers can seek in videos and resume downloads. A range
/// outside of the file is a 416. A list of up to 16 ranges gets the whole file, and a longer list a 416. `If-Range`
/// is supported.
///
/// The response has `X-Content-Type-Options: nosniff`. It is not compressed if it accepts ranges.
///
/// ```no_run
/// use restwright_files::FileResponse;
/// use restwright_runtime::core::Route;
///
/// let manual = Route::get("/manual.pdf").id("manual").public().handler(async |_: ()| {
///     Ok(FileResponse::open("files/manual.pdf").await?.attachment("Manual for caf\u{e9}s.pdf"))
/// });
/// ```
#[must_use = "it has no effect until the handler returns it"]
pub struct FileResponse {
    content: Content,
    media_type: HeaderValue,
    coding: Option<HeaderValue>,
    disposition: Option<HeaderValue>,
    validators: Validators,
}

enum Content {
    Bytes(Bytes),
    Reader {
        length: u64,
        read: Box<dyn FnOnce(Range<u64>) -> PayloadStream>,
    },
    /// A stream that begins at the first byte only.
    Stream {
        length: u64,
        pieces: PayloadStream,
    },
}

impl FileResponse {
    /// Opens a file. Its media type depends on its extension, and its `ETag` on its length and the time of its last
    /// change. A file whose time is before 1981 has no `ETag`, because reproducible builds give all files such a time.
    ///
    /// The path must not contain input of a client. Serve folders with [`StaticFiles`](crate::StaticFiles).
    ///
    /// # Errors
    /// 404 if there is no file at the path. 500 if the file cannot be read.
    pub async fn open(path: impl Into<PathBuf>) -> Result<Self> {
        let path = path.into();
        let opened = spawn_blocking(move || OpenedFile::open(&path)).await.map_err(Problem::internal)?;
        opened.map(Self::from).map_err(problem)
    }

    /// Creates a response from bytes in memory, with the media type `application/octet-stream`.
    pub fn from_bytes(bytes: impl Into<Bytes>) -> Self {
        Self::new(Content::Bytes(bytes.into()))
    }

    /// Creates a response from a content of `length` bytes that can be read from any position, such as an object in an
    /// object store. `read` receives the range to send and returns its bytes in pieces.
    pub fn from_reader<S>(length: u64, read: impl FnOnce(Range<u64>) -> S + 'static) -> Self
    where
        S: Stream<Item = Result<Bytes, Box<dyn Error>>> + 'static,
    {
        Self::new(Content::Reader { length, read: Box::new(move |range| Box::pin(read(range))) })
    }

    /// Creates a response from a stream of exactly `length` bytes. It does not support ranges.
    pub fn from_stream(length: u64, pieces: impl Stream<Item = Result<Bytes, Box<dyn Error>>> + 'static) -> Self {
        Self::new(Content::Stream { length, pieces: Box::pin(pieces) })
    }

    fn new(content: Content) -> Self {
        let validators = Validators::default();
        Self { content, media_type: media_type::UNKNOWN, coding: None, disposition: None, validators }
    }

    /// Sets the media type. Never set it from the input of a client without a check, because browsers run HTML and SVG.
    pub fn content_type(mut self, media_type: HeaderValue) -> Self {
        self.media_type = media_type;
        self
    }

    /// Sets `Content-Encoding`, for a content that is stored in this coding.
    pub(crate) fn coding(mut self, coding: &'static str) -> Self {
        self.coding = Some(HeaderValue::from_static(coding));
        self
    }

    /// Makes browsers save the file under this name (RFC 6266). The name may contain any characters.
    pub fn attachment(mut self, name: &str) -> Self {
        self.disposition = Some(disposition("attachment", name));
        self
    }

    /// Makes browsers show the file, and propose this name if the user saves it (RFC 6266).
    pub fn inline(mut self, name: &str) -> Self {
        self.disposition = Some(disposition("inline", name));
        self
    }

    /// Sets the entity tag. Responses with the same strong tag must have identical bytes.
    pub fn tag(mut self, tag: EntityTag) -> Self {
        self.validators.tag = Some(tag);
        self
    }

    /// Sets the time of the last change, `Last-Modified`.
    pub fn last_modified(mut self, time: SystemTime) -> Self {
        self.validators.modified = Some(time);
        self
    }

    /// Returns the length of the whole content in bytes.
    #[must_use]
    pub fn length(&self) -> u64 {
        match &self.content {
            Content::Bytes(bytes) => u64::try_from(bytes.len()).unwrap_or(u64::MAX),
            Content::Reader { length, .. } | Content::Stream { length, .. } => *length,
        }
    }

    /// Returns the part of the content to send with a 200 or a 206.
    fn selection(&self, request: &HttpRequest) -> Selection {
        let ranges = request.only_header(&RANGE).ok().flatten().filter(|_| *request.method() == Method::GET);
        match ranges {
            Some(ranges) if self.has_ranges() && self.validators.permit_range(request, SystemTime::now()) => {
                select(ranges, self.length())
            }
            _ => Selection::Whole,
        }
    }

    fn has_ranges(&self) -> bool {
        !matches!(self.content, Content::Stream { .. })
    }

    fn headers(&self, response: &mut HttpResponse) {
        response.set_content_type(self.media_type.clone());
        response.insert_header(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
        let ranges = if self.has_ranges() { "bytes" } else { "none" };
        response.insert_header(ACCEPT_RANGES, HeaderValue::from_static(ranges));
        let modified = self.validators.modified.map(|time| HeaderValue::try_from(httpdate::fmt_http_date(time)));
        for (name, value) in [
            (CONTENT_ENCODING, self.coding.clone()),
            (CONTENT_DISPOSITION, self.disposition.clone()),
            (LAST_MODIFIED, modified.and_then(Result::ok)),
        ] {
            if let Some(value) = value {
                response.insert_header(name, value);
            }
        }
    }
}

impl Content {
    fn payload(self, range: Range<u64>) -> Payload {
        let length = range.end.saturating_sub(range.start);
        match self {
            Self::Bytes(bytes) => {
                let position = |at: u64| usize::try_from(at).unwrap_or(usize::MAX).min(bytes.len());
                Payload::Bytes(bytes.slice(position(range.start)..position(range.end)))
            }
            Self::Reader { read, .. } => Payload::SizedStream(length, read(range)),
            Self::Stream { pieces, .. } => Payload::SizedStream(length, pieces),
        }
    }
}

impl Response for FileResponse {
    type Plan = ();

    fn plan(_: &mut BuildContext<'_>) -> Result<(), BuildErrors> {
        Ok(())
    }

    fn describe((): &(), operation: &mut Operation) {
        let summary = operation.summary.clone();
        let is_get = operation.method == Method::GET;
        describe_content(operation.response(StatusCode::OK), summary);
        if is_get {
            let part = operation.response(StatusCode::PARTIAL_CONTENT);
            describe_content(part, Some("The part of the file that `Range` selects.".to_owned()));
            part.add_header(header("Content-Range", "The position of the part, and the length of the file."));
            describe_headers(operation.response(StatusCode::NOT_MODIFIED));
        }
        describe_tag(operation);
        if is_get {
            for (name, description) in [
                ("Range", "One range of bytes, such as `bytes=0-999`."),
                ("If-Range", "The `ETag` or the `Last-Modified` of the state that `Range` is about."),
                ("If-Modified-Since", "Returns 304 if the file was not changed after this time."),
                ("If-Unmodified-Since", "Returns 412 if the file was changed after this time."),
            ] {
                let schema = SchemaUse::input(SchemaObject::string());
                let mut parameter = ParameterObject::new(ParameterLocation::Header, name, schema);
                parameter.required = false;
                parameter.description = Some(description.to_owned());
                operation.parameters.push(parameter);
            }
            operation.add_problem(catalogue::RANGE_NOT_SATISFIABLE);
        }
        operation.add_problem(catalogue::NOT_FOUND);
    }

    fn respond(self, (): &(), request: &HttpRequest) -> Result<HttpResponse> {
        // The steps are in the order of RFC 9110, section 13.2.2, in which `If-Match` replaces `If-Unmodified-Since`.
        let is_read = matches!(*request.method(), Method::GET | Method::HEAD);
        if is_read && self.validators.are_newer(request) {
            return Err(Problem::new(catalogue::PRECONDITION_FAILED)
                .detail("The file was changed after the time in `If-Unmodified-Since`.")
                .detail_key("precondition_failed.if_unmodified_since"));
        }
        let mut response = HttpResponse::new(StatusCode::OK);
        self.headers(&mut response);
        if let Some(tag) = &self.validators.tag {
            response = respond_with_tag(tag, request, response)?;
        }
        if !response.status().is_success() {
            return Ok(response);
        }
        if is_read && self.validators.are_known(request) {
            set_not_modified(&mut response);
            return Ok(response);
        }
        let length = self.length();
        let range = match self.selection(request) {
            Selection::Whole => 0..length,
            Selection::Part(range) => {
                let last = range.end.saturating_sub(1);
                response.set_status(StatusCode::PARTIAL_CONTENT);
                response.insert_header(CONTENT_RANGE, content_range(format_args!("{}-{last}", range.start), length));
                range
            }
            Selection::Unsatisfiable => {
                return Err(Problem::new(catalogue::RANGE_NOT_SATISFIABLE)
                    .detail(format!("`Range` must contain one range inside of the {length} bytes, such as `bytes=0-`."))
                    .detail_key("range_not_satisfiable.bytes")
                    .detail_param("length", length.to_string())
                    .header(CONTENT_RANGE, content_range(format_args!("*"), length)));
            }
        };
        response.set_payload(match *request.method() {
            Method::HEAD => Payload::Omitted(length),
            _ => self.content.payload(range),
        });
        Ok(response)
    }
}

fn header(name: &str, description: &str) -> HeaderObject {
    HeaderObject::new(name, SchemaUse::output(SchemaObject::string())).description(description).optional()
}

fn describe_content(response: &mut ResponseObject, description: Option<String>) {
    response.description = response.description.take().or(description);
    response.content.push(MediaTypeObject::new("*/*"));
    describe_headers(response);
}

/// Adds the headers that responses with a file and responses with 304 share. Not every file has a tag.
fn describe_headers(response: &mut ResponseObject) {
    for (name, description) in [
        ("Accept-Ranges", "`bytes` if `Range` is supported."),
        ("Content-Disposition", "The name under which browsers save the file."),
        ("ETag", "The tag of the state in the response."),
        ("Last-Modified", "The time of the last change."),
        ("X-Content-Type-Options", "Browsers must use the media type of the response."),
    ] {
        response.add_header(header(name, description));
    }
}

fn content_range(range: fmt::Arguments<'_>, length: u64) -> HeaderValue {
    HeaderValue::try_from(format!("bytes {range}/{length}")).unwrap_or(HeaderValue::from_static("bytes */*"))
}

impl From<OpenedFile> for FileResponse {
    fn from(opened: OpenedFile) -> Self {
        let OpenedFile { file, length, media_type, validators } = opened;
        let file = SharedFile::new(file);
        let content = Self::from_reader(length, move |range| FilePieces::new(file, range));
        Self { media_type, validators, ..content }
    }
}

impl fmt::Debug for FileResponse {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("FileResponse")
            .field("length", &self.length())
            .field("media_type", &self.media_type)
            .finish_non_exhaustive()
    }
}
