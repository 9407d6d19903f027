//! Contains the schema of a store, the SQL that creates the schema, and the migration.

mod adopt;
mod compare;
mod conflicts;
mod difference;
mod fold;
mod found_table;
mod migration;
mod nulls;
#[cfg(test)]
mod plans;
#[cfg(feature = "postgres")]
mod postgres;
#[cfg(feature = "postgres")]
mod postgres_conversion;
#[cfg(feature = "postgres")]
mod postgres_migration;
#[cfg(feature = "postgres")]
mod postgres_sessions;
#[cfg(feature = "postgres")]
mod postgres_suitability;
#[cfg(test)]
mod reads;
#[cfg(feature = "sqlite")]
mod rebuild;
mod rename;
mod rights;
mod rules;
mod served;
mod shared_tables;
mod sql;
#[cfg(feature = "sqlite")]
mod sqlite;
#[cfg(feature = "sqlite")]
mod sqlite_checks;
#[cfg(feature = "sqlite")]
mod sqlite_conversion;
mod types;

use std::sync::Arc;

use crate::dialect::Dialect;
use crate::store::{Shared, SqlStore};
use crate::table::Table;
use crate::wanted::TableSchema;

pub(crate) use served::list_note;

/// The tables that the declared definitions need, and the errors in the definitions.
pub(crate) struct Schema {
    pub(crate) tables: Vec<(Arc<Table>, TableSchema)>,
    /// The tables without an entity definition, such as the table of idempotency keys.
    pub(crate) own: Vec<TableSchema>,
    pub(crate) mistakes: Vec<String>,
}

impl Schema {
    pub(crate) fn new(shared: &Shared) -> Self {
        let all = shared.all_tables();
        let mut mistakes = Vec::new();
        let tables: Vec<_> =
            all.iter().map(|table| (Arc::clone(table), TableSchema::new(table, &all, &mut mistakes))).collect();
        shared_tables::check(&tables, shared.settings.migrates, &mut mistakes);
        Self { tables, own: shared.own_tables(), mistakes }
    }

    /// Returns the schemas of all tables. The tables of entity definitions come first.
    pub(crate) fn table_schemas(&self) -> impl Iterator<Item = &TableSchema> {
        self.tables.iter().map(|(_, table)| table).chain(&self.own)
    }

    /// Returns the statements that create all tables and indexes. Foreign keys come last, after their targets.
    fn statements(&self, dialect: &Dialect) -> Vec<String> {
        let mut statements = Vec::new();
        let tables: Vec<_> = self.table_schemas().enumerate().filter_map(|(place, _)| self.created(place)).collect();
        for table in &tables {
            statements.push(sql::create_table(table));
            statements.extend(table.indexes.iter().map(|index| sql::create_index(table, index)));
        }
        if dialect.alters_tables {
            for table in &tables {
                statements.extend(table.foreign_keys.iter().map(|key| sql::add_foreign_key(table, key)));
            }
        }
        statements
    }
}

impl SqlStore {
    /// Returns the SQL that creates the tables and indexes of all declared definitions. The SQL requires an empty database. Each statement ends with
    /// a semicolon.
    ///
    /// Building an Api declares its definitions. [`migrate`](Self::migrate) runs these statements when the Api starts. If some tables already exist,
    /// it adds only the missing parts.
    ///
    /// ```
    /// use restwright_list::ValueType;
    /// use restwright_resource::{EntityDefinition, FieldDefinition, IdentifierKind};
    /// use restwright_sql::SqlStore;
    ///
    /// let animals = EntityDefinition::new("animals", "id", IdentifierKind::Integer)
    ///     .field(FieldDefinition::new("name", ValueType::Text).sortable());
    /// let store = SqlStore::new("sqlite://animals.db");
    /// store.declare(&animals).unwrap();
    /// assert_eq!(
    ///     store.ddl(),
    ///     r#"CREATE TABLE "animals" (
    ///   "id" INTEGER PRIMARY KEY AUTOINCREMENT,
    ///   "name" TEXT NOT NULL,
    ///   "row_version" BIGINT NOT NULL DEFAULT 1
    /// );
    /// CREATE INDEX "animals_name_idx" ON "animals" ("name", "id");
    /// "#
    /// );
    /// ```
    #[must_use]
    pub fn ddl(&self) -> String {
        Schema::new(&self.shared).statements(self.dialect()).iter().map(|statement| format!("{statement};\n")).collect()
    }
}
