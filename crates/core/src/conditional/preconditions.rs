//! Defines [`Preconditions`], the preconditions of a request that changes a resource.

use http::HeaderName;
use http::header::{IF_MATCH, IF_NONE_MATCH};
use restwright_schema::SchemaObject;

use super::EntityTag;
use super::entity_tag::{LIST, TagList};
use crate::build_context::BuildContext;
use crate::build_errors::BuildErrors;
use crate::operation::{Operation, ParameterLocation, ParameterObject, SchemaUse};
use crate::part::{Part, RequestHead};
use crate::problem::{Problem, RequestViolations, Result, ViolationLocation, catalogue};

/// The preconditions `If-Match` and `If-None-Match` of a request that changes a resource (RFC 9110, sections 13.1.1 and
/// 13.1.2).
///
/// The controller loads the resource, [checks](Self::check) its tag, and changes it only if it is still the same. To
/// ensure this, compare a version in the statement or hold a lock. A header that is not a list of tags is a violation.
///
/// ```
/// use restwright_core::Result;
/// use restwright_core::conditional::{EntityTag, Preconditions};
///
/// struct Pet {
///     version: u64,
/// }
///
/// fn rename(pet: &mut Pet, preconditions: &Preconditions) -> Result<()> {
///     preconditions.check(Some(&EntityTag::strong(pet.version)))?;
///     pet.version += 1;
///     Ok(())
/// }
/// ```
#[derive(Debug, Clone)]
pub struct Preconditions {
    if_match: Option<TagList>,
    if_none_match: Option<TagList>,
    is_required: bool,
}

/// A route setting that requires every request to contain at least one of the [`Preconditions`]. A request without a
/// precondition gets a 428 (RFC 6585, section 3).
///
/// ```
/// use restwright_core::Route;
/// use restwright_core::conditional::PreconditionRequired;
///
/// let route = Route::put("/pets/{id}").with(PreconditionRequired);
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PreconditionRequired;

impl Preconditions {
    /// Checks the preconditions against the current state of the resource. Pass `None` if the resource does not exist,
    /// for example before a `PUT` creates it.
    ///
    /// # Errors
    /// 412 if a precondition does not hold. 428 if a precondition is required and the request has none.
    pub fn check(&self, current: Option<&EntityTag>) -> Result<()> {
        if self.is_required && !self.are_given() {
            return Err(Problem::new(catalogue::PRECONDITION_REQUIRED)
                .detail("Send `If-Match` with the `ETag` of the state that you want to change.")
                .detail_key("precondition_required.if_match"));
        }
        if self.if_match.as_ref().is_some_and(|tags| !tags.names(current, EntityTag::matches)) {
            return Err(Problem::new(catalogue::PRECONDITION_FAILED)
                .detail("`If-Match` does not match the current state. Load the resource again.")
                .detail_key("precondition_failed.if_match"));
        }
        if self.if_none_match.as_ref().is_some_and(|tags| tags.names(current, EntityTag::matches_weakly)) {
            return Err(Problem::new(catalogue::PRECONDITION_FAILED)
                .detail("`If-None-Match` matches the current state.")
                .detail_key("precondition_failed.if_none_match"));
        }
        Ok(())
    }

    /// Returns `true` if the request contains a precondition.
    #[must_use]
    pub fn are_given(&self) -> bool {
        self.if_match.is_some() || self.if_none_match.is_some()
    }
}

/// The data that [`Preconditions`] prepares at build time. It records whether the route requires a precondition.
#[derive(Debug)]
pub struct PreconditionsPlan {
    is_required: bool,
}

impl Part for Preconditions {
    type Plan = PreconditionsPlan;

    fn plan(context: &mut BuildContext<'_>) -> Result<PreconditionsPlan, BuildErrors> {
        Ok(PreconditionsPlan { is_required: context.route().setting::<PreconditionRequired>().is_some() })
    }

    fn describe(plan: &PreconditionsPlan, operation: &mut Operation) {
        let text = if plan.is_required { "The request must have this header or `If-None-Match`." } else { "" };
        let if_match = format!(
            "The change is made only if one of these tags is the current tag, or, with `*`, if the resource exists. {text}"
        );
        let tags = || SchemaObject::string().pattern(LIST);
        operation.parameters.push(header("If-Match", tags(), if_match.trim_end()));
        operation.parameters.push(header(
            "If-None-Match",
            tags(),
            "The change is made only if none of these tags is the current tag, or, with `*`, if the resource does not exist.",
        ));
        operation.add_problem(catalogue::PRECONDITION_FAILED);
        if plan.is_required {
            operation.add_problem(catalogue::PRECONDITION_REQUIRED);
        }
    }

    fn read(plan: &PreconditionsPlan, head: &RequestHead<'_>, violations: &mut RequestViolations) -> Option<Self> {
        let mut read = |name: &HeaderName, shown: &str| match TagList::read(head.request(), name).transpose() {
            Ok(tags) => Some(tags),
            Err(malformed) => {
                violations.push(ViolationLocation::Header, malformed.violation(shown));
                None
            }
        };
        let (if_match, if_none_match) = (read(&IF_MATCH, "If-Match"), read(&IF_NONE_MATCH, "If-None-Match"));
        Some(Self { if_match: if_match?, if_none_match: if_none_match?, is_required: plan.is_required })
    }
}

/// Returns the OpenAPI description of an optional header.
pub(super) fn header(name: &str, schema: SchemaObject, description: &str) -> ParameterObject {
    let mut parameter = ParameterObject::new(ParameterLocation::Header, name, SchemaUse::input(schema));
    parameter.required = false;
    parameter.description = Some(description.to_owned());
    parameter
}
