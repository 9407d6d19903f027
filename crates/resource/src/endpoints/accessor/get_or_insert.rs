//! Defines [`EntityStore::get_or_insert`].

use std::borrow::Cow;
use std::error::Error;

use restwright_core::{Problem, Result};
use restwright_list::{Comparison, Expression, SearchText, SortBag, SortFields, Value, ValueType, Window};

use crate::definition::UniqueConstraint;
use crate::endpoints::{EntityStore, Resource};
use crate::entity::Versioned;
use crate::store::{ListQuery, Repository, StoreError, repeat};

/// The number of entities that one query reads. A query regardless of case may also find longer strings, which are left out.
const PAGE: u32 = 100;

impl<T: Resource> EntityStore<'_, T> {
    /// Returns the stored entity that has the same unique values, or inserts the entity. Concurrent calls return the same entity.
    ///
    /// The unique values are the fields of a [unique](crate::FieldDefinition::unique) field or of a [unique
    /// constraint](crate::EntityDefinition::unique), within the scope. If another transaction inserts the same values first, the method reads the
    /// stored entity. Within a transaction, it returns an error instead that the store [retries](crate::Store::retries), so the hook or the work runs
    /// again. Return this error.
    ///
    #[cfg_attr(not(doctest), doc = include_str!("../../doc_examples/entity_store_get_or_insert.md"))]
    ///
    /// # Errors
    /// 500 if no unique constraint of the entity has values. 409 if a policy hides the stored entity. The errors of [`insert`](Self::insert). 503 if
    /// every attempt conflicts with others.
    pub async fn get_or_insert(&mut self, entity: T) -> Result<Versioned<T>> {
        // A conflict ends the transaction, which then runs again as a whole.
        let (store, is_alone) = (self.store, self.transaction.is_none());
        let retries = |error: &(dyn Error + 'static)| is_alone && store.retries(error);
        repeat(retries, None, async |_| self.get_or_try_insert(entity.clone()).await, |problem| problem).await
    }

    async fn get_or_try_insert(&mut self, mut entity: T) -> Result<Versioned<T>> {
        let now = self.now();
        let stamped = self.statement()?.at(now).stamp(&mut entity, true);
        self.checked(stamped)?;
        let definition = self.definition.clone();
        let mut constraints = Vec::new();
        for (fields, key) in definition.unique_keys(&entity) {
            if let Some(found) = self.find_by(fields, &key).await? {
                if let Some((gate, transaction)) = self.gate() {
                    let sees = gate.sees(transaction, &found.entity).await;
                    if !self.checked(sees)? {
                        return self.checked(Err(StoreError::conflict_of(fields.iter().cloned())));
                    }
                }
                return Ok(found);
            }
            constraints.push(fields);
        }
        if constraints.is_empty() {
            return Err(Problem::internal(format!(
                "`get_or_insert` needs a unique constraint of `{}` whose values are not null, or with `nulls_equal`",
                definition.name()
            )));
        }
        match self.insert_at(entity, now).await? {
            Err(StoreError::Conflict { fields }) if constraints.contains(&fields.as_slice()) => {
                Err(Problem::unavailable(StoreError::TransactionConflict))
            }
            inserted => {
                let mut inserted = self.checked(inserted)?;
                self.attach(&mut inserted.entity)?;
                Ok(inserted)
            }
        }
    }

    /// Returns the entity with this key of a unique constraint, also if a policy hides it.
    async fn find_by(&mut self, fields: &[Cow<'static, str>], key: &[Value<'static>]) -> Result<Option<Versioned<T>>> {
        let definition = self.definition.clone();
        let constraint = definition.unique_constraints().find(|constraint| constraint.fields() == fields);
        let ignores_case = constraint.is_some_and(UniqueConstraint::ignores_case);
        let scope = definition.scope_fields().map(|field| (field, false));
        let own = fields.iter().filter_map(|name| definition.get(name)).map(|field| (field, ignores_case));
        let conditions = scope.chain(own).zip(key).map(|((field, ignores_case), value)| {
            let is = |comparison| Expression::condition(field.name().to_owned(), comparison);
            match value {
                Value::Null => is(Comparison::IsNull(true)),
                // No operator compares a whole string regardless of case. Longer strings are left out below.
                Value::Text(text) if ignores_case && field.value_type() == ValueType::Text && !text.is_empty() => {
                    let text = || SearchText::new(text.clone().into_owned());
                    is(Comparison::StartsWith(text())).and(is(Comparison::EndsWith(text())))
                }
                value => is(Comparison::Eq(value.clone())),
            }
        });
        let filter = conditions.fold(Expression::TRUE, Expression::and);
        let limit = if ignores_case { PAGE } else { 1 };
        let mut offset = 0;
        loop {
            let listed = self.list_from(filter.clone(), Window::skip(offset, limit)).await?;
            let is_last = listed.len() < usize::try_from(limit).unwrap_or(usize::MAX);
            let has_key =
                |one: &Versioned<T>| definition.unique_keys(&one.entity).any(|one| one == (fields, key.to_vec()));
            let found = listed.into_iter().find(|one| !ignores_case || has_key(one));
            if found.is_some() || is_last {
                return Ok(found);
            }
            offset += u64::from(limit);
        }
    }

    /// Returns the matching entities in the order of their identifiers.
    async fn list_from(&mut self, filter: Expression, window: Window<'static>) -> Result<Vec<Versioned<T>>> {
        let fields = SortFields::by_identifier(self.definition.identifier().to_owned());
        let order = SortBag::among(&fields, []).ok_or_else(|| Problem::internal("the identifier has no order"))?;
        let query = ListQuery::of(filter, order, window);
        let listed = self.store.list(self.statement()?, &query).await;
        let mut listed = self.checked(listed)?.items;
        listed.iter_mut().try_for_each(|found| self.attach(&mut found.entity))?;
        Ok(listed)
    }
}
