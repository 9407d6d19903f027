//! Compares the columns that can contain null.

use restwright_list::ValueType;

use super::compare::Differences;
use super::found_table::{FoundColumn, FoundTable};
use super::sql;
use crate::dialect::quoted;
use crate::wanted::{ColumnKind, ColumnSchema};

impl Differences<'_> {
    /// Reports a column that can contain null although its field cannot, and a column that cannot contain null although its field can.
    pub(super) fn nulls(&mut self, column: &ColumnSchema, found: &FoundColumn) {
        let name = quoted(&column.name);
        let is_json = column.kind == ColumnKind::Value(ValueType::Json);
        // JSON columns were nullable in earlier versions. A null in a row is an error when the row is read.
        if found.is_nullable && !column.is_nullable && !is_json {
            let what = format!("has the nullable column `{}`, but its field is not nullable", column.name);
            self.change(what, |alter| format!("{alter} ALTER COLUMN {name} SET NOT NULL"));
            self.unless("contain null in this column", sql::nulls(self.table, &column.name));
        } else if let Some(constraint) = found.unvalidated.as_ref().filter(|_| !column.is_nullable && !is_json) {
            let what = format!(
                "has the column `{}`, whose constraint `{constraint}` is `NOT NULL .. NOT VALID`, but its field is not nullable",
                column.name
            );
            self.change(what, |alter| format!("{alter} VALIDATE CONSTRAINT {}", quoted(constraint)));
            self.unless("contain null in this column", sql::nulls(self.table, &column.name));
        } else if column.is_nullable && !found.is_nullable && !found.is_generated {
            let what = format!("has the column `{}` that is not nullable, but its field is nullable", column.name);
            self.change(what, |alter| format!("{alter} ALTER COLUMN {name} DROP NOT NULL"));
        }
    }

    /// Reports columns that have no field, are not nullable and have no default. Inserts omit these columns and would therefore fail.
    pub(super) fn further_columns(&mut self, found: &FoundTable) {
        for column in &found.columns {
            let is_known = self.table.columns.iter().any(|own| own.name == column.name);
            let is_filled = column.is_nullable || column.default.is_some() || column.is_made || column.is_generated;
            if !is_known && !is_filled {
                let name = quoted(&column.name);
                let what = format!(
                    "has the column `{}` without a field, which must be nullable or have a default",
                    column.name
                );
                self.change(what, |alter| format!("{alter} ALTER COLUMN {name} DROP NOT NULL"));
            }
        }
    }
}
