use tokio::task::LocalSet;

use super::super::database::Database;
use super::{Mutation, check, mutation, report};
use crate::databases::PostgresSchema;

const ROWS: &str = "INSERT INTO owners (code, note) VALUES (1, 'a'), (2, 'b'); \
    INSERT INTO animals (name, name_folded, row_folding, chip, kind, legs, weight, tame, moment, uuid, tags, owner, friend) VALUES \
    ('Rex', 'rex', 16, 'x', 'dog', 4, 1.5, TRUE, now(), gen_random_uuid(), '[]', 1, NULL), \
    ('Tom', 'tom', 16, NULL, 'cat', 4, 2.5, FALSE, now(), NULL, '[\"loud\"]', NULL, 1), \
    ('Max', 'max', 16, 'y', 'dog', 3, 3.5, FALSE, now(), NULL, '[]', 2, NULL);";

const MUTATIONS: &[Mutation] = &[
    // Columns.
    mutation("ALTER TABLE animals DROP born", "lacks the column `born`"),
    mutation("ALTER TABLE animals DROP legs", "lacks the column `legs`, which is not nullable"),
    mutation("ALTER TABLE animals DROP tags", "lacks the column `tags`, which is not nullable"),
    mutation("ALTER TABLE animals DROP moment, DROP weight, DROP tame", "lacks the column `weight`"),
    mutation("ALTER TABLE animals DROP name_folded", "lacks the column `name_folded`"),
    mutation("ALTER TABLE animals DROP row_version", "lacks the column `row_version`"),
    mutation("ALTER TABLE animals DROP row_folding", "lacks the column `row_folding`"),
    mutation("ALTER TABLE animals DROP id CASCADE", "lacks the column `id` of the identifier")
        .repaired("UPDATE animals SET friend = NULL"),
    mutation("ALTER TABLE animals DROP uuid, DROP owner", "lacks the column `owner`"),
    mutation("ALTER TABLE animals RENAME legs TO feet", "has the column `feet` without a field"),
    mutation("ALTER TABLE animals RENAME born TO birth", "lacks the column `born`"),
    mutation("ALTER TABLE animals ADD colour text NOT NULL DEFAULT 'red'; ALTER TABLE animals ALTER colour DROP DEFAULT", "`colour` without a field"),
    // Types.
    mutation("ALTER TABLE animals ALTER legs TYPE text", "the column `legs` of the type `text`"),
    mutation("ALTER TABLE animals ALTER legs TYPE text COLLATE \"en-x-icu\"", "the column `legs` of the type `text`"),
    mutation("DROP INDEX animals_legs_idx; ALTER TABLE animals ALTER legs TYPE text COLLATE \"en-x-icu\"", "lacks the index `animals_legs_idx`"),
    mutation("ALTER TABLE animals ALTER legs TYPE text COLLATE \"en-x-icu\"; DROP INDEX animals_legs_idx; \
              CREATE INDEX animals_legs_idx ON animals (legs COLLATE \"C\", id)", "the column `legs` of the type `text`"),
    mutation("ALTER TABLE animals ALTER legs TYPE text, ALTER legs SET DEFAULT '4'", "the column `legs` of the type `text`"),
    mutation("ALTER TABLE animals ALTER legs TYPE numeric", "the column `legs` of the type `numeric`"),
    mutation("ALTER TABLE animals ALTER legs TYPE money USING legs::money", "the column `legs` of the type `money`"),
    mutation("ALTER TABLE animals ALTER weight TYPE money USING weight::numeric::money", "the column `weight` of the type `money`"),
    mutation("ALTER TABLE animals ALTER weight TYPE numeric(10, 2)", "of the type `numeric(10,2)`"),
    mutation("ALTER TABLE animals ALTER weight TYPE real", "the column `weight` of the type `real`"),
    mutation("ALTER TABLE animals ALTER name TYPE character(8)", "of the type `character(8)`"),
    mutation("ALTER TABLE animals ALTER tame TYPE text", "the column `tame` of the type `text`"),
    mutation("ALTER TABLE animals ALTER tame TYPE integer USING tame::integer", "the column `tame` of the type `integer`"),
    mutation("ALTER TABLE animals ALTER moment TYPE text", "of the type `text`"),
    mutation("ALTER TABLE animals ALTER born TYPE text", "the column `born` of the type `text`"),
    mutation("ALTER TABLE animals ALTER uuid TYPE bytea USING decode(replace(uuid::text, '-', ''), 'hex')", "of the type `bytea`"),
    mutation("ALTER TABLE animals ALTER row_version TYPE integer", "the column `row_version` of the type `integer`"),
    mutation("ALTER TABLE animals ALTER row_version TYPE integer, ALTER row_version SET DEFAULT 7", "`row_version`"),
    mutation("DROP INDEX animals_kind_idx; ALTER TABLE animals ALTER kind TYPE json USING to_json(kind)", "the column `kind` of the type `json`"),
    // Nulls.
    mutation("ALTER TABLE animals ALTER name DROP NOT NULL", "the nullable column `name`"),
    mutation("ALTER TABLE animals ALTER legs DROP NOT NULL; UPDATE animals SET legs = NULL WHERE id = 2", "rows contain null in this column, such as `2`")
        .repaired("UPDATE animals SET legs = 0 WHERE legs IS NULL"),
    mutation("UPDATE animals SET uuid = gen_random_uuid(); ALTER TABLE animals ALTER uuid SET NOT NULL", "`uuid` that is not nullable"),
    // Indexes.
    mutation("DROP INDEX animals_name_idx", "lacks the index `animals_name_idx`"),
    mutation("DROP INDEX animals_chip_key", "lacks the index `animals_chip_key`"),
    mutation("DROP INDEX animals_chip_key; UPDATE animals SET chip = 'x' WHERE id = 3", "rows have the same values, such as `1`, `3`")
        .repaired("UPDATE animals SET chip = 'z' WHERE id = 3"),
    mutation("DROP INDEX animals_chip_key; CREATE INDEX animals_chip_key ON animals (chip)", "an index `animals_chip_key` that does not serve"),
    mutation("DROP INDEX animals_chip_key; ALTER TABLE animals ADD CONSTRAINT animals_chip_key UNIQUE (chip, name)", "that does not serve"),
    mutation("DROP INDEX animals_chip_key; CREATE UNIQUE INDEX animals_chip_key ON animals (chip) NULLS NOT DISTINCT", "does not serve"),
    mutation("DROP INDEX animals_legs_idx; CREATE INDEX animals_legs_idx ON animals USING hash (legs)", "`animals_legs_idx`"),
    mutation("DROP INDEX animals_row_folding_16_idx", "lacks the index `animals_row_folding_16_idx`"),
    mutation("ALTER TABLE animals DROP CONSTRAINT animals_pkey CASCADE", "has no unique index on `id`"),
    mutation("ALTER TABLE animals DROP CONSTRAINT animals_pkey CASCADE; \
              INSERT INTO animals (id, name, kind, legs, weight, tame, moment, tags) VALUES (1, 'Rex', 'dog', 4, 1, TRUE, now(), '[]')",
             "rows have an identifier of another row, such as `1`, `1`").repaired("DELETE FROM animals WHERE id = 1 AND weight = 1"),
    // Collations.
    mutation("ALTER TABLE animals ALTER name TYPE text COLLATE \"en-x-icu\"", "`animals_name_idx` that does not serve"),
    mutation("CREATE COLLATION blunt (provider = icu, locale = 'und-u-ks-level2', deterministic = false); \
              ALTER TABLE animals ALTER chip TYPE text COLLATE blunt", "with a collation that treats different strings as equal"),
    mutation("ALTER TABLE animals ALTER name_folded TYPE text COLLATE \"en-x-icu\"", "the column `name_folded`"),
    // Identifiers and references.
    mutation("ALTER TABLE animals ALTER id DROP IDENTITY", "whose values the database does not generate"),
    mutation("ALTER TABLE animals ALTER id DROP IDENTITY; ALTER TABLE animals ALTER id TYPE numeric", "the column `id` of the type `numeric`"),
    mutation("ALTER TABLE animals DROP CONSTRAINT animals_owner_fkey", "lacks the foreign key `animals_owner_fkey`"),
    mutation("ALTER TABLE animals DROP CONSTRAINT animals_owner_fkey; UPDATE animals SET owner = 9 WHERE id = 3", "rows refer to missing rows, such as `3`")
        .repaired("UPDATE animals SET owner = NULL WHERE id = 3"),
    mutation("ALTER TABLE animals DROP CONSTRAINT animals_owner_fkey; \
              ALTER TABLE animals ADD CONSTRAINT owns FOREIGN KEY (owner) REFERENCES owners ON DELETE SET NULL", "is not `ON DELETE CASCADE`"),
    // Tables.
    mutation("DROP TABLE animals", "the table `animals` is missing"),
    mutation("DROP TABLE owners CASCADE", "the table `owners` is missing").repaired("UPDATE animals SET owner = NULL"),
    mutation("ALTER TABLE animals RENAME TO beasts", "the table `animals` is missing"),
    mutation("ALTER TABLE animals RENAME TO beasts; CREATE VIEW animals AS SELECT * FROM beasts", "the table `animals` is a view")
        .repaired("DROP VIEW animals; ALTER TABLE beasts RENAME TO animals"),
    mutation("ALTER TABLE animals RENAME TO beasts; CREATE MATERIALIZED VIEW animals AS SELECT * FROM beasts", "is a materialized view")
        .repaired("DROP MATERIALIZED VIEW animals; ALTER TABLE beasts RENAME TO animals"),
];

