//! Converts the fields of a form to JSON text, guided by a schema.

use std::borrow::Cow;
use std::collections::HashMap;
use std::slice::from_ref;

use crate::code::Code;
use crate::path::Path;
use crate::pending_violation::PendingViolation;
use crate::shape::node::{CompiledNodes, Node, NodeForm, PropertyNode};
use crate::shape::schema_type::{Scalar, ScalarType};
use crate::violation::Violations;

mod cells;
mod columns;
pub(in crate::shape) mod import;
mod json;
mod names;
pub(in crate::shape) mod texts;

use json::{is_array, is_json, is_null, malformed};
use names::{DEEPEST_NAME, segments};

pub use columns::CsvColumn;
pub(in crate::shape) use columns::{column, columns};
pub(in crate::shape) use names::{node_of, pointer_of};

static ANY: Node = Node::ANY;

/// The value of a field of a form.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum FormValue<'f> {
    /// The text of the field.
    Text(Cow<'f, str>),
    /// The JSON of the field, such as a part of the media type `application/json`.
    Json(Cow<'f, str>),
    /// A cell of CSV with content or quotes. A list or an object is JSON. `""` is an empty text.
    Cell(Cow<'f, str>),
    /// A cell of CSV without content and without quotes. It is null if the property is nullable, absent if it is optional,
    /// and otherwise an empty text.
    EmptyCell,
    /// The number of an uploaded file. It is written as a number, which only the schema of a file accepts.
    File(usize),
}

/// A field or a group of fields, such as `address` for `address[city]` and `address[street]`.
#[derive(Debug, Default)]
struct FormField<'f> {
    values: Vec<FormValue<'f>>,
    children: Vec<(Cow<'f, str>, FormField<'f>)>,
    positions: HashMap<Cow<'f, str>, usize>,
}

/// Converts the fields of a form to the JSON text that has the same meaning in a schema.
///
/// A text that does not match the type stays a string, so reading the JSON reports the expected type.
pub(in crate::shape) fn to_json<'f>(
    compiled: &CompiledNodes,
    fields: impl IntoIterator<Item = (Cow<'f, str>, FormValue<'f>)>,
    violations: &mut Violations,
) -> String {
    let mut root = FormField::default();
    for (name, value) in fields {
        match segments(&name) {
            Some(segments) => root.insert(&segments, value),
            None => {
                let message = format!("must have at most {DEEPEST_NAME} brackets");
                let path = Path::Name(&Path::Root, &name);
                violations.push(PendingViolation::new(Code::UNKNOWN_PROPERTY, message).at(&path));
            }
        }
    }
    let mut writer = FormWriter { compiled, output: String::new(), violations };
    writer.object(&root, compiled.resolve(&compiled.root), &Path::Root);
    writer.output
}

impl<'f> FormField<'f> {
    fn insert(&mut self, segments: &[Cow<'static, str>], value: FormValue<'f>) {
        let Some((first, rest)) = segments.split_first() else { return self.values.push(value) };
        let position = *self.positions.entry(first.clone()).or_insert_with(|| {
            self.children.push((first.clone(), FormField::default()));
            self.children.len() - 1
        });
        if let Some((_, child)) = self.children.get_mut(position) {
            child.insert(rest, value);
        }
    }

    /// Returns the text if the field has one text and no inner fields.
    fn only_text(&self) -> Option<&str> {
        match (&self.values[..], self.children.is_empty()) {
            ([FormValue::Text(text) | FormValue::Cell(text)], true) => Some(text),
            ([FormValue::EmptyCell], true) => Some(""),
            _ => None,
        }
    }

    /// Returns `true` if the field is an empty text, as browsers send it for an input without a value. An empty list is
    /// `tags=` or `tags[]=`. `tags[0]=` is a list with an empty item.
    fn is_empty_text(&self, form: &NodeForm) -> bool {
        match (form, &self.values[..], &self.children[..]) {
            (_, [FormValue::Text(text)], []) => text.is_empty(),
            (NodeForm::Array(_) | NodeForm::Tuple(_), [], [(name, item)]) if name.is_empty() => {
                item.children.is_empty() && matches!(&item.values[..], [FormValue::Text(text)] if text.is_empty())
            }
            _ => false,
        }
    }

    fn child(&self, name: &str) -> Option<&Self> {
        self.children.get(*self.positions.get(name)?).map(|(_, child)| child)
    }

    /// Returns the inner fields as the items of an array: `a[]` in the order of the form, and `a[0]` in the order of the
    /// numbers. Returns `None` if another name occurs.
    fn items(&self) -> Option<Vec<&Self>> {
        let mut items = Vec::with_capacity(self.children.len());
        for (name, child) in &self.children {
            let is_number = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_digit());
            let number = if is_number { name.parse::<u32>().ok()? } else { 0 };
            items.push((is_number || name.is_empty()).then_some((number, child))?);
        }
        items.sort_by_key(|(number, _)| *number);
        Some(items.into_iter().map(|(_, child)| child).collect())
    }
}

