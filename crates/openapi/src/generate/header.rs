//! Renders the headers of responses. Headers that several responses share become components.

use restwright_runtime::core::operation::{HeaderObject, Operation, OrReference, Reference, ResponseObject};
use serde_json::Value;

use super::Generator;

/// A header that several responses share, as declared and as rendered in the document.
pub(super) struct SharedHeader {
    declared: HeaderObject,
    rendered: OrReference<HeaderObject<Value>>,
}

/// Returns the headers that all responses of all operations include.
pub(super) fn of_all<'a>(operations: &[&'a Operation]) -> Vec<&'a HeaderObject> {
    let Some((first, others)) = operations.split_first() else { return Vec::new() };
    let of_others = |header: &HeaderObject| others.iter().all(|operation| operation.common_headers.contains(header));
    first.common_headers.iter().filter(|header| of_others(header)).collect()
}

/// Returns the headers that all responses of one operation include. Omits the headers `of_all`, which all operations
/// include.
pub(super) fn own<'a>(operation: &'a Operation, of_all: &[&HeaderObject]) -> Vec<&'a HeaderObject> {
    operation.common_headers.iter().filter(|header| !of_all.contains(header)).collect()
}

impl Generator<'_> {
    /// Renders a header that several responses share. Equal headers are rendered once.
    pub(super) fn shared_header(&mut self, declared: &HeaderObject) -> OrReference<HeaderObject<Value>> {
        if let Some(known) = self.shared_headers.iter().find(|known| known.declared == *declared) {
            return known.rendered.clone();
        }
        let header = self.header(declared);
        let rendered = self.component_header(OrReference::Inline(header));
        self.shared_headers.push(SharedHeader { declared: declared.clone(), rendered: rendered.clone() });
        rendered
    }

    /// Moves a header to the components and returns a reference to it. Returns the header unchanged if a different
    /// header component already has its name.
    pub(super) fn component_header(
        &mut self,
        header: OrReference<HeaderObject<Value>>,
    ) -> OrReference<HeaderObject<Value>> {
        let OrReference::Inline(header) = header else { return header };
        let component = self.components.headers.get_or_insert_with(&header.name, || header.clone());
        if *component == header {
            OrReference::Reference(Reference::component(&header.name, "headers", &header.name))
        } else {
            OrReference::Inline(header)
        }
    }

    /// Renders a response header with its schema.
    pub(super) fn header(&mut self, declared: &HeaderObject) -> HeaderObject<Value> {
        declared.render(&mut |used, description| self.render(used, description))
    }
}

/// Adds the common headers to a response, except for headers that the response already describes.
pub(super) fn add(response: &mut ResponseObject<Value>, common: &[OrReference<HeaderObject<Value>>]) {
    for header in common {
        if !response.headers.iter().any(|own| own.key().eq_ignore_ascii_case(header.key())) {
            response.headers.push(header.clone());
        }
    }
}
