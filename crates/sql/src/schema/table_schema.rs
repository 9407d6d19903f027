//! Defines [`TableSchema`], the columns, keys and indexes that an entity definition requires.

use std::sync::Arc;

use restwright_list::ValueType;
use restwright_resource::{IdentifierKind, Managed, OnDelete};

use crate::dialect::Dialect;
use crate::failure::shared_fields;
use crate::statements::FOLDING_VERSION;
use crate::table::{Column, FOLDING, Table, constraint_name, reference_name, unique_name};

/// A table that the database must contain.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct TableSchema {
    pub(crate) schema: Option<String>,
    pub(crate) name: String,
    pub(crate) columns: Vec<ColumnSchema>,
    pub(crate) primary_key: Vec<String>,
    pub(crate) indexes: Vec<Index>,
    pub(crate) foreign_keys: Vec<ForeignKey>,
}

/// A column of a table that the database must contain.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ColumnSchema {
    pub(crate) name: String,
    pub(crate) kind: ColumnKind,
    pub(crate) is_nullable: bool,
}

/// The kind of values that a column stores.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ColumnKind {
    /// Integers that the database generates.
    Identity,
    /// The values of a field.
    Value(ValueType),
    /// The version of the row, an integer.
    Version,
    /// The case-folded copies of the strings in the preceding column.
    Fold,
    /// The Unicode version with which the row's strings were case-folded. Null means that the strings must be case-folded again.
    Folding,
    /// Bytes, which only tables without an entity definition contain.
    Bytes,
}

/// An index that the database must contain.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Index {
    pub(crate) name: String,
    pub(crate) columns: Vec<IndexColumn>,
    pub(crate) is_unique: bool,
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
}

/// A foreign key that the database must contain.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ForeignKey {
    pub(crate) name: String,
    pub(crate) columns: Vec<String>,
    pub(crate) target_schema: Option<String>,
    pub(crate) target: String,
    pub(crate) target_columns: Vec<String>,
    pub(crate) is_cascade: bool,
}

impl TableSchema {
    /// Returns the columns, keys and indexes that a table needs. Adds errors in its references to `mistakes`.
    pub(crate) fn new<D: Dialect>(table: &Table, all: &[Arc<Table>], mistakes: &mut Vec<String>) -> Self {
        let foreign_keys = foreign_keys(table, all, mistakes);
        let primary_key = primary_key(table);
        let mut indexes = indexes(table, all, &primary_key, &foreign_keys);
        indexes.extend(of_items(table).filter(|_| D::INDEXES_ITEMS));
        let (schema, name) = (table.schema.clone(), table.name.clone());
        Self { schema, name, columns: columns(table), primary_key, indexes, foreign_keys }
    }

    /// Returns the quoted name of the table for SQL, which includes the schema if there is one.
    pub(crate) fn qualified(&self) -> String {
        super::sql::qualified(self.schema.as_deref(), &self.name)
    }

    /// Returns the name of the identifier column, which is the last column of the primary key.
    pub(crate) fn identifier(&self) -> &str {
        self.primary_key.last().map(String::as_str).unwrap_or_default()
    }

    /// Returns the name of the table for messages, which includes the schema if there is one.
    pub(crate) fn shown(&self) -> String {
        self.schema.iter().chain([&self.name]).cloned().collect::<Vec<_>>().join(".")
    }

    /// Returns a unique index on the required primary key columns. An existing table with a different primary key needs this index.
    pub(crate) fn identifier_index(&self) -> Index {
        let identifier = self.identifier();
        let columns = self.primary_key.iter().map(|name| IndexColumn { name: name.clone(), is_null_first: false });
        Index {
            name: unique_name(&self.name, &[identifier]),
            columns: columns.collect(),
            is_unique: true,
            sorted_from: None,
            condition: None,
            is_of_items: false,
        }
    }
}

