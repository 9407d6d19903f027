//! Defines [`FilterTree`], which combines conditions with `all`, `any` and `not`, as in the body of a `QUERY` request.

mod operand;
mod raw;
mod schema;

use std::sync::Arc;

use restwright_core::problem::{RequestViolations, ViolationLocation};
use restwright_core::schema::{
    Code, CompiledSchema, PropertyCollection, ReadError, Registry, SchemaObject, SchemaSide, SchemaType, Violation,
    Violations, pointer_to,
};
use restwright_core::{BuildContext, BuildErrors, RequestHead};
use serde_json::value::RawValue;

use super::conditions::{Conditions, ReadCondition};
use super::filter_constructors::raw as value_text;
use super::plan::{FilterSet, SharedFilters};
use crate::codes;
use crate::expression::Expression;
use crate::fold::fold;
use crate::hidden_fields::Hidden;
use crate::operator::Operator;

/// The maximum number of nested filters. The outermost filter counts as one.
const MAX_DEPTH: usize = 8;

/// The maximum number of conditions in a filter, including nested filters. An empty object counts as a condition, so a
/// filter is never larger than this number times [`MAX_DEPTH`].
const MAX_CONDITIONS: usize = 100;

/// The maximum number of values in a filter, including the values of `in`.
const MAX_ALL_VALUES: usize = 1_000;

const ALL: &str = "all";
const ANY: &str = "any";
const NOT: &str = "not";

/// The filter in the body of a `QUERY` request (RFC 10008).
///
/// A filter is a JSON object. All its members must hold. A member is a field with its operators, `all` or `any` with a
/// list of filters, or `not` with one filter:
/// `{"any": [{"state": {"eq": "open"}}, {"not": {"title": {"contains": "draft"}}}]}`.
///
/// Filters have at most 8 levels, 100 conditions and 1,000 values. Fields, operators and constraints are the same as in the query
/// string. `not` holds exactly for the items for which the inner filter does not hold, as in [`Expression::Not`].
#[derive(Clone, Debug)]
pub struct FilterTree {
    set: Arc<FilterSet>,
    types: Arc<JsonTypes>,
}

/// The types of JSON values in a filter. A value of another type is checked with its schema, for the violation.
#[derive(Debug)]
struct JsonTypes {
    object: CompiledSchema,
    array: CompiledSchema,
    string: CompiledSchema,
    boolean: CompiledSchema,
}

/// Reads the expression of the conditions that a head contains. See [`FilterTree::read`].
pub type ReadConditions<'r> = dyn Fn(&RequestHead<'_>, &mut RequestViolations) -> Option<Expression> + 'r;

/// The condition that [`FilterSet::read`] returns in place of the conditions of the query string.
pub(super) struct OnlyCondition(pub(super) Conditions);

impl FilterTree {
    /// Returns the filter of a request that has filters in its query string, or `None` if the request has no filters.
    /// Request parts whose `plan` method has not run yet are not included, so plan the filters first.
    ///
    /// # Errors
    /// A field is named `all`, `any` or `not`.
    pub fn of_request(context: &mut BuildContext<'_>) -> Result<Option<Self>, BuildErrors> {
        let shared = context.operation_state::<SharedFilters>().clone();
        let Some(set) = shared.get().cloned().filter(|set| set.names().next().is_some()) else { return Ok(None) };
        let mut errors = BuildErrors::new();
        for name in set.names().filter(|name| [ALL, ANY, NOT].contains(name)) {
            errors.push(format!(
                "the filter name `{name}` is reserved, because `{ALL}`, `{ANY}` and `{NOT}` combine filters in a `QUERY` request; rename the filter"
            ));
        }
        let types = Arc::new(JsonTypes::new(context.registry()));
        errors.finish(Some(Some(Self { set, types })))
    }

    /// Reads a filter from its JSON text, which is valid and repeats no member. Reports each violation with a pointer below `/filter`, and returns `None` if there are
    /// any.
    ///
    /// `condition` reads the filters of the request with [`Part::read`](restwright_core::Part::read). It is called once
    /// per condition, with a head that contains only this condition.
    pub fn read(
        &self,
        json: &RawValue,
        head: &RequestHead<'_>,
        violations: &mut RequestViolations,
        condition: &ReadConditions<'_>,
    ) -> Option<Expression> {
        let hidden = self.set.hidden(head);
        let (set, types) = (&*self.set, &*self.types);
        let mut reading =
            JsonFilterReader { set, types, head, violations, hidden, condition, conditions: 0, values: 0 };
        reading.filter(json, "/filter", 1)
    }

