use super::super::database::Database;
use super::{Mutation, check, mutation, report};
use crate::databases::SqliteFile;

const ROWS: &str = "INSERT INTO owners (code, note) VALUES (1, 'a'), (2, 'b'); \
    INSERT INTO animals (name, name_folded, row_folding, chip, kind, legs, weight, tame, moment, uuid, tags, owner, friend) VALUES \
    ('Rex', 'rex', 16, 'x', 'dog', 4, 1.5, TRUE, 7, x'00112233445566778899AABBCCDDEEFF', '[]', 1, NULL), \
    ('Tom', 'tom', 16, NULL, 'cat', 4, 2.5, FALSE, 8, NULL, '[\"loud\"]', NULL, 1), \
    ('Max', 'max', 16, 'y', 'dog', 3, 3.5, FALSE, 9, NULL, '[]', 2, NULL);";

/// The columns of the animals, each with its type and constraints.
macro_rules! columns {
    ($($name:literal: $column:literal),* $(,)?) => { [$(($name, $column)),*] };
}

const COLUMNS: [(&str, &str); 15] = columns! {
    "id": "INTEGER PRIMARY KEY AUTOINCREMENT", "name": "TEXT NOT NULL", "name_folded": "TEXT", "chip": "TEXT", "kind": "TEXT NOT NULL",
    "legs": "BIGINT NOT NULL", "weight": "REAL NOT NULL", "tame": "BOOLEAN NOT NULL", "born": "TEXT", "moment": "BIGINT NOT NULL",
    "uuid": "BLOB", "tags": "TEXT NOT NULL", "owner": "BIGINT REFERENCES owners (code) ON DELETE CASCADE",
    "friend": "BIGINT REFERENCES animals (id) ON DELETE NO ACTION", "row_version": "BIGINT NOT NULL DEFAULT 1",
};

