//! Defines [`Difference`], a difference between a required table and the table in the database.

use std::fmt;

/// A difference between a required table and the table in the database, with the SQL that removes the difference. The SQL is empty if a
/// person must decide.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Difference {
    pub(crate) message: String,
    pub(crate) repair: Repair,
    pub(crate) sql: String,
    /// The rows that would make the SQL fail.
    pub(crate) obstacles: Vec<Obstacle>,
    /// The index that the SQL creates, if any.
    pub(crate) index: Option<NewIndex>,
}

/// An index that a migration creates.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct NewIndex {
    pub(crate) name: String,
    /// The qualified SQL name of the index.
    pub(crate) qualified: String,
    /// The qualified SQL name of its table.
    pub(crate) table: String,
    /// The statement that creates the index.
    pub(crate) sql: String,
}

/// Existing rows that would make the SQL of a difference fail.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Obstacle {
    pub(crate) what: &'static str,
    /// A query that returns the identifiers of a sample of the affected rows.
    pub(crate) sql: String,
    /// The query to use if the first query fails, because the target of a reference does not exist yet.
    pub(crate) sql_without_target: Option<String>,
}

/// The kind of change that removes a difference. The variants are in the order in which the changes run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Repair {
    /// Renames an existing column or index. Renames run before all other changes.
    Rename,
    /// Alters the existing table or its privileges. A migration does not do this automatically.
    Change,
    /// Replaces the existing table with a new table, because the database cannot change columns. A migration does not do this
    /// automatically.
    Rebuild,
    AddTable,
    AddColumn,
    /// Replaces an existing index, after columns were added. A migration does not do this automatically.
    ReplaceIndex,
    AddIndex,
    AddForeignKey,
    /// Adds a foreign key to a new table, although rows already have references. A migration does not do this automatically.
    AddViolatedForeignKey,
}

impl Repair {
    /// Returns `true` if a migration makes the change automatically.
    pub(crate) fn is_addition(self) -> bool {
        matches!(self, Self::Rename | Self::AddTable | Self::AddColumn | Self::AddIndex | Self::AddForeignKey)
    }
}

impl Difference {
    /// Joins differences into one, whose statements run in one transaction. Returns `None` without differences.
    #[cfg(feature = "postgres")]
    pub(crate) fn joined(all: Vec<Self>) -> Option<Self> {
        all.into_iter().reduce(|mut joined, next| {
            joined.message.push_str("; ");
            joined.message.push_str(&next.message);
            joined.sql.push_str(";\n");
            joined.sql.push_str(&next.sql);
            joined
        })
    }
}

impl fmt::Display for Difference {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "- {}", self.message)?;
        if self.sql.is_empty() {
            return Ok(());
        }
        write!(formatter, "\n    {};", self.sql.replace('\n', "\n    "))
    }
}
