//! Classifies the errors of SQLite by their result codes.

use crate::driver::{FailureKind, sqlite};
use crate::table::Table;

/// Classifies an error that a statement on a table caused.
pub(super) fn failure_of(code: i32, message: &str, table: &Table) -> FailureKind {
    // In `UNIQUE constraint failed: animals.shelter, animals.name`, the field is the last column that is not a scope.
    let column = || {
        let names = message.rsplit(", ").filter_map(|name| Some(name.rsplit_once('.')?.1));
        let is_field = |name: &&str| table.scope_columns().all(|column| column.name != **name);
        names.clone().find(is_field).or_else(|| names.clone().next()).map(str::to_owned)
    };
    match code {
        1555 | 2067 | 2579 => FailureKind::Unique(unique_columns(message, table)),
        787 => FailureKind::Reference { column: None, table: None },
        1299 => FailureKind::Value(column()),
        275 => {
            let check = message.strip_prefix("CHECK constraint failed: ").unwrap_or_default();
            FailureKind::Rejected(table.column_of_check(check))
        }
        // `RAISE(ABORT, ..)` in a trigger, or a value of the wrong type in a strict table.
        1811 | 3091 => FailureKind::Rejected(None),
        _ => sqlite::failure(code),
    }
}

/// Returns the columns in a message such as `UNIQUE constraint failed: animals.shelter, animals.name`, without the scope. Returns nothing for
/// another table and for an index on an expression.
fn unique_columns(message: &str, table: &Table) -> Vec<String> {
    let names = message.strip_prefix("UNIQUE constraint failed: ").unwrap_or_default().split(", ");
    let columns = names.map(|name| {
        let (of, column) = name.split_at_checked(table.name.len())?;
        let column = column.strip_prefix('.').filter(|_| of.eq_ignore_ascii_case(&table.name))?;
        Some(column.to_owned())
    });
    let columns: Option<Vec<_>> = columns.collect();
    let is_field = |name: &String| table.scope_columns().all(|column| column.name != *name);
    columns.unwrap_or_default().into_iter().filter(is_field).collect()
}
