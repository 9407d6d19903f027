//! Reports the privileges that the database user lacks.

use super::compare::{Differences, Repair};
use super::found_table::{FoundTable, MissingRights};
use super::sql;

impl Differences<'_> {
    /// Reports missing privileges on the table and on the sequences of its columns.
    pub(super) fn rights(&mut self, found: &FoundTable) {
        if let Some(MissingRights { user, rights }) = &found.missing_rights {
            let what = format!("does not grant the user `{user}` the privileges {}", rights.join(", "));
            let sql = format!("GRANT {} ON {} TO {}", rights.join(", "), self.table.qualified(), sql::quoted(user));
            self.add(Repair::Change, what, sql);
        }
        for (sequence, user) in &found.missing_sequences {
            let what =
                format!("generates identifiers with the sequence `{sequence}`, which the user `{user}` may not use");
            self.add(Repair::Change, what, format!("GRANT USAGE ON SEQUENCE {sequence} TO {}", sql::quoted(user)));
        }
    }
}
