//! Defines [`Encoding`], the representation of a column's values in the database.

use std::collections::BTreeMap;

use restwright_list::Value;
use sea_query::{Expr, Value as SqlValue};

use super::found_table::{FoundIndex, FoundTable};
use super::rules::Rules;
use super::table_schema::TableSchema;
use crate::dialect::Dialect;
use crate::operand::Operand;
use crate::table::{Column, Table};

/// The representation of a column's values in the database. It depends on the type of an existing column.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Encoding {
    /// `true` if UUIDs are stored as strings in lower case with hyphens.
    pub(crate) is_text: bool,
    /// `true` if date-times are stored in UTC without a time zone.
    pub(crate) is_without_zone: bool,
    /// `true` if the column sorts strings by the rules of a language. Statements then compare explicitly by code point.
    pub(crate) is_of_language: bool,
}

impl Table {
    /// Records the column encodings and the constraint names that were found in the database.
    pub(super) fn adopt<D: Dialect>(&self, wanted: &TableSchema, found: &FoundTable) {
        for column in &self.columns {
            let kind = wanted.columns.iter().find(|wanted| wanted.name == column.name).map(|wanted| wanted.kind);
            let encoding = kind.zip(found.column(&column.name)).and_then(|(kind, found)| D::accepts(kind, found));
            // Another start has already recorded the same value.
            let _ = column.encoding.set(encoding.unwrap_or_default());
        }
        let mut constraints = self.undeclared(wanted, found);
        let mut note = |name: Option<&String>, columns: &[&str]| {
            let columns: Vec<_> = columns.iter().map(|column| (*column).to_owned()).collect();
            constraints.extend(name.map(|name| (name.clone(), columns)));
        };
        for (constraint, columns) in self.unique_columns() {
            let within: Vec<_> =
                self.scope_columns().chain(columns.clone()).map(|column| column.name.clone()).collect();
            let names: Vec<_> = columns.iter().map(|column| column.name.as_str()).collect();
            note(found.unique(&within, constraint.are_nulls_equal()).map(|index| &index.name), &names);
        }
        note(found.unique(&wanted.primary_key, false).map(|index| &index.name), &[&self.identifier().name]);
        for key in &wanted.foreign_keys {
            if let Some(column) = key.columns.last() {
                note(found.foreign_key(key).and_then(|key| key.name.as_ref()), &[column]);
            }
        }
        let _ = self.constraints.set(constraints);
        let _ = self.rules.set(Rules::new::<D>(self, found));
    }
}

impl Table {
    /// Returns the columns of each unique index of the database, without the scope columns. An index with an expression has no columns. Leaves
    /// out indexes with a declared name, whose columns the definition contains.
    fn undeclared(&self, wanted: &TableSchema, found: &FoundTable) -> BTreeMap<String, Vec<String>> {
        let is_undeclared =
            |index: &&FoundIndex| index.is_unique && wanted.indexes.iter().all(|declared| declared.name != index.name);
        let indexes = found.indexes.iter().filter(is_undeclared).map(|index| {
            let names: Option<Vec<_>> = index.columns.iter().map(|column| column.name.clone()).collect();
            let is_field = |name: &String| self.scope_columns().all(|column| column.name != *name);
            (index.name.clone(), names.unwrap_or_default().into_iter().filter(is_field).collect())
        });
        indexes.collect()
    }
}

impl Column {
    /// Returns the encoding of the column's values.
    pub(crate) fn encoding(&self) -> Encoding {
        self.encoding.get().copied().unwrap_or_default()
    }

    /// Converts a value to the encoding of the column.
    pub(crate) fn encoded(&self, value: SqlValue) -> SqlValue {
        let encoding = self.encoding();
        match value {
            SqlValue::Uuid(value) if encoding.is_text => {
                SqlValue::String(value.map(|value| value.hyphenated().to_string()))
            }
            SqlValue::ChronoDateTimeUtc(value) if encoding.is_without_zone => {
                SqlValue::ChronoDateTime(value.map(|value| value.naive_utc()))
            }
            value => value,
        }
    }

    /// Converts the value of a filter condition to an operand for the column.
    pub(crate) fn operand(&self, value: &Value<'_>) -> Operand {
        match Operand::new(value, self.field.value_type()) {
            Operand::Exact(value) => Operand::Exact(self.encoded(value)),
            Operand::After(value) => Operand::After(self.encoded(value)),
            operand => operand,
        }
    }

    /// Returns the expression that sorts and compares the column by code point.
    pub(crate) fn ordered<D: Dialect>(&self) -> Expr {
        let column = Expr::col(self.alias());
        if self.encoding().is_of_language { D::in_code_point_order(column) } else { column }
    }
}
