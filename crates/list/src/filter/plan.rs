//! [`FilterPlan`]: how the filters of a route are read and described.

use std::borrow::Cow;
use std::sync::Arc;

use restwright_core::http::Query;
use restwright_core::operation::{Operation, Parameter, SchemaUse, Style};
use restwright_core::problem::{Location, RequestViolations};
use restwright_core::schema::{
    Code, Face, Kind, Property, Registry, Shape, Violation, Violations, array, boolean, string,
};
use restwright_core::{Head, Planner, StartErrors};
use serde::de::DeserializeOwned;
use serde_json::Value as Json;

use super::fields::FilterFields;
use super::filter::{Filter, Given};
use super::list;
use super::name::{self, Name};
use super::operand::{self, MAX_VALUES};
use crate::codes;
use crate::expression::Comparison;
use crate::operator::Operator;
use crate::pagination::Context;
use crate::value::{Value, ValueType};
use crate::wire::{pointer, shown};

/// How many conditions a list takes, over all fields.
pub const MAX_CONDITIONS: usize = 20;

/// How the filters of one route are read and described; made once, when the Api is built. A copy shares it.
#[derive(Clone, Debug)]
pub struct FilterPlan(Arc<Declared>);

#[derive(Debug)]
struct Declared {
    fields: Vec<Field>,
    /// What `is_null` takes.
    flag: Shape,
}

#[derive(Debug)]
struct Field {
    name: String,
    description: Option<String>,
    deprecated: bool,
    kind: Kind,
    value_type: ValueType,
    shape: Shape,
    operators: Vec<Operator>,
    bits: u16,
}

/// What a parameter is to filters.
#[derive(Clone, Copy)]
enum Target {
    Condition { field: usize, operator: Operator },
    UnknownField,
    UnknownOperator { field: usize },
    Malformed,
}

/// A condition before its values are read.
struct Found<'q> {
    field: usize,
    operator: Operator,
    /// The parameter as it was spelt first.
    name: &'q str,
    texts: Vec<&'q Cow<'q, str>>,
}

impl FilterPlan {
    /// Checks what is declared, and decides how to read it.
    ///
    /// # Errors
    /// A field without operators, or with one that makes no sense for its type; a name that is taken twice, has brackets, or
    /// is that of another parameter of lists; filters that stand twice in one request.
    pub fn new(fields: &FilterFields, planner: &mut Planner<'_>) -> Result<Self, StartErrors> {
        let mut errors = StartErrors::new();
        let mut declared: Vec<Field> = Vec::new();
        for (property, operators) in &fields.fields {
            if declared.iter().any(|field| field.name == property.name()) {
                errors.push(format!("the filter `{}` is declared twice; remove one of them", property.name()));
            }
            declared.extend(errors.take(Field::new(property, operators, planner.registry())));
        }
        let flag = planner.registry().compile_property(&boolean(""), Face::Input, None);
        let plan = Self(Arc::new(Declared { fields: declared, flag }));
        if planner.shared::<Context>().filters.set(plan.clone()).is_err() {
            errors.push("the request has two sets of filters; put them into one");
        }
        errors.finish(Some(plan))
    }

    /// Adds a parameter for each field and operator to the operation.
    pub fn describe(&self, operation: &mut Operation) {
        for field in &self.0.fields {
            operation.parameters.extend(field.operators.iter().map(|operator| field.describe(*operator)));
        }
    }

