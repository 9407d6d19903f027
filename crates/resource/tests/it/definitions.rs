//! Definitions, statements and errors.

use std::error::Error;

use restwright_conformance::Specimen;
use restwright_core::Problem;
use restwright_list::{Comparison, Direction, Expression, Offset, SortBag, SortFields, Value, ValueType};
use restwright_resource::{
    EntityDefinition, FieldDefinition, IdentifierKind, ListQuery, MemoryStore, OnDelete, Repository, Scope, Statement,
    Store, StoreError,
};

fn field(name: &'static str) -> FieldDefinition {
    FieldDefinition::new(name, ValueType::Integer)
}

fn json(name: &'static str) -> FieldDefinition {
    FieldDefinition::new(name, ValueType::Json)
}

fn definition(fields: impl IntoIterator<Item = FieldDefinition>) -> EntityDefinition {
    fields.into_iter().fold(EntityDefinition::new("pets", "id", IdentifierKind::Integer), EntityDefinition::field)
}

#[test]
fn rejects_invalid_definitions() {
    let cases = [
        (
            vec![field("a"), field("a")],
            "the field `a` of `pets` is declared twice; remove one, and do not declare the identifier as a field",
        ),
        (
            vec![field("id")],
            "the field `id` of `pets` is declared twice; remove one, and do not declare the identifier as a field",
        ),
        (
            vec![field("a").scope().nullable()],
            "the field `a` of `pets` is a scope field and must not be nullable; remove `nullable`",
        ),
        (
            vec![field("a").scope().unique()],
            "the field `a` of `pets` is a scope field and must not be unique, because a scope could then contain only one entity; remove `unique` or `scope`",
        ),
        (
            vec![json("a").unique()],
            "the field `a` of `pets` holds JSON, which stores cannot compare; identifiers, unique values, scopes and references must be strings, numbers or other single values",
        ),
        (
            vec![json("a").scope()],
            "the field `a` of `pets` holds JSON, which stores cannot compare; identifiers, unique values, scopes and references must be strings, numbers or other single values",
        ),
        (
            vec![json("a").references("pets", OnDelete::Restrict)],
            "the field `a` of `pets` holds JSON, which stores cannot compare; identifiers, unique values, scopes and references must be strings, numbers or other single values",
        ),
        (
            vec![json("a").version()],
            "the field `a` of `pets` has the wrong type for a value that the service sets; a time must be a date-time, and the version an integer",
        ),
        (
            vec![field("a").parent(EntityDefinition::new("owners", "id", IdentifierKind::Integer), OnDelete::Keep)],
            "the field `a` of `pets` refers to the parent with `OnDelete::Keep`, but no request finds an entity without its parent; write `OnDelete::Restrict` or `OnDelete::Cascade`",
        ),
        (
            vec![field("a").renamed_from("a")],
            "the field `a` of `pets` must differ from the name in `renamed_from`; write the former name, or remove `renamed_from`",
        ),
        (
            vec![field("a").renamed_from("c"), field("b").renamed_from("c")],
            "the field `b` of `pets` has the same `renamed_from` as another field, but a column can become only one column; remove one `renamed_from`",
        ),
    ];
    for (fields, expected) in cases {
        let errors = definition(fields).check().unwrap_err();
        let messages: Vec<_> = errors.errors().iter().map(ToString::to_string).collect();
        assert_eq!(messages, [expected]);
    }
}

#[test]
fn rejects_invalid_indexes() {
    let definition = || definition([field("a"), field("tenant").scope(), json("tags")]);
    assert_eq!(definition().index(["a", "id"]).index(["a"]).check(), Ok(()));
    for (fields, expected) in [
        (vec![], "the index () of `pets` has no fields; name the fields that lists filter and sort by"),
        (vec!["a", "b"], "the index (a, b) of `pets` names `b`, which is not a field"),
        (vec!["tags"], "the index (tags) of `pets` names `tags`, which holds JSON, and stores cannot compare it"),
        (
            vec!["tenant", "a"],
            "the index (tenant, a) of `pets` names the scope field `tenant`, but every index starts with the scope fields; remove it",
        ),
        (vec!["a", "a"], "the index (a, a) of `pets` names `a` twice; remove one"),
    ] {
        let errors = definition().index(fields).check().unwrap_err();
        let messages: Vec<_> = errors.errors().iter().map(ToString::to_string).collect();
        assert_eq!(messages, [expected]);
    }
}

#[test]
fn rejects_json_as_an_identifier() {
    let definition = |value_type| EntityDefinition::new("pets", "id", IdentifierKind::Given(value_type));
    assert_eq!(definition(ValueType::Text).check(), Ok(()));
    let errors = definition(ValueType::Json).check().unwrap_err();
    assert!(errors.to_string().contains("the field `id` of `pets` holds JSON"), "{errors}");
}

