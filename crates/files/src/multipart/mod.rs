//! Reads `multipart/form-data` (RFC 7578).

mod fields;
mod file_stream;
mod part_head;
mod parts;
mod received;
mod safe_name;
mod uploaded_file;

use bytes::{Bytes, BytesMut};
use restwright_runtime::core::body::{BodyFormat, FormattedBody, MOST_FIELDS, describe_json_fields, too_many_fields};
use restwright_runtime::core::http::IncomingBody;
use restwright_runtime::core::operation::{EncodingObject, MediaTypeObject};
use restwright_runtime::core::problem::{RequestViolations, ViolationLocation, catalogue};
use restwright_runtime::core::runtime::{LocalBoxFuture, ReadOnce, is_of};
use restwright_runtime::core::schema::{Code, CompiledSchema, FileRules, Violation};
use restwright_runtime::core::{Problem, Result, body};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};

use fields::FormFields;
use file_stream::Streamed;
use part_head::{PartHead, boundary};
use parts::{PartReader, malformed};
use received::{ReceivedFile, TemporaryFile};

use crate::counted::KeptBytes;
use crate::signature;

pub use file_stream::FileStream;
pub use uploaded_file::UploadedFile;

/// The format `multipart/form-data`, in which browsers send forms with files. `#[body(multipart)]` refers to it.
///
/// A form has at most 1,000 parts, the head of a part at most 8 KiB, and the text fields together at most 1 MiB. Its files use
/// at most one temporary file. The body limit of the route applies to the whole form.
#[derive(Debug, Clone, Copy)]
pub struct Multipart;

/// The media type of a part without `Content-Type` (RFC 7578, section 4.4).
const DEFAULT_TYPE: &str = "text/plain";

/// The maximum size in bytes of all text fields of a form.
const MOST_TEXT: usize = 1024 * 1024;

impl BodyFormat for Multipart {
    fn media_type(&self) -> &'static str {
        "multipart/form-data"
    }

    fn describe(&self, shape: &CompiledSchema, content: &mut MediaTypeObject) {
        describe_json_fields(shape, content);
        for (name, rules) in shape.files() {
            if let Some(accepted) = rules.accepted() {
                content.encoding.insert(name.to_owned(), EncodingObject::new(accepted));
            }
        }
    }

    fn read<'r>(
        &'r self,
        shape: &'r CompiledSchema,
        content_type: &'r str,
        body: &'r mut IncomingBody,
        violations: &'r mut RequestViolations,
    ) -> LocalBoxFuture<'r, Result<Option<FormattedBody>>> {
        Box::pin(async move {
            let Some(boundary) = boundary(content_type) else {
                return Err(malformed("the media type must have a `boundary` of 1 to 70 characters"));
            };
            body.check_length()?;
            let parts = PartReader::new(body, &boundary);
            let fields = FormFields::new(parts.held());
            FormReader { shape, violations, fields, temporary: TemporaryFile::default(), text: 0 }.read(parts).await
        })
    }
}

/// A form that is being read.
struct FormReader<'r> {
    shape: &'r CompiledSchema,
    violations: &'r mut RequestViolations,
    fields: FormFields,
    temporary: TemporaryFile,
    /// The number of bytes in all text fields.
    text: usize,
}