    /// The names of the fields, in the order of their declaration.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.fields.iter().map(|field| &*field.name)
    }

    /// Reads every condition, or reports what is wrong with any and returns `None`.
    pub fn read(&self, head: &Head<'_>, violations: &mut RequestViolations) -> Option<Conditions> {
        let mut refused = Refused { violations, any: false };
        let found = self.find(head.query(), &mut refused, &mut 0);
        let mut list = Vec::with_capacity(found.len());
        for found in found {
            list.extend(self.read_one(&found, &mut refused));
        }
        if refused.any { None } else { Some(Conditions { list }) }
    }

    /// The conditions that are given, each once. `steps` counts the bytes of names that are looked at, and the names that are
    /// compared.
    fn find<'q>(&self, query: &'q Query<'_>, refused: &mut Refused<'_>, steps: &mut usize) -> Vec<Found<'q>> {
        let mut found: Vec<Found<'q>> = Vec::new();
        let mut too_many = false;
        query.claim_each(|name, text| {
            let (field, operator) = match self.target(name, steps) {
                Some(Target::Condition { field, operator }) => (field, operator),
                Some(wrong) => {
                    refused.push(|| self.refuse(wrong, name));
                    return true;
                }
                None => return false,
            };
            let count = found.len();
            *steps += count;
            match found.iter_mut().find(|known| known.field == field && known.operator == operator) {
                Some(known) if operator == Operator::In => known.texts.push(text),
                Some(_) => refused.push(|| self.duplicate(name, field, operator)),
                None if count < MAX_CONDITIONS => found.push(Found { field, operator, name, texts: vec![text] }),
                None if too_many => {}
                None => {
                    too_many = true;
                    let message = format!("is one condition too many; a list takes {MAX_CONDITIONS}");
                    let violation = Violation::new(pointer(name), codes::TOO_MANY_CONDITIONS, message);
                    refused.push(|| violation.param("maximum", MAX_CONDITIONS));
                }
            }
            true
        });
        found
    }

    /// What a parameter is to filters; `None` when it is none of their business.
    fn target(&self, name: &str, steps: &mut usize) -> Option<Target> {
        let (field, operator, enclosed) = match name::parse(name, steps) {
            Name::Enclosed { field, operator } => (field, operator, true),
            Name::Flat { field, operator } => (field, operator, false),
            Name::MalformedEnclosed => return Some(Target::Malformed),
            Name::MalformedFlat { field } => return self.position(field, steps).map(|_| Target::Malformed),
        };
        let Some((field, declared)) = self.position(field, steps) else {
            return enclosed.then_some(Target::UnknownField);
        };
        let operator = operator.map_or(Some(Operator::Eq), Operator::parse);
        Some(match operator.filter(|operator| declared.bits & operator.bit() != 0) {
            Some(operator) => Target::Condition { field, operator },
            None => Target::UnknownOperator { field },
        })
    }

    fn position(&self, name: &str, steps: &mut usize) -> Option<(usize, &Field)> {
        *steps += self.0.fields.len();
        self.0.fields.iter().enumerate().find(|(_, field)| field.name == name)
    }

    #[cold]
    fn refuse(&self, target: Target, name: &str) -> Violation {
        let pointer = pointer(name);
        match target {
            Target::UnknownOperator { field } => {
                let operators = self.0.fields.get(field).map(|field| field.operators.as_slice()).unwrap_or_default();
                let allowed: Vec<_> = operators.iter().map(|operator| operator.as_str()).collect();
                let message = format!("does not take this operator; it takes {}", allowed.join(", "));
                Violation::new(pointer, codes::UNKNOWN_OPERATOR, message).param("allowed", allowed)
            }
            Target::Malformed => {
                let several = if name.ends_with("[]") { "; several values are `filter[field][in]=a,b`" } else { "" };
                let message = format!("is neither `filter[field]` nor `filter[field][operator]`{several}");
                Violation::new(pointer, codes::MALFORMED_FILTER, message)
            }
            Target::UnknownField | Target::Condition { .. } => {
                let allowed: Vec<_> = self.names().collect();
                let message = format!("filters by a field that there is not; there are {}", allowed.join(", "));
                Violation::new(pointer, codes::UNKNOWN_FILTER, message).param("allowed", allowed)
            }
        }
    }

    #[cold]
    fn duplicate(&self, name: &str, field: usize, operator: Operator) -> Violation {
        let takes_several = |field: &Field| operator == Operator::Eq && field.bits & Operator::In.bit() != 0;
        let several = match self.0.fields.get(field).filter(|field| takes_several(field)) {
            Some(field) => format!("; several values are `{}[in]=a,b`", field.name),
            None => String::new(),
        };
        let message = format!("is given more than once; `filter[field]` and `field` are one condition{several}");
        Violation::new(pointer(name), codes::DUPLICATE_CONDITION, message)
    }

    fn read_one(&self, found: &Found<'_>, refused: &mut Refused<'_>) -> Option<ReadCondition> {
        let field = self.0.fields.get(found.field)?;
        let limit = refused.violations.remaining();
        let value = |text: &str| field.read_text(text, limit);
        let flag = |text: &str| self.0.flag.read_text_value(&[Cow::Borrowed(text)], limit);
        let outcome = operand::read(found.operator, &found.texts, value, flag, limit)
            .and_then(|json| Ok((json.try_map(|json| field.value(json))?, json)));
        match outcome {
            Ok((untyped, json)) => {
                let raw = match found.texts.as_slice() {
                    [text] => text.to_string(),
                    texts => texts.iter().map(|text| &***text).collect::<Vec<_>>().join(","),
                };
                Some(ReadCondition { field: found.field, pointer: found.name.to_owned(), json, untyped, raw })
            }
            Err(violations) => {
                refused.extend(&pointer(found.name), violations);
                None
            }
        }
    }
}

