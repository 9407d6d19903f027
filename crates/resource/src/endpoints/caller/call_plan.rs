//! Defines [`CallPlan`], which reads the context of the calls to an operation.

use std::sync::Arc;

use jiff::Timestamp;
use restwright_core::operation::{Operation, ParameterLocation};
use restwright_core::part::ParameterPlan;
use restwright_core::problem::{RequestViolations, ViolationLocation, catalogue};
use restwright_core::schema::{
    Code, Mode, Property, Violation, boolean, date, date_time, int64, number, pointer_to, string, uuid,
};
use restwright_core::{BuildContext, BuildError, BuildErrorKind, BuildErrors, Clock, RequestHead, Result};
use restwright_list::ValueType;

use super::call::{Call, Head};
use super::caller_scope::DeclaredRules;
use super::claim::Claim;
use super::field_rights::Guards;
use super::problem::no_scope_value;
use super::revealing;
use crate::definition::{FieldDefinition, OnDelete};
use crate::endpoints::declare::info::ResourceInfo;
use crate::endpoints::declare::scope_rule::{ScopeRule, check_rules, scope_of};
use crate::endpoints::declare::settings::{OperationSettings, not_of_resource};
use crate::store::Scope;

/// Reads the context of the calls to an operation.
pub(in crate::endpoints) struct CallPlan {
    resource: Arc<ResourceInfo>,
    mode: Mode,
    runs_hooks: bool,
    needs_head: bool,
    rules: Arc<[ScopeRule]>,
    guards: Option<Arc<Guards>>,
    parents: Vec<(FieldDefinition, ParameterPlan<serde_json::Value>)>,
    clock: Clock,
}

impl CallPlan {
    /// Prepares the endpoint to read the calls of an operation. Runs while the Api is built.
    pub(in crate::endpoints) fn new(context: &mut BuildContext<'_>) -> Result<Self, BuildErrors> {
        let settings = context.route().setting::<OperationSettings>().ok_or_else(not_of_resource)?;
        let mut errors = BuildErrors::new();
        let definition = &settings.resource.definition;
        let parents = definition.fields().filter(|field| field.parent_definition().is_some());
        let parents = parents.filter_map(|field| {
            if !context.template().parameters().any(|parameter| parameter == field.name()) {
                errors.push(format!(
                    "the field `{0}` of `{1}` is the identifier of a parent, but the path does not contain it; add `{{{0}}}` to the path",
                    field.name(),
                    definition.name()
                ));
                return None;
            }
            let plan = errors.take(context.parameter(ParameterLocation::Path, parent_parameter(field)))?;
            Some((field.clone(), plan))
        });
        let parents: Vec<_> = parents.collect();
        // Errors that several operations share are reported once.
        let planned = settings.store.plan(definition, &mut context.api());
        context.api_errors().take(planned);
        let rules = check_rules(&settings.rules, definition);
        if rules.is_ok() {
            errors.take(check_public(settings, context));
        }
        context.api_errors().take(rules);
        context.build_state::<DeclaredRules>().add(definition.name(), &settings.rules);
        check_references(settings, context);
        revealing::check(settings, context);
        errors.finish(Some(Self {
            resource: Arc::clone(&settings.resource),
            mode: settings.mode,
            runs_hooks: settings.runs_hooks,
            needs_head: settings.hook_timeout.is_some(),
            rules: Arc::clone(&settings.rules),
            guards: Guards::of(&settings.resource.definition),
            parents,
            clock: context.clock().clone(),
        }))
    }

    pub(in crate::endpoints) fn describe(&self, operation: &mut Operation) {
        self.parents.iter().for_each(|(_, parameter)| parameter.describe(operation));
        if !self.parents.is_empty() {
            operation.add_problem(catalogue::NOT_FOUND);
        }
        if !self.rules.is_empty() || self.resource.definition.has_policy() {
            operation.add_problem(catalogue::FORBIDDEN);
        }
    }

