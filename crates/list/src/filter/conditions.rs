//! [`Conditions`]: what a request filters by.

use restwright_core::problem::{Location, RequestViolations};
use restwright_core::schema::{Code, Violation, pointer_to};
use serde::de::DeserializeOwned;
use serde_json::Value as Json;

use super::filter::{Filter, FilterCondition};
use crate::expression::Comparison;
use crate::shown::shown;
use crate::value::Value;

/// The conditions of one request, to be taken apart by field.
#[derive(Debug)]
pub struct Conditions {
    pub(super) list: Vec<ReadCondition>,
}

#[derive(Debug)]
pub(super) struct ReadCondition {
    pub(super) field: usize,
    /// The parameter as it was spelt first.
    pub(super) name: String,
    pub(super) json: Comparison<Json>,
    pub(super) untyped: Comparison<Value<'static>>,
    pub(super) raw: String,
}

impl Conditions {
    /// Takes out the conditions of a field, by its position in the declaration; `None` when the Rust type refuses a value.
    pub fn take<T: DeserializeOwned>(&mut self, field: usize, violations: &mut RequestViolations) -> Option<Filter<T>> {
        let mut given = Vec::new();
        let mut refused = false;
        for ReadCondition { name, json, untyped, raw, .. } in self.of(field) {
            match json.try_map(|json| T::deserialize(json)) {
                Ok(comparison) => given.push(FilterCondition { comparison, untyped, raw }),
                Err(error) => {
                    refused = true;
                    let message = format!("cannot be read: {}", shown(&error.to_string()));
                    violations.push(Location::Query, Violation::new(pointer_to(&name), Code::UNREADABLE, message));
                }
            }
        }
        if refused { None } else { Some(Filter { given }) }
    }

    /// Takes out the conditions of a field whose type is known at run time only.
    pub(super) fn take_values(&mut self, field: usize) -> Filter<Value<'static>> {
        let given = self.of(field).map(|read| FilterCondition {
            comparison: read.untyped.clone(),
            untyped: read.untyped,
            raw: read.raw,
        });
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
