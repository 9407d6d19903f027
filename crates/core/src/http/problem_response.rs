//! A problem as a response.

use std::error::Error;
use std::fmt;

use http::HeaderValue;
use http::header::CONTENT_TYPE;
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

use super::{HttpResponse, RequestId, to_json};
use crate::problem::{Problem, ProblemParts};

impl Problem {
    /// Returns the response. A problem of 500 and above is logged here, with its causes.
    #[must_use]
    pub fn into_response(mut self, request_id: &RequestId, type_base: Option<&str>) -> HttpResponse {
        let cause = self.status().is_server_error().then(|| Chain(&self).to_string());
        if let Some(cause) = &cause {
            tracing::error!(request_id = request_id.as_str(), code = self.code(), %cause, "request failed");
        }
        let wire = Wire { problem: self.parts(), request_id, type_base };
        let body = to_json(&wire).unwrap_or_default();
        let mut response = HttpResponse::with_bytes(self.status(), HeaderValue::from_static(Self::MEDIA_TYPE), body);
        let headers = self.take_headers();
        if !headers.is_empty() {
            let content_type = response.headers().get(CONTENT_TYPE).cloned();
            *response.headers_mut() = headers;
            response.headers_mut().extend(content_type.map(|value| (CONTENT_TYPE, value)));
        }
        if let Some(cause) = cause {
            response.set_cause(cause);
        }
        response
    }
}

/// The members in the order in which people read them.
struct Wire<'a> {
    problem: &'a ProblemParts,
    request_id: &'a RequestId,
    type_base: Option<&'a str>,
}

impl Serialize for Wire<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let ProblemParts { kind, detail, members, violations, .. } = self.problem;
        let mut map = serializer.serialize_map(None)?;
        match self.type_base {
            Some(base) => map.serialize_entry("type", &format_args!("{base}{}", kind.code))?,
            None => map.serialize_entry("type", "about:blank")?,
        }
        map.serialize_entry("title", &kind.title)?;
        map.serialize_entry("status", &kind.status.as_u16())?;
        if let Some(detail) = detail {
            map.serialize_entry("detail", detail)?;
        }
        map.serialize_entry("code", &kind.code)?;
        map.serialize_entry("request_id", self.request_id.as_str())?;
        if !violations.is_empty() {
            map.serialize_entry("errors", violations)?;
        }
        members.iter().try_for_each(|(name, value)| map.serialize_entry(name, value))?;
        map.end()
    }
}

/// An error with its causes on one line.
struct Chain<'a>(&'a dyn Error);

impl fmt::Display for Chain<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}", self.0)?;
        let mut cause = self.0.source();
        while let Some(error) = cause {
            write!(formatter, ": {error}")?;
            cause = error.source();
        }
        Ok(())
    }
}
