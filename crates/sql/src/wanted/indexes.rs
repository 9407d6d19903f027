//! Defines [`Index`], and the indexes that an entity definition requires.

use std::sync::Arc;

use restwright_resource::UniqueConstraint;

use super::table_schema::{ForeignKey, targets, unfolded};
use crate::dialect::quoted;
use crate::table::{Column, FOLDING, FOLDING_VERSION, Table, constraint_name, folds, unique_name};

/// An index that the database must contain.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Index {
    pub(crate) name: String,
    pub(crate) columns: Vec<IndexColumn>,
    pub(crate) is_unique: bool,
    /// `true` if null is equal to null in a unique index.
    pub(crate) are_nulls_equal: bool,
    /// The position of the first sort column in an index for lists. The columns before it are the scope.
    pub(crate) sorted_from: Option<usize>,
    /// The condition of a partial index, or `None` if the index contains all rows.
    pub(crate) condition: Option<String>,
    /// `true` if it finds the rows whose list contains a value. It has one column.
    pub(crate) is_of_items: bool,
}

/// A column of an index.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct IndexColumn {
    pub(crate) name: String,
    /// `true` if lists sort null before all values.
    pub(crate) is_null_first: bool,
    /// The SQL expression of the column that the index contains instead of the column.
    pub(crate) expression: Option<String>,
}

impl IndexColumn {
    pub(crate) fn new(name: impl Into<String>) -> Self {
        Self { name: name.into(), is_null_first: false, expression: None }
    }

    /// Returns the SQL of the column in the index.
    pub(crate) fn key(&self) -> String {
        self.expression.clone().unwrap_or_else(|| quoted(&self.name))
    }
}

impl Index {
    pub(crate) fn has_expressions(&self) -> bool {
        self.columns.iter().any(|column| column.expression.is_some())
    }

    /// Returns `true` if the index or one of its expressions contains the column.
    pub(crate) fn contains(&self, column: &str) -> bool {
        let name = quoted(column);
        self.columns.iter().any(|own| own.name == column || own.key().contains(&name))
    }

    /// Returns `true` if the index starts with these columns in any order. The index then finds a row by the values of these columns.
    fn begins_with(&self, columns: &[String]) -> bool {
        let first = self.columns.get(..columns.len()).unwrap_or_default();
        self.condition.is_none()
            && !self.is_of_items
            && !first.is_empty()
            && first.iter().all(|column| column.expression.is_none() && columns.contains(&column.name))
    }
}

/// Returns the indexes of a table, except the primary key and the indexes on the items of lists.
pub(super) fn indexes(table: &Table, all: &[Arc<Table>], primary_key: &[String], keys: &[&ForeignKey]) -> Vec<Index> {
    let plain = |names: &[String]| -> Vec<_> { names.iter().map(IndexColumn::new).collect() };
    let scope: Vec<_> = table.scope_columns().map(|column| column.name.clone()).collect();
    let identifier = &table.identifier().name;
    let mut indexes = Vec::new();
    for (constraint, columns) in table.unique_columns() {
        let names: Vec<_> = columns.iter().map(|column| column.name.as_str()).collect();
        let name = unique_name(&table.name, &names);
        let are_nulls_equal = constraint.are_nulls_equal();
        let columns = plain(&scope).into_iter().chain(unique_columns(constraint, &columns)).collect();
        // The values of deleted rows are free.
        let condition = table.deletion_column().map(|column| format!("{} IS NULL", quoted(&column.name)));
        indexes.push(Index { name, columns, is_unique: true, are_nulls_equal, condition, ..Index::default() });
    }
    // The database requires unique targets of references.
    let primary = Index { name: String::new(), columns: plain(primary_key), is_unique: true, ..Index::default() };
    for columns in targets(table, all) {
        let columns = plain(&columns);
        let is_whole = |index: &Index| index.condition.is_none() && index.columns == columns;
        if columns != primary.columns && !indexes.iter().any(is_whole) {
            let name = joined_name(&table.name, &columns, "uidx");
            indexes.push(Index { name, columns, is_unique: true, ..Index::default() });
        }
    }
    for (name, columns) in lists(table) {
        let begins = |index: &Index| index.condition.is_none() && index.columns.starts_with(&columns);
        let is_there = indexes.iter().chain([&primary]).any(begins);
        if !is_there {
            indexes.push(Index { name, columns, sorted_from: Some(scope.len()), ..Index::default() });
        }
    }
    for key in keys {
        let is_there = indexes.iter().chain([&primary]).any(|index| index.begins_with(&key.columns));
        if !is_there {
            let columns = plain(&key.columns);
            let name = joined_name(&table.name, &columns, "fidx");
            indexes.push(Index { name, columns, ..Index::default() });
        }
    }
    if table.is_folded() {
        let name = constraint_name(&table.name, &format!("{FOLDING}_{FOLDING_VERSION}"), "idx");
        let condition = Some(unfolded());
        indexes.push(Index { name, columns: plain(std::slice::from_ref(identifier)), condition, ..Index::default() });
    }
    indexes
}

