//! Starts without a migration. The error lists every difference with the SQL that removes it.

use restwright_list::ValueType;
use restwright_resource::{EntityDefinition, FieldDefinition, IdentifierKind, OnDelete};

use super::database::{Database, on_postgres, on_sqlite, start};

fn owners() -> EntityDefinition {
    EntityDefinition::new("owners", "id", IdentifierKind::Integer)
}

fn animals() -> EntityDefinition {
    EntityDefinition::new("animals", "id", IdentifierKind::Integer)
        .field(FieldDefinition::new("name", ValueType::Text).searchable().sortable())
        .field(FieldDefinition::new("chip", ValueType::Text).nullable().unique())
        .field(FieldDefinition::new("moment", ValueType::DateTime))
        .field(FieldDefinition::new("uuid", ValueType::Uuid).nullable())
        .field(FieldDefinition::new("owner", ValueType::Integer).nullable().references("owners", OnDelete::Cascade))
}

/// Changes the tables of the definitions. Checks that the start lists the differences, and succeeds after the SQL in its message.
async fn check(database: &Database, change: &str, expected: &[&str]) {
    let definitions = [owners(), animals()];
    let store = database.store(&definitions);
    database.run(&store.ddl()).await;
    start(&store).await.unwrap();
    database.run(change).await;
    let message = start(&store).await.expect_err(change);
    let named: Vec<_> = message.lines().filter_map(|line| line.strip_prefix("- ")).collect();
    assert_eq!(named, expected, "{change}\n{message}");
    let sql: Vec<_> = message.lines().filter_map(|line| line.strip_prefix("    ")).collect();
    database.run(&sql.join("\n")).await;
    start(&store).await.unwrap_or_else(|error| panic!("{change}\n{message}\n\n{error}"));
}

macro_rules! cases {
    ($on:ident; $($name:ident: $change:expr => [$($expected:expr),* $(,)?];)*) => { $(
        #[tokio::test]
        async fn $name() {
            $on(async |database| check(database, $change, &[$($expected),*]).await).await;
        }
    )* };
}

mod postgres {
    use super::*;

    cases! {
        on_postgres;
        a_table: "DROP TABLE animals" => [
            "the table `animals` is missing",
            "the table `animals` lacks the index `animals_chip_key`",
            "the table `animals` lacks the index `animals_name_idx`",
            "the table `animals` lacks the index `animals_owner_fidx`",
            "the table `animals` lacks the index `animals_row_folding_16_idx`",
            "the table `animals` lacks the foreign key `animals_owner_fkey`",
        ];
        columns: "ALTER TABLE animals DROP uuid, DROP name_folded, DROP row_version" => [
            "the table `animals` lacks the column `name_folded`",
            "the table `animals` lacks the column `uuid`",
            "the table `animals` lacks the column `row_version`",
        ];
        a_column_that_is_not_nullable: "ALTER TABLE animals DROP moment" => [
            "the table `animals` lacks the column `moment`, which is not nullable; replace this default with the value for existing rows",
        ];
        types: "ALTER TABLE animals ALTER chip TYPE character(8), ALTER moment TYPE text" => [
            "the table `animals` has the column `chip` of the type `character(8)`, but must have the type `text COLLATE \"C\"`",
            "the table `animals` has the column `moment` of the type `text`, but must have the type `timestamptz`",
        ];
        a_type_with_a_default: "ALTER TABLE animals ALTER chip TYPE character(8), ALTER chip SET DEFAULT 'unknown'" => [
            "the table `animals` has the column `chip` of the type `character(8)`, but must have the type `text COLLATE \"C\"`; \
             the statement drops the default `'unknown'::bpchar`, so set it again if other programs insert rows",
        ];
        nulls: "ALTER TABLE animals ALTER name DROP NOT NULL, ALTER uuid SET NOT NULL" => [
            "the table `animals` has the nullable column `name`, but its field is not nullable",
            "the table `animals` has the column `uuid` that is not nullable, but its field is nullable",
        ];
        a_column_without_a_field: "ALTER TABLE animals ADD colour text NOT NULL" => [
            "the table `animals` has the column `colour` without a field, which must be nullable or have a default",
        ];
        an_identifier_that_is_not_generated: "ALTER TABLE animals ALTER id DROP IDENTITY" => [
            "the table `animals` has the column `id`, whose values the database does not generate",
        ];
        a_primary_key: "ALTER TABLE animals DROP CONSTRAINT animals_pkey" => [
            "the table `animals` has no unique index on `id`",
        ];
        indexes: "DROP INDEX animals_chip_key; CREATE INDEX chips ON animals (chip); DROP INDEX animals_name_idx; \
                  CREATE INDEX names ON animals (name DESC, id)" => [
            "the table `animals` lacks the index `animals_chip_key`",
            "the table `animals` lacks the index `animals_name_idx`",
        ];
        another_collation: "ALTER TABLE animals ALTER name TYPE text COLLATE \"en-x-icu\"" => [
            "the table `animals` has an index `animals_name_idx` that does not serve the definition",
        ];
        a_foreign_key: "ALTER TABLE animals DROP CONSTRAINT animals_owner_fkey" => [
            "the table `animals` lacks the foreign key `animals_owner_fkey`",
        ];
        another_foreign_key: "ALTER TABLE animals DROP CONSTRAINT animals_owner_fkey; \
                              ALTER TABLE animals ADD CONSTRAINT owns FOREIGN KEY (owner) REFERENCES owners ON DELETE SET NULL" => [
            "the table `animals` has a foreign key on `owner` that is not `ON DELETE CASCADE`",
        ];
    }
}