/// The privileges that a user of the store loses.
const RIGHTS: &[Mutation] = &[
    mutation("REVOKE SELECT ON animals FROM USER_OF_STORE", "the privileges SELECT"),
    mutation("REVOKE INSERT ON animals FROM USER_OF_STORE", "the privileges INSERT"),
    mutation("REVOKE UPDATE, DELETE ON owners FROM USER_OF_STORE", "the privileges UPDATE, DELETE"),
    mutation(
        "REVOKE ALL ON owners FROM USER_OF_STORE; GRANT INSERT (note) ON owners TO USER_OF_STORE",
        "the privileges SELECT, INSERT (\"code\", \"row_version\"), UPDATE, DELETE",
    ),
    mutation(
        "REVOKE SELECT ON owners FROM USER_OF_STORE; GRANT SELECT (code, row_version) ON owners TO USER_OF_STORE",
        "the privileges SELECT (\"note\")",
    ),
    mutation(
        "REVOKE UPDATE ON owners FROM USER_OF_STORE; GRANT UPDATE (code, note) ON owners TO USER_OF_STORE",
        "the privileges UPDATE (\"row_version\")",
    ),
    mutation(
        "ALTER TABLE animals ALTER id DROP IDENTITY; CREATE SEQUENCE numbers OWNED BY animals.id; \
              ALTER TABLE animals ALTER id SET DEFAULT nextval('numbers')",
        "which the user `USER_OF_STORE` may not use",
    ),
    mutation(
        "ALTER TABLE animals ALTER id DROP IDENTITY; CREATE SEQUENCE numbers; ALTER TABLE animals ALTER id SET DEFAULT nextval('numbers')",
        "generates the column `id` with the sequence `numbers`",
    ),
    mutation(
        "CREATE SEQUENCE numbers; ALTER TABLE animals ADD COLUMN number bigint NOT NULL DEFAULT nextval('numbers') + 7",
        "generates the column `number` with the sequence `numbers`",
    ),
];

