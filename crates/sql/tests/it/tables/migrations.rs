use restwright_list::ValueType;
use restwright_resource::conformance::definitions;
use restwright_resource::{EntityDefinition, FieldDefinition, IdentifierKind, OnDelete};

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