const MUTATIONS: &[Mutation] = &[
    // Columns.
    mutation("DROP INDEX animals_born_idx; ALTER TABLE animals DROP born", "lacks the column `born`"),
    mutation(
        "DROP INDEX animals_legs_idx; ALTER TABLE animals DROP legs",
        "lacks the column `legs`, which is not nullable",
    ),
    mutation("ALTER TABLE animals DROP tags", "lacks the column `tags`, which is not nullable"),
    mutation("ALTER TABLE animals DROP moment; ALTER TABLE animals DROP weight", "lacks the column `weight`"),
    mutation("ALTER TABLE animals DROP tame", "lacks the column `tame`"),
    mutation("ALTER TABLE animals DROP name_folded", "lacks the column `name_folded`"),
    mutation("ALTER TABLE animals DROP row_version", "lacks the column `row_version`"),
    mutation(
        "DROP INDEX animals_row_folding_16_idx; ALTER TABLE animals DROP row_folding",
        "lacks the column `row_folding`",
    ),
    mutation("ALTER TABLE animals DROP uuid", "lacks the column `uuid`"),
    mutation("ALTER TABLE animals RENAME legs TO feet", "has the column `feet` without a field"),
    mutation("ALTER TABLE animals RENAME born TO birth", "lacks the column `born`"),
    mutation("ALTER TABLE owners RENAME note TO remark", "has the column `remark` without a field"),
    // Other tables in place of the animals, with a different declaration of one column.
    mutation("TABLE legs TEXT NOT NULL", "the column `legs` of the type `TEXT`"),
    mutation("TABLE legs REAL NOT NULL", "the column `legs` of the type `REAL`"),
    mutation("TABLE legs BLOB NOT NULL", "the column `legs` of the type `BLOB`"),
    mutation("TABLE legs TEXT NOT NULL DEFAULT '4'", "the column `legs` of the type `TEXT`"),
    mutation("TABLE legs BIGINT", "the nullable column `legs`"),
    mutation("TABLE weight TEXT NOT NULL", "the column `weight` of the type `TEXT`"),
    mutation("TABLE tame TEXT NOT NULL", "the column `tame` of the type `TEXT`"),
    // The integers can be any unit of time.
    mutation("TABLE moment DATETIME NOT NULL", "the column `moment` of the type `DATETIME`")
        .repaired("UPDATE animals SET moment = '2024-02-29 12:30:00'"),
    mutation(
        "TABLE legs TEXT NOT NULL; UPDATE animals SET legs = 'four' WHERE id = 2",
        "in a column of another type that has no exact counterpart, such as `2`",
    )
    .repaired("UPDATE animals SET legs = '4' WHERE id = 2"),
    mutation(
        "TABLE name VARCHAR(20) COLLATE NOCASE NOT NULL",
        "with a collation that treats different strings as equal",
    ),
    mutation("TABLE name TEXT COLLATE RTRIM NOT NULL", "with a collation that treats different strings as equal"),
    mutation("TABLE name NUMERIC NOT NULL", "the column `name` of the type `NUMERIC`"),
    mutation("TABLE name TEXT", "the nullable column `name`"),
    mutation("TABLE name_folded TEXT COLLATE NOCASE", "the column `name_folded`"),
    mutation("TABLE chip TEXT COLLATE NOCASE", "the column `chip`"),
    mutation("TABLE born BLOB", "the column `born` of the type `BLOB`"),
    mutation("TABLE born TEXT NOT NULL DEFAULT '2024-02-29'", "`born` that is not nullable"),
    mutation("TABLE tags BLOB NOT NULL", "the column `tags` of the type `BLOB`"),
    mutation("TABLE row_version TEXT NOT NULL DEFAULT 1", "the column `row_version` of the type `TEXT`"),
    mutation("TABLE id BIGINT PRIMARY KEY", "whose values the database does not generate"),
    mutation("TABLE owner BIGINT", "lacks the foreign key `animals_owner_fkey`"),
    mutation(
        "TABLE owner BIGINT REFERENCES owners (code) ON DELETE SET NULL",
        "a foreign key on `owner` that is not `ON DELETE CASCADE`",
    ),
    mutation("TABLE friend BIGINT", "lacks the foreign key `animals_friend_fkey`"),
    // Indexes.
    mutation("DROP INDEX animals_name_idx", "lacks the index `animals_name_idx`"),
    mutation("DROP INDEX animals_chip_key", "lacks the index `animals_chip_key`"),
    mutation(
        "DROP INDEX animals_chip_key; UPDATE animals SET chip = 'x' WHERE id = 3",
        "rows have the same values, such as `1`, `3`",
    )
    .repaired("UPDATE animals SET chip = 'z' WHERE id = 3"),
    mutation(
        "DROP INDEX animals_chip_key; CREATE INDEX animals_chip_key ON animals (chip)",
        "an index `animals_chip_key` that does not serve",
    ),
    mutation(
        "DROP INDEX animals_name_idx; CREATE INDEX animals_name_idx ON animals (name COLLATE NOCASE, id)",
        "does not serve",
    ),
    mutation("DROP INDEX animals_row_folding_16_idx", "lacks the index `animals_row_folding_16_idx`"),
    // Rows on which the SQL would fail.
    mutation(
        "TABLE legs BIGINT; UPDATE animals SET legs = NULL WHERE id = 2",
        "rows contain null in this column, such as `2`",
    )
    .repaired("UPDATE animals SET legs = 0 WHERE legs IS NULL"),
    mutation(
        "TABLE owner BIGINT; UPDATE animals SET owner = 9 WHERE id = 3",
        "rows refer to missing rows, such as `3`",
    )
    .repaired("UPDATE animals SET owner = NULL WHERE id = 3"),
    // Tables.
    mutation("DROP TABLE animals", "the table `animals` is missing"),
    mutation("PRAGMA foreign_keys = OFF; DROP TABLE owners", "the table `owners` is missing"),
    mutation("ALTER TABLE animals RENAME TO beasts", "the table `animals` is missing"),
    mutation(
        "ALTER TABLE animals RENAME TO beasts; CREATE VIEW animals AS SELECT * FROM beasts",
        "the table `animals` is a view",
    )
    .repaired("DROP VIEW animals; ALTER TABLE beasts RENAME TO animals"),
    mutation(
        "CREATE TRIGGER noted AFTER INSERT ON animals BEGIN SELECT 1; END; DROP INDEX animals_name_idx",
        "lacks the index `animals_name_idx`",
    ),
];

/// Returns the statements of a mutation. `TABLE legs TEXT` replaces the animals with a table with this column.
fn statements(change: &str) -> String {
    let Some(declared) = change.strip_prefix("TABLE ") else { return change.to_owned() };
    let (declared, more) = declared.split_once("; ").unwrap_or((declared, ""));
    let (name, declaration) = declared.split_once(' ').unwrap();
    let columns = COLUMNS.map(|(column, own)| format!("{column} {}", if column == name { declaration } else { own }));
    let names = COLUMNS.map(|(column, _)| column).join(", ");
    format!(
        "PRAGMA foreign_keys = OFF; CREATE TABLE other ({}, row_folding INTEGER); INSERT INTO other ({names}, row_folding) \
         SELECT {names}, row_folding FROM animals; DROP TABLE animals; ALTER TABLE other RENAME TO animals; {more}",
        columns.join(", ")
    )
    .replace("INSERT INTO other", if declaration.contains("DEFAULT '2024") { "UPDATE animals SET born = '2020-01-01'; INSERT INTO other" } else { "INSERT INTO other" })
}

#[tokio::test]
async fn the_sql_of_each_message_repairs_the_table() {
    let mut outcomes = Vec::new();
    for mutation in MUTATIONS {
        let database = Database::Sqlite(SqliteFile::new());
        let prepared = Mutation { change: statements(mutation.change).leak(), ..*mutation };
        database.run("").await;
        outcomes.push((mutation, check(&database, database.url(), ROWS, &prepared).await));
    }
    report(&outcomes);
}
