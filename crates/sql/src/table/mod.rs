//! Defines [`Table`], the table of an entity definition, with the names and types of its columns.

mod cache;
mod encoding;
mod failure;
mod mapping;
mod operand;
mod rejections;
mod rules;
mod set_columns;

use std::collections::BTreeMap;
use std::fmt;
use std::sync::OnceLock;

use restwright_list::ValueType;
use restwright_resource::{EntityDefinition, FieldDefinition, IdentifierKind, Managed, UniqueConstraint, ValueBounds};
use sea_query::{Alias, Expr, ExprTrait, IntoTableRef, TableRef, Value as SqlValue};

use crate::dialect::Dialect;

pub(crate) use cache::{Key, Kind, StatementCache};
pub(crate) use encoding::Encoding;
pub(crate) use failure::{failure_of, failure_of_commit};
pub use mapping::TableMapping;
pub(crate) use operand::Operand;
pub(crate) use rejections::Rejections;
pub(crate) use rules::{ColumnLimit, ReadBack, Rules, Triggers};
pub(crate) use set_columns::SetColumns;

/// The name of the version column in a table whose entities have no version field.
const VERSION: &str = "row_version";

/// The version of the Unicode tables that case folding uses.
pub(crate) const FOLDING_VERSION: i32 = 16;

/// The name of the column that stores the Unicode version of the row's case-folded strings.
pub(crate) const FOLDING: &str = "row_folding";

/// The table that stores the entities of an entity definition.
pub(crate) struct Table {
    pub(crate) dialect: &'static Dialect,
    pub(crate) definition: EntityDefinition,
    pub(crate) schema: Option<String>,
    pub(crate) name: String,
    /// The columns in the order in which the fields are declared, with the identifier first.
    pub(crate) columns: Vec<Column>,
    /// The version column. Without a version column, the version of a row is its digest.
    pub(crate) version: Option<VersionColumn>,
    pub(crate) statements: StatementCache,
    /// Maps the name of each constraint in the database to its columns, without the scope columns.
    pub(crate) constraints: OnceLock<BTreeMap<String, Vec<String>>>,
    /// The limits and checks of the columns, which the store reads at startup.
    pub(crate) rules: OnceLock<Rules>,
    /// The value bounds that each property declares, by field name.
    pub(crate) bounds: OnceLock<BTreeMap<String, ValueBounds>>,
}

/// The column that stores the version of a row.
pub(crate) struct VersionColumn {
    pub(crate) name: String,
    /// The index of the version column in the table's columns, if the version is a field.
    pub(crate) field: Option<usize>,
}

/// The column that stores a field.
pub(crate) struct Column {
    pub(crate) dialect: &'static Dialect,
    pub(crate) name: String,
    pub(crate) field: FieldDefinition,
    /// The search method for strings in the field.
    pub(crate) search: Search,
    /// The encoding of the column's values, which the store reads at startup.
    pub(crate) encoding: OnceLock<Encoding>,
}

/// A search method for strings in a field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Search {
    /// Compares the case-folded strings in an additional column. Contains the name of this column.
    Folded(String),
    /// Compares the field itself, and ignores the case of ASCII letters only.
    Ascii,
}

impl Table {
    pub(crate) fn new(dialect: &'static Dialect, definition: &EntityDefinition, mapping: &TableMapping) -> Self {
        let ignores_case =
            |field: &FieldDefinition| definition.unique_constraints().any(|constraint| folds(constraint, field));
        let columns: Vec<_> = definition
            .fields()
            .map(|field| {
                let name = mapping.column_of(field.name());
                let is_folded = (field.is_searchable() || ignores_case(field)) && !mapping.is_ascii(field.name());
                let search = if is_folded { Search::Folded(format!("{name}_folded")) } else { Search::Ascii };
                Column { dialect, name, field: field.clone(), search, encoding: OnceLock::new() }
            })
            .collect();
        let shown = columns.iter().position(|column| column.field.managed() == Some(Managed::Version));
        let version = match (shown, mapping.version_column()) {
            (Some(field), _) => columns.get(field).map(|column| column.name.clone()),
            (None, given) => given.map(str::to_owned).or_else(|| mapping.has_version().then(|| VERSION.to_owned())),
        };
        Self {
            dialect,
            definition: definition.clone(),
            schema: mapping.schema_name().map(str::to_owned),
            name: mapping.name().unwrap_or(definition.name()).to_owned(),
            columns,
            version: version.map(|name| VersionColumn { name, field: shown }),
            statements: StatementCache::default(),
            constraints: OnceLock::new(),
            rules: OnceLock::new(),
            bounds: OnceLock::new(),
        }
    }

