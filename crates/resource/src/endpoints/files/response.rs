//! Defines the responses of operations on files.

use restwright_core::body::WriteBody;
use restwright_core::conditional::EntityTag;
use restwright_core::http::header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY, ETAG};
use restwright_core::http::{HeaderValue, HttpRequest, HttpResponse, StatusCode};
use restwright_core::operation::{HeaderObject, Operation, SchemaUse};
use restwright_core::schema::SchemaObject;
use restwright_core::{BuildContext, BuildErrors, Data, Response, Result};
use restwright_files::FileResponse;

use super::StoredFile;
use crate::endpoints::respond::shown::PRIVATE;

/// A response with a file. Browsers save it, and run nothing that it contains.
pub(super) struct Download {
    file: FileResponse,
    is_private: bool,
}

impl Download {
    pub(super) fn new(file: FileResponse, is_private: bool) -> Self {
        Self { file, is_private }
    }
}

const POLICY: HeaderValue = HeaderValue::from_static("default-src 'none'; sandbox");

impl Response for Download {
    type Plan = ();

    fn plan(context: &mut BuildContext<'_>) -> Result<(), BuildErrors> {
        FileResponse::plan(context)
    }

    fn describe(plan: &(), operation: &mut Operation) {
        FileResponse::describe(plan, operation);
        for status in [StatusCode::OK, StatusCode::PARTIAL_CONTENT] {
            let policy = HeaderObject::new("Content-Security-Policy", SchemaUse::output(SchemaObject::string()));
            let policy = policy.description("Browsers run nothing that the file contains.");
            operation.response(status).add_header(policy);
        }
    }

    fn respond(self, plan: &(), request: &HttpRequest) -> Result<HttpResponse> {
        let mut response = self.file.respond(plan, request)?;
        if response.status().is_success() {
            response.insert_header(CONTENT_SECURITY_POLICY, POLICY);
        }
        if self.is_private {
            response.insert_header(CACHE_CONTROL, PRIVATE);
        }
        Ok(response)
    }
}

/// The response to an upload. The status is 201, or 200 if the file replaced another.
pub(super) struct Uploaded {
    pub(super) file: StoredFile,
    pub(super) tag: EntityTag,
    pub(super) is_created: bool,
    pub(super) is_private: bool,
}

impl Response for Uploaded {
    type Plan = <Data<StoredFile> as WriteBody>::Plan;

    fn plan(context: &mut BuildContext<'_>) -> Result<Self::Plan, BuildErrors> {
        <Data<StoredFile> as WriteBody>::plan(context)
    }

    fn describe(plan: &Self::Plan, operation: &mut Operation) {
        for (status, description) in
            [(StatusCode::CREATED, "The file was stored."), (StatusCode::OK, "The file replaced an earlier one.")]
        {
            let response = operation.response(status);
            response.description = Some(description.to_owned());
            let tag = HeaderObject::new("ETag", SchemaUse::output(SchemaObject::string()));
            response.add_header(tag.description("The tag of the file."));
            <Data<StoredFile> as WriteBody>::describe(plan, response);
        }
    }

    fn respond(self, plan: &Self::Plan, _: &HttpRequest) -> Result<HttpResponse> {
        let mut response = HttpResponse::new(if self.is_created { StatusCode::CREATED } else { StatusCode::OK });
        Data(self.file).write(plan, &mut response)?;
        response.insert_header(ETAG, self.tag.to_header_value());
        if self.is_private {
            response.insert_header(CACHE_CONTROL, PRIVATE);
        }
        Ok(response)
    }
}
