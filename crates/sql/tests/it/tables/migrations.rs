use restwright_conformance::definitions;
use restwright_list::ValueType;
use restwright_resource::{EntityDefinition, FieldDefinition, IdentifierKind, OnDelete, UniqueConstraint};

use super::database::{on_each, start};

#[tokio::test]
async fn a_second_migration_changes_nothing() {
    on_each(async |database| {
        start(&database.migrating(&definitions())).await.unwrap();
        let first = database.schema().await;
        start(&database.migrating(&definitions())).await.unwrap();
        assert_eq!(database.schema().await, first);
        // The tables already match the definitions.
        start(&database.store(&definitions())).await.unwrap();
    })
    .await;
}

#[tokio::test]
async fn several_processes_migrate_together() {
    on_each(async |database| {
        let definitions = definitions();
        let stores: Vec<_> = (0..4).map(|_| database.migrating(&definitions)).collect();
        let [a, b, c, d] = stores.as_slice() else { unreachable!() };
        let started = tokio::join!(start(a), start(b), start(c), start(d));
        assert_eq!(started, (Ok(()), Ok(()), Ok(()), Ok(())));
    })
    .await;
}

fn animals() -> EntityDefinition {
    EntityDefinition::new("animals", "id", IdentifierKind::Integer).field(FieldDefinition::new("name", ValueType::Text))
}

#[tokio::test]
async fn adds_columns_that_are_nullable_or_internal_to_existing_rows() {
    on_each(async |database| {
        start(&database.migrating(&[animals()])).await.unwrap();
        database.run("INSERT INTO animals (name) VALUES ('ÄRGER'), ('Rex')").await;
        let owners = EntityDefinition::new("owners", "id", IdentifierKind::Uuid);
        let owner = FieldDefinition::new("owner", ValueType::Uuid).nullable().references("owners", OnDelete::Restrict);
        let animals = EntityDefinition::new("animals", "id", IdentifierKind::Integer)
            .field(FieldDefinition::new("name", ValueType::Text).searchable().sortable())
            .field(FieldDefinition::new("born", ValueType::Date).nullable())
            .field(owner);
        let definitions = [animals, owners];
        start(&database.store(&definitions)).await.unwrap_err();
        start(&database.migrating(&definitions)).await.unwrap();
        start(&database.store(&definitions)).await.unwrap();
        let folds = database.texts("SELECT name_folded FROM animals ORDER BY id").await;
        assert_eq!(folds, ["ärger", "rex"]);
    })
    .await;
}

#[tokio::test]
async fn adds_and_compares_declared_indexes() {
    let animals = animals().field(FieldDefinition::new("born", ValueType::Date).nullable());
    on_each(async |database| {
        start(&database.migrating(std::slice::from_ref(&animals))).await.unwrap();
        let indexed = [animals.clone().index(["name", "born"])];
        let message = start(&database.store(&indexed)).await.unwrap_err();
        assert!(message.contains("lacks the index `animals_name_born_cidx`"), "{message}");
        start(&database.migrating(&indexed)).await.unwrap();
        start(&database.store(&indexed)).await.unwrap();
        // An index of another name is sufficient, but not an index in another order.
        database.run("DROP INDEX animals_name_born_cidx; CREATE INDEX other ON animals (born, name, id)").await;
        start(&database.store(&indexed)).await.unwrap_err();
        let nulls = if database.is_postgres() { "NULLS FIRST" } else { "" };
        database.run(&format!("CREATE INDEX fits ON animals (name, born {nulls}, id)")).await;
        start(&database.store(&indexed)).await.unwrap();
    })
    .await;
}

