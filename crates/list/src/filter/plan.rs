//! Defines [`FilterPlan`], the compiled filters of a route.

use std::borrow::Cow;
use std::sync::Arc;

use restwright_core::http::Query;
use restwright_core::operation::Operation;
use restwright_core::problem::RequestViolations;
use restwright_core::schema::{CompiledSchema, Property, SchemaObject, SchemaSide, Violation, pointer_to};
use restwright_core::{BuildContext, BuildErrors, RequestHead};

use super::conditions::{Conditions, ReadCondition};
use super::field::{FieldPlan, names, repeated_names};
use super::fields::FilterFields;
use super::filter_violations::FilterViolations;
use super::name::{self, PLAIN, ParameterName, ParsedName, UnparsedCondition};
use super::operand;
use super::tree::OnlyCondition;
use crate::codes;
use crate::expression::Condition;
use crate::hidden_fields::{Hidden, HiddenFields};
use crate::operator::Operator;
use crate::shared_plan::SharedPlan;

/// The maximum number of conditions in a request, across all fields.
pub(super) const MAX_CONDITIONS: usize = 20;

/// The compiled filters of one route. The plan is created when the Api is built. It parses the filters of requests, and
/// adds their parameters to the OpenAPI document. Clones share it.
#[derive(Clone, Debug)]
pub struct FilterPlan {
    set: Arc<FilterSet>,
    shared: SharedFilters,
    /// The properties of the fields, if the route declares the fields at run time.
    run_time: Arc<[Property]>,
}

/// The filter fields of an operation that its request does not declare.
#[derive(Default)]
pub(crate) struct AddedFilterFields(pub(crate) FilterFields);

/// The compiled filters of a route. Its request parts and its response share them.
pub(crate) type SharedFilters = SharedPlan<Arc<FilterSet>>;

/// The compiled filter fields of one route.
#[derive(Debug)]
pub(crate) struct FilterSet {
    pub(super) fields: Vec<FieldPlan>,
    /// The number of fields that the request declares. The other fields are [`AddedFilterFields`].
    declared: usize,
    hidden: Option<HiddenFields>,
    /// The schema of the `is_null` operand.
    flag: CompiledSchema,
    /// `true` if names without brackets, such as `age__gte`, are accepted and published.
    is_plain: bool,
}

impl FilterPlan {
    /// Checks and compiles the declared fields.
    ///
    /// # Errors
    /// Fails in these cases:
    /// - a field has no operators, or an operator that does not fit its type;
    /// - a name is declared twice, contains brackets, or is the name of another list parameter;
    /// - with [`Configuration::plain_parameters`](restwright_core::Configuration::plain_parameters), the name of a filter is also the name of another filter with an operator;
    /// - a default operator is not an operator of its field;
    /// - the request has a second set of filters.
    pub fn new(fields: &FilterFields, context: &mut BuildContext<'_>) -> Result<Self, BuildErrors> {
        let mut errors = BuildErrors::new();
        let mut planned: Vec<FieldPlan> = Vec::new();
        let added = context.operation_state::<AddedFilterFields>().0.clone();
        for declared in fields.fields.iter().chain(&added.fields) {
            let name = declared.property.name();
            if planned.iter().any(|field| field.name == name) {
                errors.push(format!("the filter `{name}` is declared twice; remove one of them"));
            }
            planned.extend(errors.take(FieldPlan::new(declared, context.registry())));
        }
        for name in &fields.misplaced {
            errors.push(format!(
                "`default_operator` or `computed` names the filter `{name}`, which is not declared before the call; call `.field(..)` for it first"
            ));
        }
        let is_plain = context.configuration().values().plain_parameters;
        if is_plain {
            repeated_names(&planned).into_iter().for_each(|error| errors.push(error));
        }
        let flag = context.registry().compile(SchemaObject::boolean(), SchemaSide::Input, None);
        let hidden = context.route().setting::<HiddenFields>().cloned();
        let set = Arc::new(FilterSet { fields: planned, declared: fields.fields.len(), hidden, flag, is_plain });
        let shared = context.operation_state::<SharedFilters>().clone();
        if !shared.set(set.clone()) {
            errors.push("the request has two sets of filters; merge them");
        }
        let is_run_time = context.route().setting::<FilterFields>().is_some();
        let run_time = fields.fields.iter().filter(|_| is_run_time).map(|declared| declared.property.clone()).collect();
        errors.finish(Some(Self { set, shared, run_time }))
    }

