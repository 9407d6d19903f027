//! Defines [`ScopeRule`], which determines the value of a scope field for a caller.

use std::sync::Arc;

use restwright_core::BuildErrors;
use restwright_core::auth::Identity;
use restwright_core::schema::Mode;
use restwright_list::{Value, ValueType};

use crate::definition::{EntityDefinition, FieldDefinition, IdentifierKind};
use crate::endpoints::Declared;
use crate::store::Scope;

/// Determines the value of one scope field for each caller.
#[derive(Clone)]
pub(in crate::endpoints) struct ScopeRule {
    pub(super) field: String,
    /// The source of the scope value. Building the Api fails if the source is `None`.
    pub(in crate::endpoints) source: Option<ScopeSource>,
    /// The operations that callers with a permission may use without this restriction. Each operation is paired with the permission that a
    /// caller needs.
    pub(in crate::endpoints) lifted: Vec<(Mode, String)>,
}

#[derive(Clone)]
pub(in crate::endpoints) enum ScopeSource {
    Claim(String),
    Function(ScopeFunction),
}

type ScopeFunction = Arc<dyn Fn(&Identity) -> Option<Value<'static>> + Send + Sync>;

impl ScopeRule {
    /// Returns `true` if both rules have the same field and the same source. Functions are the same if they are clones.
    pub(in crate::endpoints) fn has_source_of(&self, other: &Self) -> bool {
        let is_same = match (&self.source, &other.source) {
            (Some(ScopeSource::Claim(claim)), Some(ScopeSource::Claim(other))) => claim == other,
            (Some(ScopeSource::Function(function)), Some(ScopeSource::Function(other))) => Arc::ptr_eq(function, other),
            (source, other) => source.is_none() && other.is_none(),
        };
        self.field == other.field && is_same
    }

    /// Returns `true` if the rule does not restrict the caller in the given operation.
    fn is_lifted(&self, mode: Mode, identity: &Identity) -> bool {
        let mut lifted = self.lifted.iter().filter(|(lifted, _)| *lifted == mode);
        lifted.any(|(_, permission)| identity.has_permission(permission))
    }

    /// Returns the value of the scope field for a caller. If the value is `None`, the caller has no access.
    fn value(&self, identity: &Identity, value_type: ValueType) -> Option<Value<'static>> {
        let value = match &self.source {
            Some(ScopeSource::Claim(claim)) => value_type.read(identity.claim(claim)?)?,
            Some(ScopeSource::Function(function)) => function(identity)?,
            None => return None,
        };
        // Without this check, the empty string would be a scope that all callers without a value share.
        (!value.is_null() && value.as_text() != Some("")).then_some(value)
    }
}

/// Returns the scope of a caller in an operation. Without an operation, no rule is lifted. The error is the name of a field for which the caller
/// has no value.
pub(in crate::endpoints) fn scope_of(
    rules: &[ScopeRule],
    definition: &EntityDefinition,
    mode: Option<Mode>,
    identity: &Identity,
) -> Result<Scope, String> {
    let mut scope = Scope::new();
    for rule in rules.iter().filter(|rule| !mode.is_some_and(|mode| rule.is_lifted(mode, identity))) {
        let value = definition.get(&rule.field).and_then(|field| rule.value(identity, field.value_type()));
        scope = scope.with(rule.field.clone(), value.ok_or_else(|| rule.field.clone())?);
    }
    Ok(scope)
}

/// Returns the scope fields whose values the caller has. The value of a parent is in the path.
pub(in crate::endpoints) fn scope_fields(definition: &EntityDefinition) -> impl Iterator<Item = &FieldDefinition> {
    definition.scope_fields().filter(|field| field.parent_definition().is_none())
}

/// Checks that each scope field has a source, and that no rule lifts a restriction that an operation requires.
pub(in crate::endpoints) fn check_rules(rules: &[ScopeRule], definition: &EntityDefinition) -> Result<(), BuildErrors> {
    let mut errors = BuildErrors::new();
    let name = definition.name();
    let is_scope = |field: &str| scope_fields(definition).any(|scope| scope.name() == field);
    for field in scope_fields(definition) {
        let field = field.name();
        if !rules.iter().any(|rule| rule.field == field && rule.source.is_some()) {
            errors.push(format!(
                "the field `{field}` of `{name}` is a scope field without a source of its values; declare it with `Endpoints::scope` or \
                 `Endpoints::scope_claim`"
            ));
        }
    }
    for ScopeRule { field, source, lifted } in rules {
        if !is_scope(field) && source.is_some() {
            errors.push(format!(
                "`{field}` of `{name}` is restricted to a value of the caller, but is not a scope field; declare it with `FieldDefinition::scope`"
            ));
        }
        if !is_scope(field) && source.is_none() {
            errors.push(format!(
                "`lift_scope` names the field `{field}` of `{name}`, which is not a scope; declare it with `Endpoints::scope`"
            ));
        }
        for (mode, _) in lifted {
            if *mode == Mode::Create {
                errors.push(format!(
                    "`lift_scope` lifts the scope `{field}` of `{name}` for creates, but every new entity needs a scope; remove this call"
                ));
            }
            if let Some(keyed) = keyed_by(field, *mode, definition) {
                errors.push(format!(
                    "`lift_scope` lifts the scope `{field}` of `{name}` for an operation on one of the `{keyed}`, but their identifiers are unique only within a scope; lift it only for lists, or let the store generate the identifiers"
                ));
            }
        }
    }
    errors.finish(Some(()))
}

/// Checks a list with exports, which continue after an identifier. Two scopes may contain the same identifier, so one of the entities could
/// be missing.
pub(in crate::endpoints) fn check_across_scopes(
    rules: &[ScopeRule],
    definition: &EntityDefinition,
) -> Result<(), BuildErrors> {
    let mut errors = BuildErrors::new();
    let lifted = |rule: &&ScopeRule| rule.lifted.iter().any(|(mode, _)| *mode == Mode::List);
    if matches!(definition.identifier_kind(), IdentifierKind::Given(_)) {
        for ScopeRule { field, .. } in rules.iter().filter(lifted) {
            errors.push(format!(
                "`lift_scope` lifts the scope `{field}` of `{}` for lists, but their identifiers are unique only within a scope, so an export can miss \
                 entities; remove `export`, or let the store generate the identifiers",
                definition.name()
            ));
        }
    }
    errors.finish(Some(()))
}

/// Returns the name of a definition whose identifiers are unique only within a scope, because clients choose the identifiers. Returns
/// `None` if the path of the operation contains no such identifier.
fn keyed_by<'d>(field: &str, mode: Mode, definition: &'d EntityDefinition) -> Option<&'d str> {
    let is_keyed = |one: &EntityDefinition| {
        matches!(one.identifier_kind(), IdentifierKind::Given(_))
            && one.scope_fields().any(|scope| scope.name() == field)
    };
    let parents = definition.fields().filter_map(FieldDefinition::parent_definition);
    let own = Some(definition).filter(|_| mode != Mode::List);
    own.into_iter().chain(parents).find(|one| is_keyed(one)).map(EntityDefinition::name)
}

impl Declared {
    /// Changes the rule of a scope field. Adds the rule if it does not exist.
    pub(in crate::endpoints) fn set_rule(&mut self, field: String, change: impl FnOnce(&mut ScopeRule)) {
        match self.rules.iter_mut().find(|rule| rule.field == field) {
            Some(rule) => change(rule),
            None => {
                let mut rule = ScopeRule { field, source: None, lifted: Vec::new() };
                change(&mut rule);
                self.rules.push(rule);
            }
        }
    }
}
