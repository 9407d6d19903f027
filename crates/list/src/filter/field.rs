//! [`Field`]: one declared filter.

use std::borrow::Cow;

use restwright_core::BuildErrors;
use restwright_core::operation::{ParameterLocation, ParameterObject, ParameterStyle, SchemaUse};
use restwright_core::schema::{
    Code, CompiledSchema, Property, Registry, SchemaObject, SchemaSide, SchemaType, Violation, Violations,
};
use serde_json::Value as Json;

use super::list;
use super::operand::MAX_VALUES;
use crate::operator::Operator;
use crate::value::{Value, ValueType};

/// A field that a route is filtered by: how the values of its conditions are read and described.
#[derive(Debug)]
pub(super) struct Field {
    pub(super) name: String,
    description: Option<String>,
    deprecated: bool,
    kind: SchemaType,
    value_type: ValueType,
    shape: CompiledSchema,
    pub(super) operators: Vec<Operator>,
    /// The operators again, a bit for each.
    bits: u16,
}

impl Field {
    pub(super) fn new(
        property: &Property,
        operators: &[Operator],
        registry: &mut Registry,
    ) -> Result<Self, BuildErrors> {
        const TAKEN: [&str; 6] = ["filter", "order_by", "page", "offset", "cursor", "limit"];
        let name = property.name();
        let mut errors = BuildErrors::new();
        if TAKEN.contains(&name) || name.is_empty() || name.contains(['[', ']']) {
            errors.push(format!(
                "a filter cannot be called `{name}`: brackets and {} mean something else in a query; name it otherwise",
                TAKEN.join(", ")
            ));
        }
        let Some(value_type) = ValueType::of(property.schema_type(), registry) else {
            errors.push(format!(
                "the filter `{name}` is for {}, which has no single value; filter by text, enumerations, numbers, booleans, dates or UUIDs",
                registry.type_name(property.schema_type())
            ));
            return errors.finish(None);
        };
        if operators.is_empty() {
            errors.push(format!("the filter `{name}` has no operator; add one, such as `eq`"));
        }
        for operator in operators.iter().filter(|operator| !value_type.operators().contains(operator)) {
            let takes: Vec<_> = value_type.operators().iter().map(|operator| operator.as_str()).collect();
            errors.push(format!(
                "`{operator}` makes no sense for the filter `{name}`, whose type is {}; it may take {}",
                value_type.name(),
                takes.join(", ")
            ));
        }
        let kind = value_type.plain(property.schema_type(), registry);
        let shape = registry.compile(&kind, SchemaSide::Input, None);
        errors.finish(Some(Self {
            name: name.to_owned(),
            description: property.description_text().map(str::to_owned),
            deprecated: property.is_deprecated(),
            kind,
            value_type,
            shape,
            operators: operators.to_vec(),
            bits: operators.iter().fold(0, |bits, operator| bits | operator.bit()),
        }))
    }

    pub(super) fn takes(&self, operator: Operator) -> bool {
        self.bits & operator.bit() != 0
    }

    pub(super) fn read_text(&self, text: &str, limit: usize) -> Result<Json, Violations> {
        let text = match self.value_type {
            // The `+` of an offset is decoded as a space, which no instant has.
            ValueType::DateTime => Cow::Owned(text.replace(' ', "+")),
            _ => Cow::Borrowed(text),
        };
        self.shape.read_text_value(&[text], limit)
    }

    pub(super) fn value(&self, json: &Json) -> Result<Value<'static>, Violations> {
        let violation = || Violation::new("", Code::UNREADABLE, "cannot be read");
        self.value_type.read(json).ok_or_else(|| Violations::one(violation()))
    }

    pub(super) fn describe(&self, operator: Operator) -> ParameterObject {
        let name = &self.name;
        let (spelt, flat) = match operator {
            Operator::Eq => (format!("filter[{name}]"), name.to_string()),
            other => (format!("filter[{name}][{other}]"), format!("{name}[{other}]")),
        };
        let item = match (self.value_type, operator) {
            (ValueType::Text, Operator::In | Operator::Between) => SchemaObject::string().pattern(list::ESCAPED),
            _ => SchemaObject::new(self.kind.clone()),
        };
        let (schema, style) = match operator {
            Operator::In => (SchemaObject::array(item).min_items(1).max_items(MAX_VALUES), ParameterStyle::Comma),
            Operator::Between => (SchemaObject::array(item).min_items(2).max_items(2), ParameterStyle::Comma),
            Operator::Contains | Operator::StartsWith | Operator::EndsWith => {
                (SchemaObject::string(), ParameterStyle::Standard)
            }
            Operator::IsNull => (SchemaObject::boolean(), ParameterStyle::Standard),
            _ => (item, ParameterStyle::Standard),
        };
        let mut parameter = ParameterObject::new(ParameterLocation::Query, spelt, SchemaUse::input(schema));
        let described = self.description.as_deref().map_or_else(String::new, |text| format!("{text} "));
        parameter.description = Some(format!("{described}{} `{flat}` means the same.", operator.phrase()));
        parameter.flat = Some(flat);
        parameter.required = false;
        parameter.deprecated = self.deprecated;
        parameter.style = style;
        parameter
    }
}
