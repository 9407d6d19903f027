//! Runs statements of the conformance suite on the entities of one definition.

use std::borrow::Cow;

use restwright_list::{
    Comparison, Direction, Expression, ListSlice, Offset, Pagination, Position, Record, SortBag, SortFields, Uncounted,
    Value,
};
use restwright_resource::{
    EntityDefinition, ListQuery, Read, Repository, Scope, Statement, Store, StoreError, Transaction, Version, Versioned,
};

use super::{CaseResult, Specimen, ensure};

/// A store, an entity definition and a scope for the statements of a test case. Unexpected failures are strings. Expected failures are a
/// [`StoreFailure`].
pub(super) struct TestTable<'t> {
    pub(super) store: &'t dyn Store,
    pub(super) definition: EntityDefinition,
    pub(super) scope: Scope,
}

/// The kind of a [`StoreError`], with the name of the field that caused the error.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum StoreFailure {
    NotFound,
    Conflict(String),
    StaleVersion,
    MissingReference(String),
    Referenced(String),
    InvalidValue(String),
    Rejected(String),
    TransactionConflict,
    Unavailable,
    Failed(String),
}

impl From<StoreError> for StoreFailure {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::NotFound => Self::NotFound,
            StoreError::Conflict { fields } => Self::Conflict(fields.join(", ")),
            StoreError::StaleVersion => Self::StaleVersion,
            StoreError::MissingReference { field } => Self::MissingReference(field.into_owned()),
            StoreError::Referenced { by } => Self::Referenced(by.into_owned()),
            StoreError::InvalidValue { field, .. } => Self::InvalidValue(field.into_owned()),
            StoreError::Rejected { violation, .. } => Self::Rejected(violation.pointer),
            StoreError::TransactionConflict => Self::TransactionConflict,
            StoreError::Unavailable(_) => Self::Unavailable,
            StoreError::Failed(source) => Self::Failed(source.to_string()),
            other => Self::Failed(format!("{other:?}")),
        }
    }
}

/// Runs a read that checks whether an entity exists.
pub(super) async fn holds(store: &dyn Store, statement: Statement<'_>, read: Read<'_>) -> Result<bool, StoreFailure> {
    Ok(store.read(statement, read).await?.total > 0)
}

impl From<StoreFailure> for String {
    fn from(failure: StoreFailure) -> Self {
        format!("a statement failed: {failure:?}")
    }
}

impl<'t> TestTable<'t> {
    pub(super) fn new(store: &'t dyn Store, definition: EntityDefinition) -> Self {
        Self { store, definition, scope: Scope::new() }
    }

    pub(super) fn scoped(store: &'t dyn Store, definition: EntityDefinition, scope: Scope) -> Self {
        Self { store, definition, scope }
    }

