//! Builds the statements that read or write a single row. Their SQL is cached per table.

use std::sync::Arc;

use restwright_list::Value;
use restwright_resource::{Row, Scope, Statement, StoreError, Version};
use sea_query::{Alias, Expr, ExprTrait, LockType, Query, SelectStatement, SimpleExpr, Value as SqlValue};

use crate::dialect::Bound;
use crate::statements::condition::is_live;
use crate::statements::select::{column_names, columns};
use crate::table::{Column, Key, Kind, Operand, ReadBack, SetColumns, StatementCache, Table};
use crate::value::null;

/// Identifies a row by its identifier and scope.
pub(crate) struct Place<'p> {
    table: &'p Table,
    /// A bit mask of the scope fields that statements compare.
    mask: u64,
    values: Vec<SqlValue>,
    /// `true` if statements include the row even if it is deleted.
    sees_deleted: bool,
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
        Some(Self { table, mask, values, sees_deleted: false })
    }

    /// Creates a `Place` for the row of an entity, with its identifier and all its scope fields.
    pub(crate) fn of(table: &'p Table, entity: &Row) -> Option<Self> {
        let columns = std::iter::once(table.identifier()).chain(table.scope_columns());
        let values = columns.map(|column| exact(column, &entity.value(column.field.name())));
        Some(Self { table, mask: u64::MAX, values: values.collect::<Option<_>>()?, sees_deleted: false })
    }

    /// Includes the row in statements even if it is deleted.
    pub(crate) fn with_deleted(self) -> Self {
        Self { sees_deleted: true, ..self }
    }

    /// Includes a deleted row only if `statement` includes deleted rows.
    pub(crate) fn seen_by(self, statement: &Statement<'_>) -> Self {
        Self { sees_deleted: statement.sees_deleted(), ..self }
    }

    fn key(&self, kind: Kind) -> Key {
        (kind, self.mask, self.sees_deleted)
    }

    /// Restricts a `SELECT` statement to the row, for a subquery.
    pub(crate) fn selected(&self, mut select: SelectStatement) -> SelectStatement {
        for (column, value) in self.columns().zip(&self.values) {
            select.and_where(Expr::col(column.alias()).eq(value.clone()));
        }
        if let Some(live) = self.is_live() {
            select.and_where(live);
        }
        select
    }

    /// Restricts a `SELECT` statement on the table `other` to rows with the same values in the shared scope fields.
    pub(crate) fn in_scope(&self, other: &Table, mut select: SelectStatement) -> SelectStatement {
        for (column, value) in self.columns().zip(&self.values).skip(1) {
            if let Some(own) = other.column(column.field.name()).filter(|own| own.field.is_scope()) {
                select.and_where(Expr::col(own.alias()).eq(value.clone()));
            }
        }
        select
    }

    pub(crate) fn find(self) -> Bound {
        let find = || self.table.dialect.build(&self.selection(columns(self.table))).0;
        Bound { sql: self.table.statements.get(self.key(Kind::Find), find), values: self.values }
    }

    /// Returns the statement that reads and locks the row.
    pub(crate) fn find_locked(&self) -> Bound {
        let sql = self.table.statements.get(self.key(Kind::FindLocked), || {
            let mut select = self.selection(columns(self.table));
            if self.table.dialect.locks_rows {
                // This is the lock of an update that changes no key. Inserts of rows that refer to this row do not wait for it.
                select.lock(LockType::NoKeyUpdate);
            }
            self.table.dialect.build(&select).0
        });
        Bound { sql, values: self.values.clone() }
    }

    /// Returns the statement that checks whether the row exists and meets the conditions.
    pub(crate) fn exists(&self, conditions: Vec<SimpleExpr>) -> Bound {
        let mut select = Query::select();
        select.expr(Expr::cust("1")).from(self.table.reference());
        if conditions.is_empty() {
            let sql = self
                .table
                .statements
                .get(self.key(Kind::Exists), || self.table.dialect.build(&self.selection(select)).0);
            return Bound { sql, values: self.values.clone() };
        }
        let mut select = self.selected(select);
        for condition in conditions {
            select.and_where(condition);
        }
        let (sql, values) = self.table.dialect.build(&select);
        Bound { sql: sql.into(), values }
    }

    pub(crate) fn delete(&self, expected: Option<Version>) -> Bound {
        let kind = if expected.is_some() { Kind::DeleteVersion } else { Kind::Delete };
        let sql = self.table.statements.get(self.key(kind), || {
            let mut delete = Query::delete();
            delete.from_table(self.table.reference());
            for condition in self.conditions().chain(self.version(expected.is_some())) {
                delete.and_where(condition);
            }
            self.table.dialect.build(&delete).0
        });
        let values = self.values.iter().cloned().chain(expected.map(|expected| expected.number().into()));
        Bound { sql, values: values.collect() }
    }

    /// Returns the statement that updates a row. It returns the stored row if the database may change the values.
    pub(crate) fn update(&self, row: Vec<SqlValue>, expected: Option<Version>) -> Bound {
        let kind = if expected.is_some() { Kind::UpdateVersion } else { Kind::Update };
        let sql = self.table.statements.get(self.key(kind), || {
            let mut update = Query::update();
            update.table(self.table.reference());
            let set = self.table.statements.set_columns(self.table);
            update.values(set.aliases(self.table).zip(set.expressions(self.table)));
            for condition in self.conditions().chain(self.version(expected.is_some())) {
                update.and_where(condition);
            }
            if self.table.triggers().updates == ReadBack::Returned {
                update.returning(Query::returning().columns(column_names(self.table)));
            }
            self.table.dialect.build(&update).0
        });
        let place = self.values.iter().cloned().chain(expected.map(|expected| expected.number().into()));
        Bound { sql, values: row.into_iter().chain(place).collect() }
    }

    /// Returns an `UPDATE` statement that writes the row without changing its values. Concurrent deletes of the row then wait or conflict.
    pub(crate) fn touch(&self) -> Option<Bound> {
        let column = self.table.deletion_column()?;
        let sql = self.table.statements.get(self.key(Kind::Touch), || {
            let mut update = Query::update();
            update.table(self.table.reference()).value(column.alias(), Expr::col(column.alias()));
            for condition in self.conditions() {
                update.and_where(condition);
            }
            self.table.dialect.build(&update).0
        });
        Some(Bound { sql, values: self.values.clone() })
    }

    /// Returns the statement that stores the time of the deletion and a new version in the row.
    pub(crate) fn mark(&self, now: &SqlValue, expected: Option<Version>) -> Option<Bound> {
        let column = self.table.deletion_column()?;
        let kind = if expected.is_some() { Kind::MarkVersion } else { Kind::Mark };
        let sql = self.table.statements.get(self.key(kind), || {
            let mut update = Query::update();
            update.table(self.table.reference());
            update.value(column.alias(), column.bound(null(column.field.value_type())));
            if let Some(version) = &self.table.version {
                update.value(Alias::new(&version.name), Expr::val(SqlValue::BigInt(None)));
            }
            for condition in self.conditions().chain(self.version(expected.is_some())) {
                update.and_where(condition);
            }
            self.table.dialect.build(&update).0
        });
        let version = self.table.version.as_ref().map(|_| Version::random().number().into());
        let set = std::iter::once(column.encoded(now.clone())).chain(version);
        let place = self.values.iter().cloned().chain(expected.map(|expected| expected.number().into()));
        Some(Bound { sql, values: set.chain(place).collect() })
    }

    fn selection(&self, mut select: SelectStatement) -> SelectStatement {
        for condition in self.conditions() {
            select.and_where(condition);
        }
        select
    }

    fn conditions(&self) -> impl Iterator<Item = SimpleExpr> {
        let place = self.columns().map(|column| Expr::col(column.alias()).eq(null(column.field.value_type())));
        place.chain(self.is_live())
    }

    /// Returns the SQL condition that the row is not deleted, unless the statement includes deleted rows.
    fn is_live(&self) -> Option<SimpleExpr> {
        is_live(self.table).filter(|_| !self.sees_deleted)
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

/// Returns the statement that inserts an entity. With `is_made`, the database generates the identifier and returns it. If the database may
/// change the values, the statement returns the stored row, or at least its identifier.
pub(crate) fn insert(table: &Table, entity: &Row, version: Version, is_made: bool) -> Result<Bound, StoreError> {
    let StatementCache { inserts: [given, made], .. } = &table.statements;
    let (sql, columns) = if is_made { made } else { given }.get_or_init(|| {
        let columns = SetColumns::of_insert(table, is_made);
        let mut insert = Query::insert();
        insert.into_table(table.reference());
        insert.columns(columns.aliases(table));
        insert.values_panic(columns.expressions(table));
        match table.triggers().inserts {
            ReadBack::Returned => insert.returning(Query::returning().columns(column_names(table))),
            ReadBack::Again => insert.returning_col(table.identifier().alias()),
            ReadBack::Nothing if is_made => insert.returning_col(table.identifier().alias()),
            ReadBack::Nothing => &mut insert,
        };
        (table.dialect.build(&insert).0.into(), columns)
    });
    Ok(Bound { sql: Arc::clone(sql), values: columns.values(table, entity, version)? })
}

/// Returns the values of an entity for an update.
pub(crate) fn updated(table: &Table, entity: &Row, version: Version) -> Result<Vec<SqlValue>, StoreError> {
    table.statements.set_columns(table).values(table, entity, version)
}

fn exact(column: &Column, value: &Value<'_>) -> Option<SqlValue> {
    match column.operand(value) {
        Operand::Exact(value) => Some(value),
        _ => None,
    }
}