impl FormReader<'_> {
    async fn read(mut self, mut parts: PartReader) -> Result<Option<FormattedBody>> {
        let mut count = 0;
        while let Some(head) = parts.next().await? {
            // A part without a file counts too, although it adds no field.
            count += 1;
            if count > MOST_FIELDS {
                return Err(too_many_fields());
            }
            match self.shape.file_rules(&head.name) {
                Some(rules) if head.file_name.is_some() => {
                    // Browsers send an input without a file as an empty file without a name.
                    if head.file_name.as_deref() == Some("") && parts.is_empty().await? {
                        continue;
                    }
                    // The conversion to JSON reports a second file of a property that is no list.
                    if !rules.is_list && self.fields.count(&head.name) > 0 {
                        self.fields.push_file(head.name, UploadedFile::rejected());
                        continue;
                    }
                    let pointer = self.pointer(&head.name, &rules);
                    let is_rejected = self.rejects(&head, &rules, &pointer);
                    if rules.is_streamed {
                        let (name, mut content_type, max_size) = (head.file_name, head.content_type, rules.max_size);
                        let mut start = Bytes::new();
                        if rules.checks_content && !is_rejected {
                            start = start_of(&mut parts).await?;
                            content_type = self.check_content(&start, &rules, &pointer).map(str::to_owned);
                        }
                        let kept = KeptBytes::new(parts.held(), self.fields.contents().saturating_add(start.len()));
                        let once = ReadOnce::UNREAD;
                        let streamed = Streamed { parts, start, kept, name, content_type, max_size, size: 0, once };
                        self.fields.push_stream(head.name, FileStream::new(streamed));
                        return Ok(self.finish());
                    }
                    let file = if is_rejected {
                        UploadedFile::rejected()
                    } else {
                        self.file(&mut parts, &head, &rules, &pointer).await?
                    };
                    self.fields.push_file(head.name, file);
                }
                // Browsers send a `Blob` of JSON with a file name.
                _ if is_json(&head) && (head.file_name.is_none() || self.shape.has_field(&head.name)) => {
                    let json = self.text(&mut parts, &head).await?;
                    self.fields.push_json(head.name, json);
                }
                None if head.file_name.is_some() => self.fields.push_unexpected_file(head.name),
                _ => {
                    let text = self.text(&mut parts, &head).await?;
                    self.fields.push_text(head.name, text);
                }
            }
        }
        Ok(self.finish())
    }

    /// Returns the body as JSON text, or `None` if there are violations.
    fn finish(self) -> Option<FormattedBody> {
        self.fields.finish(self.shape, self.violations)
    }

    /// Returns the JSON Pointer of the next file with this name.
    fn pointer(&mut self, name: &str, rules: &FileRules<'_>) -> String {
        let pointer = CompiledSchema::form_pointer(name);
        if !rules.is_list {
            return pointer;
        }
        format!("{pointer}/{}", self.fields.count(name))
    }

    /// Reports a file whose media type is not accepted.
    fn rejects(&mut self, head: &PartHead, rules: &FileRules<'_>, pointer: &str) -> bool {
        if rules.accepts(head.content_type.as_deref().unwrap_or(DEFAULT_TYPE)) {
            return false;
        }
        let reason = match head.content_type {
            Some(_) => "",
            None => "; the part has no `Content-Type`, so it is text/plain",
        };
        self.reject(rules, pointer, reason);
        true
    }

    fn reject(&mut self, rules: &FileRules<'_>, pointer: &str, reason: &str) {
        let accepted = rules.accepted().unwrap_or_default();
        let message = format!("must have one of these media types: {accepted}{reason}");
        self.report(Violation::new(pointer, Code::ACCEPT, message).param("accept", accepted));
    }

    fn report(&mut self, violation: Violation) {
        if self.violations.remaining() > 0 {
            self.fields.add_pointer(&violation.pointer);
        }
        self.violations.push(ViolationLocation::Body, violation);
    }

    /// Returns the media type of a file by its first bytes, and reports a file whose media type is not accepted.
    fn check_content(&mut self, start: &[u8], rules: &FileRules<'_>, pointer: &str) -> Option<&'static str> {
        let found = signature::media_type_of(start);
        if found.is_some_and(|found| rules.accepts(found)) {
            return found;
        }
        self.reject(rules, pointer, &format!("; the content is {}", found.unwrap_or("of an unknown type")));
        None
    }

    /// Receives a file, and reports a file that is too large.
    async fn file(
        &mut self,
        parts: &mut PartReader,
        head: &PartHead,
        rules: &FileRules<'_>,
        pointer: &str,
    ) -> Result<UploadedFile> {
        let others = self.fields.in_memory();
        let received = ReceivedFile::receive(parts, rules.max_size, others, &mut self.temporary).await?;
        let Some((size, content)) = received else {
            let most = rules.max_size.unwrap_or_default();
            let violation = Violation::new(pointer, Code::MAX_SIZE, format!("must have at most {most} bytes"));
            self.report(violation.param("max_size", most));
            return Ok(UploadedFile::rejected());
        };
        let mut content_type = head.content_type.clone();
        if rules.checks_content {
            let start = content.start(size).await.map_err(Problem::internal)?;
            content_type = self.check_content(&start, rules, pointer).map(str::to_owned);
        }
        Ok(UploadedFile::new(head.file_name.clone(), content_type, size, content))
    }

    async fn text(&mut self, parts: &mut PartReader, head: &PartHead) -> Result<String> {
        let charset = head.content_type.as_deref().and_then(charset);
        if charset.is_some_and(|charset| !charset.eq_ignore_ascii_case("utf-8")) {
            return Err(malformed("the text of a part must be UTF-8"));
        }
        let (mut text, mut kept) = (BytesMut::new(), KeptBytes::new(parts.held(), 0));
        while let Some(piece) = parts.piece().await? {
            self.text += piece.len();
            if self.text > MOST_TEXT {
                return Err(Problem::new(catalogue::BODY_TOO_LARGE)
                    .detail(format!("The text fields must have at most {MOST_TEXT} bytes together."))
                    .detail_key("body_too_large.text")
                    .detail_param("limit", MOST_TEXT.to_string()));
            }
            text.extend_from_slice(&piece);
            kept.set(text.len());
        }
        match String::from_utf8(text.into()) {
            Ok(text) => Ok(text),
            Err(_) => Err(malformed("the text of a part must be UTF-8")),
        }
    }
}

/// Returns the first bytes of a part, which decide about its media type.
async fn start_of(parts: &mut PartReader) -> Result<Bytes> {
    let (mut start, mut kept) = (BytesMut::new(), KeptBytes::new(parts.held(), 0));
    while start.len() < signature::START
        && let Some(piece) = parts.piece().await?
    {
        start.extend_from_slice(&piece);
        kept.set(start.len());
    }
    Ok(start.freeze())
}

/// Returns `true` if the content of a part is declared as JSON.
fn is_json(head: &PartHead) -> bool {
    head.content_type.as_deref().is_some_and(|content_type| is_of(content_type, "application/json"))
}

/// Deserializes the number of a file, and returns the file.
fn deserialize_file<'de, F: Clone + 'static, D: Deserializer<'de>>(deserializer: D) -> Result<F, D::Error> {
    let number = usize::deserialize(deserializer)?;
    body::file(number).ok_or_else(|| D::Error::custom("a file must be sent as `multipart/form-data`"))
}

/// Returns the `charset` of a media type.
fn charset(content_type: &str) -> Option<&str> {
    let mut parameters = content_type.split(';').skip(1).filter_map(|parameter| parameter.split_once('='));
    parameters
        .find(|(name, _)| name.trim().eq_ignore_ascii_case("charset"))
        .map(|(_, value)| value.trim().trim_matches('"'))
}
