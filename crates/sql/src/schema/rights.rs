//! Reports the privileges that the database user lacks.

use super::compare::Differences;
use super::difference::Repair;
use super::found_table::{FoundColumn, FoundTable};
use crate::dialect::quoted;
use crate::wanted::{ColumnKind, ColumnSchema};

/// The privileges on a column that the statements of a store need.
const ON_COLUMNS: [(&str, IsUsed); 3] = [
    ("SELECT", |_, _| true),
    // The database generates integer identifiers.
    ("INSERT", |column, found| !found.is_generated && column.kind != ColumnKind::Identity),
    ("UPDATE", |column, found| !found.is_generated && !column.is_fixed),
];

/// Returns `true` if a statement uses a column.
type IsUsed = fn(&ColumnSchema, &FoundColumn) -> bool;

impl Differences<'_> {
    /// Reports missing privileges on the columns that statements use, on deletes, and on the sequences of defaults that inserts use.
    pub(super) fn rights(&mut self, found: &FoundTable) {
        let table = self.table;
        let columns = || table.columns.iter().filter_map(|column| Some((column, found.column(&column.name)?)));
        let mut missing = Vec::new();
        for (right, is_used) in ON_COLUMNS {
            let used: Vec<_> = columns().filter(|(column, found)| is_used(column, found)).collect();
            let lacking = used.iter().filter(|(_, found)| found.missing_rights.iter().any(|missing| missing == right));
            let lacking: Vec<_> = lacking.map(|(column, _)| quoted(&column.name)).collect();
            match lacking.len() {
                0 => {}
                all if all == used.len() => missing.push(right.to_owned()),
                _ => missing.push(format!("{right} ({})", lacking.join(", "))),
            }
        }
        missing.extend(found.lacks_delete.then(|| "DELETE".to_owned()));
        let user = quoted(&found.user);
        if !missing.is_empty() {
            let missing = missing.join(", ");
            let what = format!("does not grant the user `{}` the privileges {missing}", found.user);
            self.add(Repair::Change, what, format!("GRANT {missing} ON {} TO {user}", table.qualified()));
        }
        for column in &found.columns {
            let declared = table.columns.iter().find(|declared| declared.name == column.name);
            let is_omitted = declared.is_none_or(|declared| declared.kind == ColumnKind::Identity);
            let Some(sequence) = column.sequence.as_ref().filter(|sequence| is_omitted && !sequence.is_usable) else {
                continue;
            };
            let what = format!(
                "generates the column `{}` with the sequence `{}`, which the user `{}` may not use",
                column.name, sequence.name, found.user
            );
            self.add(Repair::Change, what, format!("GRANT USAGE ON SEQUENCE {} TO {user}", sequence.name));
        }
    }
}
