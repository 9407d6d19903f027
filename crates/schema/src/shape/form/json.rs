//! Decides which values of a form are JSON, and checks their syntax.

use crate::code::Code;
use crate::json::Json;
use crate::path::Path;
use crate::pending_violation::PendingViolation;
use crate::reader::JsonTokenizer;
use crate::shape::node::{CompiledNodes, Node, NodeForm};
use crate::shape::schema_type::ScalarType;

/// The white space of JSON (RFC 8259, section 2).
const WHITE_SPACE: [char; 4] = [' ', '\t', '\n', '\r'];

impl CompiledNodes {
    /// Returns `true` if a text is read as JSON: the text of an object, a map, or a list of these. A text is no value of
    /// such a schema.
    ///
    /// An object that contains a file is not read as JSON, because JSON contains no files.
    pub(in crate::shape) fn reads_json(&self, node: &Node) -> bool {
        let node = self.resolve(node);
        let is_json = match &node.form {
            NodeForm::Array(array) => self.is_object(&array.items),
            _ => self.is_object(node),
        };
        is_json && !self.contains_file(node)
    }

    /// Returns `true` if each value of the schema is an object.
    fn is_object(&self, node: &Node) -> bool {
        let is_object = |form: &NodeForm| matches!(form, NodeForm::Object(_) | NodeForm::Map(_) | NodeForm::OneOf(_));
        match &self.resolve(node).form {
            NodeForm::AnyOf(variants) => variants.iter().all(|variant| is_object(&self.resolve(variant).form)),
            form => is_object(form),
        }
    }

    /// Returns `true` if the schema is a file, or contains one.
    pub(in crate::shape) fn contains_file(&self, node: &Node) -> bool {
        self.has_files && self.finds_file(node)
    }

    /// Searches a schema for a file.
    pub(in crate::shape) fn finds_file(&self, node: &Node) -> bool {
        let mut seen = vec![false; self.named.len()];
        let mut open = vec![node];
        while let Some(node) = open.pop() {
            match &node.form {
                NodeForm::Scalar(ScalarType::File(_)) => return true,
                NodeForm::Scalar(_) | NodeForm::Any => {}
                NodeForm::Array(array) => open.push(&array.items),
                NodeForm::Tuple(tuple) => open.extend(&tuple.items),
                NodeForm::Object(object) => open.extend(object.properties.iter().map(|property| &property.node)),
                NodeForm::Map(map) => open.push(&map.values),
                NodeForm::OneOf(one_of) => open.extend(one_of.variants.iter().map(|(_, variant)| variant)),
                NodeForm::AnyOf(variants) => open.extend(variants.iter()),
                NodeForm::Reference(index) => {
                    if let (Some(seen), Some(named)) = (seen.get_mut(*index), self.named.get(*index))
                        && !std::mem::replace(seen, true)
                    {
                        open.push(named);
                    }
                }
            }
        }
        false
    }
}

/// Returns `true` if a text is JSON that can be written at a path without exceeding the maximum depth of a body.
pub(super) fn is_json(text: &str, path: &Path<'_>) -> bool {
    let mut reader = JsonTokenizer::inside(text, path.depth());
    reader.skip().is_some() && reader.is_at_end()
}

/// Returns the violation of a text that is not JSON.
#[cold]
pub(super) fn malformed(text: &str) -> PendingViolation {
    let message = match Json::parse(text) {
        Ok(_) => "must be JSON with fewer levels of nesting".to_owned(),
        Err(error) => format!("must be JSON: {error}"),
    };
    PendingViolation::new(Code::FORMAT, message).param("format", "json")
}

/// Returns `true` if a JSON text is an array.
pub(super) fn is_array(text: &str) -> bool {
    text.trim_start_matches(WHITE_SPACE).starts_with('[')
}

/// Returns `true` if a JSON text is null.
pub(super) fn is_null(text: &str) -> bool {
    text.trim_matches(WHITE_SPACE) == "null"
}