    /// Binds the cursors of a request to its filter and to the string that it searches for.
    ///
    /// Call it before the cursor is read, with the head that the cursor is read from.
    pub fn bind_cursors(filter: &Expression, search: Option<&str>, head: &RequestHead<'_>) {
        let _ = head.shared(|| Some(CursorFilter { filter: filter.clone(), search: search.map(fold) }));
    }
}

/// The filter that the cursors of a request are bound to, in addition to the conditions of the query string.
#[cfg_attr(not(feature = "cursor"), expect(dead_code, reason = "only cursors are bound"))]
pub(crate) struct CursorFilter {
    pub(crate) filter: Expression,
    pub(crate) search: Option<String>,
}

impl JsonTypes {
    fn new(registry: &mut Registry) -> Self {
        let mut compile = |schema: SchemaObject| registry.compile(schema, SchemaSide::Input, None);
        Self {
            object: compile(SchemaObject::object(PropertyCollection::new(""))),
            array: compile(SchemaObject::array(SchemaType::any()).min_items(1)),
            string: compile(SchemaObject::string()),
            boolean: compile(SchemaObject::boolean()),
        }
    }
}

/// Returns the violation of a value that does not have the expected type.
fn wrong_type(expected: &CompiledSchema, json: &RawValue) -> Violations {
    match expected.read_value(json.get().as_bytes(), 1) {
        Err(ReadError::Violations(found)) => found,
        _ => Violations::one(Violation::new("", Code::TYPE, "is invalid")),
    }
}

/// One filter while it is read.
struct JsonFilterReader<'r> {
    set: &'r FilterSet,
    types: &'r JsonTypes,
    head: &'r RequestHead<'r>,
    violations: &'r mut RequestViolations,
    /// The fields that do not exist for the caller.
    hidden: Hidden,
    condition: &'r ReadConditions<'r>,
    /// The number of conditions so far.
    conditions: usize,
    /// The number of values so far.
    values: usize,
}

