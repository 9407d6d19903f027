//! Builds the statements that read or write a single row. Their SQL is cached per table.

use std::collections::HashMap;
use std::sync::{Arc, OnceLock, PoisonError, RwLock};

use restwright_list::Value;
use restwright_resource::{Entity, Scope, StoreError, Version};
use sea_query::{Alias, Expr, ExprTrait, LockType, Query, SelectStatement, SimpleExpr, Value as SqlValue};

use crate::dialect::Dialect;
use crate::json_fields::WrittenEntity;
use crate::operand::Operand;
use crate::select::columns;
use crate::table::{Column, FOLDING, Table};
use crate::value::{bound, folded, null};

/// The version of the case folding, which follows the tables of Unicode.
pub(crate) const FOLDING_VERSION: i32 = 16;

/// The parts of a table's statements that are the same for every entity.
#[derive(Default)]
pub(crate) struct StatementCache {
    /// The SQL by the kind of the statement and the scope fields that it compares.
    sql: RwLock<HashMap<(Kind, u64), Arc<str>>>,
    /// The SQL and columns of inserts. The first insert contains the identifier. In the second, the database generates the identifier.
    inserts: [OnceLock<(Arc<str>, SetColumns)>; 2],
    /// The columns of updates.
    updates: OnceLock<SetColumns>,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Kind {
    Find,
    FindLocked,
    Exists,
    Update,
    UpdateVersion,
    Delete,
    DeleteVersion,
}

impl StatementCache {
    fn get(&self, key: (Kind, u64), build: impl FnOnce() -> String) -> Arc<str> {
        if let Some(sql) = self.sql.read().unwrap_or_else(PoisonError::into_inner).get(&key) {
            return Arc::clone(sql);
        }
        let sql: Arc<str> = build().into();
        self.sql.write().unwrap_or_else(PoisonError::into_inner).insert(key, Arc::clone(&sql));
        sql
    }

    /// Returns the columns that an update sets.
    fn set_columns(&self, table: &Table) -> &SetColumns {
        self.updates.get_or_init(|| SetColumns::of_update(table))
    }
}

/// A statement with its bound values.
#[derive(Debug)]
pub(crate) struct Bound {
    pub(crate) sql: Arc<str>,
    pub(crate) values: Vec<SqlValue>,
}

/// Identifies a row by its identifier and scope.
pub(crate) struct Place<'p> {
    table: &'p Table,
    /// The scope fields that are compared, with one bit for each.
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

    /// Returns the row of an entity, restricted by its whole scope.
    pub(crate) fn of(table: &'p Table, entity: &dyn Entity) -> Option<Self> {
        let columns = std::iter::once(table.identifier()).chain(table.scope_columns());
        let values = columns.map(|column| exact(column, &entity.value(column.field.name())));
        Some(Self { table, mask: u64::MAX, values: values.collect::<Option<_>>()? })
    }

    /// Restricts a selection to the row, for a subquery.
    pub(crate) fn selected(&self, mut select: SelectStatement) -> SelectStatement {
        for (column, value) in self.columns().zip(&self.values) {
            select.and_where(Expr::col(column.alias()).eq(value.clone()));
        }
        select
    }

    /// Restricts a selection of another table to the scope fields that both tables share.
    pub(crate) fn in_scope(&self, other: &Table, mut select: SelectStatement) -> SelectStatement {
        for (column, value) in self.columns().zip(&self.values).skip(1) {
            if let Some(own) = other.column(column.field.name()).filter(|own| own.field.is_scope()) {
                select.and_where(Expr::col(own.alias()).eq(value.clone()));
            }
        }
        select
    }

    pub(crate) fn find<D: Dialect>(self) -> Bound {
        let find = || D::build(&self.selection(columns(self.table))).0;
        Bound { sql: self.table.statements.get((Kind::Find, self.mask), find), values: self.values }
    }

    /// Returns the statement that reads and locks the row.
    pub(crate) fn find_locked<D: Dialect>(&self) -> Bound {
        let sql = self.table.statements.get((Kind::FindLocked, self.mask), || {
            let mut select = self.selection(columns(self.table));
            if D::LOCKS_ROWS {
                // This is the lock of an update that changes no key. Inserts of rows that refer to this row do not wait for it.
                select.lock(LockType::NoKeyUpdate);
            }
            D::build(&select).0
        });
        Bound { sql, values: self.values.clone() }
    }

