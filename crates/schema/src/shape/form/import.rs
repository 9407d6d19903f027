//! Rewrites the JSON of data tools and of exports to the JSON that a schema accepts.

use super::texts::{Scalars, string};
use crate::decimal::Decimal;
use crate::document::{JsonDocument, ObjectMember, write_text};
use crate::shape::node::{CompiledNodes, Node, NodeForm};

static ANY: Node = Node::ANY;

/// Returns the rewritten JSON, or `None` if the text is not JSON or needs no change.
pub(in crate::shape) fn rewritten(compiled: &CompiledNodes, text: &str) -> Option<String> {
    let document = JsonDocument::parse(text)?;
    let mut writer = ImportWriter { compiled, output: String::with_capacity(text.len()), is_changed: false };
    writer.value(&document, &compiled.root);
    writer.is_changed.then_some(writer.output)
}

struct ImportWriter<'c> {
    compiled: &'c CompiledNodes,
    output: String,
    is_changed: bool,
}

impl ImportWriter<'_> {
    /// Writes a value. The recursion is bounded, because the reader limits the depth.
    fn value(&mut self, document: &JsonDocument<'_>, node: &Node) {
        let node = self.compiled.resolve(node);
        match document {
            JsonDocument::Scalar(text) if text.starts_with('"') => self.string(document, text, node),
            JsonDocument::Scalar(text) => match self.decimal(text, node) {
                Some(decimal) => write_text(&decimal, &mut self.output),
                None => self.output.push_str(text),
            },
            JsonDocument::Array(items) => {
                self.output.push('[');
                for (index, item) in items.iter().enumerate() {
                    self.output.push_str(if index == 0 { "" } else { "," });
                    let inner = match &node.form {
                        NodeForm::Array(array) => &array.items,
                        NodeForm::Tuple(tuple) => tuple.items.get(index).unwrap_or(&ANY),
                        _ => &ANY,
                    };
                    self.value(item, inner);
                }
                self.output.push(']');
            }
            JsonDocument::Object(members) => {
                let variant = variant(self.compiled, members, node);
                self.output.push('{');
                let mut is_first = true;
                for (name, member) in members {
                    let inner = match &variant.form {
                        NodeForm::Object(object) => match object.find(name, usize::MAX) {
                            Some((_, property)) => &property.node,
                            // Exports contain properties that clients cannot set.
                            None if object.hides(name) => {
                                self.is_changed = true;
                                continue;
                            }
                            None => &ANY,
                        },
                        NodeForm::Map(map) => &map.values,
                        _ => &ANY,
                    };
                    self.output.push_str(if std::mem::take(&mut is_first) { "" } else { "," });
                    write_text(name, &mut self.output);
                    self.output.push(':');
                    self.value(member, inner);
                }
                self.output.push('}');
            }
        }
    }

    fn string(&mut self, document: &JsonDocument<'_>, text: &str, node: &Node) {
        let value = document.as_text().unwrap_or_default();
        match string(self.compiled, node, &value) {
            written if written == value => self.output.push_str(text),
            written => {
                self.is_changed = true;
                write_text(&written, &mut self.output);
            }
        }
    }

    /// Returns the digits of a number, if the schema accepts a decimal and no number.
    fn decimal(&mut self, text: &str, node: &Node) -> Option<String> {
        let scalars = Scalars::of(self.compiled, node);
        let decimal = Decimal::parse(text).filter(|_| scalars.has_decimal && !scalars.has_number)?;
        self.is_changed = true;
        Some(decimal.without_exponent())
    }
}

/// Returns the variant of a union that an object matches, or the node.
fn variant<'n>(compiled: &'n CompiledNodes, members: &[ObjectMember<'_>], node: &'n Node) -> &'n Node {
    let variant = match &node.form {
        NodeForm::OneOf(one_of) => {
            let tag = members.iter().find(|(name, _)| *name == one_of.discriminator);
            tag.and_then(|(_, tag)| tag.as_text()).and_then(|tag| one_of.variant(&tag))
        }
        NodeForm::AnyOf(variants) => variants.iter().find(|variant| match &compiled.resolve(variant).form {
            NodeForm::Object(object) => {
                members.iter().all(|(name, _)| object.find(name, usize::MAX).is_some() || object.hides(name))
            }
            _ => false,
        }),
        _ => return node,
    };
    variant.map_or(&ANY, |variant| compiled.resolve(variant))
}