impl JsonFilterReader<'_> {
    fn refuse<T>(&mut self, make: impl FnOnce() -> Violation) -> Option<T> {
        self.violations.push_with(ViolationLocation::Body, make);
        None
    }

    fn refuse_type<T>(&mut self, expected: &CompiledSchema, json: &RawValue, pointer: &str) -> Option<T> {
        self.violations.extend(ViolationLocation::Body, pointer, wrong_type(expected, json));
        None
    }

    fn filter(&mut self, json: &RawValue, pointer: &str, depth: usize) -> Option<Expression> {
        if depth > MAX_DEPTH {
            let message = format!("must have at most {MAX_DEPTH} levels");
            return self
                .refuse(|| Violation::new(pointer, codes::FILTER_TOO_DEEP, message).param("maximum", MAX_DEPTH));
        }
        let Some(members) = raw::members(json) else { return self.refuse_type(&self.types.object, json, pointer) };
        if members.is_empty() {
            return self.count(pointer).map(|()| Expression::TRUE);
        }
        // Every member is read, so every violation is reported.
        let read: Vec<_> = members
            .iter()
            .map(|(name, value)| {
                let pointer = format!("{pointer}{}", pointer_to(name));
                match &**name {
                    ALL => self.several(value, &pointer, depth).map(Expression::All),
                    ANY => self.several(value, &pointer, depth).map(Expression::Any),
                    NOT => self.filter(value, &pointer, depth + 1).map(|one| Expression::Not(Box::new(one))),
                    name => self.field(name, value, &pointer),
                }
            })
            .collect();
        Some(Expression::All(read.into_iter().collect::<Option<_>>()?))
    }

    fn several(&mut self, json: &RawValue, pointer: &str, depth: usize) -> Option<Vec<Expression>> {
        let Some(items) = raw::items(json).filter(|items| !items.is_empty()) else {
            return self.refuse_type(&self.types.array, json, pointer);
        };
        let items = items.iter().enumerate();
        let read: Vec<_> = items.map(|(at, item)| self.filter(item, &format!("{pointer}/{at}"), depth + 1)).collect();
        read.into_iter().collect()
    }

    fn field(&mut self, name: &str, json: &RawValue, pointer: &str) -> Option<Expression> {
        let set = self.set;
        let known = set.fields.iter().position(|field| field.name == name).filter(|_| !self.hidden.contains(name));
        let Some(field) = known else {
            let hidden = &self.hidden;
            self.violations.push_with(ViolationLocation::Body, || {
                let allowed: Vec<_> = set.names().filter(|name| !hidden.contains(name)).collect();
                let known: Vec<_> = allowed.iter().copied().chain([ALL, ANY]).collect();
                let message = format!("is not a known filter; known names are {} and {NOT}", known.join(", "));
                Violation::new(pointer, codes::UNKNOWN_FILTER, message).param("allowed", allowed)
            });
            return None;
        };
        let Some(operators) = raw::members(json) else { return self.refuse_type(&self.types.object, json, pointer) };
        if operators.is_empty() {
            return self.count(pointer).map(|()| Expression::TRUE);
        }
        let read: Vec<_> = operators
            .iter()
            .map(|(name, json)| self.one(field, name, json, &format!("{pointer}{}", pointer_to(name))))
            .collect();
        Some(Expression::All(read.into_iter().collect::<Option<_>>()?))
    }

    /// Counts a condition. Reports the first condition beyond the maximum.
    fn count(&mut self, pointer: &str) -> Option<()> {
        self.conditions += 1;
        if self.conditions <= MAX_CONDITIONS {
            return Some(());
        }
        if self.conditions > MAX_CONDITIONS + 1 {
            return None;
        }
        self.refuse(|| {
            let message = format!("exceeds the maximum of {MAX_CONDITIONS} conditions");
            Violation::new(pointer, codes::TOO_MANY_CONDITIONS, message).param("maximum", MAX_CONDITIONS)
        })
    }

    /// Counts the values of a condition. Reports the first condition beyond the maximum.
    fn count_values(&mut self, values: usize, pointer: &str) -> Option<()> {
        let before = self.values;
        self.values = before.saturating_add(values);
        if self.values <= MAX_ALL_VALUES {
            return Some(());
        }
        if before > MAX_ALL_VALUES {
            return None;
        }
        self.refuse(|| {
            let message = format!("exceeds the maximum of {MAX_ALL_VALUES} values in all conditions");
            Violation::new(pointer, codes::TOO_MANY_CONDITIONS, message).param("maximum", MAX_ALL_VALUES)
        })
    }

    /// Reads one condition.
    fn one(&mut self, field: usize, operator: &str, json: &RawValue, pointer: &str) -> Option<Expression> {
        let set = self.set;
        let known = set.fields.get(field);
        let operator = Operator::parse(operator).filter(|operator| known.is_some_and(|field| field.takes(*operator)));
        let (Some(known), Some(operator)) = (known, operator) else {
            return self.refuse(|| set.unknown_operator(field, pointer.to_owned()));
        };
        self.count(pointer)?;
        self.count_values(raw::items(json).map_or(1, |items| items.len()), pointer)?;
        let limit = self.violations.remaining();
        let read = operand::read(known, operator, json, self.types, limit)
            .and_then(|json| Ok((json.try_map(|json| known.value(json))?, json)));
        match read {
            Ok((untyped, json)) => {
                let raw = value_text(&untyped);
                self.typed(ReadCondition { field, name: String::new(), json, untyped, raw }, pointer)
            }
            Err(found) => {
                self.violations.extend(ViolationLocation::Body, pointer, found);
                None
            }
        }
    }

    /// Reads a condition as the type of its field, which runs the custom checks of this type.
    fn typed(&mut self, condition: ReadCondition, pointer: &str) -> Option<Expression> {
        let mut found = RequestViolations::new(self.violations.remaining());
        let nothing = restwright_core::http::Query::default();
        let expression = self.head.with_body_parameters(&nothing, &mut found, |head, violations| {
            let _ = head.shared(|| Some(OnlyCondition(Conditions { list: vec![condition] })));
            (self.condition)(head, violations)
        });
        for found in found.iter() {
            let mut violation = found.violation.clone();
            // The name of the condition is empty, so its pointer is `/`.
            let below = violation.pointer.strip_prefix('/').unwrap_or_default();
            violation.pointer = format!("{pointer}{below}");
            self.violations.push(found.location, violation);
        }
        expression.filter(|_| found.is_empty())
    }
}
