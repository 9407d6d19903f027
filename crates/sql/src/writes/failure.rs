//! Converts errors of the database to [`StoreError`].

use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;
use std::sync::Arc;

use restwright_list::{Value, fold};
use restwright_resource::{
    EntityDefinition, FieldDefinition, IdentifierKind, OnDelete, Row, Scope, StoreError, UniqueConstraint,
};
use sea_query::{Alias, Expr, ExprTrait, Func, Query, SelectStatement, Value as SqlValue};

use super::cascades::cascading;
use crate::dialect::{qualified, quoted};
use crate::driver::{Database, FailureKind};
use crate::statements::Place;
use crate::statements::condition::{equals, is_live};
use crate::store::Shared;
use crate::table::{Table, folds, shared_fields};
use crate::transactions::{Failure, Lease};
use crate::value::bound;

/// Returns `true` if an error or one of its causes is a transaction conflict.
pub(crate) fn is_conflict(database: Database, error: &(dyn Error + 'static)) -> bool {
    let mut causes = std::iter::successors(Some(error), |&error| error.source());
    causes.any(|cause| {
        let is_of_store = matches!(cause.downcast_ref(), Some(StoreError::TransactionConflict));
        let is_of_driver = cause.downcast_ref().is_some_and(|error| database.failure(error) == FailureKind::Conflict);
        is_of_store || is_of_driver
    })
}

/// Specifies whether a write is an insert or an update.
#[derive(Clone, Copy)]
pub(crate) enum Written {
    /// An insert. `is_made` is `true` if the database generates the identifier.
    New { is_made: bool },
    /// An update.
    Changed,
}

impl Written {
    /// Returns `true` if an entity refers to itself. A new entity has no identifier yet if the database generates the identifier.
    pub(crate) fn is_itself(self, table: &Table, target: &Table, entity: &Row, value: &Value<'_>) -> bool {
        let is_made = matches!(self, Self::New { is_made: true });
        !is_made && target.name == table.name && *value == entity.value(table.definition.identifier())
    }
}

/// Converts the error of a failed insert or update to a `StoreError`.
pub(crate) async fn of_write(
    failure: Failure,
    shared: &Shared,
    table: &Table,
    entity: &Row,
    written: Written,
    lease: &mut Lease<'_>,
) -> StoreError {
    let field = |column: &Option<String>| column.as_ref().and_then(|column| table.field_of(column));
    let name = |field: &FieldDefinition| field.name().to_owned();
    match &failure.kind {
        FailureKind::Unique(columns) if table.dialect.names_last_conflict => {
            match first_conflict(table, entity, written, lease).await {
                Ok(Some(fields)) => StoreError::conflict_of(fields),
                Ok(None) => conflict(table, columns),
                Err(error) => error,
            }
        }
        FailureKind::Unique(columns) if is_generated_twice(table, written, columns) => {
            let message = behind(table);
            shared.rejections.log_broken(table, &message);
            StoreError::unavailable(message)
        }
        FailureKind::Unique(columns) => conflict(table, columns),
        FailureKind::Reference { column: Some(column), .. } => match table.field_of(column) {
            Some(field) => StoreError::MissingReference { field: name(field).into() },
            None => failure.into(),
        },
        FailureKind::Reference { column: None, .. } => {
            match missing_reference(shared, table, (entity, written), lease).await {
                Ok(Some(field)) => StoreError::MissingReference { field: field.into() },
                Ok(None) => failure.into(),
                Err(error) => error,
            }
        }
        FailureKind::Value(column) => match field(column) {
            Some(field) => StoreError::invalid_value(name(field), "cannot be stored in its column"),
            None => failure.into(),
        },
        FailureKind::Rejected(column) => {
            shared.rejections.log(Some(table), &failure.error);
            StoreError::rejected(field(column).map(FieldDefinition::name), failure.error)
        }
        FailureKind::TooLong => match longest(table, entity) {
            Some(field) => {
                StoreError::invalid_value(name(field), "must be shorter to fit into the index of its column")
            }
            None => failure.into(),
        },
        _ => failure.into(),
    }
}

/// Returns the error for a violated unique index. It has no fields unless all columns of the index are fields.
fn conflict(table: &Table, columns: &[String]) -> StoreError {
    let fields = columns.iter().map(|column| table.field_of(column).map(|field| field.name().to_owned()));
    let fields: Option<Vec<_>> = fields.collect();
    StoreError::conflict_of(fields.unwrap_or_default())
}

/// Returns `true` if the database generated an identifier that another row already has.
fn is_generated_twice(table: &Table, written: Written, columns: &[String]) -> bool {
    matches!(written, Written::New { is_made: true }) && *columns == [table.identifier().name.as_str()]
}

/// Returns the message for a sequence that generates identifiers of existing rows, with the statement that repairs the sequence.
fn behind(table: &Table) -> String {
    let message = format!("the database generated an identifier that another row of the table `{table}` already has");
    let Some(sequence) = table.rules.get().and_then(|rules| rules.sequence.as_deref()) else {
        return message;
    };
    let (column, name) = (quoted(&table.identifier().name), qualified(table.schema.as_deref(), &table.name));
    let sequence_text = sequence.replace('\'', "''");
    format!(
        "{message}, because the sequence `{sequence}` is behind the rows, for example after an import; run `SELECT setval('{sequence_text}', \
         (SELECT max({column}) FROM {name}))`"
    )
}

/// Returns the indexed field with the longest string. This string is probably too long for its index.
fn longest<'t>(table: &'t Table, entity: &Row) -> Option<&'t FieldDefinition> {
    let fields = table.columns.iter().map(|column| &column.field);
    let is_declared = |field: &FieldDefinition| {
        let unique = table.definition.unique_constraints().map(UniqueConstraint::fields);
        table.definition.indexes().chain(unique).flatten().any(|name| name == field.name())
    };
    let indexed = fields.filter(|field| {
        let is_kept = field.is_sortable() || field.is_scope() || field.reference().is_some();
        is_kept || is_declared(field)
    });
    indexed.max_by_key(|field| entity.value(field.name()).as_text().map(str::len))
}

