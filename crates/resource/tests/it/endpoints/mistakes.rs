//! Declarations that compile but cannot work. Building the Api reports each of them once.

use restwright::ApiBuilder;
use restwright::auth::{Access, CrudAccess};
use restwright::list::{Direction, SortFields, Value, ValueType};
use restwright::prelude::*;
use restwright::schema::{Checks, Mode};
use restwright_resource::{Endpoints, Entity, EntityDefinition, IdentifierKind, MemoryStore, Row, RowError, assign};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::declare::{Contract, Customer, Invoice};
use super::tenants::configuration;

/// Returns the errors of building an Api.
fn errors(declare: impl FnOnce(ApiBuilder) -> ApiBuilder) -> Vec<String> {
    let built = declare(Api::builder(configuration())).build();
    built.err().map(|errors| errors.messages().to_vec()).unwrap_or_default()
}

fn check(found: &[String], expected: &[&str]) {
    assert_eq!(found.len(), expected.len(), "{found:#?}");
    for (found, expected) in found.iter().zip(expected) {
        assert!(found.contains(expected), "{found}");
    }
}

fn customers(access: impl Into<CrudAccess>) -> Endpoints<Customer> {
    Endpoints::new(MemoryStore::new(), access)
}

#[test]
fn public_access_to_a_scope_is_reported_once() {
    let claim = |access: CrudAccess| errors(|api| api.module(&customers(access).scope_claim("tenant", "tenant")));
    check(
        &claim(Access::public().into()),
        &["POST /customers: `customers` is restricted to the caller's value of `tenant`, but its access is public"],
    );
    check(&claim(Access::optional("caller").into()), &[]);
    check(&claim(Access::authenticated("caller").into()), &[]);

    let of_subject =
        customers(Access::public()).scope("tenant", |identity| identity.subject().map(|id| id.to_owned().into()));
    check(&errors(|api| api.module(&of_subject)), &["its access is public"]);
    // Guests have this value.
    let shared = customers(Access::public()).scope("tenant", |_| Some("shared".into()));
    check(&errors(|api| api.module(&shared)), &[]);
}

#[test]
fn a_parent_in_another_memory_store_is_reported_once() {
    let store = MemoryStore::new();
    let found = |of_invoices: MemoryStore| {
        let contracts = Endpoints::<Contract>::new(store.clone(), Access::authenticated("caller"));
        let invoices = Endpoints::<Invoice>::new(of_invoices.clone(), Access::authenticated("caller"));
        let customers = Endpoints::<Customer>::new(of_invoices, Access::authenticated("caller"));
        errors(|api| {
            api.module(&contracts.scope_claim("tenant", "tenant"))
                .module(&invoices.scope_claim("tenant", "tenant"))
                .module(&customers.scope_claim("tenant", "tenant"))
        })
    };
    check(&found(store.clone()), &[]);
    check(
        &found(MemoryStore::new()),
        &["the resource `invoices` is in another `MemoryStore` than its parent `contracts`"],
    );
}

#[test]
fn a_resource_registered_twice_is_reported_once() {
    let customers = customers(Access::authenticated("caller")).scope_claim("tenant", "tenant");
    check(
        &errors(|api| api.module(&customers).module(&customers)),
        &["the resource `customers` at `/customers` is registered twice"],
    );
}

#[derive(Clone, Debug, Serialize, Deserialize, Resource)]
#[resource(path = "/clients", name = "Customer")]
struct Client {
    #[property(id)]
    id: i64,
    title: String,
}

#[test]
fn two_resources_with_one_name_are_reported_with_a_fix() {
    let customers = customers(Access::authenticated("caller")).scope_claim("tenant", "tenant");
    let clients = Endpoints::<Client>::new(MemoryStore::new(), Access::authenticated("caller"));
    let found = errors(|api| api.module(&customers).module(&clients));
    check(&found, &["the resources at `/customers` and `/clients` are both named `Customer`"]);
    let clients = clients.name("Client").list_name("clients");
    check(&errors(|api| api.module(&customers).module(&clients)), &[]);
    assert!(
        found[0].contains("`Endpoints::name`")
            && found[0].contains("#[resource(name = ")
            && !found[0].contains(".id(..)"),
        "{found:?}"
    );
}

#[test]
fn the_operations_of_a_resource_may_be_registered_separately() {
    let with = |modes: &[Mode]| {
        let customers = customers(Access::authenticated("caller")).scope_claim("tenant", "tenant");
        modes.iter().fold(customers, |customers, mode| customers.without(*mode))
    };
    let reads = with(&[Mode::Create, Mode::Update, Mode::Delete]);
    let writes = with(&[Mode::View, Mode::List]);
    check(&errors(|api| api.module(&reads).module(&writes)), &[]);
}