#[test]
fn keys_contain_the_scope_if_identifiers_are_given() {
    let specimen = Specimen::default();
    let keys = |kind| EntityDefinition::new("pets", "id", kind).field(field("tenant").scope()).key(&specimen);
    assert_eq!(keys(IdentifierKind::Integer), [Value::from(0)]);
    assert_eq!(keys(IdentifierKind::Given(ValueType::Integer)), [Value::from(0), Value::from(0)]);
    let unique = definition([field("tenant").scope(), field("serial").nullable().unique(), field("integer").unique()]);
    let specimen = |serial| {
        let mut specimen = Specimen::default();
        (specimen.tenant, specimen.serial) = (7, serial);
        specimen
    };
    assert_eq!(unique.unique_keys(&specimen(None)).count(), 0);
    let specimen = specimen(Some(3));
    let keys: Vec<_> = unique.unique_keys(&specimen).collect();
    assert_eq!(keys, [(&["serial".into()][..], vec![Value::from(7), Value::from(3)])]);
}

#[test]
fn a_scope_admits_only_entities_with_its_values() {
    let scope = Scope::new().with("tenant", 1).with("tenant", 7);
    let mut specimen = Specimen::default();
    assert!(!scope.admits(&specimen) && !scope.expression().holds(&specimen));
    specimen.tenant = 7;
    assert!(scope.admits(&specimen) && scope.expression().holds(&specimen));
    assert!(Scope::new().admits(&specimen));
}

#[tokio::test]
async fn errors_of_invalid_statements_contain_the_fix() {
    let store = MemoryStore::new();
    let pets = definition([field("tenant").scope()]);
    let unknown = Expression::condition("colour", Comparison::IsNull(true));
    let counted = Repository::count(&store, Statement::new(&pets), &unknown).await;
    assert_eq!(
        counted.unwrap_err().to_string(),
        "the store failed: a filter, a policy or the order names the field `colour`, which `pets` does not have; add it to the definition"
    );
    let scope = Scope::new().with("colour", 1);
    let counted = Repository::count(&store, Statement::new(&pets).scoped(&scope), &Expression::TRUE).await;
    assert_eq!(
        counted.unwrap_err().to_string(),
        "the store failed: the scope has the field `colour`, which is not a scope field of `pets`; declare it with `FieldDefinition::scope`"
    );
    let settable = EntityDefinition::new("pets", "label", IdentifierKind::Integer);
    let inserted = store.insert(Statement::new(&settable), Specimen::default()).await;
    let error = inserted.unwrap_err().to_string();
    assert!(error.ends_with("Specimen: the field `label`: the value is not a alloc::string::String"), "{error}");
    let required = definition([field("serial")]);
    let inserted = store.insert(Statement::new(&required).scoped(&Scope::new()), Specimen::default()).await;
    assert_eq!(inserted.unwrap_err().to_string(), "the value of `serial` must not be null");
}

#[tokio::test]
async fn stores_json_and_rejects_comparisons_with_it() {
    let store = MemoryStore::new();
    let tagged = definition([json("label")]);
    let refused = "the store failed: a filter, a policy or the order names the field `label` of `pets`, which holds JSON; filter and sort by fields with single values";
    let filter = Expression::condition("label", Comparison::IsNull(true));
    let counted = Repository::count(&store, Statement::new(&tagged), &filter).await;
    assert_eq!(counted.unwrap_err().to_string(), refused);
    let order =
        SortBag::among(&SortFields::by_identifier("id").field("label"), [("label", Direction::Ascending)]).unwrap();
    let all = Offset::new(0, 10).unwrap();
    let query = ListQuery::new(Expression::TRUE, &order, &all);
    let listed = Repository::list::<Specimen>(&store, Statement::new(&tagged), &query).await;
    assert_eq!(listed.unwrap_err().to_string(), refused);
    // A field that records do not have is not checked for null.
    let required = definition([json("tags")]);
    assert!(store.insert(Statement::new(&required), Specimen::default()).await.is_ok());
}

#[test]
fn retries_an_error_caused_by_a_conflict_of_transactions() {
    let store = MemoryStore::new();
    let problem = Problem::internal(StoreError::failed(StoreError::TransactionConflict));
    assert!(store.retries(&problem));
    assert!(store.retries(Error::source(&problem).unwrap()));
    assert!(!store.retries(&Problem::internal(StoreError::StaleVersion)));
    assert!(!store.retries(&std::fmt::Error));
}

#[tokio::test]
async fn an_insert_keeps_a_uuid_that_is_a_string() {
    let store = MemoryStore::new();
    let coded = EntityDefinition::new("pets", "code", IdentifierKind::Uuid);
    for (code, is_kept) in
        [("67e55044-10b1-426f-9247-bb680e5fe0c8", true), ("00000000-0000-0000-0000-000000000000", false), ("", false)]
    {
        let mut pet = Specimen::default();
        pet.code = code.to_owned();
        let inserted = store.insert(Statement::new(&coded).keep_identifier(), pet).await.unwrap();
        assert_eq!(inserted.entity.code == code, is_kept, "{code} became {}", inserted.entity.code);
        assert_eq!(inserted.entity.code.len(), 36);
    }
}