/// Returns the columns of a unique index, without the scope.
fn unique_columns(constraint: &UniqueConstraint, columns: &[&Column]) -> Vec<IndexColumn> {
    let folded = |column: &Column| folds(constraint, &column.field).then(|| folded_key(column));
    let is_nullable = |column: &&Column| {
        constraint.are_nulls_equal() && !column.dialect.has_equal_nulls && column.field.is_nullable()
    };
    let mut all = Vec::new();
    for column in columns.iter().filter(|column| !is_nullable(column)) {
        all.push(IndexColumn { expression: folded(column), ..IndexColumn::new(&column.name) });
    }
    // A query can find its rows by the columns before the first expression, so the expressions come last.
    for column in columns.iter().filter(|column| is_nullable(column)) {
        let name = quoted(&column.name);
        let value = folded(column).unwrap_or_else(|| name.clone());
        for expression in [format!("ifnull({value}, 0)"), format!("({name} IS NULL)")] {
            all.push(IndexColumn { expression: Some(expression), ..IndexColumn::new(&column.name) });
        }
    }
    all
}

/// Returns the SQL expression of a string regardless of case, for a unique index. A string that another program wrote is compared as it is
/// until it is folded.
fn folded_key(column: &Column) -> String {
    let name = format!("{}{}", quoted(&column.name), column.dialect.by_code_point);
    match column.fold() {
        Some(fold) => format!("(coalesce({}, {name}))", quoted(fold)),
        None => format!("(lower({name}))"),
    }
}

/// Returns the indexes on the items of lists.
pub(super) fn of_items(table: &Table) -> impl Iterator<Item = Index> {
    let declared = table.definition.indexes().filter_map(|fields| match fields {
        [field] => table.column(field).filter(|column| column.field.item_type().is_some()),
        _ => None,
    });
    declared.map(|column| Index {
        name: constraint_name(&table.name, &column.name, "idx"),
        columns: vec![IndexColumn::new(&column.name)],
        is_of_items: true,
        ..Index::default()
    })
}

/// Returns the names and columns of the indexes for lists. Each contains the scope, the fields and the identifier, in this order.
fn lists(table: &Table) -> Vec<(String, Vec<IndexColumn>)> {
    let identifier = table.identifier();
    let sortable = table.columns.iter().skip(1).filter(|column| column.field.is_sortable() && !column.field.is_scope());
    let is_single = |column: &&Column| column.field.item_type().is_none();
    let declared = table
        .definition
        .indexes()
        .map(|fields| fields.iter().filter_map(|field| table.column(field)).filter(is_single).collect())
        .filter(|fields: &Vec<_>| !fields.is_empty());
    let lists = std::iter::once(vec![]).chain(sortable.map(|column| vec![column])).chain(declared);
    let mut all = Vec::new();
    for fields in lists {
        let fields: Vec<&Column> = fields;
        let scope = table.scope_columns().map(|column| (column, false));
        let sorted = fields.iter().map(|column| (*column, column.field.is_nullable()));
        let last = std::iter::once((identifier, false))
            .filter(|_| !fields.iter().any(|column| column.name == identifier.name));
        let columns = scope.chain(sorted).chain(last);
        let columns =
            columns.map(|(column, is_null_first)| IndexColumn { is_null_first, ..IndexColumn::new(&column.name) });
        let names: Vec<_> = fields.iter().map(|column| column.name.as_str()).collect();
        let name = match names.as_slice() {
            [] => constraint_name(&table.name, &identifier.name, "idx"),
            [one] => constraint_name(&table.name, one, "idx"),
            // Differs from the name of the index on a field with this joined name.
            several => constraint_name(&table.name, &several.join("_"), "cidx"),
        };
        all.push((name, columns.collect()));
    }
    all
}

fn joined_name(table: &str, columns: &[IndexColumn], kind: &str) -> String {
    let columns: Vec<_> = columns.iter().map(|column| column.name.as_str()).collect();
    constraint_name(table, &columns.join("_"), kind)
}
