//! Defines [`Upload`], the body of an upload.

use restwright_core::body::ReadBody;
use restwright_core::http::IncomingBody;
use restwright_core::http::header::{CONTENT_ENCODING, CONTENT_TYPE};
use restwright_core::operation::{MediaTypeObject, Operation, RequestBodyObject};
use restwright_core::problem::RequestViolations;
use restwright_core::runtime::{check_content_coding, describe_body_problems, unsupported_media_type};
use restwright_core::schema::Property;
use restwright_core::{BuildContext, BuildErrors, Problem, RequestHead, Result};
use restwright_files::FileContent;

use super::limits::FileLimits;
use crate::endpoints::declare::settings::not_of_resource;

/// The maximum length of a media type in bytes.
const MOST_MEDIA_TYPE: usize = 200;

/// The media type of a body without `Content-Type` (RFC 9110, section 8.3).
const UNKNOWN: &str = "application/octet-stream";

/// The body of an upload, whose media type is accepted.
pub(super) struct Upload {
    pub(super) content: FileContent,
    pub(super) media_type: String,
}

impl Upload {
    /// Compares the first bytes with the media types that are accepted, if the declaration demands it.
    ///
    /// # Errors
    /// 415 if the content has another media type.
    pub(super) async fn check_content(&mut self, limits: &FileLimits) -> Result<()> {
        let Some(rules) = limits.rules().filter(|rules| rules.checks_content) else { return Ok(()) };
        match self.content.media_type().await?.filter(|found| rules.accepts(found)) {
            Some(found) => found.clone_into(&mut self.media_type),
            None => return Err(unaccepted(limits)),
        }
        Ok(())
    }
}

/// Returns the 415 problem, which lists the accepted media types.
fn unaccepted(limits: &FileLimits) -> Problem {
    let accepted = limits.media_types();
    unsupported_media_type(&accepted.iter().map(String::as_str).collect::<Vec<_>>())
}

/// Returns whether a media type consists of printable ASCII characters, with a type and a subtype.
fn is_media_type(text: &str) -> bool {
    let essence = text.split(';').next().unwrap_or_default().trim_end();
    let is_token = |text: &str| {
        !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"!#$&^_.+-".contains(&byte))
    };
    text.len() <= MOST_MEDIA_TYPE
        && text.bytes().all(|byte| byte == b' ' || byte.is_ascii_graphic())
        && essence.split_once('/').is_some_and(|(kind, subtype)| is_token(kind) && is_token(subtype))
}

impl ReadBody for Upload {
    type Plan = FileLimits;

    fn plan(context: &mut BuildContext<'_>) -> Result<FileLimits, BuildErrors> {
        let file = context.route().setting::<Property>().ok_or_else(not_of_resource)?;
        Ok(FileLimits::new(file.clone(), context.registry()))
    }

    fn describe(limits: &FileLimits, operation: &mut Operation) {
        let content = limits.media_types().into_iter().map(MediaTypeObject::new);
        operation.request_body = Some(RequestBodyObject::new(content));
        describe_body_problems(operation);
    }

    async fn read(
        limits: &FileLimits,
        head: &RequestHead<'_>,
        body: &mut IncomingBody,
        _: &mut RequestViolations,
    ) -> Result<Option<Self>> {
        let media_type = head.request().header(&CONTENT_TYPE).unwrap_or(UNKNOWN).trim();
        if !is_media_type(media_type) || !limits.rules().is_none_or(|rules| rules.accepts(media_type)) {
            return Err(unaccepted(limits));
        }
        check_content_coding(head.request().header(&CONTENT_ENCODING))?;
        Ok(Some(Self { content: FileContent::take(body)?, media_type: media_type.to_owned() }))
    }
}
