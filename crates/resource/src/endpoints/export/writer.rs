//! Defines [`RowWriter`], which writes the entities that the caller may see as JSON lines or as CSV.

use std::mem;

use restwright_core::Result;
use restwright_core::runtime::ROW_COUNT;

use super::rows::RowPage;
use super::{Format, csv};
use crate::endpoints::caller::field_rights::{FieldNames, FieldRights};
use crate::endpoints::erased::member_changes::MemberChanges;

/// Writes the pages of one export.
pub(super) struct RowWriter {
    pub(super) format: Format,
    pub(super) rights: FieldRights,
    /// The JSON names of the fields that only some callers may read.
    pub(super) names: Vec<FieldNames>,
    /// The columns of CSV.
    pub(super) columns: Vec<Column>,
    /// The number of rows that are written.
    pub(super) count: u64,
}

/// A column of CSV.
#[derive(Clone)]
pub(super) struct Column {
    pub(super) name: String,
    /// `true` if strings are escaped that spreadsheets would run as formulas.
    pub(super) is_escaped: bool,
}

impl RowWriter {
    /// Returns the row with the names of the columns.
    pub(super) fn head(&self) -> Vec<u8> {
        let mut head = Vec::new();
        if self.format == Format::Csv {
            csv::write_row(self.columns.iter().map(|column| Some(column.name.as_str())), &mut head);
        }
        head
    }

    /// Returns the rows of one page.
    pub(super) fn rows(&mut self, page: &mut RowPage) -> Result<Vec<u8>> {
        let changes = MemberChanges::new(self.rights.hidden(&self.names), page.embedded.take());
        let mut rows = Vec::new();
        for (index, row) in mem::take(&mut page.rows).into_iter().enumerate() {
            let mut row = changes.apply(index, Ok(row))?;
            self.count += 1;
            match self.format {
                Format::JsonLines | Format::Ndjson => {
                    // The JSON of an entity is written without line breaks.
                    rows.extend_from_slice(row.json());
                    rows.push(b'\n');
                }
                Format::Csv => {
                    let mut members = row.list()?;
                    // Of members with the same name, the first one is the cell.
                    members.sort_by(|(left, _), (right, _)| left.cmp(right));
                    let cell = |column: &Column| {
                        let first = members.partition_point(|(name, _)| **name < *column.name);
                        let (_, json) = members.get(first).filter(|(name, _)| *name == column.name)?;
                        csv::cell(json, column.is_escaped)
                    };
                    let cells: Vec<_> = self.columns.iter().map(cell).collect();
                    csv::write_row(cells.iter().map(Option::as_deref), &mut rows);
                }
            }
        }
        Ok(rows)
    }

    /// Returns the last line, which contains the number of rows. CSV has none.
    pub(super) fn end(&self) -> String {
        match self.format {
            Format::JsonLines | Format::Ndjson => format!("{{\"{ROW_COUNT}\":{}}}\n", self.count),
            Format::Csv => String::new(),
        }
    }
}