fn columns(table: &Table) -> Vec<ColumnSchema> {
    let mut columns = Vec::new();
    let is_made = table.definition.identifier_kind() == IdentifierKind::Integer;
    for (index, column) in table.columns.iter().enumerate() {
        let field = &column.field;
        let kind = match field.managed() {
            Some(Managed::Version) => ColumnKind::Version,
            _ if index == 0 && is_made => ColumnKind::Identity,
            _ => ColumnKind::Value(field.value_type()),
        };
        columns.push(ColumnSchema { name: column.name.clone(), kind, is_nullable: field.is_nullable() });
        let fold = column.fold().map(str::to_owned);
        columns.extend(fold.map(|name| ColumnSchema { name, kind: ColumnKind::Fold, is_nullable: true }));
    }
    if table.is_folded() {
        columns.push(ColumnSchema { name: FOLDING.to_owned(), kind: ColumnKind::Folding, is_nullable: true });
    }
    if let Some(version) = table.version.as_ref().filter(|version| version.field.is_none()) {
        columns.push(ColumnSchema { name: version.name.clone(), kind: ColumnKind::Version, is_nullable: false });
    }
    columns
}

fn primary_key(table: &Table) -> Vec<String> {
    let is_given = matches!(table.definition.identifier_kind(), IdentifierKind::Given(_));
    let scope = table.scope_columns().filter(|_| is_given);
    scope.chain([table.identifier()]).map(|column| column.name.clone()).collect()
}

fn foreign_keys(table: &Table, all: &[Arc<Table>], mistakes: &mut Vec<String>) -> Vec<ForeignKey> {
    let mut keys = Vec::new();
    for column in &table.columns {
        let Some((name, on_delete)) = column.field.reference() else { continue };
        let (field, own) = (column.field.name(), table.definition.name());
        let Some(target) = all.iter().find(|target| target.definition.name() == name) else {
            mistakes.push(format!(
                "the field `{field}` of `{own}` refers to `{name}`, for which the store has no definition; add their resource to the Api on \
                 this store, or `declare` their definition"
            ));
            continue;
        };
        let missing = missing_scope(table, target);
        if !missing.is_empty() {
            mistakes.push(format!(
                "the field `{field}` of `{own}` refers to `{name}`, whose identifiers are unique only within {}; add the same fields to `{own}`",
                missing.join(", ")
            ));
            continue;
        }
        let (columns, target_columns) = reference_columns(table, column, target);
        keys.push(ForeignKey {
            name: reference_name(&table.name, &column.name),
            columns,
            target_schema: target.schema.clone(),
            target: target.name.clone(),
            target_columns,
            is_cascade: on_delete == OnDelete::Cascade,
        });
    }
    keys
}

/// Returns the scope fields of a referenced definition that the referring definition lacks. Identifiers that clients choose are unique only
/// together with these fields.
fn missing_scope(table: &Table, target: &Table) -> Vec<String> {
    if !matches!(target.definition.identifier_kind(), IdentifierKind::Given(_)) {
        return Vec::new();
    }
    let lacks = |field: &&str| table.definition.get(field).is_none();
    let scope = target.definition.scope_fields().map(|field| field.name()).filter(lacks);
    scope.map(|field| format!("`{field}`")).collect()
}

/// Returns the names of a foreign key's columns, and the names of the referenced columns.
fn reference_columns(table: &Table, column: &Column, target: &Table) -> (Vec<String>, Vec<String>) {
    let shared: Vec<_> = shared_fields(&table.definition, &target.definition).collect();
    let own = shared.iter().filter_map(|field| table.column(field)).chain([column]);
    let targets = shared.iter().filter_map(|field| target.column(field)).chain([target.identifier()]);
    let names = |column: &Column| column.name.clone();
    (own.map(names).collect(), targets.map(names).collect())
}

