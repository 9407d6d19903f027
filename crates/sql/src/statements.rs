//! The statements on one row, whose SQL is built once for each table.

use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock};

use restwright_list::Value;
use restwright_resource::{EntityFields, Scope, StoreError, Version};
use sea_query::{Alias, Expr, ExprTrait, LockType, Query, SelectStatement, SimpleExpr, Value as SqlValue};

use crate::dialect::Dialect;
use crate::json_fields::WrittenEntity;
use crate::operand::Operand;
use crate::select::columns;
use crate::table::{Column, FOLDING, Table};
use crate::value::{bound, folded, null};

/// The version of the case folding, which is that of Unicode's tables.
pub(crate) const FOLDING_VERSION: i32 = 16;

/// The SQL of a table's statements, by their kind and the scope fields that they restrict.
#[derive(Default)]
pub(crate) struct StatementCache(RwLock<HashMap<(Kind, u64), Arc<str>>>);

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Kind {
    Find,
    FindLocked,
    Exists,
    Insert,
    /// An insert whose identifier the database does not make.
    InsertWhole,
    Update,
    UpdateVersion,
    Delete,
    DeleteVersion,
}

impl StatementCache {
    fn get(&self, key: (Kind, u64), build: impl FnOnce() -> String) -> Arc<str> {
        if let Some(sql) = self.0.read().unwrap_or_else(PoisonError::into_inner).get(&key) {
            return Arc::clone(sql);
        }
        let sql: Arc<str> = build().into();
        self.0.write().unwrap_or_else(PoisonError::into_inner).insert(key, Arc::clone(&sql));
        sql
    }
}

/// A statement with the values that are bound to it.
#[derive(Debug)]
pub(crate) struct Bound {
    pub(crate) sql: Arc<str>,
    pub(crate) values: Vec<SqlValue>,
}

/// The row of an identifier in a scope; `None` if no row can have them.
pub(crate) struct Place<'p> {
    table: &'p Table,
    /// The number of each restricted scope field, as bits.
    mask: u64,
    values: Vec<SqlValue>,
}

impl<'p> Place<'p> {
    pub(crate) fn new(table: &'p Table, identifier: &Value<'_>, scope: &Scope) -> Option<Self> {
        let (mut mask, mut values) = (0, Vec::with_capacity(4));
        values.push(exact(table.identifier(), identifier)?);
        for (index, column) in table.scope_columns().enumerate() {
            let Some(value) = scope.get(column.field.name()) else { continue };
            let value = exact(column, value)?;
            mask |= 1_u64.checked_shl(u32::try_from(index).unwrap_or(u32::MAX)).unwrap_or_default();
            values.push(value);
        }
        Some(Self { table, mask, values })
    }

    /// Returns the row of an entity, with its whole scope.
    pub(crate) fn of(table: &'p Table, entity: &dyn EntityFields) -> Option<Self> {
        let columns = std::iter::once(table.identifier()).chain(table.scope_columns());
        let values = columns.map(|column| exact(column, &entity.value(column.field.name())));
        Some(Self { table, mask: u64::MAX, values: values.collect::<Option<_>>()? })
    }

    /// Returns a selection of the row, for a subquery.
    pub(crate) fn selected(&self, mut select: SelectStatement) -> SelectStatement {
        for (column, value) in self.columns().zip(&self.values) {
            select.and_where(Expr::col(column.alias()).eq(value.clone()));
        }
        select
    }

    /// Restricts a selection of another table's rows to the scope that the row has in common with them.
    pub(crate) fn in_scope(&self, other: &Table, mut select: SelectStatement) -> SelectStatement {
        for (column, value) in self.columns().zip(&self.values).skip(1) {
            if let Some(own) = other.column(column.field.name()).filter(|own| own.field.is_scope()) {
                select.and_where(Expr::col(own.alias()).eq(value.clone()));
            }
        }
        select
    }

    pub(crate) fn find<D: Dialect>(self) -> Bound {
        self.bound::<D>(Kind::Find, |place| place.selection(columns(place.table)))
    }

