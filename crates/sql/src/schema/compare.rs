//! Compares the table that an entity definition requires with the table in the database.

use std::fmt;

use super::difference::{Difference, NewIndex, Obstacle, Repair};
use super::found_table::{FoundColumn, FoundIndex, FoundTable, TextOrder};
use super::rename::unused_columns;
use super::{sql, types};
use crate::dialect::{qualified, quoted};
use crate::wanted::{ColumnKind, ColumnSchema, ForeignKey, Index, TableSchema};

/// Returns all differences between a required table and the table in the database.
pub(crate) fn compare(table: &TableSchema, found: Option<&FoundTable>) -> Vec<Difference> {
    let mut differences = Differences { table, all: Vec::new() };
    let Some(found) = found else {
        differences.add(Repair::AddTable, "is missing", sql::create_table(table));
        differences.add_indexes(None);
        if table.dialect.alters_tables {
            for key in &table.foreign_keys {
                let what = format!("lacks the foreign key `{}`", key.name);
                differences.add(Repair::AddForeignKey, what, sql::add_foreign_key(table, key));
            }
        }
        return differences.all;
    };
    if let Some(kind) = found.not_a_table {
        let what = format!(
            "is a {kind}, but entities need a table; rename the {kind}, or name a table with `TableMapping::table`"
        );
        differences.add(Repair::Change, what, String::new());
        return differences.all;
    }
    differences.rights(found);
    let blocking = blocking(table, found);
    let without = FoundTable {
        indexes: found.indexes.iter().filter(|index| !blocking.contains(index)).cloned().collect(),
        ..found.clone()
    };
    let (found, blocking) = (&without, blocking.as_slice());
    for column in &table.columns {
        match found.column(&column.name) {
            None => differences.missing_column(column, found),
            Some(found) => differences.column(column, found, blocking),
        }
    }
    differences.primary_key(found);
    differences.further_columns(found);
    differences.add_indexes(Some(found));
    differences.revealing_conflicts(found);
    for key in &table.foreign_keys {
        differences.foreign_key(key, found);
    }
    for key in &table.kept_references {
        differences.kept_reference(key, found);
    }
    differences.rebuilt(found)
}

pub(super) struct Differences<'t> {
    pub(super) table: &'t TableSchema,
    all: Vec<Difference>,
}

