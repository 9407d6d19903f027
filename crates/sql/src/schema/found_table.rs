//! Defines [`FoundTable`], a table that exists in the database.

use crate::dialect::Dialect;
use crate::table::Triggers;
use crate::wanted::{ForeignKey, Index, IndexColumn};

/// A table that exists in the database.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct FoundTable {
    pub(crate) columns: Vec<FoundColumn>,
    /// The indexes, including the index of the primary key.
    pub(crate) indexes: Vec<FoundIndex>,
    pub(crate) foreign_keys: Vec<FoundForeignKey>,
    /// The names of the exclusion constraints.
    pub(crate) exclusions: Vec<String>,
    pub(crate) checks: Vec<FoundCheck>,
    pub(crate) triggers: Triggers,
    /// The kind of the database object, such as a view, if the object is not a table.
    pub(crate) not_a_table: Option<&'static str>,
    /// The database user, if the database has users.
    pub(crate) user: String,
    /// `true` if the user may not delete rows.
    pub(crate) lacks_delete: bool,
}

/// A column that exists in the database.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct FoundColumn {
    pub(crate) name: String,
    pub(crate) type_name: String,
    /// `true` if a row with null can be inserted.
    pub(crate) is_nullable: bool,
    /// The name of a `NOT NULL` constraint that existing rows may violate (`NOT VALID`).
    pub(crate) unvalidated: Option<String>,
    /// The default value of the column, as an SQL expression.
    pub(crate) default: Option<String>,
    /// `true` if the database generates the value when a row is inserted.
    pub(crate) is_made: bool,
    /// `true` if the database computes the value from other columns (`GENERATED ALWAYS AS (..)`), so no statement can set it.
    pub(crate) is_generated: bool,
    /// The sequence of the default or of the identity.
    pub(crate) sequence: Option<FoundSequence>,
    pub(crate) order: TextOrder,
    /// The privileges on the column that the database user lacks, such as `SELECT`.
    pub(crate) missing_rights: Vec<String>,
}

/// A sequence that generates the values of a column.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct FoundSequence {
    /// The quoted name, with the schema if it is needed.
    pub(crate) name: String,
    /// `true` if an insert may use the sequence.
    pub(crate) is_usable: bool,
}

/// The sort order of a column's strings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TextOrder {
    /// Sorts by code point. Columns that contain no strings also have this order.
    CodePoint,
    /// Sorts by the rules of a language. Strings are equal only if all their bytes are equal.
    Language,
    /// Treats some different strings as equal, for example `a` and `A`.
    Inexact,
}

/// An index that exists in the database.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct FoundIndex {
    pub(crate) name: String,
    pub(crate) columns: Vec<FoundIndexColumn>,
    pub(crate) is_unique: bool,
    /// `true` if null is equal to null (`NULLS NOT DISTINCT`).
    pub(crate) are_nulls_equal: bool,
    pub(crate) is_partial: bool,
    /// `true` if the index belongs to a constraint. Dropping the constraint drops the index.
    pub(crate) is_constraint: bool,
    /// `true` for an index on the items of lists (GIN).
    pub(crate) is_of_items: bool,
}

/// An index that was found by its name.
#[derive(Debug)]
pub(super) struct NamedIndex {
    /// The name of the table that the index belongs to.
    pub(crate) table: String,
    /// `false` if `CREATE INDEX CONCURRENTLY` did not finish. Queries do not use such an index.
    pub(crate) is_valid: bool,
}

/// A column of an index. An expression has no name.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct FoundIndexColumn {
    pub(crate) name: Option<String>,
    pub(crate) is_descending: bool,
    pub(crate) is_null_first: bool,
    pub(crate) order: TextOrder,
}

/// A check constraint that exists in the database.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct FoundCheck {
    /// The name that the database uses for the check in error messages.
    pub(crate) name: String,
    pub(crate) columns: Vec<String>,
}

/// A foreign key that exists in the database.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct FoundForeignKey {
    /// The name of the constraint, if it has one.
    pub(crate) name: Option<String>,
    pub(crate) target: String,
    /// Each column of the foreign key, with the column that it refers to. `None` means the primary key.
    pub(crate) columns: Vec<(String, Option<String>)>,
    pub(crate) is_cascade: bool,
    /// `true` if a row cannot be deleted while other rows refer to it.
    pub(crate) is_restricting: bool,
}

impl FoundTable {
    pub(crate) fn column(&self, name: &str) -> Option<&FoundColumn> {
        self.columns.iter().find(|column| column.name == name)
    }

    /// Renames a column, also in indexes and foreign keys.
    pub(super) fn rename_column(&mut self, from: &str, to: &str) {
        let columns = self.columns.iter_mut().map(|column| &mut column.name);
        let indexed =
            self.indexes.iter_mut().flat_map(|index| &mut index.columns).filter_map(|column| column.name.as_mut());
        let referring = self.foreign_keys.iter_mut().flat_map(|key| &mut key.columns).map(|(own, _)| own);
        for name in columns.chain(indexed).chain(referring).filter(|name| *name == from) {
            to.clone_into(name);
        }
    }

