//! Defines [`FieldPlan`], one declared filter field.

use std::borrow::Cow;

use restwright_core::BuildErrors;
use restwright_core::operation::{ParameterLocation, ParameterObject, ParameterStyle, SchemaUse};
use restwright_core::schema::{
    Code, CompiledSchema, ReadError, Registry, SchemaObject, SchemaSide, SchemaType, Violation, Violations,
};
use serde_json::Value as Json;
use serde_json::value::RawValue;

use super::fields::DeclaredField;
use super::list;
use super::name::PLAIN;
use super::operand::MAX_VALUES;
use crate::operator::Operator;
use crate::value::{Value, ValueType};

/// A declared filter field. It parses the operands of its conditions, and describes them in the OpenAPI document.
#[derive(Debug)]
pub(super) struct FieldPlan {
    pub(super) name: String,
    pub(super) operators: Vec<Operator>,
    /// The operator for parameters that name only the field, such as `filter[name]`.
    pub(super) default_operator: Operator,
    pub(super) is_computed: bool,
    pub(super) description: Option<String>,
    deprecated: bool,
    value_type: ValueType,
    /// The schema of the operands of `eq`, `ne` and `in`. It contains all constraints of the property.
    whole: OperandType,
    /// The schema of the operands of `gt`, `gte`, `lt`, `lte` and `between`. Strings have no constraints.
    bound: OperandType,
    /// The operators of the field, as a bit set.
    bits: u16,
    /// `true` if the values of the field are strings whose schema has constraints, such as a maximum length. The
    /// published pattern for a list of strings does not include these constraints.
    is_constrained_text: bool,
}

/// The type of an operand, with its compiled schema.
#[derive(Debug)]
struct OperandType {
    schema_type: SchemaType,
    schema: CompiledSchema,
}

impl OperandType {
    fn new(schema_type: SchemaType, registry: &mut Registry) -> Self {
        Self { schema: registry.compile(&schema_type, SchemaSide::Input, None), schema_type }
    }
}

impl FieldPlan {
    pub(super) fn new(declared: &DeclaredField, registry: &mut Registry) -> Result<Self, BuildErrors> {
        const TAKEN: [&str; 6] = ["filter", "order_by", "page", "offset", "cursor", "limit"];
        let DeclaredField { property, operators, default_operator, is_computed } = declared;
        let name = property.name();
        let mut errors = BuildErrors::new();
        if TAKEN.contains(&name) || name.is_empty() || name.contains(['[', ']']) {
            errors.push(format!(
                "the filter name `{name}` is reserved: brackets and {} have another meaning in a query; rename the filter",
                TAKEN.join(", ")
            ));
        }
        let Some(value_type) = ValueType::of(property.schema_type(), registry) else {
            errors.push(format!(
                "the filter `{name}` is for {}, which is not a single value; filter by strings, enumerations, numbers, booleans, dates or UUIDs",
                registry.type_name(property.schema_type())
            ));
            return errors.finish(None);
        };
        if operators.is_empty() {
            errors.push(format!("the filter `{name}` has no operator; add one, such as `eq`"));
        }
        let allowed = Operator::for_type(value_type);
        let is_list = operators.contains(&Operator::Has);
        if is_list && operators.len() > 1 {
            errors.push(format!(
                "the filter `{name}` is for a list, which supports only `has`; remove the other operators"
            ));
        } else if is_list && !Operator::has_items(value_type) {
            errors.push(format!(
                "the filter `{name}` is for a list of the type {}; `has` supports lists of strings, enumerations, integers, booleans and dates",
                value_type.name()
            ));
        }
        for operator in operators.iter().filter(|operator| !is_list && !allowed.contains(operator)) {
            errors.push(format!(
                "the filter `{name}` has the type {}, which does not support `{operator}`; it supports {}",
                value_type.name(),
                names(allowed).join(", ")
            ));
        }
        if let Some(default) = default_operator.filter(|default| !operators.contains(default)) {
            errors.push(format!(
                "the default operator `{default}` of the filter `{name}` is not one of its operators; add it to them, or choose one of {}",
                names(operators).join(", ")
            ));
        }
        let whole = OperandType::new(property.schema_type().clone(), registry);
        let plain_text = SchemaType::of::<String>();
        let is_text = value_type == ValueType::Text;
        let mut schema = |schema_type: &SchemaType| registry.json_schema(schema_type, SchemaSide::Input, None);
        let is_constrained_text = is_text && schema(property.schema_type()) != schema(&plain_text);
        // Lengths, patterns and formats do not apply to the end of a range, which may be a prefix.
        let bound = if is_text { plain_text } else { property.schema_type().clone() };
        let bound = OperandType::new(bound, registry);
        errors.finish(Some(Self {
            name: name.to_owned(),
            operators: operators.clone(),
            default_operator: default_operator.unwrap_or(Operator::Eq),
            is_computed: *is_computed,
            description: property.description_text().map(str::to_owned),
            deprecated: property.is_deprecated(),
            value_type,
            whole,
            bound,
            bits: operators.iter().fold(0, |bits, operator| bits | operator.bit()),
            is_constrained_text,
        }))
    }

    pub(super) fn takes(&self, operator: Operator) -> bool {
        self.bits & operator.bit() != 0
    }

    /// Parses the operand of a condition from a string.
    pub(super) fn read_text(&self, operator: Operator, text: &str, limit: usize) -> Result<Json, Violations> {
        let text = match self.value_type {
            // The `+` of a UTC offset is decoded as a space, which no date-time contains.
            ValueType::DateTime => Cow::Owned(text.replace(' ', "+")),
            _ => Cow::Borrowed(text),
        };
        self.operand(operator).schema.read_text_value(&[text], limit)
    }