    /// Returns the statement that reads the row and locks it.
    pub(crate) fn find_locked<D: Dialect>(&self) -> Bound {
        let sql = self.table.statements.get((Kind::FindLocked, self.mask), || {
            let mut select = self.selection(columns(self.table));
            if D::LOCKS_ROWS {
                // As an update that changes no key, so inserts of rows that refer to this one do not wait.
                select.lock(LockType::NoKeyUpdate);
            }
            D::build(&select).0
        });
        Bound { sql, values: self.values.clone() }
    }

    pub(crate) fn exists<D: Dialect>(&self) -> Bound {
        let sql = self.table.statements.get((Kind::Exists, self.mask), || {
            let mut select = Query::select();
            select.expr(Expr::cust("1")).from(self.table.reference());
            D::build(&self.selection(select)).0
        });
        Bound { sql, values: self.values.clone() }
    }

    pub(crate) fn delete<D: Dialect>(&self, expected: Option<Version>) -> Bound {
        let kind = if expected.is_some() { Kind::DeleteVersion } else { Kind::Delete };
        let sql = self.table.statements.get((kind, self.mask), || {
            let mut delete = Query::delete();
            delete.from_table(self.table.reference());
            for condition in self.conditions().chain(self.version(expected.is_some())) {
                delete.and_where(condition);
            }
            D::build(&delete).0
        });
        let values = self.values.iter().cloned().chain(expected.map(|expected| expected.number().into()));
        Bound { sql, values: values.collect() }
    }

    /// Returns the statement that sets the values of a row.
    pub(crate) fn update<D: Dialect>(&self, row: Vec<SqlValue>, expected: Option<Version>) -> Bound {
        let kind = if expected.is_some() { Kind::UpdateVersion } else { Kind::Update };
        let sql = self.table.statements.get((kind, self.mask), || {
            let mut update = Query::update();
            update.table(self.table.reference());
            let set = set_columns(self.table);
            update.values(set.into_iter().map(|column| (column.alias(), column.expression::<D>())));
            for condition in self.conditions().chain(self.version(expected.is_some())) {
                update.and_where(condition);
            }
            D::build(&update).0
        });
        let place = self.values.iter().cloned().chain(expected.map(|expected| expected.number().into()));
        Bound { sql, values: row.into_iter().chain(place).collect() }
    }

    fn bound<D: Dialect>(self, kind: Kind, build: impl FnOnce(&Self) -> SelectStatement) -> Bound {
        let sql = self.table.statements.get((kind, self.mask), || D::build(&build(&self)).0);
        Bound { sql, values: self.values }
    }

    fn selection(&self, mut select: SelectStatement) -> SelectStatement {
        for condition in self.conditions() {
            select.and_where(condition);
        }
        select
    }

    fn conditions(&self) -> impl Iterator<Item = SimpleExpr> {
        self.columns().map(|column| Expr::col(column.alias()).eq(null(column.field.value_type())))
    }

    fn columns(&self) -> impl Iterator<Item = &'p Column> {
        let scope = self.table.scope_columns().enumerate().filter(|(index, _)| {
            let bit = 1_u64.checked_shl(u32::try_from(*index).unwrap_or(u32::MAX)).unwrap_or_default();
            self.mask & bit != 0
        });
        std::iter::once(self.table.identifier()).chain(scope.map(|(_, column)| column))
    }

    fn version(&self, is_expected: bool) -> Option<SimpleExpr> {
        let version = self.table.version.as_ref().filter(|_| is_expected)?;
        Some(Expr::col(Alias::new(&version.name)).eq(SqlValue::BigInt(None)))
    }
}

/// A column to which a value is bound.
enum SetColumn<'t> {
    Field(&'t Column),
    Fold(&'t str),
    Folding,
    Version(&'t str),
}

impl SetColumn<'_> {
    fn name(&self) -> &str {
        match self {
            Self::Field(column) => &column.name,
            Self::Fold(name) | Self::Version(name) => name,
            Self::Folding => FOLDING,
        }
    }

    fn alias(&self) -> Alias {
        Alias::new(self.name())
    }

    fn expression<D: Dialect>(&self) -> SimpleExpr {
        match self {
            Self::Field(column) => D::bound(column, null(column.field.value_type())),
            Self::Fold(_) => Expr::val(SqlValue::String(None)),
            Self::Folding => Expr::val(SqlValue::Int(None)),
            Self::Version(_) => Expr::val(SqlValue::BigInt(None)),
        }
    }
}

/// Returns the columns that an update sets.
fn set_columns(table: &Table) -> Vec<SetColumn<'_>> {
    written_columns(table, |index, column| index > 0 && !column.field.is_scope())
}

