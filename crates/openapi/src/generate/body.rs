//! Bodies and their representations.

use std::collections::BTreeMap;

use restwright_core::operation as described;

use super::Writer;
use crate::document::{Example, MediaType, RequestBody};

impl Writer {
    pub(super) fn request_body(&mut self, body: &described::RequestBodyObject) -> RequestBody {
        RequestBody {
            description: body.description.clone(),
            required: body.required,
            content: self.content(&body.content, body.description.as_deref()),
        }
    }

    pub(super) fn content(
        &mut self,
        content: &[described::MediaTypeObject],
        description: Option<&str>,
    ) -> BTreeMap<String, MediaType> {
        let content = content.iter().map(|media_type| {
            let schema = media_type.schema.as_ref().map(|used| self.bare_schema(used, description));
            (media_type.name.clone(), MediaType { schema, examples: examples(&media_type.examples) })
        });
        content.collect()
    }
}

pub(super) fn examples(examples: &BTreeMap<String, described::ExampleObject>) -> BTreeMap<String, Example> {
    let written =
        |example: &described::ExampleObject| Example { summary: example.summary.clone(), value: example.value.clone() };
    examples.iter().map(|(name, example)| (name.clone(), written(example))).collect()
}
