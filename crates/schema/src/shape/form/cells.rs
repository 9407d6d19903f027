//! Defines when a cell of CSV is null, absent or an empty text.

use super::json::is_json;
use super::{FormValue, FormWriter, texts};
use crate::path::Path;
use crate::pending_violation::ValiditySink;
use crate::shape::node::{Node, NodeForm};
use crate::shape::schema_type::{Scalar, ScalarType};

impl FormWriter<'_> {
    /// Writes a cell of a property that is no scalar. A cell is JSON, or else a string.
    pub(super) fn cell(&mut self, text: &str, node: &Node, path: &Path<'_>) {
        match texts::scalar(self.compiled, node, text) {
            Some(Scalar::Boolean(value)) => self.output.push_str(if value { "true" } else { "false" }),
            _ if is_json(text, path) => self.output.push_str(text),
            _ => self.text(&texts::string(self.compiled, node, text)),
        }
    }

    /// Returns `true` if an empty cell of an optional property that is not nullable is left out.
    pub(super) fn skips_cell(&self, value: &FormValue<'_>, node: &Node) -> bool {
        matches!(value, FormValue::EmptyCell) || !self.reads_empty_cell(node)
    }

    /// Returns `true` if a cell is null. `""` is null only if no text is a value of the schema, because some programs quote
    /// all cells.
    pub(super) fn is_null_cell(&self, value: &FormValue<'_>, node: &Node) -> bool {
        match value {
            FormValue::EmptyCell => self.is_nullable(node),
            FormValue::Cell(text) => text.is_empty() && self.is_nullable(node) && !self.reads_empty_cell(node),
            _ => false,
        }
    }

    /// Returns `true` if `""` can be an empty text in the schema.
    fn reads_empty_cell(&self, node: &Node) -> bool {
        match &self.compiled.resolve(node).form {
            NodeForm::Scalar(ScalarType::String(_)) | NodeForm::Any => true,
            NodeForm::Scalar(kind) => {
                let mut verdict = ValiditySink::default();
                kind.check(Scalar::Text(""), &mut verdict);
                !verdict.refused
            }
            NodeForm::AnyOf(variants) => variants.iter().any(|variant| self.reads_empty_cell(variant)),
            _ => false,
        }
    }
}
