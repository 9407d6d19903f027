//! [`FilterPlan`]: how the filters of a route are read and described.

use std::borrow::Cow;
use std::sync::Arc;

use restwright_core::http::Query;
use restwright_core::operation::Operation;
use restwright_core::problem::{Location, RequestViolations};
use restwright_core::schema::{CompiledSchema, SchemaObject, SchemaSide, Violation, Violations, pointer_to};
use restwright_core::{BuildContext, BuildErrors, RequestHead};

use super::conditions::{Conditions, ReadCondition};
use super::field::Field;
use super::fields::FilterFields;
use super::name::{self, Name};
use super::operand;
use crate::codes;
use crate::operator::Operator;
use crate::pagination::Context;

/// How many conditions a list takes, over all fields.
pub const MAX_CONDITIONS: usize = 20;

/// How the filters of one route are read and described; made once, when the Api is built. A copy shares it.
#[derive(Clone, Debug)]
pub struct FilterPlan(Arc<Declared>);

#[derive(Debug)]
struct Declared {
    fields: Vec<Field>,
    /// What `is_null` takes.
    flag: CompiledSchema,
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
    pub fn new(fields: &FilterFields, planner: &mut BuildContext<'_>) -> Result<Self, BuildErrors> {
        let mut errors = BuildErrors::new();
        let mut declared: Vec<Field> = Vec::new();
        for (property, operators) in &fields.fields {
            if declared.iter().any(|field| field.name == property.name()) {
                errors.push(format!("the filter `{}` is declared twice; remove one of them", property.name()));
            }
            declared.extend(errors.take(Field::new(property, operators, planner.registry())));
        }
        let flag = planner.registry().compile(SchemaObject::boolean(), SchemaSide::Input, None);
        let plan = Self(Arc::new(Declared { fields: declared, flag }));
        if planner.operation_state::<Arc<Context>>().filters.set(plan.clone()).is_err() {
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
    pub fn read(&self, head: &RequestHead<'_>, violations: &mut RequestViolations) -> Option<Conditions> {
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
                    let violation = Violation::new(pointer_to(name), codes::TOO_MANY_CONDITIONS, message);
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
        Some(match operator.filter(|operator| declared.takes(*operator)) {
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
        let pointer = pointer_to(name);
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
        let takes_several = |field: &Field| operator == Operator::Eq && field.takes(Operator::In);
        let several = match self.0.fields.get(field).filter(|field| takes_several(field)) {
            Some(field) => format!("; several values are `{}[in]=a,b`", field.name),
            None => String::new(),
        };
        let message = format!("is given more than once; `filter[field]` and `field` are one condition{several}");
        Violation::new(pointer_to(name), codes::DUPLICATE_CONDITION, message)
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
                Some(ReadCondition { field: found.field, name: found.name.to_owned(), json, untyped, raw })
            }
            Err(violations) => {
                refused.extend(&pointer_to(found.name), violations);
                None
            }
        }
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

#[cfg(test)]
mod tests {
    use restwright_core::schema::{Registry, SchemaType, string};

    use super::*;

    fn steps(query: &str) -> usize {
        let mut registry = Registry::new();
        let field = |property| Field::new(&property, &[Operator::Eq, Operator::In], &mut registry).unwrap();
        let fields = [string("name"), string("a")].map(field).into();
        let plan = FilterPlan(Arc::new(Declared {
            fields,
            flag: Registry::new().compile(SchemaType::of::<bool>(), SchemaSide::Input, None),
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