    /// Returns the statement that returns a row if the row exists and meets the conditions.
    pub(crate) fn exists<D: Dialect>(&self, conditions: Vec<SimpleExpr>) -> Bound {
        let mut select = Query::select();
        select.expr(Expr::cust("1")).from(self.table.reference());
        if conditions.is_empty() {
            let sql = self.table.statements.get((Kind::Exists, self.mask), || D::build(&self.selection(select)).0);
            return Bound { sql, values: self.values.clone() };
        }
        let mut select = self.selected(select);
        for condition in conditions {
            select.and_where(condition);
        }
        let (sql, values) = D::build(&select);
        Bound { sql: sql.into(), values }
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

    /// Returns the statement that updates a row.
    pub(crate) fn update<D: Dialect>(&self, row: Vec<SqlValue>, expected: Option<Version>) -> Bound {
        let kind = if expected.is_some() { Kind::UpdateVersion } else { Kind::Update };
        let sql = self.table.statements.get((kind, self.mask), || {
            let mut update = Query::update();
            update.table(self.table.reference());
            let set = self.table.statements.set_columns(self.table);
            update.values(set.aliases(self.table).zip(set.expressions::<D>(self.table)));
            for condition in self.conditions().chain(self.version(expected.is_some())) {
                update.and_where(condition);
            }
            D::build(&update).0
        });
        let place = self.values.iter().cloned().chain(expected.map(|expected| expected.number().into()));
        Bound { sql, values: row.into_iter().chain(place).collect() }
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

/// A column to which a value is bound. Numbers are indexes of the table's columns.
#[derive(Clone, Copy)]
enum SetColumn {
    Field(usize),
    /// The JSON of a field, as a string.
    Json(usize),
    /// The case-folded string of a field.
    Fold(usize),
    Folding,
    Version,
}

impl SetColumn {
    fn name(self, table: &Table) -> Option<&str> {
        match self {
            Self::Field(number) | Self::Json(number) => table.columns.get(number).map(|column| &*column.name),
            Self::Fold(number) => table.columns.get(number)?.fold(),
            Self::Folding => Some(FOLDING),
            Self::Version => table.version.as_ref().map(|version| &*version.name),
        }
    }

    fn expression<D: Dialect>(self, table: &Table) -> Option<SimpleExpr> {
        Some(match self {
            Self::Field(number) | Self::Json(number) => {
                let column = table.columns.get(number)?;
                D::bound(column, null(column.field.value_type()))
            }
            Self::Fold(_) => Expr::val(SqlValue::String(None)),
            Self::Folding => Expr::val(SqlValue::Int(None)),
            Self::Version => Expr::val(SqlValue::BigInt(None)),
        })
    }
}

/// The columns that a statement sets. They are the same for every entity.
struct SetColumns(Vec<SetColumn>);

impl SetColumns {
    /// Returns the columns of an insert. With `is_made`, the database generates the identifier.
    fn of_insert(table: &Table, is_made: bool) -> Self {
        Self::new(table, |number, _| number > 0 || !is_made)
    }

    fn of_update(table: &Table) -> Self {
        Self::new(table, |number, column| number > 0 && !column.field.is_scope())
    }

    fn new(table: &Table, is_written: impl Fn(usize, &Column) -> bool) -> Self {
        let is_version = |number: usize| table.version.as_ref().is_some_and(|version| version.field == Some(number));
        let mut columns = Vec::with_capacity(table.columns.len() + 4);
        for (number, column) in table.columns.iter().enumerate() {
            if is_written(number, column) && !is_version(number) {
                columns.push(if column.is_json() { SetColumn::Json(number) } else { SetColumn::Field(number) });
                columns.extend(column.fold().map(|_| SetColumn::Fold(number)));
            }
        }
        if table.is_folded() {
            columns.push(SetColumn::Folding);
        }
        columns.extend(table.version.as_ref().map(|_| SetColumn::Version));
        Self(columns)
    }

    fn aliases(&self, table: &Table) -> impl Iterator<Item = Alias> {
        self.0.iter().filter_map(|column| column.name(table)).map(Alias::new)
    }

    fn expressions<D: Dialect>(&self, table: &Table) -> impl Iterator<Item = SimpleExpr> {
        self.0.iter().filter_map(|column| column.expression::<D>(table))
    }

    /// Returns the values that an entity has in these columns.
    fn row(&self, table: &Table, entity: &dyn WrittenEntity, version: Version) -> Result<Vec<SqlValue>, StoreError> {
        let json = self.0.iter().filter_map(|column| match column {
            SetColumn::Json(number) => table.columns.get(*number).map(|column| column.field.name()),
            _ => None,
        });
        let json: Vec<_> = json.collect();
        let mut json =
            if json.is_empty() { Vec::new() } else { entity.json_fields(&json).map_err(StoreError::failed)? }
                .into_iter();
        let values = self.0.iter().filter_map(|column| {
            Some(match *column {
                SetColumn::Json(number) => {
                    let is_nullable = table.columns.get(number)?.field.is_nullable();
                    SqlValue::String(json.next().flatten().or_else(|| (!is_nullable).then(|| "null".to_owned())))
                }
                SetColumn::Field(number) => {
                    let column = table.columns.get(number)?;
                    column.encoded(bound(entity.value(column.field.name()), column.field.value_type()))
                }
                SetColumn::Fold(number) => folded(&entity.value(table.columns.get(number)?.field.name())),
                SetColumn::Folding => FOLDING_VERSION.into(),
                SetColumn::Version => version.number().into(),
            })
        });
        let values: Vec<_> = values.collect();
        if let Some(rules) = table.rules.get() {
            rules.check(table, self.0.iter().filter_map(|column| column.name(table)).zip(&values))?;
        }
        Ok(values)
    }
}

/// Returns the statement that inserts an entity. With `is_made`, the database generates the identifier and returns it.
pub(crate) fn insert<D: Dialect>(
    table: &Table,
    entity: &dyn WrittenEntity,
    version: Version,
    is_made: bool,
) -> Result<Bound, StoreError> {
    let StatementCache { inserts: [given, made], .. } = &table.statements;
    let (sql, columns) = if is_made { made } else { given }.get_or_init(|| {
        let columns = SetColumns::of_insert(table, is_made);
        let mut insert = Query::insert();
        insert.into_table(table.reference());
        insert.columns(columns.aliases(table));
        insert.values_panic(columns.expressions::<D>(table));
        if is_made {
            insert.returning_col(table.identifier().alias());
        }
        (D::build(&insert).0.into(), columns)
    });
    Ok(Bound { sql: Arc::clone(sql), values: columns.row(table, entity, version)? })
}

/// Returns the values for an update.
pub(crate) fn updated(
    table: &Table,
    entity: &dyn WrittenEntity,
    version: Version,
) -> Result<Vec<SqlValue>, StoreError> {
    table.statements.set_columns(table).row(table, entity, version)
}

fn exact(column: &Column, value: &Value<'_>) -> Option<SqlValue> {
    match column.operand(value) {
        Operand::Exact(value) => Some(value),
        _ => None,
    }
}
