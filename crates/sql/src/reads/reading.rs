//! Reads the rows of tables.

use restwright_list::{Value, ValueType};
use restwright_resource::{Row, StoreError, Version, Versioned};

use crate::driver::{Cell, SqlRow};
use crate::table::{Column, Table};

/// Reads a row with all columns of its table.
///
/// An unreadable value of a field that a change replaces is another value in the row.
pub(crate) fn read_row(
    table: &Table,
    row: &SqlRow,
    is_replaced: &dyn Fn(&str) -> bool,
) -> Result<Versioned<Row>, StoreError> {
    let mut values = Vec::with_capacity(table.columns.len());
    let version = if table.version.is_some() {
        for (index, column) in table.columns.iter().enumerate() {
            values.push(cell(table, row, (index, column), is_replaced)?.into_value());
        }
        version_in_column(table, row, |field| match values.get(field) {
            Some(Value::Integer(number)) => i64::try_from(*number).ok(),
            _ => None,
        })?
    } else {
        let cells = cells(table, row, is_replaced)?;
        let version = Version::new(super::digest::digest(&cells));
        values.extend(cells.into_iter().map(Cell::into_value));
        version
    };
    Ok(Versioned::new(Row::from_values(&table.definition, values), version))
}

/// Reads the version of a row. All of its values must be readable.
pub(crate) fn read_version(table: &Table, row: &SqlRow) -> Result<Version, StoreError> {
    let cells = cells(table, row, &|_| false)?;
    if table.version.is_none() {
        return Ok(Version::new(super::digest::digest(&cells)));
    }
    version_in_column(table, row, |field| match cells.get(field) {
        Some(Cell::Integer(number)) => Some(*number),
        _ => None,
    })
}

/// Reads the values of a row.
fn cells<'r>(table: &Table, row: &'r SqlRow, is_replaced: &dyn Fn(&str) -> bool) -> Result<Vec<Cell<'r>>, StoreError> {
    // `collect` would not know the number of the cells, and allocate more than once.
    let mut cells = Vec::with_capacity(table.columns.len());
    for column in table.columns.iter().enumerate() {
        cells.push(cell(table, row, column, is_replaced)?);
    }
    Ok(cells)
}

/// Reads the value in a column of a row.
///
/// # Errors
/// The value does not have the type of the column, or is null in a field that is not nullable.
fn cell<'r>(
    table: &Table,
    row: &'r SqlRow,
    (index, column): (usize, &Column),
    is_replaced: &dyn Fn(&str) -> bool,
) -> Result<Cell<'r>, StoreError> {
    let error = match row.cell(index, column.field.value_type()) {
        Ok(Cell::Null) if !column.field.is_nullable() => "it must not be null".to_owned(),
        Ok(cell) => return Ok(cell.scaled(column.field.decimal_scale())),
        Err(error) => error.to_string(),
    };
    // The version of a row without a version column is a digest of all values.
    if table.version.is_some() && is_replaced(column.field.name()) {
        return Ok(Cell::any_of(column.field.value_type(), column.field.is_nullable()));
    }
    let (place, name) = (place(table, row), &column.name);
    Err(StoreError::failed(format!("{place} has an invalid value in the column `{name}`: {error}")))
}

/// Returns the identifier and the table of a row as a phrase for error messages.
fn place(table: &Table, row: &SqlRow) -> String {
    let identifier = match row.cell(0, table.identifier().field.value_type()) {
        Ok(Cell::Text(identifier)) => identifier.to_owned(),
        Ok(Cell::Integer(identifier)) => identifier.to_string(),
        Ok(Cell::Uuid(identifier)) => identifier.to_string(),
        Ok(identifier) => format!("{identifier:?}"),
        Err(error) => format!("(unreadable: {error})"),
    };
    format!("the row `{identifier}` of `{table}`")
}

/// Returns the version of a row, which is the value of its version column. `of_field` returns the integer in a field.
fn version_in_column(
    table: &Table,
    row: &SqlRow,
    of_field: impl FnOnce(usize) -> Option<i64>,
) -> Result<Version, StoreError> {
    let column = table.version.as_ref();
    let number = match column.and_then(|column| column.field) {
        Some(field) => of_field(field),
        None => match row.cell(table.columns.len(), ValueType::Integer) {
            Ok(Cell::Integer(number)) => Some(number),
            _ => None,
        },
    };
    number.map(Version::new).ok_or_else(|| {
        let (place, name) = (place(table, row), column.map(|column| column.name.as_str()).unwrap_or_default());
        StoreError::failed(format!("{place} must have an integer in the version column `{name}`"))
    })
}

/// Returns the integer in the column `index` of a row.
pub(crate) fn integer(row: &SqlRow, index: usize) -> Result<i64, StoreError> {
    match row.cell(index, ValueType::Integer) {
        Ok(Cell::Integer(number)) => Ok(number),
        Ok(_) => Err(StoreError::failed("the column must contain an integer")),
        Err(error) => Err(StoreError::failed(error)),
    }
}