    /// Updates the foreign keys after columns of the table `table` were renamed.
    pub(super) fn rename_targets(&mut self, table: &str, renamed: &[(String, String)]) {
        let keys = self.foreign_keys.iter_mut().filter(|key| key.target == table);
        for target in keys.flat_map(|key| &mut key.columns).filter_map(|(_, target)| target.as_mut()) {
            if let Some((_, to)) = renamed.iter().find(|(from, _)| from == target) {
                target.clone_from(to);
            }
        }
    }

    /// Returns the unique index on exactly these columns, in any order.
    pub(crate) fn unique(&self, columns: &[String], are_nulls_equal: bool) -> Option<&FoundIndex> {
        self.indexes.iter().find(|index| !index.is_partial && index.is_unique_by(columns, are_nulls_equal))
    }

    /// Returns `true` if the table has an index that can be used instead of the wanted index.
    pub(crate) fn has(&self, dialect: &Dialect, wanted: &Index) -> bool {
        let are_nulls_equal = wanted.are_nulls_equal && dialect.has_equal_nulls;
        let names: Vec<_> = wanted.columns.iter().map(|column| column.name.clone()).collect();
        let mut indexes = self.indexes.iter().filter(|index| index.is_of_items == wanted.is_of_items);
        let is_unique = |index: &FoundIndex| match wanted.has_expressions() {
            // Expressions are not compared, because the name belongs to the constraint.
            true => index.name == wanted.name && index.has_shape_of(wanted, are_nulls_equal),
            false => index.is_unique_by(&names, are_nulls_equal),
        };
        match (&wanted.condition, wanted.is_unique) {
            (Some(_), true) => indexes.any(|index| index.is_partial && index.name == wanted.name && is_unique(index)),
            // Conditions are not compared, because the name contains the version of the condition.
            (Some(_), false) => indexes.any(|index| index.is_partial && index.name == wanted.name),
            (None, true) => indexes.any(|index| !index.is_partial && is_unique(index)),
            (None, false) if wanted.sorted_from.is_some() => {
                indexes.any(|index| index.orders(wanted, dialect.nulls_are_largest))
            }
            (None, false) => indexes.any(|index| !index.is_partial && index.begins_with(&names)),
        }
    }

    /// Returns the foreign key with the wanted columns and target. Its `ON DELETE` action may differ.
    pub(crate) fn foreign_key(&self, wanted: &ForeignKey) -> Option<&FoundForeignKey> {
        let pairs = || wanted.columns.iter().zip(&wanted.target_columns);
        self.foreign_keys.iter().find(|key| {
            let is_in = |(own, target): (&String, &String)| {
                key.columns.iter().any(|(from, to)| from == own && to.as_ref().is_none_or(|to| to == target))
            };
            key.target == wanted.target && key.columns.len() == wanted.columns.len() && pairs().all(is_in)
        })
    }
}

impl FoundIndex {
    /// Returns the column with this name in the index.
    pub(crate) fn column(&self, name: &str) -> Option<&FoundIndexColumn> {
        self.columns.iter().find(|column| column.name.as_deref() == Some(name))
    }

    fn is_unique_by(&self, columns: &[String], are_nulls_equal: bool) -> bool {
        self.is_unique
            && self.are_nulls_equal == are_nulls_equal
            && self.columns.len() == columns.len()
            && self.begins_with(columns)
    }

    /// Returns `true` if the index is unique and has the columns of the wanted index, with expressions at the same positions.
    fn has_shape_of(&self, wanted: &Index, are_nulls_equal: bool) -> bool {
        let names = wanted.columns.iter().map(|column| Some(&column.name).filter(|_| column.expression.is_none()));
        let found = self.columns.iter().map(|column| column.name.as_ref());
        self.is_unique && self.are_nulls_equal == are_nulls_equal && found.eq(names)
    }

    fn begins_with(&self, columns: &[String]) -> bool {
        let first = self.columns.get(..columns.len()).unwrap_or_default();
        let is_one = |name: &String| first.iter().any(|column| column.name.as_ref() == Some(name));
        !first.is_empty() && columns.iter().all(is_one)
    }

    /// Returns `true` if the index returns rows in the same order as the wanted index.
    fn orders(&self, wanted: &Index, nulls_are_largest: bool) -> bool {
        let sorted_from = wanted.sorted_from.unwrap_or_default();
        let columns = &wanted.columns;
        let is_same = |(index, (found, wanted)): (usize, (&FoundIndexColumn, &IndexColumn))| {
            let is_sorted = !found.is_descending
                && found.order == TextOrder::CodePoint
                && (!nulls_are_largest || found.is_null_first == wanted.is_null_first);
            found.name.as_ref() == Some(&wanted.name) && (is_sorted || index < sorted_from)
        };
        let is_long = self.columns.len() >= columns.len();
        !self.is_partial && is_long && self.columns.iter().zip(columns).enumerate().all(is_same)
    }
}
