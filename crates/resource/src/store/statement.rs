//! [`Statement`], the context of one call to a repository.

use std::fmt;

use jiff::Timestamp;
use restwright_list::{Expression, SortEntry, Value};
use uuid::Uuid;

use super::scope::EVERYTHING;
use super::{ListQuery, Scope, Store, StoreError};
use crate::definition::{EntityDefinition, FieldDefinition, IdentifierKind, Managed};
use crate::entity::{EntityFields, Version};

/// The context of one call to a repository: the definition of the entities, the scope, and optionally a transaction.
///
/// Its methods implement the rules that all stores share. A custom store calls them.
///
/// ```
/// use restwright_resource::{Entity, EntityDefinition, Repository, Scope, Statement, Store, StoreError};
///
/// /// Moves an entity to another table in one transaction.
/// async fn archive<R: Entity, S: Repository<R>>(
///     store: &S, live: &EntityDefinition, archived: &EntityDefinition, scope: &Scope, id: i64,
/// ) -> Result<(), StoreError> {
///     let mut transaction = store.begin().await?;
///     let found = store.find(Statement::new(live).scoped(scope).within(&mut transaction), &id.into()).await?;
///     let found = found.ok_or(StoreError::NotFound)?;
///     store.delete(Statement::new(live).scoped(scope).within(&mut transaction), &id.into(), Some(found.version)).await?;
///     store.insert(Statement::new(archived).scoped(scope).within(&mut transaction), found.entity).await?;
///     store.commit(transaction).await
/// }
/// ```
#[must_use = "a statement does nothing until a repository runs it"]
pub struct Statement<'s, S: Store> {
    definition: &'s EntityDefinition,
    scope: &'s Scope,
    transaction: Option<&'s mut S::Transaction>,
    allows_stale: bool,
    is_for_update: bool,
    keeps_identifier: bool,
}

impl<'s, S: Store> Statement<'s, S> {
    /// Creates a statement on the entities of this definition, in every scope and without a transaction.
    pub fn new(definition: &'s EntityDefinition) -> Self {
        Self {
            definition,
            scope: &EVERYTHING,
            transaction: None,
            allows_stale: false,
            is_for_update: false,
            keeps_identifier: false,
        }
    }

    /// Creates the statement that a wrapping store passes to the store inside it. It copies the definition, the scope and the settings, but not the
    /// transaction.
    pub fn from_outer<T: Store>(outer: &Statement<'s, T>) -> Self {
        Self {
            definition: outer.definition,
            scope: outer.scope,
            transaction: None,
            allows_stale: outer.allows_stale,
            is_for_update: outer.is_for_update,
            keeps_identifier: outer.keeps_identifier,
        }
    }

    /// Restricts the statement to a scope.
    pub fn scoped(mut self, scope: &'s Scope) -> Self {
        self.scope = scope;
        self
    }

    /// Runs the statement in a transaction.
    pub fn within(mut self, transaction: &'s mut S::Transaction) -> Self {
        self.transaction = Some(transaction);
        self
    }

    /// Allows stale reads. A store with replicas then reads from a replica.
    pub fn allow_stale(mut self) -> Self {
        self.allows_stale = true;
        self
    }

    /// Returns `true` if stale reads are allowed.
    #[must_use]
    pub fn allows_stale(&self) -> bool {
        self.allows_stale
    }

    /// Locks the found entity until the transaction ends. Stores without locks ignore it.
    pub fn for_update(mut self) -> Self {
        self.is_for_update = true;
        self
    }

    /// Returns `true` if the store must lock the found entity until the transaction ends.
    #[must_use]
    pub fn is_for_update(&self) -> bool {
        self.is_for_update
    }

    /// Keeps the identifier that an inserted entity already has, instead of generating one. A nil UUID or the integer 0 is still replaced.
    pub fn keep_identifier(mut self) -> Self {
        self.keeps_identifier = true;
        self
    }

    /// Returns `true` if the store must generate the identifier of an inserted entity. It is `false` if the statement [keeps](Self::keep_identifier)
    /// the identifier that the entity has.
    pub fn makes_identifier(&self, entity: &dyn EntityFields) -> bool {
        if let IdentifierKind::Given(_) = self.definition.identifier_kind() {
            return false;
        }
        let is_unset = match entity.value(self.definition.identifier()) {
            Value::Uuid(id) => id.is_nil(),
            Value::Integer(id) => id == 0,
            Value::Text(id) => id.is_empty() || Uuid::parse_str(&id).is_ok_and(|id| id.is_nil()),
            value => value.is_null(),
        };
        !self.keeps_identifier || is_unset
    }