/// Returns the fields of the first unique constraint that the entity violates. The identifier is checked first.
async fn first_conflict(
    table: &Table,
    entity: &Row,
    written: Written,
    lease: &mut Lease<'_>,
) -> Result<Option<Vec<String>>, StoreError> {
    let has_identifier = matches!(written, Written::New { is_made: false });
    // Generated identifiers are unique in the whole table, not only in their scope.
    let place = match table.definition.identifier_kind() {
        IdentifierKind::Given(_) => Place::of(table, entity),
        _ => Place::new(table, &entity.value(table.definition.identifier()), &Scope::new()),
    };
    if let Some(place) = place.filter(|_| has_identifier).map(Place::with_deleted) {
        let bound = place.exists(Vec::new());
        if !lease.fetch(table, bound.sql, bound.values).await?.is_empty() {
            return Ok(Some(vec![table.definition.identifier().to_owned()]));
        }
    }
    let own = matches!(written, Written::Changed)
        .then(|| equals(table.identifier(), &entity.value(table.definition.identifier())).not());
    for (constraint, columns) in table.unique_columns() {
        let same = table.scope_columns().chain(columns.iter().copied());
        let same = same.map(|column| match entity.value(column.field.name()) {
            Value::Null if constraint.are_nulls_equal() => Expr::col(column.alias()).is_null(),
            Value::Text(text) if folds(constraint, &column.field) => {
                // The expression of the unique index.
                let exact = (table.dialect.in_code_point_order)(Expr::col(column.alias()));
                match column.fold() {
                    Some(name) => Expr::from(Func::coalesce([Expr::col(Alias::new(name)), exact])).eq(fold(&text)),
                    None => Expr::from(Func::lower(exact)).eq(text.to_ascii_lowercase()),
                }
            }
            value => equals(column, &value),
        });
        let mut select = Query::select();
        select.expr(Expr::cust("1")).from(table.reference()).limit(1);
        for condition in same.chain(own.clone()).chain(is_live(table)) {
            select.and_where(condition);
        }
        let (sql, values) = table.dialect.build(&select);
        if !lease.fetch(table, sql.into(), values).await?.is_empty() {
            return Ok(Some(columns.iter().map(|column| column.field.name().to_owned()).collect()));
        }
    }
    Ok(None)
}

/// Returns the first field that refers to a missing entity.
async fn missing_reference(
    shared: &Shared,
    table: &Table,
    (entity, written): (&Row, Written),
    lease: &mut Lease<'_>,
) -> Result<Option<String>, StoreError> {
    for column in &table.columns {
        let value = entity.value(column.field.name());
        let Some((target, on_delete)) = column.field.reference().filter(|_| !value.is_null()) else { continue };
        if on_delete == OnDelete::Keep {
            continue;
        }
        let Some(target) = shared.all_tables().into_iter().find(|table| table.definition.name() == target) else {
            return Ok(Some(column.field.name().to_owned()));
        };
        if written.is_itself(table, &target, entity, &value) {
            continue;
        }
        let scope = shared_scope(&table.definition, &target.definition, entity);
        let found = match Place::new(&target, &value, &scope) {
            Some(place) => {
                let bound = place.exists(Vec::new());
                !lease.fetch(&*target, bound.sql, bound.values).await?.is_empty()
            }
            None => false,
        };
        if !found {
            return Ok(Some(column.field.name().to_owned()));
        }
    }
    Ok(None)
}

