//! Reads the tables of SQLite, and defines their column types.

use restwright_list::ValueType;
use rusqlite::{Connection, OptionalExtension as _, Result, Row};

use super::found_table::{
    FoundColumn, FoundForeignKey, FoundIndex, FoundIndexColumn, FoundTable, NamedIndex, TextOrder,
};
use super::sqlite_checks::{TriggerEvent, checks, trigger_event};
use crate::dialect::{qualified, quoted};
use crate::table::{Encoding, ReadBack, Triggers};
use crate::wanted::ColumnKind;

pub(super) fn column_type(kind: ColumnKind) -> &'static str {
    match kind {
        // Without `AUTOINCREMENT`, SQLite reuses the identifier of the last row after its deletion.
        ColumnKind::Identity => "INTEGER PRIMARY KEY AUTOINCREMENT",
        ColumnKind::Version => "BIGINT",
        ColumnKind::Folding => "INTEGER",
        ColumnKind::Fold => "TEXT",
        ColumnKind::Bytes => "BLOB",
        ColumnKind::Value(value_type) => match value_type {
            ValueType::Integer | ValueType::DateTime => "BIGINT",
            ValueType::Number | ValueType::Float => "REAL",
            ValueType::Boolean => "BOOLEAN",
            ValueType::Uuid => "BLOB",
            _ => "TEXT",
        },
    }
}

pub(super) fn find_table(connection: &Connection, schema: Option<&str>, name: &str) -> Result<Option<FoundTable>> {
    let in_schema = schema.unwrap_or("main");
    let sql = "SELECT name, type, \"notnull\", dflt_value, pk, hidden FROM pragma_table_xinfo(?, ?) ORDER BY cid";
    let rows = connection
        .prepare(sql)?
        .query_map([name, in_schema], |row| Ok((column(row)?, row.get::<_, i64>(4)?)))?
        .collect::<Result<Vec<_>>>()?;
    if rows.is_empty() {
        return Ok(None);
    }
    let has_one_key = rows.iter().filter(|(_, key)| *key > 0).count() == 1;
    let mut table = FoundTable::default();
    let mut primary_key = Vec::new();
    for (mut column, key) in rows {
        column.is_made = key > 0 && has_one_key && column.type_name.eq_ignore_ascii_case("INTEGER");
        if key > 0 {
            primary_key.push((key, column.name.clone()));
        }
        table.columns.push(column);
    }
    for column in &mut table.columns {
        column.order = order(connection, &qualified(schema, name), &column.name)?;
    }
    table.indexes = indexes(connection, in_schema, name)?;
    table.foreign_keys = foreign_keys(connection, in_schema, name)?;
    table.triggers = triggers(connection, in_schema, name)?;
    let sql = format!(
        "SELECT sql, type FROM {}.sqlite_master WHERE type IN ('table', 'view') AND name = ?",
        quoted(in_schema)
    );
    let created = connection.query_row(&sql, [name], |row| Ok((row.get(0)?, row.get(1)?))).optional()?;
    if let Some((sql, kind)) = created {
        let (sql, kind): (String, String) = (sql, kind);
        let columns: Vec<_> = table.columns.iter().map(|column| column.name.as_str()).collect();
        table.checks = checks(&sql, &columns);
        table.not_a_table = (kind == "view").then_some("view");
    }
    if table.columns.iter().any(|column| column.is_made) {
        // A primary key that is an alias of the row id has no separate index.
        let columns = primary_key.into_iter().map(|(_, name)| plain(Some(name))).collect();
        table.indexes.push(FoundIndex {
            name: String::new(),
            columns,
            is_unique: true,
            are_nulls_equal: false,
            is_partial: false,
            is_constraint: true,
            is_of_items: false,
        });
    }
    Ok(Some(table))
}

pub(super) fn find_index(connection: &Connection, schema: Option<&str>, name: &str) -> Result<Option<NamedIndex>> {
    let master = qualified(Some(schema.unwrap_or("main")), "sqlite_master");
    let sql = format!("SELECT tbl_name FROM {master} WHERE type = 'index' AND name = ?");
    connection.query_row(&sql, [name], |row| Ok(NamedIndex { table: row.get(0)?, is_valid: true })).optional()
}

