//! Operations.

use restwright_runtime::core::operation::{Operation, OrReference, Reference};
use serde_json::Value;

use super::failure::reason;
use super::{Generator, header, render};

impl Generator {
    /// Renders a declared operation; its failures and common headers become references to components.
    pub(super) fn operation(&mut self, declared: &Operation) -> Operation<Value> {
        let mut operation = declared.render(&mut |used, description| render(&mut self.registry, used, description));
        operation.summary.get_or_insert_with(|| words(&declared.id));
        operation.extensions.retain(|name, _| name.starts_with("x-"));
        let common = self.common_headers(&declared.common_headers);
        for response in operation.responses.iter_mut().filter_map(OrReference::inline_mut) {
            response.description.get_or_insert_with(|| reason(response.status));
            header::add(response, &common);
        }
        for failure in declared.failures() {
            // A route that describes such a response itself is more specific.
            let status = failure.status;
            if !operation.responses.iter().any(|response| response.key() == status.as_str()) {
                let name = self.failure(failure, &declared.common_headers);
                let reference = Reference::component(status.as_str(), "responses", &name);
                operation.responses.push(OrReference::Reference(reference));
            }
        }
        operation
    }
}

/// Returns a summary made of an id: `Create pet` for `createPet`.
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
