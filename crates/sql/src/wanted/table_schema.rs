//! Defines [`TableSchema`], the columns, keys and indexes that an entity definition requires.

use std::sync::Arc;

use restwright_list::ValueType;
use restwright_resource::{EntityDefinition, FieldDefinition, IdentifierKind, Managed, OnDelete};

use super::indexes::{Index, IndexColumn, indexes, of_items};
use crate::dialect::{Dialect, qualified};
use crate::table::{Column, FOLDING, FOLDING_VERSION, Table, reference_name, shared_fields, unique_name};

/// A table that the database must contain.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct TableSchema {
    pub(crate) dialect: &'static Dialect,
    pub(crate) schema: Option<String>,
    pub(crate) name: String,
    pub(crate) columns: Vec<ColumnSchema>,
    pub(crate) primary_key: Vec<String>,
    pub(crate) indexes: Vec<Index>,
    pub(crate) foreign_keys: Vec<ForeignKey>,
    /// The references that stay after a delete of their target. They must not be foreign keys.
    pub(crate) kept_references: Vec<ForeignKey>,
    /// The definition whose entities the table contains, if there is one.
    pub(crate) definition: Option<EntityDefinition>,
}

/// A column of a table that the database must contain.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ColumnSchema {
    pub(crate) name: String,
    /// The name of the field that the column stores, if there is one.
    pub(crate) field: Option<String>,
    pub(crate) kind: ColumnKind,
    pub(crate) is_nullable: bool,
    /// `true` if a generated column of the database may contain the values, because the store does not depend on what it writes.
    pub(crate) is_computable: bool,
    /// `true` if updates never set the column.
    pub(crate) is_fixed: bool,
}

impl ColumnSchema {
    /// Creates a column whose values only the store writes.
    pub(crate) fn own(name: &str, kind: ColumnKind, is_nullable: bool) -> Self {
        Self { name: name.to_owned(), field: None, kind, is_nullable, is_computable: false, is_fixed: false }
    }
}

/// The kind of values that a column stores.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ColumnKind {
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
    pub(crate) fn new(table: &Table, all: &[Arc<Table>], mistakes: &mut Vec<String>) -> Self {
        let (kept_references, foreign_keys): (Vec<_>, Vec<_>) =
            references(table, all, mistakes).into_iter().partition(|(on_delete, _)| *on_delete == OnDelete::Keep);
        let [kept_references, foreign_keys] =
            [kept_references, foreign_keys].map(|all| all.into_iter().map(|(_, key)| key).collect::<Vec<_>>());
        let keys: Vec<_> = foreign_keys.iter().chain(&kept_references).collect();
        let primary_key = primary_key(table);
        let mut indexes = indexes(table, all, &primary_key, &keys);
        indexes.extend(of_items(table).filter(|_| table.dialect.indexes_items));
        let (schema, name) = (table.schema.clone(), table.name.clone());
        let definition = Some(table.definition.clone());
        let columns = columns(table);
        Self {
            dialect: table.dialect,
            schema,
            name,
            columns,
            primary_key,
            indexes,
            foreign_keys,
            kept_references,
            definition,
        }
    }

    /// Returns the quoted name of the table for SQL, which includes the schema if there is one.
    pub(crate) fn qualified(&self) -> String {
        qualified(self.schema.as_deref(), &self.name)
    }

    /// Returns the name of the identifier column, which is the last column of the primary key.
    pub(crate) fn identifier(&self) -> &str {
        self.primary_key.last().map(String::as_str).unwrap_or_default()
    }

    /// Returns the names of the scope columns.
    pub(crate) fn scope(&self) -> impl Iterator<Item = &str> {
        let is_scope = |field: &str| self.definition.as_ref()?.get(field).map(FieldDefinition::is_scope);
        let scope = self.columns.iter().filter(move |column| column.field.as_deref().and_then(is_scope) == Some(true));
        scope.map(|column| column.name.as_str())
    }

    /// Returns the name of the table for messages, which includes the schema if there is one.
    pub(crate) fn shown(&self) -> String {
        self.schema.iter().chain([&self.name]).cloned().collect::<Vec<_>>().join(".")
    }

    /// Returns a unique index on the required primary key columns. An existing table with a different primary key needs this index.
    pub(crate) fn identifier_index(&self) -> Index {
        let identifier = self.identifier();
        let columns = self.primary_key.iter().map(IndexColumn::new);
        Index {
            name: unique_name(&self.name, &[identifier]),
            columns: columns.collect(),
            is_unique: true,
            ..Index::default()
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
        let is_plain = index > 0 && !field.is_scope() && field.managed().is_none() && column.fold().is_none();
        columns.push(ColumnSchema {
            name: column.name.clone(),
            field: Some(field.name().to_owned()),
            kind,
            is_nullable: field.is_nullable(),
            is_computable: is_plain,
            is_fixed: index == 0 || field.is_scope(),
        });
        let fold = column.fold().map(str::to_owned);
        columns.extend(fold.map(|name| ColumnSchema::own(&name, ColumnKind::Fold, true)));
    }
    if table.is_folded() {
        columns.push(ColumnSchema::own(FOLDING, ColumnKind::Folding, true));
    }
    if let Some(version) = table.version.as_ref().filter(|version| version.field.is_none()) {
        columns.push(ColumnSchema::own(&version.name, ColumnKind::Version, false));
    }
    columns
}

fn primary_key(table: &Table) -> Vec<String> {
    let is_given = matches!(table.definition.identifier_kind(), IdentifierKind::Given(_));
    let scope = table.scope_columns().filter(|_| is_given);
    scope.chain([table.identifier()]).map(|column| column.name.clone()).collect()
}

fn references(table: &Table, all: &[Arc<Table>], mistakes: &mut Vec<String>) -> Vec<(OnDelete, ForeignKey)> {
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
        let key = ForeignKey {
            name: reference_name(&table.name, &column.name),
            columns,
            target_schema: target.schema.clone(),
            target: target.name.clone(),
            target_columns,
            is_cascade: on_delete == OnDelete::Cascade,
        };
        keys.push((on_delete, key));
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

/// Returns the columns that foreign keys to this table refer to.
pub(super) fn targets(table: &Table, all: &[Arc<Table>]) -> Vec<Vec<String>> {
    let referring = all.iter().flat_map(|other| other.columns.iter().map(move |column| (other, column)));
    let targets = referring.filter(|(other, column)| {
        let is_to_it = column
            .field
            .reference()
            .is_some_and(|(name, on_delete)| name == table.definition.name() && on_delete != OnDelete::Keep);
        is_to_it && missing_scope(other, table).is_empty()
    });
    targets.map(|(other, column)| reference_columns(other, column, table).1).collect()
}

/// Returns the SQL condition for rows whose strings were not case-folded with the current Unicode version. Indexes and queries contain
/// exactly this string, so queries use the index.
pub(crate) fn unfolded() -> String {
    format!("\"{FOLDING}\" IS DISTINCT FROM {FOLDING_VERSION}")
}