pub(super) fn free_index(schema: Option<&str>, name: &str) -> String {
    format!("DROP INDEX IF EXISTS {}", qualified(schema, name))
}

pub(super) fn accepts(kind: ColumnKind, found: &FoundColumn) -> Option<Encoding> {
    let affinity = Affinity::new(&found.type_name);
    let own = Some(Encoding::default());
    match kind {
        ColumnKind::Identity | ColumnKind::Version | ColumnKind::Folding if affinity == Affinity::Integer => own,
        ColumnKind::Identity | ColumnKind::Version | ColumnKind::Folding => None,
        ColumnKind::Fold if affinity == Affinity::Text && found.order == TextOrder::CodePoint => own,
        ColumnKind::Fold => None,
        ColumnKind::Bytes => own.filter(|_| affinity == Affinity::Blob),
        ColumnKind::Value(value_type) => match (value_type, affinity) {
            (ValueType::Integer | ValueType::Boolean, Affinity::Integer | Affinity::Numeric) => own,
            (ValueType::Number | ValueType::Float, Affinity::Real | Affinity::Numeric) => own,
            // A date is not a number, so it stays a string in a column of the type `DATE`.
            (ValueType::Date, Affinity::Text | Affinity::Numeric) if found.order == TextOrder::CodePoint => own,
            (ValueType::DateTime, Affinity::Integer) => own,
            (ValueType::Uuid, Affinity::Blob) => own,
            (ValueType::Uuid, Affinity::Text) if found.order == TextOrder::CodePoint => {
                Some(Encoding { is_text: true, ..Encoding::default() })
            }
            (ValueType::Json, Affinity::Text) => own,
            (ValueType::Text | ValueType::Enumeration | ValueType::Decimal, Affinity::Text)
                if found.order == TextOrder::CodePoint =>
            {
                own
            }
            _ => None,
        },
    }
}

pub(super) fn shown(column: &str) -> String {
    format!("CASE typeof({column}) WHEN 'blob' THEN lower(hex({column})) ELSE CAST({column} AS TEXT) END")
}

pub(super) fn example(value_type: ValueType) -> &'static str {
    match value_type {
        ValueType::Integer | ValueType::DateTime => "0",
        ValueType::Number | ValueType::Float => "0.0",
        ValueType::Boolean => "FALSE",
        ValueType::Date => "'1970-01-01'",
        ValueType::Uuid => "x'00000000000000000000000000000000'",
        ValueType::Decimal => "'000000000000000000000000000000.0000000000000000000000000000'",
        ValueType::Json => "'[]'",
        _ => "''",
    }
}

/// The type affinity of a SQLite column, which determines how SQLite converts its values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Affinity {
    Integer,
    Text,
    Blob,
    Real,
    Numeric,
}

impl Affinity {
    /// Determines the affinity of a declared type (<https://www.sqlite.org/datatype3.html#determination_of_column_affinity>).
    fn new(declared: &str) -> Self {
        let declared = declared.to_ascii_uppercase();
        let has = |parts: &[&str]| parts.iter().any(|part| declared.contains(part));
        if has(&["INT"]) {
            Self::Integer
        } else if has(&["CHAR", "CLOB", "TEXT"]) {
            Self::Text
        } else if declared.is_empty() || has(&["BLOB"]) {
            Self::Blob
        } else if has(&["REAL", "FLOA", "DOUB"]) {
            Self::Real
        } else {
            Self::Numeric
        }
    }
}

/// Reads the description of a column from a row of `pragma_table_xinfo`.
fn column(row: &Row<'_>) -> Result<FoundColumn> {
    Ok(FoundColumn {
        name: row.get(0)?,
        type_name: row.get(1)?,
        // SQLite allows null in most primary keys, but no program is expected to write it.
        is_nullable: row.get::<_, i64>(4)? == 0 && row.get::<_, i64>(2)? == 0,
        default: row.get(3)?,
        is_made: false,
        // 2 is a virtual and 3 a stored generated column.
        is_generated: matches!(row.get(5)?, 2_i64 | 3),
        sequence: None,
        order: TextOrder::CodePoint,
        missing_rights: Vec::new(),
        unvalidated: None,
    })
}

