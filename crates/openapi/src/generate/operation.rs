//! Operations.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use restwright_core::operation as described;

use super::Writer;
use crate::document::{Operation, OrReference};

impl Writer {
    pub(super) fn operation(&mut self, operation: &described::Operation) -> Operation {
        let mut responses = BTreeMap::new();
        for response in &operation.responses {
            let written = self.response(response, &operation.common_headers);
            responses.insert(response.status.as_str().to_owned(), OrReference::Inline(written));
        }
        for failure in operation.failures() {
            // A route that describes such an answer itself knows better.
            if let Entry::Vacant(place) = responses.entry(failure.status.as_str().to_owned()) {
                let name = self.failure(failure, &operation.common_headers);
                place.insert(OrReference::component("responses", &name));
            }
        }
        let extensions = operation.extensions.iter().filter(|(name, _)| name.starts_with("x-"));
        Operation {
            operation_id: operation.id.clone(),
            summary: operation.summary.clone().unwrap_or_else(|| words(&operation.id)),
            description: operation.description.clone(),
            tags: operation.tags.clone(),
            deprecated: operation.deprecated,
            security: operation.security.iter().map(|requirement| requirement.schemes.clone()).collect(),
            parameters: operation.parameters.iter().map(|parameter| self.parameter(parameter)).collect(),
            request_body: operation.request_body.as_ref().map(|body| self.request_body(body)),
            responses,
            extensions: extensions.map(|(name, value)| (name.clone(), value.clone())).collect(),
        }
    }
}

/// `createPet` is `Create pet`.
fn words(id: &str) -> String {
    id.chars().enumerate().fold(String::new(), |mut words, (position, character)| {
        if position == 0 {
            words.extend(character.to_uppercase());
        } else if character.is_uppercase() {
            words.push(' ');
            words.extend(character.to_lowercase());
        } else {
            words.push(if character == '_' { ' ' } else { character });
        }
        words
    })
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_summary_is_made_of_the_id() {
        for (id, summary) in [("createPet", "Create pet"), ("list_pets", "List pets"), ("", "")] {
            assert_eq!(super::words(id), summary);
        }
    }
}
