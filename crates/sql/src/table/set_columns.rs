//! Defines [`SetColumns`], the columns and values of inserts and updates.

use restwright_list::Value;
use restwright_resource::{Row, StoreError, Version};
use sea_query::{Alias, Expr, SimpleExpr, Value as SqlValue};

use crate::table::{Column, FOLDING, FOLDING_VERSION, Table};
use crate::value::{bound, folded, null};

/// A column that a statement sets. The numbers are indexes of the table's columns.
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

    fn expression(self, table: &Table) -> Option<SimpleExpr> {
        Some(match self {
            Self::Field(number) | Self::Json(number) => {
                let column = table.columns.get(number)?;
                column.bound(null(column.field.value_type()))
            }
            Self::Fold(_) => Expr::val(SqlValue::String(None)),
            Self::Folding => Expr::val(SqlValue::Int(None)),
            Self::Version => Expr::val(SqlValue::BigInt(None)),
        })
    }
}

/// The columns that a statement sets. They are the same for every entity.
pub(crate) struct SetColumns(Vec<SetColumn>);

impl SetColumns {
    /// Returns the columns that an insert sets. With `is_made`, the database generates the identifier.
    pub(crate) fn of_insert(table: &Table, is_made: bool) -> Self {
        Self::new(table, |number, _| number > 0 || !is_made)
    }

    pub(crate) fn of_update(table: &Table) -> Self {
        Self::new(table, |number, column| number > 0 && !column.field.is_scope())
    }

    fn new(table: &Table, is_written: impl Fn(usize, &Column) -> bool) -> Self {
        let is_version = |number: usize| table.version.as_ref().is_some_and(|version| version.field == Some(number));
        let mut columns = Vec::with_capacity(table.columns.len() + 4);
        for (number, column) in table.columns.iter().enumerate() {
            if is_written(number, column) && !is_version(number) && !table.is_generated(&column.name) {
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

    pub(crate) fn aliases(&self, table: &Table) -> impl Iterator<Item = Alias> {
        self.0.iter().filter_map(|column| column.name(table)).map(Alias::new)
    }

    pub(crate) fn expressions(&self, table: &Table) -> impl Iterator<Item = SimpleExpr> {
        self.0.iter().filter_map(|column| column.expression(table))
    }

    /// Returns the values of a row for these columns.
    pub(crate) fn values(&self, table: &Table, row: &Row, version: Version) -> Result<Vec<SqlValue>, StoreError> {
        // The columns of a table have the order of the fields.
        let values = self.0.iter().filter_map(|column| {
            Some(match *column {
                SetColumn::Json(number) => {
                    let is_nullable = table.columns.get(number)?.field.is_nullable();
                    let json = match row.values().get(number)? {
                        Value::Json(json) => Some(json.clone().into_owned()),
                        _ => (!is_nullable).then(|| "null".to_owned()),
                    };
                    SqlValue::String(json)
                }
                SetColumn::Field(number) => {
                    let column = table.columns.get(number)?;
                    column.encoded(bound(row.values().get(number)?.borrowed(), column.field.value_type()))
                }
                SetColumn::Fold(number) => folded(row.values().get(number)?),
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
