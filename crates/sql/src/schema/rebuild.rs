//! Builds the SQL that replaces a table of SQLite with a new table.

use super::found_table::FoundTable;
use super::sql::{create_index, create_table_of};
use super::sqlite_conversion::{conversion, inexact, next_type};
use super::types;
use crate::dialect::{qualified, quoted};
use crate::wanted::{ColumnKind, TableSchema};

/// Returns the statements that replace a table with a new table. The new table keeps all rows and all columns, also the columns without a
/// field.
///
/// A check rolls the transaction back if a value has no exact counterpart. Some programs then run the statements after the check. These statements fail,
/// because they name tables that do not exist after a rollback.
pub(crate) fn rebuild(table: &TableSchema, found: &FoundTable) -> String {
    let schema = table.schema.as_deref();
    let before = format!("{}_before_rebuild", table.name);
    let old = qualified(schema, &before);
    let further = found.columns.iter().filter(|column| table.columns.iter().all(|own| own.name != column.name));
    let further: Vec<_> = further.collect();
    let declared = further.iter().map(|column| {
        let default = column.default.as_ref().map(|default| format!(" DEFAULT {default}")).unwrap_or_default();
        let is_set = !column.is_nullable && column.default.is_some();
        format!("{} {}{}{default}", quoted(&column.name), column.type_name, if is_set { " NOT NULL" } else { "" })
    });
    let type_of = |name: &str, kind| found.column(name).map(|found| next_type(kind, found));
    let create = create_table_of(table, declared.collect(), &type_of);
    let mut copied: Vec<_> = further.iter().map(|column| (quoted(&column.name), quoted(&column.name))).collect();
    let mut checks = vec![(
        "every row is copied".to_owned(),
        format!("(SELECT count(*) FROM {old}) - (SELECT count(*) FROM {})", table.qualified()),
    )];
    for column in &table.columns {
        let name = quoted(&column.name);
        match (found.column(&column.name), column.kind) {
            (Some(found), kind) => {
                let inexact = inexact(kind, found);
                checks.push((
                    format!("{} has no value without an exact counterpart", column.name),
                    format!("(SELECT count(*) FROM {old} WHERE {inexact})"),
                ));
                copied.push((name, conversion(kind, found)));
            }
            (None, ColumnKind::Value(value_type)) if !column.is_nullable => {
                copied.push((name, types::example(table.dialect, value_type).to_owned()));
            }
            (None, _) => {}
        }
    }
    let (to, from): (Vec<_>, Vec<_>) = copied.into_iter().unzip();
    let constraint = |(place, (what, _)): (usize, &(String, String))| {
        format!("\"{place}\" INTEGER CONSTRAINT {} CHECK (\"{place}\" = 0)", quoted(what))
    };
    let constraints: Vec<_> = checks.iter().enumerate().map(constraint).collect();
    let counts: Vec<_> = checks.iter().map(|(_, count)| count.as_str()).collect();
    let mut statements = vec![
        // The references of other tables stay bound to the name of the table.
        "PRAGMA foreign_keys = OFF".to_owned(),
        "PRAGMA legacy_alter_table = ON".to_owned(),
        "BEGIN".to_owned(),
        format!("ALTER TABLE {} RENAME TO {}", table.qualified(), quoted(&before)),
    ];
    let drop = |name: &str| format!("DROP INDEX IF EXISTS {}", qualified(schema, name));
    statements.extend(table.indexes.iter().map(|index| drop(&index.name)));
    statements.push(create);
    statements.extend(table.indexes.iter().map(|index| create_index(table, index)));
    statements.extend([
        format!(
            "INSERT OR ROLLBACK INTO {} ({}) SELECT {} FROM {old}",
            table.qualified(),
            to.join(", "),
            from.join(", ")
        ),
        format!("CREATE TABLE temp.rebuild_check (\n  {}\n)", constraints.join(",\n  ")),
        format!("INSERT OR ROLLBACK INTO temp.rebuild_check SELECT {}", counts.join(",\n  ")),
        // Fails if the check did not run.
        "CREATE TABLE temp.rebuild_end (checks INTEGER CONSTRAINT \"the check has run\" CHECK (checks = 1))".to_owned(),
        "INSERT OR ROLLBACK INTO temp.rebuild_end SELECT count(*) FROM temp.rebuild_check".to_owned(),
        "DROP TABLE temp.rebuild_check".to_owned(),
        "DROP TABLE temp.rebuild_end".to_owned(),
        format!("DROP TABLE {old}"),
        "COMMIT".to_owned(),
        "PRAGMA legacy_alter_table = OFF".to_owned(),
        "PRAGMA foreign_keys = ON".to_owned(),
    ]);
    statements.join(";\n")
}
