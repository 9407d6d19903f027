//! [`ScopeRule`]: the value of a scope field for a caller.

use std::sync::Arc;

use restwright_core::auth::Identity;
use restwright_core::schema::Mode;
use restwright_list::{Value, ValueType};

use crate::definition::EntityDefinition;
use crate::store::Scope;

/// The origin of the values of one scope field.
#[derive(Clone)]
pub(super) struct ScopeRule {
    pub(super) field: String,
    pub(super) source: ScopeSource,
    /// The operations in which callers with a permission are not restricted.
    pub(super) lifted: Vec<(Mode, String)>,
}

#[derive(Clone)]
pub(super) enum ScopeSource {
    Claim(String),
    Function(ScopeFunction),
}

type ScopeFunction = Arc<dyn Fn(&Identity) -> Option<Value<'static>> + Send + Sync>;

impl ScopeRule {
    /// Returns `true` if the caller is not restricted in an operation.
    fn is_lifted(&self, mode: Mode, identity: &Identity) -> bool {
        let mut lifted = self.lifted.iter().filter(|(lifted, _)| *lifted == mode);
        lifted.any(|(_, permission)| identity.has_permission(permission))
    }

    /// Returns the value for a caller; `None` if there is none, which admits to nothing.
    fn value(&self, identity: &Identity, value_type: ValueType) -> Option<Value<'static>> {
        let value = match &self.source {
            ScopeSource::Claim(claim) => value_type.read(identity.claims().get(claim)?)?,
            ScopeSource::Function(function) => function(identity)?,
        };
        // An empty text would be the scope of all who were given none.
        (!value.is_null() && value.as_text() != Some("")).then_some(value)
    }
}

/// Returns the scope of a caller in an operation, or the field for which the caller has no value.
pub(super) fn scope_of(
    rules: &[ScopeRule],
    definition: &EntityDefinition,
    mode: Mode,
    identity: &Identity,
) -> Result<Scope, String> {
    let mut scope = Scope::new();
    for rule in rules.iter().filter(|rule| !rule.is_lifted(mode, identity)) {
        let value = definition.get(&rule.field).and_then(|field| rule.value(identity, field.value_type()));
        scope = scope.with(rule.field.clone(), value.ok_or_else(|| rule.field.clone())?);
    }
    Ok(scope)
}