impl Field {
    fn new(property: &Property, operators: &[Operator], registry: &mut Registry) -> Result<Self, StartErrors> {
        const TAKEN: [&str; 6] = ["filter", "order_by", "page", "offset", "cursor", "limit"];
        let name = property.name();
        let mut errors = StartErrors::new();
        if TAKEN.contains(&name) || name.is_empty() || name.contains(['[', ']']) {
            errors.push(format!(
                "a filter cannot be called `{name}`: brackets and {} mean something else in a query; name it otherwise",
                TAKEN.join(", ")
            ));
        }
        let Some(value_type) = ValueType::of(property.kind(), registry) else {
            errors.push(format!(
                "the filter `{name}` is for {}, which has no single value; filter by text, enumerations, numbers, booleans, dates or UUIDs",
                registry.kind_name(property.kind())
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
        let kind = value_type.plain(property.kind(), registry);
        let shape = registry.compile(&kind, Face::Input, None);
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

    fn read_text(&self, text: &str, limit: usize) -> Result<Json, Violations> {
        let text = match self.value_type {
            // The `+` of an offset is decoded as a space, which no instant has.
            ValueType::DateTime => Cow::Owned(text.replace(' ', "+")),
            _ => Cow::Borrowed(text),
        };
        self.shape.read_text_value(&[text], limit)
    }

    fn value(&self, json: &Json) -> Result<Value<'static>, Violations> {
        let violation = || Violation::new("", Code::UNREADABLE, "cannot be read");
        self.value_type.read(json).ok_or_else(|| Violations::one(violation()))
    }

    fn describe(&self, operator: Operator) -> Parameter {
        let name = &self.name;
        let (spelt, flat) = match operator {
            Operator::Eq => (format!("filter[{name}]"), name.to_string()),
            other => (format!("filter[{name}][{other}]"), format!("{name}[{other}]")),
        };
        let item = match (self.value_type, operator) {
            (ValueType::Text, Operator::In | Operator::Between) => string("").pattern(list::ESCAPED),
            _ => Property::new("", self.kind.clone()),
        };
        let (property, style) = match operator {
            Operator::In => (array("", item).min_items(1).max_items(MAX_VALUES), Style::Comma),
            Operator::Between => (array("", item).min_items(2).max_items(2), Style::Comma),
            Operator::Contains | Operator::StartsWith | Operator::EndsWith => (string(""), Style::Standard),
            Operator::IsNull => (boolean(""), Style::Standard),
            _ => (item, Style::Standard),
        };
        let mut parameter = Parameter::new(Location::Query, spelt, SchemaUse::input(property));
        let described = self.description.as_deref().map_or_else(String::new, |text| format!("{text} "));
        parameter.description = Some(format!("{described}{} `{flat}` means the same.", operator.phrase()));
        parameter.flat = Some(flat);
        parameter.required = false;
        parameter.deprecated = self.deprecated;
        parameter.style = style;
        parameter
    }
}

/// The violations of a request, and whether any is of its filters.
struct Refused<'v> {
    violations: &'v mut RequestViolations,
    any: bool,
}

impl Refused<'_> {
    fn push(&mut self, make: impl FnOnce() -> Violation) {
        self.any = true;
        self.violations.push_with(Location::Query, make);
    }

    fn extend(&mut self, prefix: &str, violations: Violations) {
        self.any = true;
        self.violations.extend(Location::Query, prefix, violations);
    }
}

/// The conditions of one request, to be taken apart by field.
#[derive(Debug)]
pub struct Conditions {
    list: Vec<ReadCondition>,
}

#[derive(Debug)]
struct ReadCondition {
    field: usize,
    pointer: String,
    json: Comparison<Json>,
    untyped: Comparison<Value<'static>>,
    raw: String,
}

impl Conditions {
    /// Takes out the conditions of a field, by its position in the declaration; `None` when the Rust type refuses a value.
    pub fn take<T: DeserializeOwned>(&mut self, field: usize, violations: &mut RequestViolations) -> Option<Filter<T>> {
        let mut given = Vec::new();
        let mut refused = false;
        for ReadCondition { pointer: name, json, untyped, raw, .. } in self.of(field) {
            match json.try_map(|json| T::deserialize(json)) {
                Ok(comparison) => given.push(Given { comparison, untyped, raw }),
                Err(error) => {
                    refused = true;
                    let message = format!("cannot be read: {}", shown(&error.to_string()));
                    violations.push(Location::Query, Violation::new(pointer(&name), Code::UNREADABLE, message));
                }
            }
        }
        if refused { None } else { Some(Filter { given }) }
    }

