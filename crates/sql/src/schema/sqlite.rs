//! Reads the tables of SQLite, and defines their column types.

use restwright_list::ValueType;
use sqlx::sqlite::{SqliteConnection, SqliteRow};
use sqlx::{AssertSqlSafe, Row};

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

pub(super) fn is_locked(error: &sqlx::Error) -> bool {
    // SQLITE_BUSY.
    let code = error.as_database_error().and_then(|error| error.code()?.parse::<i32>().ok());
    code.is_some_and(|code| code & 0xFF == 5)
}

pub(super) async fn find_table(
    connection: &mut SqliteConnection,
    schema: Option<&str>,
    name: &str,
) -> Result<Option<FoundTable>, sqlx::Error> {
    let in_schema = schema.unwrap_or("main");
    let sql = "SELECT name, type, \"notnull\", dflt_value, pk, hidden FROM pragma_table_xinfo(?, ?) ORDER BY cid";
    let rows = sqlx::query(sql).bind(name).bind(in_schema).fetch_all(&mut *connection).await?;
    if rows.is_empty() {
        return Ok(None);
    }
    let keys = rows.iter().filter(|row| row.try_get::<i64, _>(4).is_ok_and(|key| key > 0)).count();
    let mut table = FoundTable::default();
    let mut primary_key = Vec::new();
    for row in &rows {
        let column = column(row, keys)?;
        let place: i64 = row.try_get(4)?;
        if place > 0 {
            primary_key.push((place, column.name.clone()));
        }
        table.columns.push(column);
    }
    for column in &mut table.columns {
        column.order = order(connection, &qualified(schema, name), &column.name).await?;
    }
    table.indexes = indexes(connection, in_schema, name).await?;
    table.foreign_keys = foreign_keys(connection, in_schema, name).await?;
    table.triggers = triggers(connection, in_schema, name).await?;
    let sql = format!(
        "SELECT sql, type FROM {}.sqlite_master WHERE type IN ('table', 'view') AND name = ?",
        quoted(in_schema)
    );
    let created = sqlx::query(AssertSqlSafe(sql)).persistent(false).bind(name).fetch_optional(connection).await?;
    if let Some(created) = created {
        let columns: Vec<_> = table.columns.iter().map(|column| column.name.as_str()).collect();
        table.checks = checks(created.try_get(0)?, &columns);
        table.not_a_table = (created.try_get::<&str, _>(1)? == "view").then_some("view");
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

pub(super) async fn find_index(
    connection: &mut SqliteConnection,
    schema: Option<&str>,
    name: &str,
) -> Result<Option<NamedIndex>, sqlx::Error> {
    let master = qualified(Some(schema.unwrap_or("main")), "sqlite_master");
    let sql = format!("SELECT tbl_name FROM {master} WHERE type = 'index' AND name = ?");
    let row = sqlx::query(AssertSqlSafe(sql)).persistent(false).bind(name).fetch_optional(connection).await?;
    row.map(|row| Ok(NamedIndex { table: row.try_get(0)?, is_valid: true })).transpose()
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

pub(super) fn conversion(kind: ColumnKind, found: &FoundColumn) -> String {
    let name = quoted(&found.name);
    match kind {
        ColumnKind::Value(ValueType::DateTime) if accepts(kind, found).is_none() => {
            let microseconds = format!("CAST(round(unixepoch({name}, 'subsec') * 1000000) AS INTEGER)");
            format!("CASE WHEN typeof({name}) = 'text' THEN {microseconds} ELSE {name} END")
        }
        ColumnKind::Value(ValueType::Uuid) if accepts(kind, found).is_some_and(|encoding| encoding.is_text) => {
            format!("unhex(replace({name}, '-', ''))")
        }
        _ => name,
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

/// Reads the description of a column from a row of `pragma_table_xinfo`. `keys` is the number of columns in its primary key.
fn column(row: &SqliteRow, keys: usize) -> Result<FoundColumn, sqlx::Error> {
    let type_name: String = row.try_get(1)?;
    let is_key = row.try_get::<i64, _>(4)? > 0;
    let is_made = is_key && keys == 1 && type_name.eq_ignore_ascii_case("INTEGER");
    Ok(FoundColumn {
        name: row.try_get(0)?,
        // SQLite allows null in most primary keys, but no program is expected to write it.
        is_nullable: !is_key && row.try_get::<i64, _>(2)? == 0,
        default: row.try_get(3)?,
        is_made,
        // 2 is a virtual and 3 a stored generated column.
        is_generated: matches!(row.try_get(5)?, 2_i64 | 3),
        sequence: None,
        type_name,
        order: TextOrder::CodePoint,
        missing_rights: Vec::new(),
        unvalidated: None,
    })
}

/// Returns the sort order of a column's strings. SQLite has no query for a column's collation, so the statement detects it by comparing
/// constants with this collation.
async fn order(connection: &mut SqliteConnection, table: &str, column: &str) -> Result<TextOrder, sqlx::Error> {
    let sql = format!(
        "SELECT 1 FROM (SELECT {} AS c FROM {table} WHERE FALSE UNION ALL SELECT 'a') WHERE c = 'A' OR c = 'a ' OR c > 'b'",
        quoted(column)
    );
    let row = sqlx::query(AssertSqlSafe(sql)).persistent(false).fetch_optional(connection).await?;
    Ok(if row.is_some() { TextOrder::Inexact } else { TextOrder::CodePoint })
}

async fn indexes(connection: &mut SqliteConnection, schema: &str, table: &str) -> Result<Vec<FoundIndex>, sqlx::Error> {
    let sql = "SELECT l.name, l.\"unique\", l.partial, x.name, x.\"desc\", x.coll \
               FROM pragma_index_list(?, ?) AS l, pragma_index_xinfo(l.name, ?) AS x WHERE x.key = 1 ORDER BY l.name, x.seqno";
    let query = sqlx::query(sql).persistent(false).bind(table).bind(schema).bind(schema);
    let mut indexes: Vec<FoundIndex> = Vec::new();
    for row in query.fetch_all(connection).await? {
        let name: String = row.try_get(0)?;
        if indexes.last().is_none_or(|index| index.name != name) {
            let (is_unique, is_partial) = (row.try_get(1)?, row.try_get(2)?);
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
        let collation: String = row.try_get(5)?;
        let order = if collation == "BINARY" { TextOrder::CodePoint } else { TextOrder::Inexact };
        let column = FoundIndexColumn { is_descending: row.try_get(4)?, order, ..plain(row.try_get(3)?) };
        if let Some(index) = indexes.last_mut() {
            index.columns.push(column);
        }
    }
    Ok(indexes)
}

fn plain(name: Option<String>) -> FoundIndexColumn {
    FoundIndexColumn { name, is_descending: false, is_null_first: true, order: TextOrder::CodePoint }
}

async fn foreign_keys(
    connection: &mut SqliteConnection,
    schema: &str,
    table: &str,
) -> Result<Vec<FoundForeignKey>, sqlx::Error> {
    let sql = "SELECT id, \"table\", \"from\", \"to\", on_delete FROM pragma_foreign_key_list(?, ?) ORDER BY id, seq";
    let query = sqlx::query(sql).persistent(false).bind(table).bind(schema);
    let mut keys: Vec<(i64, FoundForeignKey)> = Vec::new();
    for row in query.fetch_all(connection).await? {
        let id: i64 = row.try_get(0)?;
        if keys.last().is_none_or(|(last, _)| *last != id) {
            let action: String = row.try_get(4)?;
            let key = FoundForeignKey {
                name: None,
                target: row.try_get(1)?,
                columns: Vec::new(),
                is_cascade: action == "CASCADE",
                is_restricting: matches!(action.as_str(), "NO ACTION" | "RESTRICT"),
            };
            keys.push((id, key));
        }
        if let Some((_, key)) = keys.last_mut() {
            key.columns.push((row.try_get(2)?, row.try_get(3)?));
        }
    }
    Ok(keys.into_iter().map(|(_, key)| key).collect())
}

/// Returns the effects of the triggers of a table. Every trigger can change the row, and `RETURNING` returns the values before this change.
async fn triggers(connection: &mut SqliteConnection, schema: &str, table: &str) -> Result<Triggers, sqlx::Error> {
    let sql = format!(
        "SELECT sql FROM {}.sqlite_master WHERE type = 'trigger' AND tbl_name = ? COLLATE NOCASE",
        quoted(schema)
    );
    let query = sqlx::query(AssertSqlSafe(sql)).persistent(false).bind(table);
    let mut triggers = Triggers::default();
    for row in query.fetch_all(connection).await? {
        triggers.may_skip = true;
        match trigger_event(row.try_get(0)?) {
            Some(TriggerEvent::Insert) => triggers.inserts = ReadBack::Again,
            Some(TriggerEvent::Update) => triggers.updates = ReadBack::Again,
            Some(TriggerEvent::Delete) => {}
            None => (triggers.inserts, triggers.updates) = (ReadBack::Again, ReadBack::Again),
        }
    }
    Ok(triggers)
}
