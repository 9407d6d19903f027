//! Declarations that `QUERY` forbids, and an Api whose resources have the operation.

use restwright::ApiBuilder;
use restwright::auth::Access;
use restwright::list::{Operator, ValueType};
use restwright::prelude::*;
use restwright::schema::string;
use restwright_resource::{Endpoints, IdentifierKind, MemoryStore, ResourceDefinition};
use serde_json::json;

fn pages(field: &'static str) -> Endpoints<impl restwright_resource::Resource> {
    let shape = PropertyCollection::new("Page").property(string("slug")).property(string(field));
    let kind = IdentifierKind::Given(ValueType::Text);
    let pages = ResourceDefinition::new("/pages", "pages", shape, "slug", kind).filter(field, [Operator::Eq]);
    Endpoints::from_definition(pages, MemoryStore::new(), Access::public())
}

fn builder() -> ApiBuilder {
    Api::builder(Configuration::new("pages", "1.0.0"))
}

#[test]
fn rejects_fields_that_are_named_like_combinations() {
    for name in ["all", "any", "not"] {
        let errors = builder().module(&pages(name)).build().unwrap_err().to_string();
        assert_eq!(errors.matches(&format!("the filter name `{name}` is reserved")).count(), 1, "{errors}");
    }
}

#[test]
fn the_path_of_a_post_is_no_identifier() {
    let client =
        |endpoints: Endpoints<_>| restwright::testing::TestClient::new(builder().module(&endpoints).build().unwrap());
    let page = json!({"slug": "query", "text": "a"});
    client(pages("text")).post("/pages").json(&page).send().assert_status(201);
    let with_post = client(pages("text").query_by_post());
    with_post.post("/pages").json(&page).send().assert_violations([("body", "/slug", "conflict")]);
    let found = with_post.post("/pages/query").json(&json!({"filter": {"not": {"text": {"eq": "b"}}}})).send();
    found.assert_status(200).assert_documented();
}

#[test]
fn explain_lists_the_operation() {
    let api = builder().module(&pages("text")).build().unwrap();
    let explained = api.explain().to_string();
    assert!(explained.lines().any(|line| line.contains("QUERY") && line.contains("/pages")), "{explained}");
}