impl Differences<'_> {
    pub(super) fn add(&mut self, repair: Repair, what: impl fmt::Display, sql: String) {
        let message = format!("the table `{}` {what}", self.table.shown());
        self.all.push(Difference { message, repair, sql, obstacles: Vec::new(), index: None });
    }

    /// Records that the SQL of the last difference creates this index.
    fn creates(&mut self, index: &Index) {
        if let Some(last) = self.all.last_mut() {
            last.index = Some(NewIndex {
                name: index.name.clone(),
                qualified: qualified(self.table.schema.as_deref(), &index.name),
                table: self.table.qualified(),
                sql: last.sql.clone(),
            });
        }
    }

    /// Records that the SQL of the last difference fails if the query in `sql` returns rows. `what` describes the rows.
    pub(super) fn unless(&mut self, what: &'static str, sql: String) {
        if let Some(last) = self.all.last_mut() {
            last.obstacles.push(Obstacle { what, sql, sql_without_target: None });
        }
    }

    /// Records that the SQL of the last difference fails if rows refer to missing rows.
    fn unless_orphans(&mut self, key: &ForeignKey) {
        if let Some(last) = self.all.last_mut() {
            last.obstacles.push(Obstacle {
                what: "refer to missing rows",
                sql: sql::orphans(self.table, key),
                sql_without_target: Some(sql::references(self.table, key)),
            });
        }
    }

    /// Adds a difference that requires an `ALTER TABLE`, or a rebuild if the database cannot alter tables.
    pub(super) fn change(&mut self, what: impl fmt::Display, sql: impl FnOnce(&str) -> String) {
        if self.table.dialect.alters_tables {
            let sql = sql(&format!("ALTER TABLE {}", self.table.qualified()));
            self.add(Repair::Change, what, sql);
        } else {
            self.add(Repair::Rebuild, what, String::new());
        }
    }

    fn missing_column(&mut self, column: &ColumnSchema, found: &FoundTable) {
        let name = &column.name;
        let add =
            format!("ALTER TABLE {} ADD COLUMN {}", self.table.qualified(), sql::column(self.table.dialect, column));
        match column.kind {
            ColumnKind::Identity => {
                self.change(format!("lacks the column `{name}` of the identifier"), |_| add);
            }
            ColumnKind::Value(value_type) if !column.is_nullable => {
                let unused = unused_columns(self.table, found);
                let hint = match unused.as_str() {
                    "" => String::new(),
                    unused => {
                        format!(", or declare `renamed_from` if the field had the name of an unused column ({unused})")
                    }
                };
                let what = format!(
                    "lacks the column `{name}`, which is not nullable; replace this default with the value for \
                     existing rows{hint}"
                );
                self.add(
                    Repair::Change,
                    what,
                    format!("{add} DEFAULT {}", types::example(self.table.dialect, value_type)),
                );
            }
            _ => self.add(Repair::AddColumn, format!("lacks the column `{name}`"), add),
        }
    }

    fn column(&mut self, column: &ColumnSchema, found: &FoundColumn, blocking: &[&FoundIndex]) {
        let name = quoted(&column.name);
        if found.is_generated && !column.is_computable {
            let what = format!(
                "computes the column `{}`, which the store must write; map another column, or call `ascii_search` if its field is searchable",
                column.name
            );
            self.add(Repair::Change, what, String::new());
        }
        if types::accepts(self.table.dialect, column.kind, found).is_none() {
            let default = found.default.as_ref().filter(|_| !found.is_made && !found.is_generated);
            let lost = default.map(|default| {
                format!("; the statement drops the default `{default}`, so set it again if other programs insert rows")
            });
            let what = format!(
                "has the column `{}` of the type `{}`{}, but must have the type `{}`{}",
                column.name,
                found.type_name,
                if found.order == TextOrder::Inexact {
                    " with a collation that treats different strings as equal"
                } else {
                    ""
                },
                types::plain_type(self.table.dialect, column.kind),
                lost.as_deref().filter(|_| self.table.dialect.alters_tables).unwrap_or_default(),
            );
            let table = self.table;
            self.change(what, |alter| {
                let to = types::plain_type(table.dialect, column.kind);
                let Some(using) = types::conversion(table.dialect, column.kind, found) else { return String::new() };
                // A default of the old type may have no conversion, so it is dropped.
                let default =
                    if default.is_some() { format!(" ALTER COLUMN {name} DROP DEFAULT,") } else { String::new() };
                let drop = blocking.iter().filter(|index| index.column(&column.name).is_some()).map(|index| {
                    let index = qualified(table.schema.as_deref(), &index.name);
                    format!("DROP INDEX IF EXISTS {index};\n")
                });
                let drop: String = drop.collect();
                format!("{drop}{alter}{default} ALTER COLUMN {name} TYPE {to} USING {using}")
            });
            if let Some(inexact) = types::inexact(table.dialect, column.kind, found) {
                self.unless(
                    "have a value in a column of another type that has no exact counterpart",
                    sql::matching(table, &inexact),
                );
            }
        }
        self.nulls(column, found);
        if column.kind == ColumnKind::Identity && !found.is_made {
            let what = format!("has the column `{}`, whose values the database does not generate", column.name);
            let table = self.table.qualified();
            self.change(what, |alter| {
                format!(
                    "{alter} ALTER COLUMN {name} ADD GENERATED BY DEFAULT AS IDENTITY;\nSELECT setval(pg_get_serial_sequence('{}', '{}'), \
                     coalesce((SELECT max({name}) FROM {table}), 0) + 1, false)",
                    table.replace('\'', "''"),
                    column.name.replace('\'', "''")
                )
            });
        }
    }

    fn primary_key(&mut self, found: &FoundTable) {
        let table = self.table;
        if found.unique(&table.primary_key, false).is_none() {
            let index = table.identifier_index();
            let what = format!("has no unique index on {}", shown(&table.primary_key));
            self.add(Repair::AddIndex, what, sql::create_index(table, &index));
            self.creates(&index);
            self.unless("have an identifier of another row", sql::duplicates(table, &index));
        }
    }

    fn add_indexes(&mut self, found: Option<&FoundTable>) {
        for index in &self.table.indexes {
            let is_there = found.is_some_and(|found| found.has(self.table.dialect, index));
            if !is_there {
                // The existing type decides about the collation of the column, unless the column changes its type.
                let collated = |name: &str| {
                    let wanted = self.table.columns.iter().find(|column| column.name == name);
                    let column = wanted.zip(found.and_then(|found| found.column(name)));
                    column
                        .and_then(|(wanted, found)| types::accepts(self.table.dialect, wanted.kind, found))
                        .is_some_and(|one| one.is_of_language)
                };
                let create = sql::create_index_collated(self.table, index, collated);
                let same = found.and_then(|found| found.indexes.iter().find(|found| found.name == index.name));
                let drop = qualified(self.table.schema.as_deref(), &index.name);
                if let Some(same) = same {
                    let what = format!("has an index `{}` that does not serve the definition", index.name);
                    let drop = match same.is_constraint {
                        true => {
                            let name = quoted(&index.name);
                            format!("ALTER TABLE {} DROP CONSTRAINT {name} CASCADE", self.table.qualified())
                        }
                        false => format!("DROP INDEX {drop}"),
                    };
                    self.add(Repair::ReplaceIndex, what, format!("{drop};\n{create}"));
                } else {
                    self.add(Repair::AddIndex, format!("lacks the index `{}`", index.name), create);
                    self.creates(index);
                }
                // Without a column, SQLite would read its quoted name as a string.
                let is_known = |found: &FoundTable| {
                    let mut missing = self.table.columns.iter().filter(|column| found.column(&column.name).is_none());
                    !missing.any(|column| index.contains(&column.name))
                };
                if index.is_unique && found.is_some_and(is_known) {
                    self.unless("have the same values", sql::duplicates(self.table, index));
                }
            }
        }
    }

    fn foreign_key(&mut self, key: &ForeignKey, found: &FoundTable) {
        let table = self.table;
        let there = found.foreign_key(key);
        let is_right = |there: &super::found_table::FoundForeignKey| {
            if key.is_cascade { there.is_cascade } else { there.is_restricting }
        };
        match there {
            Some(there) if is_right(there) => {}
            None if self.table.dialect.alters_tables => {
                let what = format!("lacks the foreign key `{}`", key.name);
                self.add(Repair::AddForeignKey, what, sql::add_foreign_key(table, key));
                self.unless_orphans(key);
            }
            None => {
                // A new column can declare its own reference.
                let is_new = found.column(&key.name).is_none();
                let added = self.all.iter_mut().find(|difference| {
                    let column = key.columns.last().map(|name| format!(" ADD COLUMN {} ", quoted(name)));
                    is_new
                        && difference.repair == Repair::AddColumn
                        && column.is_some_and(|column| difference.sql.contains(&column))
                });
                match added {
                    Some(added) if key.columns.len() == 1 => {
                        added.sql.push_str(&sql::inline_reference(table.dialect, key))
                    }
                    _ => {
                        self.change(format!("lacks the foreign key `{}`", key.name), |_| String::new());
                        self.unless_orphans(key);
                    }
                }
            }
            Some(there) => {
                let action = if key.is_cascade { "`ON DELETE CASCADE`" } else { "`ON DELETE NO ACTION`" };
                let what = format!("has a foreign key on {} that is not {action}", shown(&key.columns));
                let name = there.name.clone().unwrap_or_default();
                self.change(what, |alter| {
                    format!("{alter} DROP CONSTRAINT {};\n{}", quoted(&name), sql::add_foreign_key(table, key))
                });
            }
        }
    }

    /// Reports a foreign key on a reference that stays after a delete of its target.
    fn kept_reference(&mut self, key: &ForeignKey, found: &FoundTable) {
        let Some(there) = found.foreign_key(key) else { return };
        let name = quoted(there.name.as_deref().unwrap_or_default());
        let columns = shown(&key.columns);
        let what = format!("has a foreign key on {columns}, but the field keeps references to deleted rows");
        self.change(what, |alter| format!("{alter} DROP CONSTRAINT {name}"));
    }

    /// Joins all differences into one `Rebuild` if the table must be rebuilt.
    fn rebuilt(self, found: &FoundTable) -> Vec<Difference> {
        if !self.all.iter().any(|difference| difference.repair == Repair::Rebuild) {
            return self.all;
        }
        // SQLite describes no expression of a generated column, so its SQL would lose it.
        let is_computed = found.columns.iter().any(|column| column.is_generated);
        #[cfg(feature = "sqlite")]
        let sql = if is_computed { String::new() } else { super::rebuild::rebuild(self.table, found) };
        #[cfg(not(feature = "sqlite"))]
        let sql = String::new();
        let messages: Vec<_> = self.all.iter().map(|difference| difference.message.as_str()).collect();
        let advice = if is_computed { "; rebuild the table without losing its generated columns" } else { "" };
        let message = messages.join("\n- ") + advice;
        let obstacles = self.all.iter().flat_map(|difference| difference.obstacles.clone()).collect();
        vec![Difference { message, repair: Repair::Rebuild, sql, obstacles, index: None }]
    }
}

fn shown(names: &[String]) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

/// Returns the indexes that must be dropped before the type of a column changes. These indexes and the column use different collations.
fn blocking<'f>(table: &TableSchema, found: &'f FoundTable) -> Vec<&'f FoundIndex> {
    let is_changed = |column: &FoundColumn| {
        let wanted = table.columns.iter().find(|wanted| wanted.name == column.name);
        wanted.is_some_and(|wanted| types::accepts(table.dialect, wanted.kind, column).is_none())
    };
    let changed: Vec<_> =
        found.columns.iter().filter(|column| table.dialect.alters_tables && is_changed(column)).collect();
    let is_blocking = |index: &&FoundIndex| {
        let differs = |column: &&FoundColumn| index.column(&column.name).is_some_and(|own| own.order != column.order);
        !index.is_constraint && changed.iter().any(differs)
    };
    found.indexes.iter().filter(is_blocking).collect()
}