struct FormWriter<'w> {
    compiled: &'w CompiledNodes,
    output: String,
    violations: &'w mut Violations,
}

impl FormWriter<'_> {
    fn field(&mut self, field: &FormField<'_>, declared: &Node, path: &Path<'_>) {
        let node = self.compiled.resolve(declared);
        if let Some(empty) = self.empty(declared)
            && field.is_empty_text(&node.form)
        {
            return self.output.push_str(empty);
        }
        match (&field.values[..], &node.form) {
            ([value], _) if self.is_null_cell(value, declared) => return self.output.push_str("null"),
            ([FormValue::Cell(_) | FormValue::EmptyCell], NodeForm::Scalar(_)) => {}
            ([FormValue::Cell(text)], _) if field.children.is_empty() => return self.cell(text, node, path),
            ([FormValue::EmptyCell], _) if field.children.is_empty() => return self.text(""),
            ([value], _) if self.is_whole_list(field, declared) => return self.value(value, declared, path),
            _ => {}
        }
        match &node.form {
            NodeForm::Array(array) => self.array(field, from_ref(&array.items), path),
            NodeForm::Tuple(tuple) => self.array(field, &tuple.items, path),
            NodeForm::Object(_) | NodeForm::Map(_) | NodeForm::OneOf(_) if !field.children.is_empty() => {
                if !field.values.is_empty() {
                    self.too_many(field.values.len() + 1, path);
                }
                self.object(field, node, path);
            }
            // Without a type, the names of the inner fields decide between an array and an object.
            NodeForm::Any | NodeForm::AnyOf(_) if !field.children.is_empty() => match field.items() {
                Some(_) => self.array(field, from_ref(&ANY), path),
                None => self.object(field, node, path),
            },
            NodeForm::Any | NodeForm::AnyOf(_) if field.values.len() > 1 => self.array(field, from_ref(&ANY), path),
            NodeForm::Scalar(_) if !field.children.is_empty() => self.object(field, &Node::ANY, path),
            _ => match &field.values[..] {
                [value] => self.value(value, declared, path),
                values => {
                    self.too_many(values.len(), path);
                    self.output.push_str("null");
                }
            },
        }
    }

    fn object(&mut self, field: &FormField<'_>, node: &Node, path: &Path<'_>) {
        let variant = match &node.form {
            NodeForm::AnyOf(variants) => {
                let knows = |variant: &&Node| match &variant.form {
                    NodeForm::Object(object) => {
                        field.children.iter().all(|(name, _)| object.find(name, usize::MAX).is_some())
                    }
                    _ => false,
                };
                variants.iter().map(|variant| self.compiled.resolve(variant)).find(knows)
            }
            NodeForm::OneOf(one_of) => {
                let tag = field.child(&one_of.discriminator).and_then(FormField::only_text);
                tag.and_then(|tag| one_of.variant(tag)).map(|variant| self.compiled.resolve(variant))
            }
            _ => Some(node),
        };
        self.output.push('{');
        let mut is_first = true;
        for (name, child) in &field.children {
            let inner = match variant.map(|node| &node.form) {
                Some(NodeForm::Object(object)) => match object.find(name, usize::MAX) {
                    Some((_, property)) if self.is_absent(child, property) => continue,
                    Some((_, property)) => &property.node,
                    // A column of another variant.
                    None if matches!(child.values[..], [FormValue::EmptyCell]) => continue,
                    None => &Node::ANY,
                },
                Some(NodeForm::Map(map)) => &map.values,
                _ => &Node::ANY,
            };
            if !std::mem::take(&mut is_first) {
                self.output.push(',');
            }
            self.text(name);
            self.output.push(':');
            self.field(child, inner, &Path::Name(path, name));
        }
        self.output.push('}');
    }

    /// Writes an array. `items` is the schema of all items, or one schema for each item of a tuple.
    fn array(&mut self, field: &FormField<'_>, items: &[Node], path: &Path<'_>) {
        let Some(inner) = field.items() else { return self.object(field, &ANY, path) };
        self.output.push('[');
        let mut count = 0;
        for value in &field.values {
            self.separate(&mut count);
            let index = count.saturating_sub(1);
            self.value(value, Self::item(items, index), &Path::Index(path, index));
        }
        for item in inner {
            // `a[]` may occur several times.
            for value in &item.values {
                self.separate(&mut count);
                let index = count.saturating_sub(1);
                self.value(value, Self::item(items, index), &Path::Index(path, index));
            }
            if !item.children.is_empty() {
                self.separate(&mut count);
                let index = count.saturating_sub(1);
                let group = Path::Index(path, index);
                let node = self.compiled.resolve(Self::item(items, index));
                match &node.form {
                    form @ (NodeForm::Array(_) | NodeForm::Tuple(_)) if item.is_empty_text(form) => {
                        self.output.push_str("[]")
                    }
                    NodeForm::Array(array) => self.array(item, from_ref(&array.items), &group),
                    NodeForm::Tuple(tuple) => self.array(item, &tuple.items, &group),
                    _ => self.object(item, node, &group),
                }
            }
        }
        self.output.push(']');
    }

    fn item(items: &[Node], index: usize) -> &Node {
        match items {
            [all] => all,
            each => each.get(index).unwrap_or(&ANY),
        }
    }

    fn separate(&mut self, count: &mut usize) {
        if *count > 0 {
            self.output.push(',');
        }
        *count += 1;
    }

    fn value(&mut self, value: &FormValue<'_>, declared: &Node, path: &Path<'_>) {
        let node = self.compiled.resolve(declared);
        let text: &str = match value {
            FormValue::Text(text) | FormValue::Cell(text) => text,
            FormValue::EmptyCell => "",
            FormValue::Json(json) => return self.json(json, node, path),
            FormValue::File(number) if matches!(node.form, NodeForm::Scalar(ScalarType::File(_))) => {
                return self.output.push_str(&number.to_string());
            }
            FormValue::File(_) => {
                let violation = PendingViolation::new(Code::TYPE, "must be a text, not a file").param("actual", "file");
                self.violations.push(violation.at(path));
                return self.output.push_str("null");
            }
        };
        if matches!(value, FormValue::Text(_))
            && text.is_empty()
            && let Some(empty) = self.empty(declared)
        {
            return self.output.push_str(empty);
        }
        match texts::scalar(self.compiled, node, text) {
            _ if self.is_null_cell(value, declared) => self.output.push_str("null"),
            Some(Scalar::Boolean(value)) => self.output.push_str(if value { "true" } else { "false" }),
            // The text is a number in JSON notation. It keeps its digits.
            Some(Scalar::Number(_)) => self.output.push_str(text),
            None if self.compiled.reads_json(node) => self.json_or_text(text, path),
            Some(Scalar::Text(_)) | None => self.text(&texts::string(self.compiled, node, text)),
        }
    }

    /// Writes the JSON of a field.
    fn json(&mut self, json: &str, node: &Node, path: &Path<'_>) {
        if let NodeForm::Scalar(ScalarType::File(_)) = node.form {
            return self.text(json);
        }
        let violation = if self.compiled.contains_file(node) {
            // A number in JSON could be the number of another file.
            PendingViolation::new(Code::TYPE, "must be sent as one field for each property, because it contains a file")
        } else if is_json(json, path) {
            return self.output.push_str(json);
        } else {
            malformed(json)
        };
        self.violations.push(violation.at(path));
        self.output.push_str("null");
    }

    /// Returns `true` if the field is the JSON of a whole list. Otherwise each value of the field is an item.
    fn is_whole_list(&self, field: &FormField<'_>, declared: &Node) -> bool {
        let node = self.compiled.resolve(declared);
        match (&node.form, &field.values[..], &field.children[..]) {
            (NodeForm::Array(_) | NodeForm::Tuple(_), [FormValue::Json(json)], []) => {
                is_array(json) || is_null(json) && self.is_nullable(declared)
            }
            (NodeForm::Array(_), [FormValue::Text(text)], []) => is_array(text) && self.compiled.reads_json(node),
            _ => false,
        }
    }

    /// Returns the JSON of an empty text, or `None` if it stays a string. Violations are reported where the JSON is read.
    fn empty(&self, declared: &Node) -> Option<&'static str> {
        let node = self.compiled.resolve(declared);
        match &node.form {
            _ if self.allows_empty(node) => None,
            _ if self.is_nullable(declared) => Some("null"),
            NodeForm::Array(_) | NodeForm::Tuple(_) => Some("[]"),
            NodeForm::Object(_) | NodeForm::Map(_) | NodeForm::OneOf(_) => Some("{}"),
            _ => None,
        }
    }

    /// Returns `true` if a property is left out, because it is optional and its field is empty.
    fn is_absent(&self, field: &FormField<'_>, property: &PropertyNode) -> bool {
        if property.required || self.is_nullable(&property.node) {
            return false;
        }
        if let [value @ (FormValue::Cell(_) | FormValue::EmptyCell)] = &field.values[..] {
            return field.only_text() == Some("") && self.skips_cell(value, &property.node);
        }
        let node = self.compiled.resolve(&property.node);
        // An empty list is not the default of the list.
        let is_list = property.has_default && matches!(node.form, NodeForm::Array(_) | NodeForm::Tuple(_));
        !is_list && !self.allows_empty(node) && field.is_empty_text(&node.form)
    }

    /// Returns `true` if an empty text is a value of the schema.
    fn allows_empty(&self, node: &Node) -> bool {
        let is_text = |form: &NodeForm| {
            matches!(
                form,
                NodeForm::Scalar(ScalarType::String(_)) | NodeForm::Any | NodeForm::AnyOf(_) | NodeForm::Reference(_)
            )
        };
        match &node.form {
            NodeForm::AnyOf(variants) => variants.iter().any(|variant| is_text(&self.compiled.resolve(variant).form)),
            form => is_text(form),
        }
    }

    fn is_nullable(&self, declared: &Node) -> bool {
        declared.nullable || self.compiled.resolve(declared).nullable
    }

    /// Writes JSON unchanged, and any other text as a string.
    fn json_or_text(&mut self, text: &str, path: &Path<'_>) {
        if is_json(text, path) {
            self.output.push_str(text);
        } else {
            self.text(text);
        }
    }

    fn text(&mut self, text: &str) {
        // Writing a string to memory cannot fail.
        self.output.push_str(&serde_json::to_string(text).unwrap_or_default());
    }

    fn too_many(&mut self, count: usize, path: &Path<'_>) {
        let message = format!("must occur only once, but occurs {count} times");
        self.violations.push(PendingViolation::new(Code::TOO_MANY_VALUES, message).at(path));
    }
}

#[cfg(test)]
mod cell_tests;
#[cfg(test)]
mod tests;