/// Returns `None` if there is no database.
async fn in_own_schema(mutation: &'static Mutation) -> Option<Result<(), String>> {
    let schema = PostgresSchema::new().await?;
    let database = Database::Postgres(schema);
    let outcome = check(&database, database.url(), ROWS, mutation).await;
    if let Database::Postgres(schema) = database {
        schema.drop().await;
    }
    Some(outcome)
}

#[tokio::test]
async fn the_sql_of_each_message_repairs_the_table() {
    let mut outcomes = Vec::new();
    // A start mostly waits for the database.
    for several in MUTATIONS.chunks(8) {
        let checks = LocalSet::new();
        let running: Vec<_> = several.iter().map(|mutation| checks.spawn_local(in_own_schema(mutation))).collect();
        checks.await;
        for (mutation, check) in several.iter().zip(running) {
            let Some(outcome) = check.await.unwrap() else { return };
            outcomes.push((mutation, outcome));
        }
    }
    report(&outcomes);
}

#[tokio::test]
async fn the_sql_of_the_message_grants_missing_privileges() {
    for Mutation { change, expected, .. } in RIGHTS {
        let Some(schema) = PostgresSchema::new().await else { return };
        let user = format!("{}_user", schema.name);
        let text = |text: &str| -> &'static str { text.replace("USER_OF_STORE", &user).leak() };
        let mutation = mutation(text(change), text(expected));
        let url = format!("{}%20-crole%3D{user}", schema.url());
        let rights = format!(
            "CREATE ROLE {user}; GRANT USAGE ON SCHEMA {0} TO {user}; \
             ALTER DEFAULT PRIVILEGES IN SCHEMA {0} GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO {user}",
            schema.name
        );
        schema.run(&rights).await;
        let database = Database::Postgres(schema);
        let outcome = check(&database, url, ROWS, &mutation).await;
        let Database::Postgres(schema) = database else { unreachable!() };
        schema.run(&format!("DROP OWNED BY {user}; DROP ROLE {user}")).await;
        schema.drop().await;
        assert_eq!(outcome, Ok(()), "{change}");
    }
}