/// Returns the columns that an insert sets.
fn inserted_columns(table: &Table, is_made: bool) -> Vec<SetColumn<'_>> {
    written_columns(table, |index, _| index > 0 || !is_made)
}

fn written_columns(table: &Table, is_written: impl Fn(usize, &Column) -> bool) -> Vec<SetColumn<'_>> {
    let is_version = |index: usize| table.version.as_ref().is_some_and(|version| version.field == Some(index));
    let mut columns = Vec::with_capacity(table.columns.len() + 4);
    for (index, column) in table.columns.iter().enumerate() {
        if is_written(index, column) && !is_version(index) {
            columns.push(SetColumn::Field(column));
            columns.extend(column.fold().map(SetColumn::Fold));
        }
    }
    if table.is_folded() {
        columns.push(SetColumn::Folding);
    }
    columns.extend(table.version.iter().map(|version| SetColumn::Version(&version.name)));
    columns
}

/// Returns the statement that inserts an entity, and returns its identifier if `is_made`: the database makes it.
pub(crate) fn insert<D: Dialect>(
    table: &Table,
    entity: &dyn WrittenEntity,
    version: Version,
    is_made: bool,
) -> Result<Bound, StoreError> {
    let columns = inserted_columns(table, is_made);
    let values = row(table, &columns, entity, version)?;
    let kind = if is_made { Kind::Insert } else { Kind::InsertWhole };
    let sql = table.statements.get((kind, 0), || {
        let mut insert = Query::insert();
        insert.into_table(table.reference());
        insert.columns(columns.iter().map(SetColumn::alias));
        insert.values_panic(columns.iter().map(SetColumn::expression::<D>));
        if is_made {
            insert.returning_col(table.identifier().alias());
        }
        D::build(&insert).0
    });
    Ok(Bound { sql, values })
}

/// Returns the values that an update sets.
pub(crate) fn updated(
    table: &Table,
    entity: &dyn WrittenEntity,
    version: Version,
) -> Result<Vec<SqlValue>, StoreError> {
    row(table, &set_columns(table), entity, version)
}

fn row(
    table: &Table,
    columns: &[SetColumn<'_>],
    entity: &dyn WrittenEntity,
    version: Version,
) -> Result<Vec<SqlValue>, StoreError> {
    let names: Vec<_> = table.json_columns().map(|column| column.field.name()).collect();
    let mut json = entity.json_fields(&names).map_err(StoreError::failed)?.into_iter();
    let mut last = Value::Null;
    let values = columns.iter().map(|column| match column {
        SetColumn::Field(column) if column.is_json() => {
            let json = json.next().flatten();
            let is_nullable = column.field.is_nullable();
            SqlValue::String(json.or_else(|| (!is_nullable).then(|| "null".to_owned())))
        }
        SetColumn::Field(column) => {
            let value = entity.value(column.field.name());
            if column.fold().is_some() {
                last = value.clone().into_owned();
            }
            column.encoded(bound(value, column.field.value_type()))
        }
        SetColumn::Fold(_) => folded(&last),
        SetColumn::Folding => FOLDING_VERSION.into(),
        SetColumn::Version(_) => version.number().into(),
    });
    let values: Vec<_> = values.collect();
    if let Some(rules) = table.rules.get() {
        rules.check(table, columns.iter().map(SetColumn::name).zip(&values))?;
    }
    Ok(values)
}

fn exact(column: &Column, value: &Value<'_>) -> Option<SqlValue> {
    match column.operand(value) {
        Operand::Exact(value) => Some(value),
        _ => None,
    }
}