/// Returns the sort order of a column's strings. SQLite has no query for a column's collation, so the statement detects it by comparing
/// constants with this collation.
fn order(connection: &Connection, table: &str, column: &str) -> Result<TextOrder> {
    let sql = format!(
        "SELECT 1 FROM (SELECT {} AS c FROM {table} WHERE FALSE UNION ALL SELECT 'a') WHERE c = 'A' OR c = 'a ' OR c > 'b'",
        quoted(column)
    );
    let is_inexact = connection.prepare(&sql)?.exists([])?;
    Ok(if is_inexact { TextOrder::Inexact } else { TextOrder::CodePoint })
}

fn indexes(connection: &Connection, schema: &str, table: &str) -> Result<Vec<FoundIndex>> {
    let sql = "SELECT l.name, l.\"unique\", l.partial, x.name, x.\"desc\", x.coll \
               FROM pragma_index_list(?, ?) AS l, pragma_index_xinfo(l.name, ?) AS x WHERE x.key = 1 ORDER BY l.name, x.seqno";
    let mut statement = connection.prepare(sql)?;
    let mut rows = statement.query([table, schema, schema])?;
    let mut indexes: Vec<FoundIndex> = Vec::new();
    while let Some(row) = rows.next()? {
        let name: String = row.get(0)?;
        if indexes.last().is_none_or(|index| index.name != name) {
            let (is_unique, is_partial) = (row.get(1)?, row.get(2)?);
            indexes.push(FoundIndex {
                name,
                columns: Vec::new(),
                is_unique,
                are_nulls_equal: false,
                is_partial,
                is_constraint: false,
                is_of_items: false,
            });
        }
        let collation: String = row.get(5)?;
        let order = if collation == "BINARY" { TextOrder::CodePoint } else { TextOrder::Inexact };
        let column = FoundIndexColumn { is_descending: row.get(4)?, order, ..plain(row.get(3)?) };
        if let Some(index) = indexes.last_mut() {
            index.columns.push(column);
        }
    }
    Ok(indexes)
}

fn plain(name: Option<String>) -> FoundIndexColumn {
    FoundIndexColumn { name, is_descending: false, is_null_first: true, order: TextOrder::CodePoint }
}

fn foreign_keys(connection: &Connection, schema: &str, table: &str) -> Result<Vec<FoundForeignKey>> {
    let sql = "SELECT id, \"table\", \"from\", \"to\", on_delete FROM pragma_foreign_key_list(?, ?) ORDER BY id, seq";
    let mut statement = connection.prepare(sql)?;
    let mut rows = statement.query([table, schema])?;
    let mut keys: Vec<(i64, FoundForeignKey)> = Vec::new();
    while let Some(row) = rows.next()? {
        let id: i64 = row.get(0)?;
        if keys.last().is_none_or(|(last, _)| *last != id) {
            let action: String = row.get(4)?;
            let key = FoundForeignKey {
                name: None,
                target: row.get(1)?,
                columns: Vec::new(),
                is_cascade: action == "CASCADE",
                is_restricting: matches!(action.as_str(), "NO ACTION" | "RESTRICT"),
            };
            keys.push((id, key));
        }
        if let Some((_, key)) = keys.last_mut() {
            key.columns.push((row.get(2)?, row.get(3)?));
        }
    }
    Ok(keys.into_iter().map(|(_, key)| key).collect())
}

/// Returns the effects of the triggers of a table. Every trigger can change the row, and `RETURNING` returns the values before this change.
fn triggers(connection: &Connection, schema: &str, table: &str) -> Result<Triggers> {
    let sql = format!(
        "SELECT sql FROM {}.sqlite_master WHERE type = 'trigger' AND tbl_name = ? COLLATE NOCASE",
        quoted(schema)
    );
    let mut statement = connection.prepare(&sql)?;
    let mut rows = statement.query([table])?;
    let mut triggers = Triggers::default();
    while let Some(row) = rows.next()? {
        triggers.may_skip = true;
        match trigger_event(&row.get::<_, String>(0)?) {
            Some(TriggerEvent::Insert) => triggers.inserts = ReadBack::Again,
            Some(TriggerEvent::Update) => triggers.updates = ReadBack::Again,
            Some(TriggerEvent::Delete) => {}
            None => (triggers.inserts, triggers.updates) = (ReadBack::Again, ReadBack::Again),
        }
    }
    Ok(triggers)
}