#[tokio::test]
async fn compares_how_a_unique_index_treats_null() {
    let folders = |constraint: UniqueConstraint| {
        let deleted_at = FieldDefinition::new("deleted_at", ValueType::DateTime).nullable().deleted_at();
        let folders = EntityDefinition::new("folders", "id", IdentifierKind::Integer)
            .field(FieldDefinition::new("parent", ValueType::Integer).nullable())
            .field(FieldDefinition::new("name", ValueType::Text));
        let kept = EntityDefinition::new("kept", "id", IdentifierKind::Integer)
            .field(FieldDefinition::new("parent", ValueType::Integer).nullable())
            .field(FieldDefinition::new("name", ValueType::Text))
            .field(deleted_at);
        [folders.unique(constraint.clone()), kept.unique(constraint)]
    };
    let different = || UniqueConstraint::new(["parent", "name"]);
    on_each(async |database| {
        start(&database.migrating(&folders(different()))).await.unwrap();
        database.run("INSERT INTO folders (parent, name) VALUES (NULL, 'a'), (NULL, 'b'), (NULL, 'a'), (1, 'a')").await;
        let equal = folders(different().nulls_equal());
        let message = start(&database.migrating(&equal)).await.unwrap_err();
        for expected in [
            "has an index `folders_parent_name_ckey` that does not serve the definition",
            "rows have the same values, such as `1`, `3`: change or delete them",
            "has an index `kept_parent_name_ckey` that does not serve the definition",
        ] {
            assert!(message.contains(expected), "{message}");
        }
        database.run("DELETE FROM folders WHERE id = 3").await;
        let sql: Vec<_> = message.lines().filter_map(|line| line.strip_prefix("    ")).collect();
        database.run(&sql.join("\n")).await;
        start(&database.store(&equal)).await.unwrap();
        // The index of the other rule does not serve either.
        let message = start(&database.store(&folders(different()))).await.unwrap_err();
        assert!(message.contains("has an index `folders_parent_name_ckey` that does not serve"), "{message}");
        assert!(message.contains("has an index `kept_parent_name_ckey` that does not serve"), "{message}");
    })
    .await;
}

#[tokio::test]
async fn a_kept_reference_has_an_index_and_no_foreign_key() {
    let definitions = |on_delete| {
        let owner = FieldDefinition::new("owner", ValueType::Uuid).nullable().references("owners", on_delete);
        [animals().field(owner), EntityDefinition::new("owners", "id", IdentifierKind::Uuid)]
    };
    on_each(async |database| {
        let kept = definitions(OnDelete::Keep);
        let sql = database.store(&kept).ddl();
        assert!(!sql.contains("REFERENCES") && sql.contains("animals_owner_fidx"), "{sql}");
        start(&database.migrating(&definitions(OnDelete::Restrict))).await.unwrap();
        let message = start(&database.migrating(&kept)).await.unwrap_err();
        let expected =
            "the table `animals` has a foreign key on `owner`, but the field keeps references to deleted rows";
        assert!(message.contains(expected), "{message}");
        let sql: Vec<_> = message.lines().filter_map(|line| line.strip_prefix("    ")).collect();
        database.run(&sql.join("\n")).await;
        start(&database.store(&kept)).await.unwrap();
        let message = start(&database.store(&definitions(OnDelete::Restrict))).await.unwrap_err();
        assert!(message.contains("lacks the foreign key `animals_owner_fkey`"), "{message}");
    })
    .await;
}

#[tokio::test]
async fn adds_nothing_if_an_existing_part_must_change() {
    on_each(async |database| {
        start(&database.migrating(&[animals()])).await.unwrap();
        let first = database.schema().await;
        let animals = animals()
            .field(FieldDefinition::new("born", ValueType::Date).nullable())
            .field(FieldDefinition::new("legs", ValueType::Integer));
        let message = start(&database.migrating(&[animals])).await.unwrap_err();
        assert!(message.contains("lacks the column `legs`, which is not nullable"), "{message}");
        assert!(message.contains("lacks the column `born`"), "{message}");
        assert_eq!(database.schema().await, first);
    })
    .await;
}

#[tokio::test]
async fn rejects_references_that_no_database_supports() {
    let field = |name, target| FieldDefinition::new(name, ValueType::Integer).references(target, OnDelete::Restrict);
    let codes = EntityDefinition::new("codes", "id", IdentifierKind::Given(ValueType::Integer))
        .field(FieldDefinition::new("tenant", ValueType::Integer).scope());
    let pets = EntityDefinition::new("pets", "id", IdentifierKind::Integer)
        .field(field("owner", "owners"))
        .field(field("code", "codes"));
    on_each(async |database| {
        let message = start(&database.migrating(&[codes.clone(), pets.clone()])).await.unwrap_err();
        assert_eq!(
            message,
            "the field `owner` of `pets` refers to `owners`, for which the store has no definition; add their resource to the Api on this \
             store, or `declare` their definition\n\
             the field `code` of `pets` refers to `codes`, whose identifiers are unique only within `tenant`; add the same fields to `pets`"
        );
    })
    .await;
}
