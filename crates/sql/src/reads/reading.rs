//! Reads the rows of tables.

use restwright_list::ValueType;
use restwright_resource::{Row, StoreError, Version, Versioned};

use crate::driver::{Cell, SqlRow};
use crate::table::Table;

/// Reads a row with all columns of its table.
///
/// An unreadable value of a field that a change replaces is another value in the row.
pub(crate) fn read_row(
    table: &Table,
    row: &SqlRow,
    is_replaced: &dyn Fn(&str) -> bool,
) -> Result<Versioned<Row>, StoreError> {
    let cells = cells(table, row, is_replaced)?;
    let version = read_version(table, row, &cells)?;
    let mut values = Vec::with_capacity(cells.len());
    values.extend(cells.into_iter().map(Cell::into_value));
    Ok(Versioned::new(Row::from_values(&table.definition, values), version))
}

/// Reads the values of a row.
///
/// # Errors
/// A value does not have the type of its column, or is null in a field that is not nullable.
pub(crate) fn cells<'r>(
    table: &Table,
    row: &'r SqlRow,
    is_replaced: &dyn Fn(&str) -> bool,
) -> Result<Vec<Cell<'r>>, StoreError> {
    // `collect` would not know the number of the cells, and allocate more than once.
    let mut cells = Vec::with_capacity(table.columns.len());
    for (index, column) in table.columns.iter().enumerate() {
        let is_nullable = column.field.is_nullable();
        let read = match row.cell(index, column.field.value_type()) {
            Ok(Cell::Null) if !is_nullable => Err("it must not be null".to_owned()),
            read => read.map_err(|error| error.to_string()),
        };
        let cell = match read {
            Ok(cell) => cell.scaled(column.field.decimal_scale()),
            // The version of a row without a version column is a digest of all values.
            Err(_) if table.version.is_some() && is_replaced(column.field.name()) => {
                Cell::any_of(column.field.value_type(), is_nullable)
            }
            Err(error) => {
                let (place, name) = (place(table, row), &column.name);
                return Err(StoreError::failed(format!(
                    "{place} has an invalid value in the column `{name}`: {error}"
                )));
            }
        };
        cells.push(cell);
    }
    Ok(cells)
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

/// Returns the version of a row. It is the value of the version column, or the digest of all cells.
pub(crate) fn read_version(table: &Table, row: &SqlRow, cells: &[Cell<'_>]) -> Result<Version, StoreError> {
    let Some(version) = &table.version else { return Ok(Version::new(super::digest::digest(cells))) };
    let number = match version.field {
        Some(field) => cells.get(field).cloned().unwrap_or(Cell::Null),
        None => row.cell(table.columns.len(), ValueType::Integer).unwrap_or(Cell::Null),
    };
    match number {
        Cell::Integer(number) => Ok(Version::new(number)),
        _ => {
            let place = place(table, row);
            Err(StoreError::failed(format!("{place} must have an integer in the version column `{}`", version.name)))
        }
    }
}

/// Returns the integer in the column `index` of a row.
pub(crate) fn integer(row: &SqlRow, index: usize) -> Result<i64, StoreError> {
    match row.cell(index, ValueType::Integer) {
        Ok(Cell::Integer(number)) => Ok(number),
        Ok(_) => Err(StoreError::failed("the column must contain an integer")),
        Err(error) => Err(StoreError::failed(error)),
    }
}