    pub(crate) fn identifier(&self) -> &Column {
        // The identifier is the first field of a definition.
        #[expect(clippy::indexing_slicing, reason = "every definition has an identifier")]
        &self.columns[0]
    }

    /// Returns the column of a field.
    pub(crate) fn column(&self, field: &str) -> Option<&Column> {
        self.columns.iter().find(|column| column.field.name() == field)
    }

    pub(crate) fn scope_columns(&self) -> impl Iterator<Item = &Column> {
        self.columns.iter().filter(|column| column.field.is_scope())
    }

    /// Returns the column that stores the time of the deletion, if deleted rows stay in the table.
    pub(crate) fn deletion_column(&self) -> Option<&Column> {
        self.columns.iter().find(|column| column.field.managed() == Some(Managed::DeletedAt))
    }

    /// Returns each unique constraint with its columns, without the scope columns.
    pub(crate) fn unique_columns(&self) -> impl Iterator<Item = (&UniqueConstraint, Vec<&Column>)> {
        self.definition
            .unique_constraints()
            .map(|constraint| (constraint, constraint.fields().iter().filter_map(|field| self.column(field)).collect()))
    }

    /// Returns the columns of a constraint, without the scope columns. Finds constraints by the names that the store read at startup, and
    /// by the names that this crate gives to constraints.
    #[cfg(feature = "postgres")]
    pub(crate) fn columns_of_constraint(&self, constraint: &str) -> Vec<String> {
        if let Some(columns) = self.constraints.get().and_then(|constraints| constraints.get(constraint)) {
            return columns.clone();
        }
        if constraint == format!("{}_pkey", self.name) {
            return vec![self.identifier().name.clone()];
        }
        let names = |(_, columns): (_, Vec<&Column>)| columns.iter().map(|column| column.name.clone()).collect();
        let unique = self.unique_columns().map(names);
        let mut unique = unique.filter(|names: &Vec<String>| constraint == unique_name(&self.name, names));
        let is_of = |column: &&Column| constraint == reference_name(&self.name, &column.name);
        let reference = || self.columns.iter().find(is_of).map(|column| vec![column.name.clone()]);
        unique.next().or_else(reference).unwrap_or_default()
    }

    /// Returns the column of a check constraint, if the check concerns only one column.
    pub(crate) fn column_of_check(&self, check: &str) -> Option<String> {
        self.rules.get()?.checks.get(check).cloned()
    }

    /// Returns `true` if the database computes the values of a column, so no statement can set them.
    pub(crate) fn is_generated(&self, column: &str) -> bool {
        self.rules.get().is_some_and(|rules| rules.generated.contains(column))
    }

    /// Returns what triggers and generated columns do to writes. The store reads it at startup.
    pub(crate) fn triggers(&self) -> Triggers {
        self.rules.get().map(|rules| rules.triggers).unwrap_or_default()
    }

    /// Returns `true` if the database may change the values of an insert or update.
    pub(crate) fn may_change_values(&self) -> bool {
        let Triggers { inserts, updates, .. } = self.triggers();
        [inserts, updates] != [ReadBack::Nothing; 2]
    }

    /// Returns `true` if triggers may change strings that also have a case-folded copy.
    pub(crate) fn may_change_folded(&self) -> bool {
        self.rules.get().is_some_and(|rules| rules.may_change_folded)
    }

    /// Stores the bounds that the properties of a definition declare, unless another resource has already declared them.
    pub(crate) fn set_bounds(&self, definition: &EntityDefinition) {
        let declared = definition.fields().filter_map(|field| Some((field.name().to_owned(), field.bounds()?)));
        let declared: BTreeMap<_, _> = declared.collect();
        if !declared.is_empty() {
            // Each operation of a resource declares the same bounds.
            let _ = self.bounds.set(declared);
        }
    }