#[cfg(test)]
mod tests {
    use super::rewritten;
    use crate::{
        OneOf, PropertyCollection, Registry, SchemaObject, SchemaSide, any, any_of, array, date_time, number, object,
        one_of, string,
    };

    #[test]
    fn json_of_data_tools_is_rewritten() {
        let inner = || PropertyCollection::new("Inner").property(date_time("at")).property(string("id").read_only());
        let row = PropertyCollection::new("Row")
            .property(string("id").read_only())
            .property(string("text"))
            .property(date_time("at"))
            .property(array("times", SchemaObject::date_time()))
            .property(object("inner", inner()))
            .property(one_of("pet", OneOf::new("Pet", "kind").variant("cat", inner())))
            .property(any_of("union", [SchemaObject::int64(), inner().into()]))
            .property(number("double"))
            .property(any("any"))
            .closed();
        let schema = Registry::new().compile(row, SchemaSide::Input, None);
        let (time, written) = ("\"2026-01-31 10:00:00+00\"", "\"2026-01-31T10:00:00+00:00\"");
        for (json, expected) in [
            (format!("{{\"at\": {time}, \"text\": {time}}}"), Some(format!("{{\"at\":{written},\"text\":{time}}}"))),
            (format!("{{\"times\": [{time}, null]}}"), Some(format!("{{\"times\":[{written},null]}}"))),
            (format!("{{\"inner\": {{\"at\": {time}}}}}"), Some(format!("{{\"inner\":{{\"at\":{written}}}}}"))),
            (
                format!("{{\"pet\": {{\"at\": {time}, \"kind\": \"cat\"}}}}"),
                Some(format!("{{\"pet\":{{\"at\":{written},\"kind\":\"cat\"}}}}")),
            ),
            (format!("{{\"pet\": {{\"at\": {time}, \"kind\": \"x\"}}}}"), None),
            (format!("{{\"union\": {{\"at\": {time}}}}}"), Some(format!("{{\"union\":{{\"at\":{written}}}}}"))),
            (format!("{{\"any\": {time}}}"), None),
            ("{\"id\": \"a\", \"double\": 1e400}".to_owned(), Some("{\"double\":1e400}".to_owned())),
            (
                "{\"inner\": {\"id\": 1, \"x\": [{}]}, \"id\": 2}".to_owned(),
                Some("{\"inner\":{\"x\":[{}]}}".to_owned()),
            ),
            ("{\"text\": \"\\u00e4\", \"unknown\": 1.50}".to_owned(), None),
            ("{\"at\": ".to_owned(), None),
            ("\"2026-01-31 10:00:00+00\"".to_owned(), None),
        ] {
            assert_eq!(rewritten(schema.compiled(), &json), expected, "{json}");
        }
    }

    #[cfg(feature = "rust_decimal")]
    #[test]
    fn a_number_is_a_decimal_with_its_digits() {
        let row = PropertyCollection::new("Row")
            .property(crate::decimal("price"))
            .property(array("prices", SchemaObject::decimal()))
            .property(any_of("union", [SchemaObject::decimal(), SchemaObject::number()]));
        let schema = Registry::new().compile(row, SchemaSide::Input, None);
        for (number, expected) in [
            ("1.10", "1.10"),
            ("-0", "-0"),
            ("12345678901234567890.12345678", "12345678901234567890.12345678"),
            ("1e2", "100"),
            ("1.5E+1", "15"),
            ("1.5e3", "1500"),
            ("1.20e1", "12.0"),
            ("-12.5e-3", "-0.0125"),
            ("0.05e1", "0.5"),
            ("0e5", "0"),
            ("1e1000000000", "1e1000000000"),
            ("1e-99999999999999999999", "1e-99999999999999999999"),
        ] {
            let json = format!("{{\"price\":{number},\"prices\":[{number}],\"union\":{number}}}");
            let written = format!("{{\"price\":\"{expected}\",\"prices\":[\"{expected}\"],\"union\":{number}}}");
            assert_eq!(rewritten(schema.compiled(), &json), Some(written), "{number}");
        }
    }
}