    /// Returns the definition.
    pub fn definition(&self) -> &'s EntityDefinition {
        self.definition
    }

    /// Returns the scope.
    pub fn scope(&self) -> &'s Scope {
        self.scope
    }

    /// Returns the transaction in which the statement runs.
    pub fn transaction(&mut self) -> Option<&mut S::Transaction> {
        self.transaction.as_deref_mut()
    }

    /// Returns the same statement for one of several calls.
    pub(crate) fn reborrow(&mut self) -> Statement<'_, S> {
        Statement { transaction: self.transaction.as_deref_mut(), ..*self }
    }

    /// Returns the [key](EntityDefinition::key) of the entity with this identifier in the scope.
    ///
    /// # Errors
    /// The scope has a field that the definition does not declare as a scope, or lacks a scope field although identifiers are given per scope.
    pub fn key(&self, identifier: &Value<'_>) -> Result<Vec<Value<'static>>, StoreError> {
        self.check_scope()?;
        let mut key = Vec::new();
        if let IdentifierKind::Given(_) = self.definition.identifier_kind() {
            for field in self.definition.scope_fields() {
                key.push(self.scope.get(field.name()).cloned().ok_or_else(|| self.lacks_scope(field))?);
            }
        }
        key.push(identifier.clone().into_owned());
        Ok(key)
    }

    /// Prepares an entity for an insert. Sets its scope, sets a UUID if the store [generates](Self::makes_identifier) the identifier, and checks its
    /// values.
    ///
    /// The store sets an identifier of the kind [`IdentifierKind::Integer`] with [`set`](Self::set). Where the entity accepts the changed value,
    /// date-times are rounded down to whole microseconds and `-0.0` becomes `0.0`.
    ///
    /// # Errors
    /// The store cannot keep one of these values:
    /// - null in a field that is not nullable
    /// - an integer beyond 64 signed bits
    /// - a string with the character NUL
    /// - a date or a date-time before the year 0
    /// - a date-time finer than a microsecond, if the entity does not accept the rounded one
    pub fn prepare_insert(&self, entity: &mut dyn EntityFields) -> Result<(), StoreError> {
        let is_made = self.makes_identifier(entity);
        if is_made && self.definition.identifier_kind() == IdentifierKind::Uuid {
            self.set(entity, self.definition.identifier(), Uuid::now_v7().into())?;
        }
        let is_made_later = is_made && self.definition.identifier_kind() == IdentifierKind::Integer;
        self.prepare(entity, if is_made_later { Some(self.definition.identifier()) } else { None })
    }

    /// Prepares an entity to replace the one with its identifier. Sets its scope, and rounds and checks its values like
    /// [`prepare_insert`](Self::prepare_insert).
    ///
    /// # Errors
    /// The store cannot keep a value, as for [`prepare_insert`](Self::prepare_insert).
    pub fn prepare_update(&self, entity: &mut dyn EntityFields) -> Result<(), StoreError> {
        self.prepare(entity, None)
    }

    /// Sets a value that the store generates, such as an identifier.
    ///
    /// # Errors
    /// The entity does not accept the value, which is an error in its [`Entity::set_value`](crate::Entity::set_value).
    pub fn set(&self, entity: &mut dyn EntityFields, field: &str, value: Value<'static>) -> Result<(), StoreError> {
        if entity.set_field(field, value) {
            return Ok(());
        }
        Err(StoreError::failed(format!(
            "`{}` does not accept the value that the store generated for `{field}` of `{}`; let `Entity::set_value` set the identifier and \
             the fields of the scope, of times and of the version",
            entity.type_name(),
            self.definition.name()
        )))
    }

    /// Sets the version of an entity in its [field](crate::FieldDefinition::version), if the definition has one.
    ///
    /// # Errors
    /// As [`set`](Self::set).
    pub fn set_version(&self, entity: &mut dyn EntityFields, version: Version) -> Result<(), StoreError> {
        match self.definition.managed(Managed::Version) {
            Some(field) => self.set(entity, field.name(), version.number().into()),
            None => Ok(()),
        }
    }

    /// Returns a filter combined with the condition of the scope.
    ///
    /// # Errors
    /// The filter or the scope has a field that the definition does not declare.
    pub fn restrict(&self, filter: &Expression) -> Result<Expression, StoreError> {
        self.check_scope()?;
        self.check_fields(filter)?;
        Ok(self.scope.expression().and(filter.clone()))
    }

    /// Returns the filter of a query combined with the condition of the scope. It does not include the position of the window.
    ///
    /// # Errors
    /// The query or the scope has a field that the definition does not declare.
    pub fn restrict_query(&self, query: &ListQuery<'_>) -> Result<Expression, StoreError> {
        query.order.iter().map(SortEntry::name).try_for_each(|field| self.check_field(field))?;
        query.window.position().map_or(Ok(()), |position| self.check_fields(&position.expression()))?;
        self.restrict(&query.filter)
    }

    fn prepare(&self, entity: &mut dyn EntityFields, made_later: Option<&str>) -> Result<(), StoreError> {
        self.check_scope()?;
        for (field, value) in self.scope.iter() {
            self.set(entity, field, value.clone())?;
        }
        let is_made =
            |field: &FieldDefinition| Some(field.name()) == made_later || field.managed() == Some(Managed::Version);
        // A record returns single values only, so JSON is not checked.
        for field in self.definition.fields().filter(|field| field.is_single() && !is_made(field)) {
            let refused = match kept(&entity.value(field.name()), field.is_nullable()) {
                Kept::AsItIs => None,
                Kept::As(value, reason) => {
                    let is_set = entity.set_field(field.name(), value);
                    reason.filter(|_| !is_set)
                }
                Kept::Refused(reason) => Some(reason),
            };
            if let Some(reason) = refused {
                return Err(StoreError::invalid_value(field.owned_name(), reason));
            }
        }
        Ok(())
    }

    fn check_scope(&self) -> Result<(), StoreError> {
        let is_scope = |field: &str| self.definition.get(field).is_some_and(FieldDefinition::is_scope);
        self.scope.iter().find(|(field, _)| !is_scope(field)).map_or(Ok(()), |(field, _)| {
            Err(StoreError::failed(format!(
                "the scope has the field `{field}`, which is not a scope field of `{}`; declare it with `FieldDefinition::scope`",
                self.definition.name()
            )))
        })
    }

    fn check_fields(&self, expression: &Expression) -> Result<(), StoreError> {
        match expression {
            Expression::All(several) | Expression::Any(several) => {
                several.iter().try_for_each(|one| self.check_fields(one))
            }
            Expression::Not(one) => self.check_fields(one),
            Expression::Condition(condition) => self.check_field(condition.field()),
            other => Err(StoreError::failed(format!("stores cannot evaluate the expression {other:?}"))),
        }
    }

    fn check_field(&self, field: &str) -> Result<(), StoreError> {
        match self.definition.get(field) {
            Some(found) if found.is_single() => Ok(()),
            Some(_) => Err(StoreError::failed(format!(
                "a filter or the order names the field `{field}` of `{}`, which holds JSON; filter and sort by fields with single values",
                self.definition.name()
            ))),
            None => Err(StoreError::failed(format!(
                "a filter or the order names the field `{field}`, which `{}` does not have; add it to the definition",
                self.definition.name()
            ))),
        }
    }

    fn lacks_scope(&self, field: &FieldDefinition) -> StoreError {
        StoreError::failed(format!(
            "identifiers of `{}` are unique only within a scope, and the scope of the statement lacks `{}`; set it with `Scope::with`",
            self.definition.name(),
            field.name()
        ))
    }
}

