//! Converts one schema from JSON Schema 2020-12 to the dialect of OpenAPI 3.0.3.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde_json::{Map, Value, json};

use super::keywords::{Treatment, treatment};
use crate::generate::versions::losses::Losses;

/// A converter for the schemas of one document.
///
/// A converted schema accepts every value that the original accepts. It is loose if it accepts more values, because a
/// keyword is lost. A loose schema in `not` would reject more values, and in `oneOf` a value could match two schemas.
/// The conversion of `not` and `oneOf` therefore depends on which components are loose.
pub(super) struct Conversion<'l> {
    loose_components: BTreeSet<String>,
    pub(super) losses: &'l mut Losses,
}

impl<'l> Conversion<'l> {
    /// Converts the component schemas of a document. After that, the document's other schemas can be converted.
    pub(super) fn of_components(components: &mut BTreeMap<String, Arc<Value>>, losses: &'l mut Losses) -> Self {
        let before = losses.clone();
        let mut conversion = Self { loose_components: BTreeSet::new(), losses };
        // A loose component can make other components loose, so the conversion repeats until nothing changes. Without
        // losses, one round is enough.
        loop {
            let known = conversion.loose_components.len();
            conversion.losses.clone_from(&before);
            let mut converted = components.clone();
            for (name, schema) in &mut converted {
                if conversion.replace(Arc::make_mut(schema)) == Fit::Loose {
                    conversion.loose_components.insert(name.clone());
                }
            }
            if conversion.loose_components.len() == known {
                *components = converted;
                return conversion;
            }
        }
    }

    /// Replaces a schema with the converted schema.
    pub(super) fn replace(&mut self, schema: &mut Value) -> Fit {
        let (converted, fit) = self.schema(schema);
        *schema = converted;
        fit
    }

    /// Converts a schema to the dialect of OpenAPI 3.0.
    pub(super) fn schema(&mut self, schema: &Value) -> (Value, Fit) {
        let source = match schema {
            Value::Object(source) => source,
            Value::Bool(false) => return (json!({ "not": {} }), Fit::Exact),
            _ => return (json!({}), Fit::Exact),
        };
        let mut target = ConvertedSchema::default();
        for (keyword, value) in source {
            match treatment(keyword) {
                Treatment::Kept => target.put(keyword, value.clone()),
                Treatment::Converted(rule) => rule(self, value, source, &mut target),
                Treatment::Lost => self.lose(keyword, &mut target),
                Treatment::AnnotationLost => self.losses.add(format!("`{keyword}`")),
                Treatment::Omitted => {}
            }
        }
        target.finish()
    }

    /// Records that the conversion omits a keyword that restricts the values. The schema is then loose.
    pub(super) fn lose(&mut self, keyword: &str, target: &mut ConvertedSchema) {
        self.losses.add(format!("`{keyword}`"));
        target.fit = Fit::Loose;
    }

    /// Returns `true` if a converted component accepts more values than the original.
    pub(super) fn is_loose(&self, component: &str) -> bool {
        self.loose_components.contains(component)
    }
}

/// The accuracy of a conversion, which shows whether both schemas accept the same values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(super) enum Fit {
    /// The converted schema accepts the same values as the original.
    #[default]
    Exact,
    /// The converted schema accepts more values than the original.
    Loose,
}

/// A converted schema that is being built.
#[derive(Default)]
pub(super) struct ConvertedSchema {
    keywords: Map<String, Value>,
    /// The component that the converted schema refers to.
    pub(super) reference: Option<Value>,
    /// Further schemas that a value must match (`allOf`).
    pub(super) all_of: Vec<Value>,
    pub(super) fit: Fit,
}

impl ConvertedSchema {
    /// Adds a keyword to the converted schema. If the schema already contains the keyword, a value must satisfy both.
    pub(super) fn put(&mut self, keyword: &str, value: Value) {
        if self.keywords.contains_key(keyword) {
            self.all_of.push(Value::Object(Map::from_iter([(keyword.to_owned(), value)])));
        } else {
            self.keywords.insert(keyword.to_owned(), value);
        }
    }

    fn finish(mut self) -> (Value, Fit) {
        if self.keywords.get("type").is_some_and(|name| name == "array") && !self.keywords.contains_key("items") {
            self.put("items", json!({}));
        }
        // OpenAPI 3.0 ignores everything next to a reference.
        if let Some(reference) = self.reference {
            let reference = json!({ "$ref": reference });
            if self.keywords.is_empty() && self.all_of.is_empty() {
                return (reference, self.fit);
            }
            self.all_of.insert(0, reference);
        }
        let mut schema = Map::new();
        if !self.all_of.is_empty() {
            schema.insert("allOf".to_owned(), self.all_of.into());
        }
        schema.extend(self.keywords);
        (schema.into(), self.fit)
    }
}
