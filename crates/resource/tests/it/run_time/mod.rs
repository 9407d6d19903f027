//! Resources that are declared at run time.

mod document;
mod hooks;
mod parity;
mod requests;

use restwright::auth::Access;
use restwright::list::{Direction, Operator};
use restwright::prelude::*;
use restwright::schema::{
    Mode, SchemaObject, array, date_time, enumeration, int64, map, number, object, string, uint64, uuid,
};
use restwright::testing::TestClient;
use restwright_resource::{
    Endpoints, EntityBag, FieldDefinition, IdentifierKind, MemoryStore, ResourceDefinition, ResourcePagination,
};

/// An animal with a property of each kind.
fn animal() -> PropertyCollection {
    let address =
        PropertyCollection::new("Address").property(string("city").min_length(1)).property(string("zip").optional());
    PropertyCollection::new("Animal")
        .description("An animal in the shelter.")
        .property(uuid("id"))
        .property(string("name").min_length(1).max_length(20))
        .property(enumeration("species", ["dog", "cat"]))
        .property(number("weight_kg").minimum(0).optional().modes([Mode::Create, Mode::View, Mode::Update]))
        .property(int64("visits").minimum(0).default_value(1))
        .property(array("tags", SchemaObject::string()).max_items(3).optional())
        .property(object("address", address).optional())
        .property(map("notes", SchemaObject::string()).optional())
        .property(string("secret").optional().write_only())
        .property(string("chip").optional())
        .property(date_time("created_at"))
}

fn definition() -> ResourceDefinition {
    ResourceDefinition::new("/animals", "animals", animal(), "id", IdentifierKind::Uuid)
        .field("chip", FieldDefinition::unique)
        .field("created_at", FieldDefinition::created_at)
        .filter("name", [Operator::Eq, Operator::Contains])
        .filter("species", [Operator::Eq, Operator::In])
        .sort("name")
        .sort("created_at")
        .default_sort("created_at", Direction::Descending)
}

fn endpoints() -> Endpoints<EntityBag> {
    Endpoints::from_definition(definition(), MemoryStore::new(), Access::public())
}

/// Animals, and shelters with a different shape.
fn client() -> TestClient {
    let shelter = PropertyCollection::new("Shelter").property(string("code")).property(int64("places").optional());
    let shelter = shelter.property(uint64("area").optional());
    let kind = IdentifierKind::Given(restwright::list::ValueType::Text);
    let shelters =
        ResourceDefinition::new("/shelters", "shelters", shelter, "code", kind).pagination(ResourcePagination::Offset);
    let shelters = Endpoints::from_definition(shelters, MemoryStore::new(), Access::public()).put().batch();
    let api = Api::builder(Configuration::new("shelter", "1.0.0")).module(&endpoints()).module(&shelters);
    TestClient::new(api.build().unwrap())
}
