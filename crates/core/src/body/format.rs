//! Defines [`BodyFormat`], a format of request bodies in addition to JSON, and the format of HTML forms.

use std::any::Any;
use std::borrow::Cow;
use std::cell::RefCell;
use std::fmt;
use std::rc::Rc;

use bytes::Bytes;
use restwright_schema::{CompiledSchema, FormValue};

use crate::future::LocalBoxFuture;
use crate::http::{IncomingBody, Query};
use crate::operation::{EncodingObject, MediaTypeObject};
use crate::problem::{Problem, RequestViolations, Result, ViolationLocation, catalogue};

/// The maximum number of fields in a form.
pub const MOST_FIELDS: usize = 1_000;

/// A format of request bodies in addition to JSON, such as a form. Bodies are converted to JSON text, so they are
/// validated in the same way.
pub trait BodyFormat: Send + Sync + 'static {
    /// Returns the media type of the format.
    fn media_type(&self) -> &'static str;

    /// Adds the encoding of properties to the OpenAPI media type.
    fn describe(&self, shape: &CompiledSchema, content: &mut MediaTypeObject) {
        let _ = (shape, content);
    }

    /// Reads a body. `content_type` is the `Content-Type` of the request. If the body is invalid, adds its violations to
    /// `violations` and returns `None`.
    ///
    /// # Errors
    /// The problems of a body that cannot be read: 400, 408, 413.
    fn read<'r>(
        &'r self,
        shape: &'r CompiledSchema,
        content_type: &'r str,
        body: &'r mut IncomingBody,
        violations: &'r mut RequestViolations,
    ) -> LocalBoxFuture<'r, Result<Option<FormattedBody>>>;
}

/// A body that was converted to JSON text.
#[derive(Default)]
#[non_exhaustive]
pub struct FormattedBody {
    /// The JSON text.
    pub json: Bytes,
    /// The files of the body. A number in the JSON text refers to each file.
    pub files: Vec<Rc<dyn Any>>,
}

impl FormattedBody {
    /// Creates a body without files.
    #[must_use]
    pub fn new(json: Bytes) -> Self {
        Self { json, files: Vec::new() }
    }

    /// Sets the files.
    #[must_use]
    pub fn files(mut self, files: Vec<Rc<dyn Any>>) -> Self {
        self.files = files;
        self
    }
}

impl fmt::Debug for FormattedBody {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("FormattedBody").field("files", &self.files.len()).finish_non_exhaustive()
    }
}

/// The format `application/x-www-form-urlencoded`, in which browsers send forms without files.
///
/// [`CompiledSchema::form_to_json`] describes the names of nested fields, and which fields are JSON. A form with more than
/// 1,000 fields is a 413.
#[derive(Debug, Clone, Copy)]
pub struct UrlEncoded;

impl BodyFormat for UrlEncoded {
    fn media_type(&self) -> &'static str {
        "application/x-www-form-urlencoded"
    }

    fn describe(&self, shape: &CompiledSchema, content: &mut MediaTypeObject) {
        describe_json_fields(shape, content);
    }

    fn read<'r>(
        &'r self,
        shape: &'r CompiledSchema,
        _: &'r str,
        body: &'r mut IncomingBody,
        violations: &'r mut RequestViolations,
    ) -> LocalBoxFuture<'r, Result<Option<FormattedBody>>> {
        Box::pin(async move {
            let bytes = body.bytes().await?;
            let malformed = || {
                Problem::new(catalogue::MALFORMED_BODY)
                    .detail("The form is not valid UTF-8 when decoded.")
                    .detail_key("malformed_body.form")
            };
            let Ok(text) = std::str::from_utf8(&bytes) else { return Err(malformed()) };
            if text.split('&').count() > MOST_FIELDS {
                return Err(too_many_fields());
            }
            let Ok(form) = Query::parse(Some(text)) else { return Err(malformed()) };
            let mut fields = Vec::new();
            form.claim_each(|name, value| {
                fields.push((name.into(), FormValue::Text(value.into())));
                true
            });
            Ok(form_to_json(shape, fields, violations).map(FormattedBody::new))
        })
    }
}

/// Describes the properties that clients send as JSON in a form. Without this encoding, OpenAPI 3.0 writes the properties
/// of an object next to the other fields, and the default of OpenAPI 3.1 is not read by every generator.
pub fn describe_json_fields(shape: &CompiledSchema, content: &mut MediaTypeObject) {
    for name in shape.json_fields() {
        content.encoding.insert(name.to_owned(), EncodingObject::new("application/json"));
    }
}

/// Converts the fields of a form to JSON text, or adds violations and returns `None`.
pub fn form_to_json<'f>(
    shape: &CompiledSchema,
    fields: Vec<(Cow<'f, str>, FormValue<'f>)>,
    violations: &mut RequestViolations,
) -> Option<Bytes> {
    match shape.form_to_json(fields, violations.remaining()) {
        Ok(json) => Some(json.into()),
        Err(found) => {
            violations.extend(ViolationLocation::Body, "", found);
            None
        }
    }
}

/// Returns the problem for a form with too many fields.
#[must_use]
pub fn too_many_fields() -> Problem {
    Problem::new(catalogue::BODY_TOO_LARGE)
        .detail(format!("The form must have at most {MOST_FIELDS} fields."))
        .detail_key("body_too_large.fields")
        .detail_param("limit", MOST_FIELDS.to_string())
}

thread_local! {
    /// The files of the body that is being deserialized on this thread.
    static FILES: RefCell<Vec<Rc<dyn Any>>> = const { RefCell::new(Vec::new()) };
}

/// Makes the files of a body available to the types that are deserialized on this thread, until it is dropped.
#[derive(Debug)]
pub(super) struct Files(());

impl Files {
    pub(super) fn new(files: Vec<Rc<dyn Any>>) -> Self {
        FILES.set(files);
        Self(())
    }
}

impl Drop for Files {
    fn drop(&mut self) {
        FILES.take();
    }
}

/// Returns the file with this number in the body that is being deserialized on this thread. Returns `None` if the body
/// has no such file, for example because it is JSON.
#[must_use]
pub fn file<F: Clone + 'static>(number: usize) -> Option<F> {
    FILES.with_borrow(|files| files.get(number)?.downcast_ref::<F>().cloned())
}
