//! Defines [`CallerScope`], the scope of the caller in handwritten endpoints.

use std::cell::RefCell;
use std::fmt;
use std::marker::PhantomData;
use std::ops::Deref;
use std::rc::Rc;
use std::sync::{Arc, OnceLock};

use restwright_core::auth::Identity;
use restwright_core::operation::Operation;
use restwright_core::problem::{RequestViolations, catalogue};
use restwright_core::{BuildContext, BuildErrors, Part, RequestHead};

use super::problem::no_scope_value;
use crate::definition::EntityDefinition;
use crate::endpoints::Resource;
use crate::endpoints::declare::scope_rule::{ScopeRule, scope_fields, scope_of};
use crate::store::Scope;

/// The scope of the caller in a resource, for handwritten endpoints that use an [`EntityStore`](crate::EntityStore).
///
/// The values come from the claims or functions that the [`Endpoints`](crate::Endpoints) of the resource declare in the same Api. A caller without a
/// value gets 403, as from these endpoints. `Endpoints::lift_scope` does not apply. The scope does not contain the identifiers of parents. Add them
/// with [`Scope::with`].
///
/// Building the Api fails if the resource has no scope field or no endpoints in the Api, if its endpoints declare different sources, or if the
/// route is public and guests have no value.
///
#[cfg_attr(not(doctest), doc = include_str!("../../doc_examples/caller_scope.md"))]
pub struct CallerScope<R> {
    scope: Scope,
    resource: PhantomData<fn() -> R>,
}

impl<R> CallerScope<R> {
    /// Returns the scope.
    pub fn into_inner(self) -> Scope {
        self.scope
    }
}

impl<R> Deref for CallerScope<R> {
    type Target = Scope;

    fn deref(&self) -> &Scope {
        &self.scope
    }
}

impl<R> fmt::Debug for CallerScope<R> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("CallerScope").field(&self.scope).finish()
    }
}

impl<R: Resource> Part for CallerScope<R> {
    type Plan = ScopePlan;

    fn plan(context: &mut BuildContext<'_>) -> Result<ScopePlan, BuildErrors> {
        ScopePlan::new(R::definition(), context)
    }

    fn describe(_: &ScopePlan, operation: &mut Operation) {
        operation.add_problem(catalogue::FORBIDDEN);
    }

    fn read(plan: &ScopePlan, head: &RequestHead<'_>, violations: &mut RequestViolations) -> Option<Self> {
        match plan.scope(&head.request().identity()) {
            Ok(scope) => Some(Self { scope, resource: PhantomData }),
            Err(field) => violations.reject(no_scope_value(&field)),
        }
    }
}

/// The rules of a resource, which are known after all routes were planned.
pub struct ScopePlan {
    definition: EntityDefinition,
    rules: Arc<OnceLock<Rules>>,
}

impl ScopePlan {
    fn new(definition: EntityDefinition, context: &mut BuildContext<'_>) -> Result<Self, BuildErrors> {
        let name = definition.name().to_owned();
        if scope_fields(&definition).next().is_none() {
            return Err(BuildErrors::one(format!(
                "the request has a `CallerScope` of `{name}`, which has no scope field; remove it, and use `Scope::new()`"
            )));
        }
        let declared = context.api().build_state::<DeclaredRules>().clone();
        let rules = Arc::new(OnceLock::new());
        let guest = context.operation().security.is_empty().then(|| context.configuration().guest());
        let (place, route) = (Arc::clone(&rules), context.template().to_string());
        let of_guests = definition.clone();
        context.check_last(move |errors| match declared.only(&name) {
            Ok(rules) => {
                if let Some(Err(field)) = guest.map(|guest| scope_of(&rules, &of_guests, None, &guest)) {
                    errors.push(format!(
                        "`{route}` has a `CallerScope` of `{name}`, but its access is public: guests have no value of `{field}`, so every \
                         request would be a 403; require credentials with `.authorize(scheme, scopes)`"
                    ));
                }
                let _ = place.set(rules);
            }
            Err(reason) => errors.push(format!("`{route}` has a `CallerScope` of `{name}`, but {reason}")),
        });
        Ok(Self { definition, rules })
    }

    /// Returns the scope of a caller. The error is the name of a field for which the caller has no value.
    fn scope(&self, caller: &Identity) -> Result<Scope, String> {
        scope_of(self.rules.get().map(|rules| &**rules).unwrap_or_default(), &self.definition, None, caller)
    }
}

impl fmt::Debug for ScopePlan {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("ScopePlan").field("definition", &self.definition).finish_non_exhaustive()
    }
}

/// The scope rules of each resource of an Api, by the name of its definition.
#[derive(Clone, Default)]
pub(super) struct DeclaredRules(Rc<RefCell<Vec<(String, Rules)>>>);

type Rules = Arc<[ScopeRule]>;

impl DeclaredRules {
    /// Adds the rules of a resource. The endpoints of a resource share their rules.
    pub(super) fn add(&self, definition: &str, rules: &Rules) {
        let mut added = self.0.borrow_mut();
        if !added.iter().any(|(name, known)| name == definition && Arc::ptr_eq(known, rules)) {
            added.push((definition.to_owned(), Arc::clone(rules)));
        }
    }

    /// Returns the rules of a definition, or the reason why there are none or several.
    fn only(&self, definition: &str) -> Result<Rules, &'static str> {
        let added = self.0.borrow();
        let mut all = added.iter().filter(|(name, _)| name == definition).map(|(_, rules)| rules);
        let first = all.next().ok_or("the Api has no endpoints of this resource; add the resource to the Api")?;
        let is_same = |rules: &Rules| {
            rules.len() == first.len() && rules.iter().zip(first.iter()).all(|(rule, other)| rule.has_source_of(other))
        };
        if all.all(is_same) {
            return Ok(Arc::clone(first));
        }
        Err(
            "the endpoints of this resource declare different sources of its scope; create the scope in the handler from the \
             `Caller`",
        )
    }
}