    pub(super) fn statement(&self) -> Statement<'_> {
        Statement::new(&self.definition).scoped(&self.scope)
    }

    pub(super) async fn insert(&self, specimen: Specimen) -> Result<Versioned<Specimen>, StoreFailure> {
        Ok(self.store.insert(self.statement(), specimen).await?)
    }

    /// Inserts a specimen. If the specimen has an identifier, the store keeps the identifier.
    pub(super) async fn insert_kept(&self, specimen: Specimen) -> Result<Versioned<Specimen>, StoreFailure> {
        Ok(self.store.insert(self.statement().keep_identifier(), specimen).await?)
    }

    pub(super) async fn insert_all(&self, specimens: impl IntoIterator<Item = Specimen>) -> Result<(), StoreFailure> {
        for specimen in specimens {
            self.insert(specimen).await?;
        }
        Ok(())
    }

    pub(super) async fn update(
        &self,
        specimen: Specimen,
        expected: Option<Version>,
    ) -> Result<Versioned<Specimen>, StoreFailure> {
        Ok(self.store.update(self.statement(), specimen, expected).await?)
    }

    pub(super) async fn delete(
        &self,
        identifier: impl Into<Value<'static>>,
        expected: Option<Version>,
    ) -> Result<(), StoreFailure> {
        Ok(self.store.delete(self.statement(), &identifier.into(), expected).await?)
    }

    /// Returns the entity with the given identifier, even if the entity is deleted.
    pub(super) async fn find_deleted(
        &self,
        identifier: impl Into<Value<'static>>,
    ) -> Result<Option<Versioned<Specimen>>, StoreFailure> {
        Ok(self.store.find(self.statement().with_deleted(), &identifier.into()).await?)
    }

    /// Updates an entity and restores it if it is deleted.
    pub(super) async fn restore(&self, specimen: Specimen) -> Result<Versioned<Specimen>, StoreFailure> {
        let live = Specimen { moment: None, ..specimen };
        Ok(self.store.update(self.statement().with_deleted(), live, None).await?)
    }

    pub(super) async fn find(
        &self,
        identifier: impl Into<Value<'static>>,
    ) -> Result<Option<Versioned<Specimen>>, StoreFailure> {
        Ok(self.store.find(self.statement(), &identifier.into()).await?)
    }

    /// Returns the entity with the given identifier. Fails if the entity does not exist.
    pub(super) async fn get(&self, identifier: impl Into<Value<'static>>) -> Result<Versioned<Specimen>, StoreFailure> {
        self.find(identifier).await?.ok_or(StoreFailure::NotFound)
    }

    pub(super) async fn count(&self, filter: Expression) -> Result<u64, StoreFailure> {
        Ok(self.store.count(self.statement(), &filter).await?)
    }

    pub(super) async fn list(
        &self,
        filter: Expression,
        order: &str,
        pagination: &impl Pagination,
    ) -> Result<ListSlice<Versioned<Specimen>, Uncounted>, StoreFailure> {
        let order = sort(&self.definition, order)?;
        Ok(self.store.list(self.statement(), &ListQuery::new(filter, &order, pagination)).await?)
    }

    /// Returns the labels of the entities that match a filter, in the given sort order.
    pub(super) async fn labels(&self, filter: Expression, order: &str) -> Result<Vec<String>, StoreFailure> {
        let all = Offset::new(0, 10_000).ok_or_else(|| StoreFailure::Failed("no window".to_owned()))?;
        let listed = self.list(filter, order, &all).await?;
        Ok(listed.items.into_iter().map(|item| item.entity.label).collect())
    }

    /// Checks that the sorted labels of all entities equal the expected labels.
    pub(super) async fn holds(&self, expected: &[&str]) -> CaseResult {
        let labels = self.labels(Expression::TRUE, "label").await?;
        super::equal(labels, expected.iter().copied().map(str::to_owned).collect())?;
        let count = self.count(Expression::TRUE).await?;
        ensure(u64::try_from(expected.len()) == Ok(count), "`count` and `list` must agree")
    }

    /// Returns the list position directly after an entity, in the given sort order.
    pub(super) fn after(&self, order: &str, entity: &Specimen) -> Result<Position, StoreFailure> {
        Ok(Position::after(place(&sort(&self.definition, order)?, entity)))
    }

    pub(super) fn within<'s>(&'s self, transaction: &'s mut Transaction) -> Statement<'s> {
        self.statement().within(transaction)
    }

    pub(super) async fn insert_in(
        &self,
        transaction: &mut Transaction,
        specimen: Specimen,
    ) -> Result<Versioned<Specimen>, StoreFailure> {
        Ok(self.store.insert(self.within(transaction), specimen).await?)
    }

    pub(super) async fn update_in(
        &self,
        transaction: &mut Transaction,
        specimen: Specimen,
        expected: Option<Version>,
    ) -> Result<Versioned<Specimen>, StoreFailure> {
        Ok(self.store.update(self.within(transaction), specimen, expected).await?)
    }

    pub(super) async fn delete_in(
        &self,
        transaction: &mut Transaction,
        id: impl Into<Value<'static>>,
    ) -> Result<(), StoreFailure> {
        Ok(self.store.delete(self.within(transaction), &id.into(), None).await?)
    }

    pub(super) async fn find_in(
        &self,
        transaction: &mut Transaction,
        id: impl Into<Value<'static>>,
    ) -> Result<Option<Versioned<Specimen>>, StoreFailure> {
        Ok(self.store.find(self.within(transaction), &id.into()).await?)
    }

    pub(super) async fn count_in(
        &self,
        transaction: &mut Transaction,
        filter: Expression,
    ) -> Result<u64, StoreFailure> {
        Ok(self.store.count(self.within(transaction), &filter).await?)
    }
}

/// Returns the name, the direction and the entity's value for each field of a sort order.
pub(super) fn place(order: &SortBag, entity: &Specimen) -> Vec<(Cow<'static, str>, Direction, Value<'static>)> {
    let fields = order
        .iter()
        .map(|entry| (entry.name().to_owned().into(), entry.direction, entity.value(entry.name()).into_owned()));
    fields.collect()
}

/// Parses a sort order in the syntax of a query parameter.
pub(super) fn sort(definition: &EntityDefinition, order: &str) -> Result<SortBag, StoreFailure> {
    let mut fields = SortFields::by_identifier(definition.identifier().to_owned());
    for field in definition.fields().skip(1) {
        fields = fields.field(field.name().to_owned());
    }
    let requested = order.split(',').filter(|field| !field.is_empty()).map(|field| match field.strip_prefix('-') {
        Some(name) => (name, Direction::Descending),
        None => (field, Direction::Ascending),
    });
    SortBag::among(&fields, requested).ok_or_else(|| StoreFailure::Failed(format!("`{order}` is not a valid order")))
}

/// Returns a filter with a condition on one field.
pub(super) fn when(field: &'static str, comparison: Comparison<Value<'static>>) -> Expression {
    Expression::condition(field, comparison)
}

/// Returns a specimen with the given label and default values in all other fields.
pub(super) fn labelled(label: &str) -> Specimen {
    Specimen { label: label.to_owned(), ..Specimen::default() }
}
