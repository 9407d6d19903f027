//! Defines the query parameter `q` of a list, which searches in several fields.

#[cfg(feature = "cursor")]
use restwright_core::http::{HttpRequest, Query};
use restwright_core::operation::{Operation, ParameterLocation};
use restwright_core::part::ParameterPlan;
use restwright_core::problem::RequestViolations;
use restwright_core::schema::typed;
use restwright_core::{BuildContext, BuildErrors, RequestHead};
use restwright_list::{Comparison, Expression, SearchText};

use crate::definition::EntityDefinition;
use crate::endpoints::caller::field_rights::FieldRights;

/// The name of the query parameter that searches in a list.
const NAME: &str = "q";

/// The compiled query parameter `q`, or `None` if the definition declares no search fields.
pub(in crate::endpoints) struct SearchPlan(Option<ParameterPlan<Option<String>>>);

impl SearchPlan {
    pub(in crate::endpoints) fn new(
        definition: &EntityDefinition,
        context: &mut BuildContext<'_>,
    ) -> Result<Self, BuildErrors> {
        let fields: Vec<_> = definition.search_fields().map(|field| format!("`{field}`")).collect();
        let fields = match fields.as_slice() {
            [] => return Ok(Self(None)),
            [one] => one.clone(),
            [first @ .., last] => format!("{} or {last}", first.join(", ")),
        };
        let parameter = typed::<Option<String>>(context.registry(), NAME)
            .description(format!("Only items whose {fields} contains this string, regardless of case."));
        Ok(Self(Some(context.parameter(ParameterLocation::Query, parameter)?)))
    }

    pub(in crate::endpoints) fn describe(&self, operation: &mut Operation) {
        self.0.iter().for_each(|parameter| parameter.describe(operation));
    }

    /// Reads the search string from the query parameter `q`. The outer `None` means that the parameter has a violation.
    pub(in crate::endpoints) fn read(
        &self,
        head: &RequestHead<'_>,
        violations: &mut RequestViolations,
    ) -> Option<Option<String>> {
        self.0.as_ref().map_or(Some(None), |parameter| parameter.read(head, violations))
    }
}

/// Returns a filter for entities that contain a string in one of the search fields that the caller may read.
pub(in crate::endpoints) fn condition(text: &str, definition: &EntityDefinition, rights: &FieldRights) -> Expression {
    let text = SearchText::new(text);
    let readable = definition.search_fields().filter(|field| rights.may_read(field));
    let contains = readable.map(|field| Expression::condition(field.to_owned(), Comparison::Contains(text.clone())));
    Expression::Any(contains.collect())
}

/// Returns the case-folded search string of a request. Cursors are valid only for the same search string.
#[cfg(feature = "cursor")]
pub(in crate::endpoints) fn folded(request: &HttpRequest) -> Option<String> {
    let query = Query::parse(request.query()).ok()?;
    query.values(NAME).next().map(|text| SearchText::new(text).folded().to_owned())
}