#[test]
fn a_reference_to_an_undeclared_entity_is_reported_once() {
    let contracts = |store: &MemoryStore| {
        Endpoints::<Contract>::new(store.clone(), Access::authenticated("caller")).scope_claim("tenant", "tenant")
    };
    let customers = |store: &MemoryStore| {
        Endpoints::<Customer>::new(store.clone(), Access::authenticated("caller")).scope_claim("tenant", "tenant")
    };
    let missing = "the field `customer_id` of `contracts` refers to `customers`, for which the store has no definition";
    let store = MemoryStore::new();
    check(&errors(|api| api.module(&contracts(&store))), &[missing]);
    check(&errors(|api| api.module(&contracts(&store)).module(&customers(&MemoryStore::new()))), &[missing]);
    check(&errors(|api| api.module(&contracts(&store)).module(&customers(&store))), &[]);

    let declared = MemoryStore::new();
    declared.declare(&<Customer as restwright_resource::Resource>::definition()).unwrap();
    check(&errors(|api| api.module(&contracts(&declared))), &[]);
}

/// A random UUID.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, Schema)]
struct Random(#[property(validate = is_random)] Uuid);

fn is_random(id: &Uuid) -> std::result::Result<(), &'static str> {
    if id.get_version_num() == 4 { Ok(()) } else { Err("must be a random UUID") }
}

#[derive(Clone, Debug, Serialize, Deserialize, Resource)]
#[resource(path = "/tags")]
struct Tag {
    #[property(id)]
    id: Random,
    name: String,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, Schema)]
struct Any(Uuid);

#[derive(Clone, Debug, Serialize, Deserialize, Resource)]
#[resource(path = "/labels")]
struct Label {
    #[property(id)]
    id: Any,
    name: String,
}

#[test]
fn an_identifier_type_that_rejects_generated_uuids_is_reported_once() {
    check(
        &errors(|api| api.resource::<Tag>(MemoryStore::new(), Access::public())),
        &["the store generates UUIDs of version 7 as identifiers of `tags`, but the type of `tags.id` rejects them"],
    );
    check(&errors(|api| api.resource::<Label>(MemoryStore::new(), Access::public())), &[]);
}

/// A resource whose items may be null, and whose order has a wrong default and returns another field than it declares.
#[derive(Clone, Serialize, Deserialize, Schema, Record)]
struct Draft {
    id: i64,
}

#[derive(Filters)]
struct NoFilters {}

#[derive(Clone)]
struct WrongSort;

impl Sort for WrongSort {
    fn declare(_: &Route) -> std::result::Result<SortFields, BuildErrors> {
        Ok(SortFields::by_identifier("id").default("born", Direction::Ascending))
    }

    fn at(_: &SortFields, _: usize) -> Option<Self> {
        Some(Self)
    }

    fn name(&self) -> &str {
        "title"
    }
}

impl Entity for Draft {
    fn from_row(row: &mut Row) -> std::result::Result<Self, RowError> {
        Ok(Self { id: row.take("id")? })
    }

    fn to_row(&self, definition: &EntityDefinition) -> std::result::Result<Row, RowError> {
        Ok(Row::new(definition).with("id", self.id))
    }

    fn set_value(&mut self, field: &str, value: Value<'static>) -> bool {
        field == "id" && assign(&mut self.id, value)
    }
}

impl Resource for Draft {
    const NAME: &'static str = "Draft";
    const PATH: &'static str = "/drafts";

    type Id = i64;
    type New = Self;
    type Update = Self;
    type View = Self;
    type Item = Option<Self>;
    type Filters = NoFilters;
    type Sort = WrongSort;

    fn definition() -> EntityDefinition {
        EntityDefinition::new("drafts", "id", IdentifierKind::Given(ValueType::Integer))
    }

    fn create(new: Self) -> Self {
        new
    }

    fn change(&mut self, _: Self, _: &mut Checks<'_>) {}
}

#[test]
fn items_that_can_be_null_and_a_wrong_order_are_reported_together() {
    let drafts = Endpoints::<Draft>::new(MemoryStore::new(), Access::public());
    let drafts = drafts.without(Mode::Create).without(Mode::Update).without(Mode::View).without(Mode::Delete);
    let found = errors(|api| api.module(&drafts));
    check(
        &found,
        &[
            "can be null; use a type for `Resource::Item` that is not an `Option`",
            "GET /drafts: the order declares `id` as the field at 0, but `at` of",
            "GET /drafts: the default order contains `born`, which is not a sort field",
        ],
    );
}