mod sqlite {
    use super::*;

    /// Replaces the table of the animals.
    macro_rules! animals {
        ($($column:literal)*) => {
            concat!("DROP TABLE animals; CREATE TABLE animals (", $($column, ", ",)* "row_folding integer, row_version integer NOT NULL);\
                INSERT INTO animals (id, name, moment, row_version) VALUES (1, 'Rex', '2024-02-29 12:30:00', 1);")
        };
    }

    cases! {
        on_sqlite;
        a_table: "DROP TABLE animals" => [
            "the table `animals` is missing",
            "the table `animals` lacks the index `animals_chip_key`",
            "the table `animals` lacks the index `animals_name_idx`",
            "the table `animals` lacks the index `animals_owner_fidx`",
            "the table `animals` lacks the index `animals_row_folding_16_idx`",
        ];
        columns: "DROP INDEX animals_owner_fidx; ALTER TABLE animals DROP uuid; ALTER TABLE animals DROP name_folded; \
                  ALTER TABLE animals DROP row_version" => [
            "the table `animals` lacks the column `name_folded`",
            "the table `animals` lacks the column `uuid`",
            "the table `animals` lacks the column `row_version`",
            "the table `animals` lacks the index `animals_owner_fidx`",
        ];
        a_column_that_is_not_nullable: "ALTER TABLE animals DROP moment" => [
            "the table `animals` lacks the column `moment`, which is not nullable; replace this default with the value for existing rows",
        ];
        a_column_with_a_reference: animals!("id integer PRIMARY KEY AUTOINCREMENT" "name text NOT NULL" "name_folded text" "chip text"
                                            "moment integer NOT NULL" "uuid blob") => [
            "the table `animals` lacks the column `owner`",
            "the table `animals` lacks the index `animals_chip_key`",
            "the table `animals` lacks the index `animals_name_idx`",
            "the table `animals` lacks the index `animals_owner_fidx`",
            "the table `animals` lacks the index `animals_row_folding_16_idx`",
        ];
        changes_that_require_a_new_table: animals!("id bigint PRIMARY KEY" "name varchar(10) COLLATE NOCASE" "name_folded text" "chip numeric"
                                                "moment datetime NOT NULL" "uuid blob" "owner integer" "colour text DEFAULT 'red' NOT NULL") => [
            "the table `animals` has the column `id`, whose values the database does not generate",
            "the table `animals` has the column `name` of the type `varchar(10)` with a collation that treats different strings as equal, but must have the type `TEXT`",
            "the table `animals` has the nullable column `name`, but its field is not nullable",
            "the table `animals` has the column `chip` of the type `numeric`, but must have the type `TEXT`",
            "the table `animals` has the column `moment` of the type `datetime`, but must have the type `BIGINT`",
            "the table `animals` lacks the index `animals_chip_key`",
            "the table `animals` lacks the index `animals_name_idx`",
            "the table `animals` lacks the index `animals_owner_fidx`",
            "the table `animals` lacks the index `animals_row_folding_16_idx`",
            "the table `animals` lacks the foreign key `animals_owner_fkey`",
        ];
        indexes: "DROP INDEX animals_chip_key; CREATE INDEX chips ON animals (chip); DROP INDEX animals_name_idx; \
                  CREATE INDEX names ON animals (name COLLATE NOCASE, id)" => [
            "the table `animals` lacks the index `animals_chip_key`",
            "the table `animals` lacks the index `animals_name_idx`",
        ];
    }
}
