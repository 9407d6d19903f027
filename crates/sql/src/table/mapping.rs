//! Defines [`TableMapping`], which maps a resource to an existing table.

use std::collections::BTreeMap;

/// Maps a resource to an existing table. Contains the names of the table, its schema and its columns.
///
/// Without a mapping, the table is named after the definition, and each column after its field.
///
/// ```
/// use restwright_sql::TableMapping;
///
/// let animals = TableMapping::new("animals").schema("shelter").table("tbl_animal").column("name", "animal_name").without_version();
/// ```
#[derive(Clone, Debug, PartialEq)]
#[must_use = "a mapping does nothing until it is passed to a store"]
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
    /// Creates a mapping for the entity definition with this name. By default, the table and the columns have the names in the definition.
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

    /// Sets the database schema that contains the table. On SQLite, a schema is an attached database.
    pub fn schema(mut self, schema: impl Into<String>) -> Self {
        self.schema = Some(schema.into());
        self
    }

    /// Sets the name of the table.
    pub fn table(mut self, table: impl Into<String>) -> Self {
        self.table = Some(table.into());
        self
    }

    /// Sets the column that stores a field.
    pub fn column(mut self, field: impl Into<String>, column: impl Into<String>) -> Self {
        self.columns.insert(field.into(), column.into());
        self
    }

    /// Sets the 64-bit integer column that stores the version of a row. The default is `row_version`, or the column of the version field.
    pub fn version(mut self, column: impl Into<String>) -> Self {
        self.version = Some(column.into());
        self
    }

    /// Declares that the table has no version column. The `ETag` is then a digest of the row. An update locks and reads the row first.
    pub fn without_version(mut self) -> Self {
        self.has_version = false;
        self
    }

    /// Declares that the table has no column for the case-folded strings of a field. Searches in the field and unique
    /// constraints that ignore case then ignore the case of ASCII letters only.
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
