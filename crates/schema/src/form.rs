//! Converts the fields of a form to JSON text, guided by a schema.

use std::borrow::Cow;
use std::collections::HashMap;
use std::slice::from_ref;

use crate::code::Code;
use crate::json::Json;
use crate::node::{Compiled, Form, Node};
use crate::path::{Path, push_name};
use crate::pending_violation::PendingViolation;
use crate::schema_type::{Scalar, ScalarType};
use crate::violation::Violations;

static ANY: Node = Node::ANY;

/// The maximum number of brackets in the name of a field, such as `a[b][c]`.
const DEEPEST_NAME: usize = 16;

/// The value of a field of a form.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum FormValue<'f> {
    /// The text of the field.
    Text(Cow<'f, str>),
    /// A cell of CSV. A list or an object is JSON, and an empty cell is null if the property is nullable.
    Cell(Cow<'f, str>),
    /// The number of an uploaded file. It is written as a number, which only the schema of a file accepts.
    File(usize),
}

/// A field or a group of fields, such as `address` for `address[city]` and `address[street]`.
#[derive(Debug, Default)]
struct Field<'f> {
    values: Vec<FormValue<'f>>,
    children: Vec<(Cow<'f, str>, Field<'f>)>,
    positions: HashMap<Cow<'f, str>, usize>,
}

/// Converts the fields of a form to the JSON text that has the same meaning in a schema.
///
/// A text that does not match the type stays a string, so reading the JSON reports the expected type.
pub(crate) fn to_json<'f>(
    compiled: &Compiled,
    fields: impl IntoIterator<Item = (Cow<'f, str>, FormValue<'f>)>,
    violations: &mut Violations,
) -> String {
    let mut root = Field::default();
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
    let mut writer = Writer { compiled, output: String::new(), violations };
    writer.object(&root, compiled.resolve(&compiled.root), &Path::Root);
    writer.output
}

/// Splits a name such as `lines[0][name]` into `lines`, `0` and `name`. Brackets that are not balanced are part of the
/// name. Returns `None` if there are too many brackets.
fn segments(name: &str) -> Option<Vec<Cow<'static, str>>> {
    let whole = || vec![Cow::Owned(name.to_owned())];
    let Some((first, rest)) = name.split_once('[').filter(|(first, _)| !first.is_empty()) else { return Some(whole()) };
    let Some(inner) = rest.strip_suffix(']') else { return Some(whole()) };
    if inner.matches("][").count() >= DEEPEST_NAME {
        return None;
    }
    let inner: Vec<_> = inner.split("][").collect();
    if inner.iter().any(|segment| segment.contains(['[', ']'])) {
        return Some(whole());
    }
    Some(std::iter::once(first).chain(inner).map(|segment| Cow::Owned(segment.to_owned())).collect())
}

