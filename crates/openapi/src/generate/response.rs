//! Answers of success, and the headers of all answers.

use std::collections::BTreeMap;

use restwright_core::http::StatusCode;
use restwright_core::operation as described;

use super::Writer;
use crate::document::{Header, Link, OrReference, Response};

impl Writer {
    pub(super) fn response(
        &mut self,
        response: &described::ResponseObject,
        common: &[described::HeaderObject],
    ) -> Response {
        Response {
            description: response.description.clone().unwrap_or_else(|| reason(response.status)),
            headers: self.headers(&response.headers, common),
            content: self.content(&response.content, response.description.as_deref()),
            links: response.links.iter().map(|link| (link.name.clone(), written(link))).collect(),
        }
    }

    /// The headers of one answer in place, and those of every answer by reference.
    pub(super) fn headers(
        &mut self,
        own: &[described::HeaderObject],
        common: &[described::HeaderObject],
    ) -> BTreeMap<String, OrReference<Header>> {
        let mut headers = BTreeMap::new();
        for header in common {
            headers.insert(header.name.clone(), self.common_header(header));
        }
        for header in own {
            headers.insert(header.name.clone(), OrReference::Inline(self.header(header)));
        }
        headers
    }

    /// A reference, or the header itself when another one stands under its name.
    fn common_header(&mut self, header: &described::HeaderObject) -> OrReference<Header> {
        let written = self.header(header);
        let known = self.components.headers.entry(header.name.clone()).or_insert_with(|| written.clone());
        if *known == written { OrReference::component("headers", &header.name) } else { OrReference::Inline(written) }
    }

    fn header(&mut self, header: &described::HeaderObject) -> Header {
        let description = header.description.as_deref();
        Header {
            description: header.description.clone(),
            required: header.required,
            schema: self.bare_schema(&header.schema, description),
        }
    }
}

/// What a status means (RFC 9110, section 15).
pub(super) fn reason(status: StatusCode) -> String {
    status.canonical_reason().map_or_else(|| format!("Status {}", status.as_str()), str::to_owned)
}

fn written(link: &described::LinkObject) -> Link {
    Link {
        operation_id: link.operation_id.clone(),
        parameters: link.parameters.clone(),
        description: link.description.clone(),
    }
}
