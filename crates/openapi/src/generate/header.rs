//! The headers of responses.

use restwright_runtime::core::operation::{HeaderObject, OrReference, Reference, ResponseObject};
use serde_json::Value;

use super::{Generator, render};

/// A header that every response of some operation carries.
pub(super) struct CommonHeader {
    declared: HeaderObject,
    rendered: OrReference<HeaderObject<Value>>,
}

impl Generator {
    /// Renders headers that every response of an operation carries, each different one once.
    pub(super) fn common_headers(&mut self, declared: &[HeaderObject]) -> Vec<OrReference<HeaderObject<Value>>> {
        declared.iter().map(|header| self.common_header(header)).collect()
    }

    fn common_header(&mut self, declared: &HeaderObject) -> OrReference<HeaderObject<Value>> {
        if let Some(known) = self.common_headers.iter().find(|known| known.declared == *declared) {
            return known.rendered.clone();
        }
        let header = self.header(declared);
        let component = self.components.headers.get_or_insert_with(&header.name, || header.clone());
        // Another header may stand under the name already.
        let rendered = if *component == header {
            OrReference::Reference(Reference::component(&header.name, "headers", &header.name))
        } else {
            OrReference::Inline(header)
        };
        self.common_headers.push(CommonHeader { declared: declared.clone(), rendered: rendered.clone() });
        rendered
    }

    pub(super) fn header(&mut self, declared: &HeaderObject) -> HeaderObject<Value> {
        declared.render(&mut |used, description| render(&mut self.registry, used, description))
    }
}

/// Adds the common headers which a response does not describe itself.
pub(super) fn add(response: &mut ResponseObject<Value>, common: &[OrReference<HeaderObject<Value>>]) {
    for header in common {
        if !response.headers.iter().any(|own| own.key().eq_ignore_ascii_case(header.key())) {
            response.headers.push(header.clone());
        }
    }
}