impl<'f> Field<'f> {
    fn insert(&mut self, segments: &[Cow<'static, str>], value: FormValue<'f>) {
        let Some((first, rest)) = segments.split_first() else { return self.values.push(value) };
        let position = *self.positions.entry(first.clone()).or_insert_with(|| {
            self.children.push((first.clone(), Field::default()));
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
            _ => None,
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

/// Returns the node of the field with a name such as `photos[0]`, and whether the field is a list. Returns `None` if the
/// schema has no such field.
pub(crate) fn node_of<'c>(compiled: &'c Compiled, name: &str) -> Option<(&'c Node, bool)> {
    let mut node = compiled.resolve(&compiled.root);
    for segment in segments(name)? {
        node = match &node.form {
            Form::Object(object) => &object.find(&segment, usize::MAX)?.1.node,
            Form::Map(map) => &map.values,
            Form::Array(array) => &array.items,
            Form::Tuple(tuple) => tuple.items.get(segment.parse::<usize>().ok()?)?,
            _ => return None,
        };
        node = compiled.resolve(node);
    }
    match &node.form {
        Form::Array(array) => Some((compiled.resolve(&array.items), true)),
        _ => Some((node, name.ends_with("[]"))),
    }
}

/// Returns the JSON Pointer of the field with a name such as `photos[0]`.
pub(crate) fn pointer_of(name: &str) -> String {
    let segments = segments(name).unwrap_or_else(|| vec![Cow::Owned(name.to_owned())]);
    segments.iter().filter(|segment| !segment.is_empty()).fold(String::new(), |mut pointer, segment| {
        push_name(&mut pointer, segment);
        pointer
    })
}

struct Writer<'w> {
    compiled: &'w Compiled,
    output: String,
    violations: &'w mut Violations,
}

impl Writer<'_> {
    fn field(&mut self, field: &Field<'_>, node: &Node, path: &Path<'_>) {
        let node = self.compiled.resolve(node);
        match (&field.values[..], &node.form) {
            ([FormValue::Cell(text)], _) if text.is_empty() && node.nullable => return self.output.push_str("null"),
            ([FormValue::Cell(_)], Form::Scalar(_)) => {}
            ([FormValue::Cell(text)], _) if field.children.is_empty() => return self.json(text),
            _ => {}
        }
        match &node.form {
            Form::Array(array) => self.array(field, from_ref(&array.items), path),
            Form::Tuple(tuple) => self.array(field, &tuple.items, path),
            Form::Object(_) | Form::Map(_) | Form::OneOf(_) if !field.children.is_empty() => {
                if !field.values.is_empty() {
                    self.too_many(field.values.len() + 1, path);
                }
                self.object(field, node, path);
            }
            // Without a type, the names of the inner fields decide between an array and an object.
            Form::Any | Form::AnyOf(_) if !field.children.is_empty() => match field.items() {
                Some(_) => self.array(field, from_ref(&ANY), path),
                None => self.object(field, node, path),
            },
            Form::Any | Form::AnyOf(_) if field.values.len() > 1 => self.array(field, from_ref(&ANY), path),
            Form::Scalar(_) if !field.children.is_empty() => self.object(field, &Node::ANY, path),
            _ => match &field.values[..] {
                [value] => self.value(value, node, path),
                values => {
                    self.too_many(values.len(), path);
                    self.output.push_str("null");
                }
            },
        }
    }

    fn object(&mut self, field: &Field<'_>, node: &Node, path: &Path<'_>) {
        let variant = match &node.form {
            Form::AnyOf(variants) => {
                let knows = |variant: &&Node| match &variant.form {
                    Form::Object(object) => {
                        field.children.iter().all(|(name, _)| object.find(name, usize::MAX).is_some())
                    }
                    _ => false,
                };
                variants.iter().map(|variant| self.compiled.resolve(variant)).find(knows)
            }
            Form::OneOf(one_of) => {
                let tag = field.child(&one_of.discriminator).and_then(Field::only_text);
                tag.and_then(|tag| one_of.variant(tag)).map(|variant| self.compiled.resolve(variant))
            }
            _ => Some(node),
        };
        self.output.push('{');
        let mut is_first = true;
        for (name, child) in &field.children {
            let inner = match variant.map(|node| &node.form) {
                Some(Form::Object(object)) => match object.find(name, usize::MAX) {
                    // Browsers send an empty text for an input without a value.
                    Some((_, property))
                        if !property.required
                            && child.only_text() == Some("")
                            && self.skips_empty(child, &property.node) =>
                    {
                        continue;
                    }
                    Some((_, property)) => &property.node,
                    None => &Node::ANY,
                },
                Some(Form::Map(map)) => &map.values,
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
    fn array(&mut self, field: &Field<'_>, items: &[Node], path: &Path<'_>) {
        let Some(inner) = field.items() else { return self.object(field, &ANY, path) };
        self.output.push('[');
        let mut count = 0;
        for value in &field.values {
            self.separate(&mut count);
            let index = count.saturating_sub(1);
            self.value(value, Self::item(self.compiled, items, index), &Path::Index(path, index));
        }
        for item in inner {
            // `a[]` may occur several times.
            for value in &item.values {
                self.separate(&mut count);
                let index = count.saturating_sub(1);
                self.value(value, Self::item(self.compiled, items, index), &Path::Index(path, index));
            }
            if !item.children.is_empty() {
                self.separate(&mut count);
                let index = count.saturating_sub(1);
                let group = Path::Index(path, index);
                match Self::item(self.compiled, items, index) {
                    Node { form: Form::Array(array), .. } => self.array(item, from_ref(&array.items), &group),
                    Node { form: Form::Tuple(tuple), .. } => self.array(item, &tuple.items, &group),
                    node => self.object(item, node, &group),
                }
            }
        }
        self.output.push(']');
    }

    fn item<'n>(compiled: &'n Compiled, items: &'n [Node], index: usize) -> &'n Node {
        compiled.resolve(match items {
            [all] => all,
            each => each.get(index).unwrap_or(&ANY),
        })
    }

    fn separate(&mut self, count: &mut usize) {
        if *count > 0 {
            self.output.push(',');
        }
        *count += 1;
    }

    fn value(&mut self, value: &FormValue<'_>, node: &Node, path: &Path<'_>) {
        let text = match value {
            FormValue::Text(text) | FormValue::Cell(text) => text,
            FormValue::File(number) if matches!(node.form, Form::Scalar(ScalarType::File(_))) => {
                return self.output.push_str(&number.to_string());
            }
            FormValue::File(_) => {
                let violation = PendingViolation::new(Code::TYPE, "must be a text, not a file").param("actual", "file");
                self.violations.push(violation.at(path));
                return self.output.push_str("null");
            }
        };
        let scalar = match &node.form {
            Form::Scalar(ScalarType::Boolean(_)) if text == "on" => Some(Scalar::Boolean(true)),
            Form::Scalar(kind) => kind.read_text(text),
            Form::AnyOf(variants) => variants.iter().find_map(|variant| match &self.compiled.resolve(variant).form {
                Form::Scalar(kind) => kind.read_text(text),
                _ => None,
            }),
            _ => None,
        };
        match scalar {
            _ if text.is_empty() && node.nullable && self.lacks_empty(node) => self.output.push_str("null"),
            Some(Scalar::Boolean(value)) => self.output.push_str(if value { "true" } else { "false" }),
            // The text is a number in JSON notation. It keeps its digits.
            Some(Scalar::Number(_)) => self.output.push_str(text),
            Some(Scalar::Text(_)) | None => self.text(text),
        }
    }

    /// Returns `true` if an empty text of an optional property is left out.
    fn skips_empty(&self, field: &Field<'_>, node: &Node) -> bool {
        let is_cell = matches!(field.values[..], [FormValue::Cell(_)]);
        !self.compiled.resolve(node).nullable && (is_cell || self.lacks_empty(node))
    }

    /// Returns `true` if an empty text is no value of the schema.
    fn lacks_empty(&self, node: &Node) -> bool {
        match &self.compiled.resolve(node).form {
            Form::Scalar(ScalarType::String(_)) | Form::Any => false,
            Form::Scalar(_) => true,
            _ => false,
        }
    }

    /// Writes JSON unchanged, and any other text as a string.
    fn json(&mut self, text: &str) {
        match Json::parse(text) {
            Ok(_) => self.output.push_str(text),
            Err(_) => self.text(text),
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
mod tests;
