//! Finds what a delete affects through cascades.

use std::sync::Arc;

use restwright_resource::OnDelete;

use crate::table::Table;

/// Returns the names of all entity definitions that a delete in the table affects through cascades. The first name is the definition of the
/// table itself.
pub(super) fn cascading<'t>(tables: &'t [Arc<Table>], table: &'t Table) -> Vec<&'t str> {
    let mut deleted = vec![table.definition.name()];
    loop {
        let is_next = |other: &&Arc<Table>| {
            !deleted.contains(&other.definition.name()) && refers(other, OnDelete::Cascade, &deleted)
        };
        match tables.iter().find(is_next) {
            Some(next) => deleted.push(next.definition.name()),
            None => return deleted,
        }
    }
}

/// Returns `true` if a cascade deletes rows that restrict the delete.
pub(super) fn is_held_by_cascades(tables: &[Arc<Table>], table: &Table) -> bool {
    let deleted = cascading(tables, table);
    let is_deleted = |other: &&Arc<Table>| deleted.iter().skip(1).any(|name| *name == other.definition.name());
    tables.iter().filter(is_deleted).any(|other| refers(other, OnDelete::Restrict, &deleted))
}

fn refers(table: &Table, wanted: OnDelete, to: &[&str]) -> bool {
    let mut references = table.columns.iter().filter_map(|column| column.field.reference());
    references.any(|(target, on_delete)| on_delete == wanted && to.contains(&target))
}
