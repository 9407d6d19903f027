//! [`TableMapping`]: the names of a table that exists already.

use std::collections::BTreeMap;

/// The names in a table that exists already: those of the table, its schema and its columns.
///
/// Without a mapping, a definition has the table of its name, with a column of the same name for each field.
///
/// ```
/// use restwright_sql::TableMapping;
///
/// let animals = TableMapping::new("animals").schema("shelter").table("tbl_animal").column("name", "animal_name").without_version();
/// ```
#[derive(Clone, Debug, PartialEq)]
#[must_use = "a mapping does nothing until a store has it"]
pub struct TableMapping {
    definition: String,
    schema: Option<String>,
    table: Option<String>,
    columns: BTreeMap<String, String>,
    version: Option<String>,
    has_version: bool,
    ascii: Vec<String>,
}

impl TableMapping {
    /// Creates the mapping of the definition with this name, which changes nothing yet.
    pub fn new(definition: impl Into<String>) -> Self {
        Self {
            definition: definition.into(),
            schema: None,
            table: None,
            columns: BTreeMap::new(),
            version: None,
            has_version: true,
            ascii: Vec::new(),
        }
    }

    /// Sets the schema of the table; on SQLite the name of an attached database.
    pub fn schema(mut self, schema: impl Into<String>) -> Self {
        self.schema = Some(schema.into());
        self
    }

    /// Sets the name of the table.
    pub fn table(mut self, table: impl Into<String>) -> Self {
        self.table = Some(table.into());
        self
    }

    /// Sets the column of a field.
    pub fn column(mut self, field: impl Into<String>, column: impl Into<String>) -> Self {
        self.columns.insert(field.into(), column.into());
        self
    }

    /// Sets the column of the version, an integer of 64 bits; `row_version` by default, or the column of the field that shows it.
    pub fn version(mut self, column: impl Into<String>) -> Self {
        self.version = Some(column.into());
        self
    }

    /// Declares that the table has no column for the version. The entity tag is then a digest of the row, and an update reads the row
    /// under its lock.
    pub fn without_version(mut self) -> Self {
        self.has_version = false;
        self
    }

    /// Looks for texts in a field without a column of folded texts: regardless of the case of ASCII letters alone.
    pub fn ascii_search(mut self, field: impl Into<String>) -> Self {
        self.ascii.push(field.into());
        self
    }

    pub(crate) fn is_of(&self, definition: &str) -> bool {
        self.definition == definition
    }

    pub(crate) fn name(&self) -> Option<&str> {
        self.table.as_deref()
    }

    pub(crate) fn schema_name(&self) -> Option<&str> {
        self.schema.as_deref()
    }

    pub(crate) fn column_of(&self, field: &str) -> String {
        self.columns.get(field).cloned().unwrap_or_else(|| field.to_owned())
    }

    pub(crate) fn version_column(&self) -> Option<&str> {
        self.version.as_deref()
    }

    pub(crate) fn has_version(&self) -> bool {
        self.has_version
    }

    pub(crate) fn is_ascii(&self, field: &str) -> bool {
        self.ascii.iter().any(|ascii| ascii == field)
    }
}