fn indexes(table: &Table, all: &[Arc<Table>], primary_key: &[String], keys: &[ForeignKey]) -> Vec<Index> {
    let plain = |names: &[String]| -> Vec<_> {
        names.iter().map(|name| IndexColumn { name: name.clone(), is_null_first: false }).collect()
    };
    let scope: Vec<_> = table.scope_columns().map(|column| column.name.clone()).collect();
    let within = |names: &[&str]| -> Vec<_> {
        let names = names.iter().map(|name| (*name).to_owned());
        plain(&scope.iter().cloned().chain(names).collect::<Vec<_>>())
    };
    let identifier = &table.identifier().name;
    let mut indexes = Vec::new();
    for columns in table.unique_columns() {
        let names: Vec<_> = columns.iter().map(|column| column.name.as_str()).collect();
        let name = unique_name(&table.name, &names);
        // The values of deleted rows are free.
        let condition = table.deletion_column().map(|column| format!("{} IS NULL", super::sql::quoted(&column.name)));
        indexes.push(Index {
            name,
            columns: within(&names),
            is_unique: true,
            sorted_from: None,
            condition,
            is_of_items: false,
        });
    }
    // The database requires unique targets of references.
    let primary = Index {
        name: String::new(),
        columns: plain(primary_key),
        is_unique: true,
        sorted_from: None,
        condition: None,
        is_of_items: false,
    };
    for columns in targets(table, all) {
        let columns = plain(&columns);
        let is_whole = |index: &Index| index.condition.is_none() && index.columns == columns;
        if columns != primary.columns && !indexes.iter().any(is_whole) {
            let name = joined_name(&table.name, &columns, "uidx");
            indexes.push(Index {
                name,
                columns,
                is_unique: true,
                sorted_from: None,
                condition: None,
                is_of_items: false,
            });
        }
    }
    for (name, columns) in lists(table) {
        let begins = |index: &Index| index.condition.is_none() && index.columns.starts_with(&columns);
        let is_there = indexes.iter().chain([&primary]).any(begins);
        if !is_there {
            indexes.push(Index {
                name,
                columns,
                is_unique: false,
                sorted_from: Some(scope.len()),
                condition: None,
                is_of_items: false,
            });
        }
    }
    for key in keys {
        let is_there = indexes.iter().chain([&primary]).any(|index| index.begins_with(&key.columns));
        if !is_there {
            let columns = plain(&key.columns);
            let name = joined_name(&table.name, &columns, "fidx");
            indexes.push(Index {
                name,
                columns,
                is_unique: false,
                sorted_from: None,
                condition: None,
                is_of_items: false,
            });
        }
    }
    if table.is_folded() {
        let name = constraint_name(&table.name, &format!("{FOLDING}_{FOLDING_VERSION}"), "idx");
        let condition = Some(unfolded());
        indexes.push(Index {
            name,
            columns: plain(std::slice::from_ref(identifier)),
            is_unique: false,
            sorted_from: None,
            condition,
            is_of_items: false,
        });
    }
    indexes
}

/// Returns the indexes on the items of lists.
fn of_items(table: &Table) -> impl Iterator<Item = Index> {
    let declared = table.definition.indexes().filter_map(|fields| match fields {
        [field] => table.column(field).filter(|column| column.field.item_type().is_some()),
        _ => None,
    });
    declared.map(|column| Index {
        name: constraint_name(&table.name, &column.name, "idx"),
        columns: vec![IndexColumn { name: column.name.clone(), is_null_first: false }],
        is_unique: false,
        sorted_from: None,
        condition: None,
        is_of_items: true,
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
        let columns = columns.map(|(column, is_null_first)| IndexColumn { name: column.name.clone(), is_null_first });
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

/// Returns the columns that foreign keys to this table refer to.
fn targets(table: &Table, all: &[Arc<Table>]) -> Vec<Vec<String>> {
    let referring = all.iter().flat_map(|other| other.columns.iter().map(move |column| (other, column)));
    let targets = referring.filter(|(other, column)| {
        let is_to_it = column.field.reference().is_some_and(|(name, _)| name == table.definition.name());
        is_to_it && missing_scope(other, table).is_empty()
    });
    targets.map(|(other, column)| reference_columns(other, column, table).1).collect()
}

fn joined_name(table: &str, columns: &[IndexColumn], kind: &str) -> String {
    let columns: Vec<_> = columns.iter().map(|column| column.name.as_str()).collect();
    constraint_name(table, &columns.join("_"), kind)
}

/// Returns the SQL condition for rows whose strings were not case-folded with the current Unicode version. Indexes and queries contain
/// exactly this string, so queries use the index.
pub(crate) fn unfolded() -> String {
    format!("\"{FOLDING}\" IS DISTINCT FROM {FOLDING_VERSION}")
}

impl Index {
    /// Returns `true` if the index starts with these columns in any order. The index then finds a row by the values of these columns.
    fn begins_with(&self, columns: &[String]) -> bool {
        let first = self.columns.get(..columns.len()).unwrap_or_default();
        self.condition.is_none()
            && !self.is_of_items
            && !first.is_empty()
            && first.iter().all(|column| columns.contains(&column.name))
    }
}