/// How a value is stored. All stores follow the same rules.
enum Kept {
    AsItIs,
    /// Changed to another value. If the entity does not accept the changed value, the original is rejected with the reason, if there is one.
    As(Value<'static>, Option<&'static str>),
    Refused(&'static str),
}

/// 0000-01-01T00:00:00Z, because RFC 3339 has no earlier year.
const YEAR_0: i64 = -62_167_219_200;

fn kept(value: &Value<'_>, is_nullable: bool) -> Kept {
    const BEFORE_YEAR_0: &str = "must not be before the year 0";
    match value {
        Value::Null if !is_nullable => Kept::Refused("must not be null"),
        // PostgreSQL cannot store this character.
        Value::Text(text) if text.contains('\0') => Kept::Refused("must not contain the character NUL"),
        Value::Integer(integer) if i64::try_from(*integer).is_err() => {
            Kept::Refused("must be an integer of 64 signed bits")
        }
        // The two zeros are equal, and some databases cannot store `-0.0`.
        Value::Number(number) if *number == 0.0 && number.is_sign_negative() => Kept::As(Value::Number(0.0), None),
        Value::Date(date) if date.year() < 0 => Kept::Refused(BEFORE_YEAR_0),
        Value::DateTime(time) if *time < Timestamp::constant(YEAR_0, 0) => Kept::Refused(BEFORE_YEAR_0),
        Value::DateTime(time) if time.subsec_nanosecond() % 1_000 != 0 => {
            const REASON: &str = "must be in whole microseconds";
            let microseconds = time.as_nanosecond().div_euclid(1_000);
            match Timestamp::from_nanosecond(microseconds * 1_000) {
                Ok(time) => Kept::As(time.into(), Some(REASON)),
                Err(_) => Kept::Refused(REASON),
            }
        }
        // Columns return date-times in UTC, so a string with an offset is changed to UTC before it is stored.
        Value::DateTime(time) => Kept::As((*time).into(), None),
        _ => Kept::AsItIs,
    }
}

impl<S: Store> fmt::Debug for Statement<'_, S> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Statement")
            .field("entity", &self.definition.name())
            .field("scope", &self.scope)
            .field("is_in_transaction", &self.transaction.is_some())
            .finish()
    }
}