    /// Reads a call. Returns `false` if there are violations.
    pub(in crate::endpoints) fn read(
        &self,
        head: &RequestHead<'_>,
        violations: &mut RequestViolations,
    ) -> (Call, bool) {
        let identity = head.request().identity();
        let (mut scope, rejection) = match scope_of(&self.rules, &self.resource.definition, Some(self.mode), &identity)
        {
            Ok(scope) => (scope, None),
            Err(field) => (Scope::new(), Some(Box::new(no_scope_value(&field)))),
        };
        let mut is_whole = true;
        for (field, parameter) in &self.parents {
            let Some(value) = parameter.read(head, violations) else {
                is_whole = false;
                continue;
            };
            match field.value_type().read(&value) {
                Some(value) => scope = scope.with(field.owned_name(), value),
                None => {
                    let message = "is not a valid identifier";
                    violations
                        .push(ViolationLocation::Path, Violation::new(pointer_to(field.name()), Code::FORMAT, message));
                    is_whole = false;
                }
            }
        }
        let call = Call {
            scope,
            now: now(&self.clock),
            rights: self.guards.as_ref().map(|guards| guards.rights(&identity)).unwrap_or_default(),
            identity: identity.into_owned(),
            runs_hooks: self.runs_hooks,
            head: self.needs_head.then(|| Box::new(Head::new(head.request()))),
            claim: Claim::of(head.request()),
            rejection,
        };
        (call, is_whole)
    }
}

/// The paths of the resources that [`check_public`] has already reported.
#[derive(Default)]
struct ReportedAsPublic(Vec<String>);

/// Checks that unauthenticated callers have a value for each scope field of a public operation. An error is reported once per resource.
fn check_public(settings: &OperationSettings, context: &mut BuildContext<'_>) -> Result<(), BuildErrors> {
    if !context.operation().security.is_empty() {
        return Ok(());
    }
    let definition = &settings.resource.definition;
    let Err(field) = scope_of(&settings.rules, definition, Some(settings.mode), &context.configuration().guest())
    else {
        return Ok(());
    };
    let reported = &mut context.build_state::<ReportedAsPublic>().0;
    if reported.contains(&settings.resource.path) {
        return Ok(());
    }
    reported.push(settings.resource.path.clone());
    Err(BuildErrors::one(BuildError::new(
        BuildErrorKind::Access,
        format!(
            "`{}` is restricted to the caller's value of `{field}`, but its access is public: guests have no value, so every request \
             would be a 403; require credentials, such as with `Access::crud(..)`, or remove the scope",
            definition.name()
        ),
    )))
}

/// Checks that the store contains the definition of each referenced entity. The check runs after all resources were added to the Api.
fn check_references(settings: &OperationSettings, context: &mut BuildContext<'_>) {
    let name = settings.resource.definition.name();
    for field in settings.resource.definition.fields() {
        let Some((target, on_delete)) = field.reference() else { continue };
        let message = format!(
            "the field `{}` of `{name}` refers to `{target}`, for which the store has no definition; add the resource of `{target}` to the Api \
             on the same store, or pass its definition to `declare` of the store",
            field.name()
        );
        let kept = format!(
            "deleted entities of `{name}` stay in the store and keep their reference in `{0}`, but entities of `{target}` leave the store, which the \
             reference would forbid; add a field with `deleted_at` to `{target}`, or let the delete of `{target}` cascade to `{name}`",
            field.name()
        );
        let is_kept = settings.resource.definition.deletion_field().is_some() && on_delete == OnDelete::Restrict;
        let (store, target) = (Arc::clone(&settings.store), target.to_owned());
        context.check_last(move |errors| {
            if store.has_definition(&target) == Some(false) {
                errors.push(message);
            }
            if is_kept && store.definition(&target).is_some_and(|target| target.deletion_field().is_none()) {
                errors.push(kept);
            }
        });
    }
}

/// Returns the current time in whole microseconds, the precision of every store.
fn now(clock: &Clock) -> Timestamp {
    Timestamp::from_microsecond(clock.unix_micros()).unwrap_or_default()
}

/// Returns the path parameter that contains the identifier of a parent.
fn parent_parameter(field: &FieldDefinition) -> Property {
    let name = field.name().to_owned();
    let property = match field.value_type() {
        ValueType::Uuid => uuid(name),
        ValueType::Integer => int64(name),
        ValueType::Number | ValueType::Float => number(name),
        ValueType::Boolean => boolean(name),
        ValueType::Date => date(name),
        ValueType::DateTime => date_time(name),
        _ => string(name),
    };
    let parents = field.parent_definition().map(|parent| parent.name().replace('_', " ")).unwrap_or_default();
    property.description(format!("The identifier of the parent, one of the {parents}."))
}
