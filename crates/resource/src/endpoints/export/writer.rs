//! Defines [`RowWriter`], which writes the entities that the caller may see as JSON lines or as CSV.

use restwright_core::body::Bytes;
use restwright_core::runtime::RawMembers;
use restwright_core::{Problem, Result};
use serde::Deserialize;
use serde_json::value::RawValue;

use super::rows::RowPage;
use super::{Format, csv};
use crate::endpoints::field_rights::{FieldNames, FieldRights};
use crate::endpoints::members::{Place, extended};
use crate::endpoints::shown::masked;

/// Writes the pages of one export.
pub(super) struct RowWriter {
    pub(super) format: Format,
    pub(super) rights: FieldRights,
    /// The JSON names of the fields that only some callers may read.
    pub(super) names: Vec<FieldNames>,
    /// The columns of CSV.
    pub(super) columns: Vec<Column>,
}

/// A column of CSV.
#[derive(Clone)]
pub(super) struct Column {
    pub(super) name: String,
    /// `true` if strings are escaped that spreadsheets would run as formulas.
    pub(super) is_escaped: bool,
}

#[derive(Deserialize)]
struct Envelope<'j> {
    #[serde(borrow)]
    data: Vec<&'j RawValue>,
}

impl RowWriter {
    /// Returns the row with the names of the columns.
    pub(super) fn head(&self) -> String {
        let mut head = String::new();
        if self.format == Format::Csv {
            csv::write_row(self.columns.iter().map(|column| Some(column.name.as_str())), &mut head);
        }
        head
    }

    /// Returns the rows of one page.
    pub(super) fn rows(&self, page: &RowPage) -> Result<Bytes> {
        let json = masked(&page.json, Place::Data, &self.rights, &self.names)?;
        let json = match &page.embedded {
            Some(embedded) => {
                let text = str::from_utf8(&json).map_err(Problem::internal)?;
                extended(text, embedded.members()).into()
            }
            None => json,
        };
        let Envelope { data } = serde_json::from_slice(&json).map_err(Problem::internal)?;
        let mut rows = String::with_capacity(json.len());
        for row in data {
            match self.format {
                Format::JsonLines | Format::Ndjson => {
                    // The JSON of an entity is written without line breaks.
                    rows.push_str(row.get());
                    rows.push('\n');
                }
                Format::Csv => {
                    let RawMembers(members) = serde_json::from_str(row.get()).map_err(Problem::internal)?;
                    let cell = |column: &Column| {
                        let member = members.iter().find(|(name, _)| *name == column.name);
                        member.and_then(|(_, value)| csv::cell(value, column.is_escaped))
                    };
                    let cells: Vec<_> = self.columns.iter().map(cell).collect();
                    csv::write_row(cells.iter().map(Option::as_deref), &mut rows);
                }
            }
        }
        Ok(rows.into())
    }
}