    /// Checks the operand of a condition in a body, and returns it in its normal form.
    pub(super) fn read_json(&self, operator: Operator, json: &RawValue, limit: usize) -> Result<Json, Violations> {
        self.operand(operator).schema.read_value(json.get().as_bytes(), limit).map_err(|error| match error {
            ReadError::Violations(found) => found,
            _ => Violations::one(Violation::new("", Code::UNREADABLE, "cannot be read")),
        })
    }

    pub(super) fn value(&self, json: &Json) -> Result<Value<'static>, Violations> {
        let violation = || Violation::new("", Code::UNREADABLE, "cannot be read");
        self.value_type.read(json).ok_or_else(|| Violations::one(violation()))
    }

    /// Describes the parameter of an operator, with a [plain name](Self::plain_name) if `is_plain` is true.
    pub(super) fn describe(&self, operator: Operator, is_plain: bool) -> ParameterObject {
        let name = &self.name;
        let named = (format!("filter[{name}][{operator}]"), format!("{name}[{operator}]"));
        let is_default = operator == self.default_operator;
        let (spelt, flat) = if is_default { (format!("filter[{name}]"), name.clone()) } else { named.clone() };
        let (schema, style) = self.schema(operator);
        let published = if is_plain { self.plain_name(operator).into_owned() } else { spelt };
        let mut parameter = ParameterObject::new(ParameterLocation::Query, published, SchemaUse::input(schema));
        let mut description = self.description(operator);
        if !is_plain {
            description.push_str(&self.other_names(operator, &flat, is_default.then_some(&named)));
        }
        parameter.description = Some(description);
        // The long name of a default operator is accepted too, so it is reserved.
        parameter.flat = Some(if is_plain && is_default { format!("{name}{PLAIN}{operator}") } else { flat });
        parameter.required = false;
        parameter.deprecated = self.deprecated;
        parameter.style = style;
        parameter
    }

    /// Returns the schema of an operand in a body.
    pub(super) fn body_schema(&self, operator: Operator) -> SchemaObject {
        let item = SchemaObject::new(self.operand(operator).schema_type.clone());
        Self::schema_of(operator, item)
    }

    fn schema(&self, operator: Operator) -> (SchemaObject, ParameterStyle) {
        let item = match (self.value_type, operator) {
            // An empty string is an empty list.
            (ValueType::Text, Operator::In) => SchemaObject::string().pattern(list::ESCAPED).min_length(1),
            (ValueType::Text, Operator::Between) => SchemaObject::string().pattern(list::ESCAPED),
            _ => SchemaObject::new(self.operand(operator).schema_type.clone()),
        };
        let is_list = matches!(operator, Operator::In | Operator::Between);
        let style = if is_list { ParameterStyle::Comma } else { ParameterStyle::Standard };
        (Self::schema_of(operator, item), style)
    }

    /// Returns the schema of an operand whose values have the schema `item`.
    fn schema_of(operator: Operator, item: SchemaObject) -> SchemaObject {
        match operator {
            Operator::In => SchemaObject::array(item).min_items(1).max_items(MAX_VALUES),
            Operator::Between => SchemaObject::array(item).min_items(2).max_items(2),
            Operator::Contains | Operator::StartsWith | Operator::EndsWith => SchemaObject::string(),
            Operator::IsNull => SchemaObject::boolean(),
            _ => item,
        }
    }

    /// Returns the name of a parameter without brackets, such as `age__gte`, or `age` for the default operator.
    pub(super) fn plain_name(&self, operator: Operator) -> Cow<'_, str> {
        if operator == self.default_operator {
            return Cow::Borrowed(&self.name);
        }
        Cow::Owned(format!("{}{PLAIN}{operator}", self.name))
    }

    /// Returns the description of a filter parameter.
    fn description(&self, operator: Operator) -> String {
        let mut text = self.description.as_deref().map_or_else(String::new, |text| format!("{text} "));
        text.push_str(operator.phrase());
        if operator == Operator::In && self.is_constrained_text {
            text.push_str(" Each value must meet the length, pattern and format of a single value.");
        }
        text
    }

    /// Returns a sentence with the other names of a parameter. If the operator is the default and may be omitted, `named`
    /// contains the names that include it.
    fn other_names(&self, operator: Operator, flat: &str, named: Option<&(String, String)>) -> String {
        match named.filter(|_| operator != Operator::Eq) {
            Some((spelt, named_flat)) => {
                format!(" This is the default operator: `{flat}`, `{spelt}` and `{named_flat}` are equivalent.")
            }
            None => format!(" Short: `{flat}`."),
        }
    }

    fn operand(&self, operator: Operator) -> &OperandType {
        if operator.compares_whole_values() { &self.whole } else { &self.bound }
    }
}

/// Returns the names of the operators in query parameters, such as `gte`.
pub(super) fn names(operators: &[Operator]) -> Vec<&'static str> {
    operators.iter().map(|operator| operator.as_str()).collect()
}

/// Returns an error for each filter whose name is also the plain name of another filter with an operator.
pub(super) fn repeated_names(fields: &[FieldPlan]) -> Vec<String> {
    let of = |field: &FieldPlan| {
        let (name, default) = (field.name.clone(), field.default_operator);
        let operators = field.operators.iter().filter(move |operator| **operator != default);
        operators.map(|operator| (name.clone(), *operator)).collect::<Vec<_>>()
    };
    let with_operators = fields.iter().flat_map(of);
    with_operators
        .filter_map(|(name, operator)| {
            let plain = format!("{name}{PLAIN}{operator}");
            fields.iter().any(|field| field.name == plain).then(|| {
                format!("the filter `{plain}` has the same name as the filter `{name}` with the operator `{operator}`, because the configuration has `.plain_parameters()`; rename one of them")
            })
        })
        .collect()
}