    /// Takes out the conditions of a field whose type is known at run time only.
    pub(super) fn take_values(&mut self, field: usize) -> Filter<Value<'static>> {
        let given =
            self.of(field).map(|read| Given { comparison: read.untyped.clone(), untyped: read.untyped, raw: read.raw });
        Filter { given: given.collect() }
    }

    /// Every comparison, by the position of its field.
    #[cfg(feature = "cursor")]
    pub(crate) fn iter(&self) -> impl Iterator<Item = (usize, &Comparison<Value<'static>>)> {
        self.list.iter().map(|read| (read.field, &read.untyped))
    }

    fn of(&mut self, field: usize) -> impl Iterator<Item = ReadCondition> {
        self.list.extract_if(.., move |read| read.field == field)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn steps(query: &str) -> usize {
        let mut registry = Registry::new();
        let field = |property| Field::new(&property, &[Operator::Eq, Operator::In], &mut registry).unwrap();
        let fields = [string("name"), string("a")].map(field).into();
        let plan = FilterPlan(Arc::new(Declared {
            fields,
            flag: Registry::new().compile(&Kind::of::<bool>(), Face::Input, None),
        }));
        let mut violations = RequestViolations::new(100);
        let mut steps = 0;
        let query = Query::parse(Some(query)).unwrap();
        plan.find(&query, &mut Refused { violations: &mut violations, any: false }, &mut steps);
        steps
    }

    #[test]
    fn a_query_costs_time_linear_to_its_length() {
        const LENGTH: usize = 64 * 1024;
        for piece in
            ["[", "]", "[]", "filter[", "filter[&", "[&", "a&", "a[in]=&", "name[&", "filter[a][in]=,&", "%5B", "%5B&"]
        {
            for prefix in ["", "filter", "filter[a]", "a["] {
                let query = |length: usize| format!("{prefix}{}", piece.repeat(length / piece.len()));
                let (half, whole) = (steps(&query(LENGTH / 2)), steps(&query(LENGTH)));
                assert!(whole <= 8 * LENGTH, "{prefix} {piece}: {whole}");
                assert!(whole <= 2 * half + 64, "{prefix} {piece}: {half}, then {whole}");
            }
        }
    }
}