    /// Returns the field that a column stores.
    pub(crate) fn field_of(&self, column: &str) -> Option<&FieldDefinition> {
        self.columns.iter().find(|own| own.name == column).map(|own| &own.field)
    }

    /// Returns `true` if the table has columns for case-folded strings.
    pub(crate) fn is_folded(&self) -> bool {
        self.columns.iter().any(|column| column.fold().is_some())
    }

    pub(crate) fn reference(&self) -> TableRef {
        match &self.schema {
            Some(schema) => (Alias::new(schema), Alias::new(&self.name)).into_table_ref(),
            None => Alias::new(&self.name).into_table_ref(),
        }
    }
}

/// Returns `true` if a unique constraint compares the values of a field regardless of case.
pub(crate) fn folds(constraint: &UniqueConstraint, field: &FieldDefinition) -> bool {
    constraint.ignores_case()
        && field.value_type() == ValueType::Text
        && constraint.fields().iter().any(|name| name == field.name())
}

/// Returns the names of the scope fields that two definitions share. If clients choose the identifiers of `target`, all its scope fields
/// that `own` contains are shared.
pub(crate) fn shared_fields<'d>(
    own: &'d EntityDefinition,
    target: &'d EntityDefinition,
) -> impl Iterator<Item = String> + 'd {
    let is_given = matches!(target.identifier_kind(), IdentifierKind::Given(_));
    let is_shared = move |field: &&FieldDefinition| own.get(field.name()).is_some_and(|own| is_given || own.is_scope());
    target.scope_fields().filter(is_shared).map(|field| field.name().to_owned())
}

/// Returns the name of the unique index on the scope columns and `columns`.
pub(crate) fn unique_name(table: &str, columns: &[impl AsRef<str>]) -> String {
    match columns {
        [column] => constraint_name(table, column.as_ref(), "key"),
        // Differs from the name of the index on a column with this joined name.
        columns => {
            let names: Vec<_> = columns.iter().map(AsRef::as_ref).collect();
            constraint_name(table, &names.join("_"), "ckey")
        }
    }
}

/// Returns the name of the foreign key on a column.
pub(crate) fn reference_name(table: &str, column: &str) -> String {
    constraint_name(table, column, "fkey")
}

/// Returns the name of a constraint or index, at most 63 bytes long, because PostgreSQL truncates longer names.
pub(crate) fn constraint_name(table: &str, column: &str, kind: &str) -> String {
    let name = format!("{table}_{column}_{kind}");
    if name.len() <= 63 {
        return name;
    }
    // Uses FNV-1a, because names must be the same in every build.
    let hash = name
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
    let end = (0..=40).rev().find(|end| name.is_char_boundary(*end)).unwrap_or_default();
    format!("{}_{hash:016x}_{kind}", name.get(..end).unwrap_or_default())
}

impl Column {
    pub(crate) fn alias(&self) -> Alias {
        Alias::new(&self.name)
    }

    pub(crate) fn is_json(&self) -> bool {
        self.field.value_type() == ValueType::Json
    }

    /// Returns the expression that sorts and compares the column by code point.
    pub(crate) fn ordered(&self) -> Expr {
        let column = Expr::col(self.alias());
        if self.encoding().is_of_language { (self.dialect.in_code_point_order)(column) } else { column }
    }

    /// Returns the SQL expression for a bound value. It contains a cast to the type of the column if necessary.
    pub(crate) fn bound(&self, value: SqlValue) -> Expr {
        match self.dialect.json_type {
            Some(json) if self.is_json() => Expr::val(value).cast_as(Alias::new(json)),
            _ => Expr::val(value),
        }
    }

    /// Returns the name of the column for case-folded strings, if there is one.
    pub(crate) fn fold(&self) -> Option<&str> {
        match &self.search {
            Search::Folded(name) => Some(name),
            Search::Ascii => None,
        }
    }
}

impl fmt::Debug for Table {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Table({self})")
    }
}

impl fmt::Debug for Column {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Column({})", self.name)
    }
}

/// Formats the schema and the name of the table.
impl fmt::Display for Table {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.schema {
            Some(schema) => write!(formatter, "{schema}.{}", self.name),
            None => formatter.write_str(&self.name),
        }
    }
}