    /// Adds a query parameter to the operation for each field and operator.
    pub fn describe(&self, operation: &mut Operation) {
        operation.is_list = true;
        let first = operation.parameters.len();
        for field in &self.set.fields {
            operation
                .parameters
                .extend(field.operators.iter().map(|operator| field.describe(*operator, self.set.is_plain)));
        }
        let description = operation.parameters.get_mut(first).and_then(|parameter| parameter.description.as_mut());
        description
            .into_iter()
            .for_each(|text| text.push_str(&format!(" A request must have at most {MAX_CONDITIONS} filters.")));
        operation.run_time.filters.extend(self.run_time.iter().cloned());
    }

    /// Returns the names of the declared fields in their order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.set.declared_names()
    }

    /// Parses every filter condition of a request. Reports each violation, and returns `None` if there is a violation.
    pub fn read(&self, head: &RequestHead<'_>, violations: &mut RequestViolations) -> Option<Conditions> {
        self.shared.read(head, || self.set.read(head, violations))
    }
}

impl FilterSet {
    /// Returns the field names in the order of declaration.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.fields.iter().map(|field| &*field.name)
    }

    /// Returns the names of the fields that the request declares.
    pub(crate) fn declared_names(&self) -> impl Iterator<Item = &str> {
        self.names().take(self.declared)
    }

    pub(crate) fn has_added(&self) -> bool {
        self.fields.len() > self.declared
    }

    /// Returns the conditions on the fields that the request does not declare.
    pub(crate) fn added(&self, conditions: Conditions) -> Vec<Condition> {
        let added = conditions.list.into_iter().filter(|read| read.field >= self.declared);
        added.filter_map(|read| Some(Condition::new(self.fields.get(read.field)?.name.clone(), read.untyped))).collect()
    }

    /// Returns the declared fields with their operators.
    pub(crate) fn operators(&self) -> impl Iterator<Item = (&str, &[Operator])> {
        self.fields.iter().take(self.declared).map(|field| (&*field.name, field.operators.as_slice()))
    }

    /// Returns the names of the declared fields that are not computed.
    pub(crate) fn item_fields(&self) -> impl Iterator<Item = &str> {
        self.fields.iter().take(self.declared).filter(|field| !field.is_computed).map(|field| &*field.name)
    }

    /// Parses every filter condition of a request. Reports each violation, and returns `None` if there is a violation.
    pub(crate) fn read(&self, head: &RequestHead<'_>, violations: &mut RequestViolations) -> Option<Conditions> {
        if head.has_body_parameters()
            && let Some(only) = head.shared(|| None::<OnlyCondition>)
        {
            return Some(only.0.clone());
        }
        let hidden = Hidden::of(self.hidden.as_ref(), head);
        if !hidden.is_empty() {
            let names = hidden.names();
            let is_plain = self.is_plain;
            head.hide_parameters(move |parameter| match name::parse(parameter) {
                ParameterName::Enclosed { field, .. } | ParameterName::Flat { field, .. } => {
                    let plain = parameter.rsplit_once(PLAIN).filter(|_| is_plain).map(|(field, _)| field);
                    names.iter().any(|name| name == field || plain.is_some_and(|plain| name == plain))
                }
                _ => false,
            });
        }
        let mut refused = FilterViolations { violations, hidden, any: false };
        let found = self.find(head.query(), &mut refused);
        let mut list = Vec::with_capacity(found.len());
        for found in found {
            list.extend(self.read_one(&found, &mut refused));
        }
        if refused.any { None } else { Some(Conditions { list }) }
    }

    /// Finds the conditions in the query string, in linear time. Reports unknown, malformed, duplicate and too many
    /// conditions.
    fn find<'q>(&self, query: &'q Query, refused: &mut FilterViolations<'_>) -> Vec<UnparsedCondition<'q>> {
        let mut found: Vec<UnparsedCondition<'q>> = Vec::new();
        let mut too_many = false;
        query.claim_each(|name, text| {
            let (field, operator) = match self.target(name, &refused.hidden) {
                Some(ParsedName::Condition { field, operator }) => (field, operator),
                Some(wrong) => {
                    refused.push(|hidden| self.refuse(wrong, name, hidden));
                    return true;
                }
                None => return false,
            };
            let count = found.len();
            match found.iter_mut().find(|known| known.field == field && known.operator == operator) {
                Some(known) if operator.takes_several() && !self.mixes_forms(known.name, name) => {
                    known.texts.push(text)
                }
                Some(_) => refused.push(|_| self.duplicate(name, field, operator)),
                None if count < MAX_CONDITIONS => {
                    found.push(UnparsedCondition { field, operator, name, texts: vec![text] })
                }
                None if too_many => {}
                None => {
                    too_many = true;
                    let message = format!("exceeds the maximum of {MAX_CONDITIONS} conditions");
                    let violation = Violation::new(pointer_to(name), codes::TOO_MANY_CONDITIONS, message);
                    refused.push(|_| violation.param("maximum", MAX_CONDITIONS));
                }
            }
            true
        });
        found
    }

    /// Parses the name of a query parameter, and returns its field and operator or an error. Returns `None` if the
    /// parameter is not a filter.
    fn target(&self, name: &str, hidden: &Hidden) -> Option<ParsedName> {
        let (field, operator, enclosed) = match name::parse(name) {
            ParameterName::Enclosed { field, operator } => (field, operator, true),
            ParameterName::Flat { field, operator } => (field, operator, false),
            ParameterName::MalformedEnclosed => return Some(ParsedName::Malformed),
            ParameterName::MalformedFlat { field } => {
                return self.position(field, hidden).map(|_| ParsedName::Malformed);
            }
        };
        let Some((field, declared)) = self.position(field, hidden) else {
            return if enclosed { Some(ParsedName::UnknownField) } else { self.plain_target(name, hidden) };
        };
        let operator = operator.map_or(Some(declared.default_operator), Operator::parse);
        Some(match operator.filter(|operator| declared.takes(*operator)) {
            Some(operator) => ParsedName::Condition { field, operator },
            None => ParsedName::UnknownOperator { field },
        })
    }

    /// Returns the condition of a name such as `age__gte`. Returns `None` if the field does not have the operator.
    fn plain_target(&self, name: &str, hidden: &Hidden) -> Option<ParsedName> {
        let (field, operator) = name.rsplit_once(PLAIN).filter(|_| self.is_plain)?;
        let (field, declared) = self.position(field, hidden)?;
        let operator = Operator::parse(operator).filter(|operator| declared.takes(*operator))?;
        Some(ParsedName::Condition { field, operator })
    }

    /// Returns `true` if one of two names of a condition has brackets, and the other has none.
    fn mixes_forms(&self, one: &str, other: &str) -> bool {
        self.is_plain && one.contains('[') != other.contains('[')
    }

    /// Returns the fields that do not exist for the caller of a request.
    pub(super) fn hidden(&self, head: &RequestHead<'_>) -> Hidden {
        Hidden::of(self.hidden.as_ref(), head)
    }

    fn position(&self, name: &str, hidden: &Hidden) -> Option<(usize, &FieldPlan)> {
        let found = self.fields.iter().enumerate().find(|(_, field)| field.name == name);
        found.filter(|_| !hidden.contains(name))
    }

    #[cold]
    fn refuse(&self, target: ParsedName, name: &str, hidden: &Hidden) -> Violation {
        let pointer = pointer_to(name);
        match target {
            ParsedName::UnknownOperator { field } => self.unknown_operator(field, pointer),
            ParsedName::Malformed => {
                let several =
                    if name.ends_with("[]") { "; for several values write `filter[field][in]=a,b`" } else { "" };
                let message = format!("must be `filter[field]` or `filter[field][operator]`{several}");
                Violation::new(pointer, codes::MALFORMED_FILTER, message)
            }
            ParsedName::UnknownField | ParsedName::Condition { .. } => {
                let allowed: Vec<_> = self.names().filter(|name| !hidden.contains(name)).collect();
                let message = format!("is not a known filter; known fields are {}", allowed.join(", "));
                Violation::new(pointer, codes::UNKNOWN_FILTER, message).param("allowed", allowed)
            }
        }
    }

    #[cold]
    pub(super) fn unknown_operator(&self, field: usize, pointer: String) -> Violation {
        let operators = self.fields.get(field).map(|field| field.operators.as_slice()).unwrap_or_default();
        let allowed = names(operators);
        let message = format!("does not support this operator; it supports {}", allowed.join(", "));
        Violation::new(pointer, codes::UNKNOWN_OPERATOR, message).param("allowed", allowed)
    }

    #[cold]
    fn duplicate(&self, name: &str, field: usize, operator: Operator) -> Violation {
        let takes_several = |field: &FieldPlan| operator == Operator::Eq && field.takes(Operator::In);
        let several = match self.fields.get(field).filter(|field| takes_several(field)) {
            Some(field) if self.is_plain => {
                format!("; for several values write `{}=a,b`", field.plain_name(Operator::In))
            }
            Some(field) => format!("; for several values write `{}[in]=a,b`", field.name),
            None => String::new(),
        };
        let forms = if self.is_plain {
            "`filter[field][operator]` and `field__operator`"
        } else {
            "`filter[field]` and `field`"
        };
        let message = format!("must occur only once; {forms} are the same condition{several}");
        Violation::new(pointer_to(name), codes::DUPLICATE_CONDITION, message)
    }

    fn read_one(&self, found: &UnparsedCondition<'_>, refused: &mut FilterViolations<'_>) -> Option<ReadCondition> {
        let field = self.fields.get(found.field)?;
        let limit = refused.violations.remaining();
        let value = |text: &str| field.read_text(found.operator, text, limit);
        let flag = |text: &str| self.flag.read_text_value(&[Cow::Borrowed(text)], limit);
        let outcome = operand::read(found.operator, &found.texts, value, flag, limit)
            .and_then(|json| Ok((json.try_map(|json| field.value(json))?, json)));
        match outcome {
            Ok((untyped, json)) => {
                let raw = found.texts.join(",");
                Some(ReadCondition { field: found.field, name: found.name.to_owned(), json, untyped, raw })
            }
            Err(violations) => {
                refused.extend(&pointer_to(found.name), violations);
                None
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use restwright_core::schema::{Registry, SchemaType, string};

    use super::*;

    fn filters() -> FilterSet {
        let mut registry = Registry::new();
        let operators = [Operator::Eq, Operator::In, Operator::Between];
        let fields = FilterFields::new().field(string("name"), operators).field(string("a"), operators);
        let planned = fields.fields.iter().map(|declared| FieldPlan::new(declared, &mut registry).unwrap());
        let fields = planned.collect();
        FilterSet {
            fields,
            declared: 2,
            hidden: None,
            flag: registry.compile(SchemaType::of::<bool>(), SchemaSide::Input, None),
            is_plain: true,
        }
    }

    #[test]
    fn a_query_costs_time_linear_to_its_length() {
        /// The length of each test query in bytes. In a debug build, linear parsing needs a few milliseconds, and
        /// quadratic parsing needs minutes.
        const LENGTH: usize = 64 * 1024;
        let filters = filters();
        for piece in [
            "[",
            "]",
            "[]",
            "filter[",
            "filter[&",
            "[&",
            "a&",
            "a[in]=&",
            "a__in=,&",
            "__",
            "name[&",
            "filter[a][in]=,&",
            "a[between]=,&",
            "%5B",
            "%5B&",
        ] {
            for prefix in ["", "filter", "filter[a]", "a["] {
                let text = format!("{prefix}{}", piece.repeat(LENGTH / piece.len()));
                let query = Query::parse(Some(&text)).unwrap();
                let mut violations = RequestViolations::new(100);
                let start = Instant::now();
                let mut refused =
                    FilterViolations { violations: &mut violations, hidden: Hidden::default(), any: false };
                for found in filters.find(&query, &mut refused) {
                    filters.read_one(&found, &mut refused);
                }
                let elapsed = start.elapsed();
                assert!(elapsed < Duration::from_mins(1), "{prefix} {piece}: {elapsed:?}");
            }
        }
    }
}