/// Returns the scope in which a referenced entity must exist. It contains the referring entity's values of the shared scope fields.
pub(crate) fn shared_scope(own: &EntityDefinition, target: &EntityDefinition, entity: &Row) -> Scope {
    shared_fields(own, target).fold(Scope::new(), |scope, field| {
        let value = entity.value(&field).into_owned();
        scope.with(field, value)
    })
}

/// Converts the error of a failed delete to a `StoreError`.
pub(crate) async fn of_delete(
    failure: Failure,
    shared: &Shared,
    table: &Table,
    place: &Place<'_>,
    lease: &mut Lease<'_>,
) -> StoreError {
    if matches!(failure.kind, FailureKind::Rejected(_)) {
        shared.rejections.log(Some(table), &failure.error);
        return StoreError::rejected(None, failure.error);
    }
    let FailureKind::Reference { table: referring, .. } = &failure.kind else { return failure.into() };
    let tables = shared.all_tables();
    if let Some(referring) = referring {
        let definition = tables.iter().find(|table| table.name == *referring).map(|table| table.definition.name());
        return StoreError::Referenced { by: definition.unwrap_or(referring).to_owned().into() };
    }
    match referring_table(&tables, table, place, lease).await {
        Ok(Some(by)) => StoreError::Referenced { by: by.into() },
        Ok(None) => failure.into(),
        Err(error) => error,
    }
}

/// Returns the name of an entity definition whose entities block a delete. These entities refer to a deleted entity, and no cascade deletes
/// them.
async fn referring_table(
    tables: &[Arc<Table>],
    table: &Table,
    place: &Place<'_>,
    lease: &mut Lease<'_>,
) -> Result<Option<String>, StoreError> {
    let cascading = cascading(tables, table);
    let mut start = Query::select();
    start.column(table.identifier().alias()).from(table.reference());
    let first = identifiers(table, place.selected(start), lease).await?;
    let mut deleted: BTreeMap<&str, BTreeSet<Value<'static>>> = BTreeMap::new();
    let mut pending = vec![(table.definition.name(), first)];
    let mut holding = Vec::new();
    while let Some((target, mut keys)) = pending.pop() {
        let known = deleted.entry(target).or_default();
        keys.retain(|(key, _)| known.insert(key.clone()));
        for referring in tables {
            let name = referring.definition.name();
            for column in &referring.columns {
                let reference = column.field.reference().filter(|(to, kept)| *to == target && *kept != OnDelete::Keep);
                let Some((_, on_delete)) = reference else { continue };
                for keys in keys.chunks(KEYS) {
                    let mut select = Query::select();
                    select.column(referring.identifier().alias()).from(referring.reference());
                    select.and_where(Expr::col(column.alias()).is_in(keys.iter().map(|key| key.1.clone())));
                    // Entities that no cascade reaches remain, regardless of their number.
                    let stays = on_delete == OnDelete::Restrict && !cascading.contains(&name);
                    if stays {
                        select.limit(1);
                    }
                    let found = identifiers(referring, place.in_scope(referring, select), lease).await?;
                    match on_delete {
                        _ if found.is_empty() => {}
                        _ if stays => return Ok(Some(name.to_owned())),
                        OnDelete::Cascade => pending.push((name, found)),
                        _ => holding.push((name, found)),
                    }
                }
            }
        }
    }
    let stays = |(name, keys): &(&str, Vec<Key>)| {
        keys.iter().any(|(key, _)| !deleted.get(name).is_some_and(|deleted| deleted.contains(key)))
    };
    Ok(holding.into_iter().find(stays).map(|(name, _)| name.to_owned()))
}

/// The maximum number of identifiers in one statement.
const KEYS: usize = 500;

/// An identifier, both as a `Value` for comparisons and as a bound value for SQL statements.
pub(crate) type Key = (Value<'static>, SqlValue);

/// Runs a `SELECT` statement and returns the identifiers in its rows.
pub(crate) async fn identifiers(
    table: &Table,
    select: SelectStatement,
    lease: &mut Lease<'_>,
) -> Result<Vec<Key>, StoreError> {
    let (sql, values) = table.dialect.build(&select);
    let rows = lease.fetch(table, sql.into(), values).await?;
    let value_type = table.identifier().field.value_type();
    let keys = rows.iter().map(|row| {
        let value = row.cell(0, value_type).map_err(StoreError::failed)?.into_value();
        Ok((value.clone(), bound(value, value_type)))
    });
    keys.collect()
}
