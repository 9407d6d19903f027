//! Reports indexes and constraints of the database whose conflicts would reveal hidden entities.

use restwright_resource::{EntityDefinition, IdentifierKind};

use super::compare::Differences;
use super::difference::Repair;
use super::found_table::{FoundIndex, FoundTable};
use crate::wanted::TableSchema;

impl Differences<'_> {
    /// Reports each undeclared unique index and each exclusion constraint, if a conflict reveals what the definition hides. The definition
    /// accepts a conflict with `reveals` and the fields, or with the name of the index if not all of its columns are fields.
    pub(super) fn revealing_conflicts(&mut self, found: &FoundTable) {
        let Some(definition) = &self.table.definition else { return };
        for index in found.indexes.iter().filter(|index| may_conflict(self.table, definition, found, index)) {
            let fields = fields(self.table, definition, index).unwrap_or_default();
            let is_scoped = self.table.scope().all(|column| index.column(column).is_some());
            if definition.has_policy() || !is_scoped {
                let name = [index.name.as_str()];
                self.reveal(definition, "unique index", &index.name, if fields.is_empty() { &name } else { &fields });
            } else {
                // Only some callers may read these fields.
                let is_guarded =
                    |field: &&str| definition.get(field).is_some_and(|field| field.read_access().is_some());
                let guarded: Vec<_> = fields.into_iter().filter(is_guarded).collect();
                self.reveal(definition, "unique index", &index.name, &guarded);
            }
        }
        let hides = definition.has_policy() || self.table.scope().next().is_some();
        for name in found.exclusions.iter().filter(|_| hides) {
            self.reveal(definition, "exclusion constraint", name, &[name]);
        }
    }

    /// Reports a conflict unless the definition reveals all of these names.
    fn reveal(&mut self, definition: &EntityDefinition, kind: &str, index: &str, names: &[&str]) {
        if names.iter().all(|name| definition.does_reveal(name)) {
            return;
        }
        let (name, names) = (definition.name(), names.join(", "));
        let what = format!(
            "has the {kind} `{index}`, and a conflict with it reveals values of `{name}` that the caller may not see; drop it, or accept this \
             with `reveals({names})` on `{name}`"
        );
        self.add(Repair::Change, what, String::new());
    }
}

/// Returns the fields in an index, without the scope. Returns `None` if not all of its columns are fields.
fn fields<'t>(table: &'t TableSchema, definition: &EntityDefinition, index: &FoundIndex) -> Option<Vec<&'t str>> {
    let mut fields = Vec::new();
    for column in &index.columns {
        let column = table.columns.iter().find(|own| Some(&own.name) == column.name.as_ref())?;
        let field = column.field.as_deref()?;
        if !definition.get(field)?.is_scope() {
            fields.push(field);
        }
    }
    Some(fields)
}

/// Returns `true` if a written value can conflict with an index that the definition does not declare.
fn may_conflict(table: &TableSchema, definition: &EntityDefinition, found: &FoundTable, index: &FoundIndex) -> bool {
    let is_of =
        |names: &[&String]| index.columns.len() == names.len() && names.iter().all(|name| index.column(name).is_some());
    let mut declared = table.indexes.iter().filter(|declared| declared.is_unique);
    let is_declared = declared.any(|declared| {
        let names: Vec<_> = declared.columns.iter().map(|column| &column.name).collect();
        declared.name == index.name || (!declared.has_expressions() && is_of(&names))
    });
    let is_primary_key = is_of(&table.primary_key.iter().collect::<Vec<_>>());
    let makes_identifiers = !matches!(definition.identifier_kind(), IdentifierKind::Given(_));
    // The values of these columns are different in each row.
    let is_different = index.columns.iter().filter_map(|column| found.column(column.name.as_deref()?)).any(|column| {
        let is_written = table.columns.iter().any(|own| own.name == column.name);
        let is_null = column.is_nullable && column.default.is_none() && !index.are_nulls_equal && !column.is_generated;
        (column.name == table.identifier() && makes_identifiers) || (!is_written && (column.is_made || is_null))
    });
    index.is_unique && !is_declared && !is_primary_key && !is_different
}
