//! Rows as entities.

use restwright_list::ValueType;
use restwright_resource::{Entity, StoreError, Version, Versioned};
use serde::de::DeserializeOwned;

use crate::cell::{Cell, RowReader};
use crate::dialect::{Dialect, Row};
use crate::table::Table;

/// Returns the entity of a row that has all columns of its table.
pub(crate) fn read_row<D: Dialect, R: Entity + DeserializeOwned>(
    table: &Table,
    row: &Row<D>,
) -> Result<Versioned<R>, StoreError> {
    let cells = cells::<D>(table, row)?;
    let version = read_version::<D>(table, row, &cells)?;
    let names = table.columns.iter().map(|column| {
        let field = &column.field;
        (field.name(), column.is_json() && !field.is_nullable())
    });
    let mut entity = R::deserialize(RowReader::new(names, cells)).map_err(|error| {
        StoreError::failed(format!("a row of `{table}` is no {}: {error}", std::any::type_name::<R>()))
    })?;
    entity.attach(&table.definition);
    Ok(Versioned::new(entity, version))
}

pub(crate) fn cells<'r, D: Dialect>(table: &Table, row: &'r Row<D>) -> Result<Vec<Cell<'r>>, StoreError> {
    let columns = table.columns.iter().enumerate();
    let cells = columns.map(|(index, column)| {
        D::cell(row, index, column.field.value_type())
            .map_err(|error| StoreError::failed(format!("the column `{}` of `{table}`: {error}", column.name)))
    });
    cells.collect()
}

/// Returns the version of a row: that of its column, or the digest of all cells.
pub(crate) fn read_version<D: Dialect>(table: &Table, row: &Row<D>, cells: &[Cell<'_>]) -> Result<Version, StoreError> {
    let number = match &table.version {
        None => crate::digest::digest(cells),
        Some(version) => match version.field {
            Some(field) => match cells.get(field) {
                Some(Cell::Integer(number)) => *number,
                _ => return Err(StoreError::failed(format!("a row of `{table}` has no version"))),
            },
            None => integer::<D>(row, table.columns.len())?,
        },
    };
    Ok(Version::new(number))
}

/// Returns the integer at a place of a row.
pub(crate) fn integer<D: Dialect>(row: &Row<D>, index: usize) -> Result<i64, StoreError> {
    match D::cell(row, index, ValueType::Integer) {
        Ok(Cell::Integer(number)) => Ok(number),
        Ok(_) => Err(StoreError::failed("a column without an integer")),
        Err(error) => Err(StoreError::failed(error)),
    }
}

/// Returns the integer that a row is.
pub(crate) fn integer_of<D: Dialect>(row: &Row<D>) -> Result<i64, StoreError> {
    integer::<D>(row, 0)
}
