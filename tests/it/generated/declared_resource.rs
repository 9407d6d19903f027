//! Resources that are declared at run time.

use restwright::auth::Access;
use restwright::list::{Direction, Operator};
use restwright::prelude::*;
use restwright::resource::{
    Endpoints, EntityBag, FieldDefinition, Hooks, IdentifierKind, MemoryStore, ResourceDefinition,
};
use restwright::schema::{Mode, SchemaObject, array, date_time, enumeration, int64, object, string, uuid};

/// Returns an application with animals, and visits with two endpoints.
pub(crate) fn api(hooks: impl Hooks<EntityBag>) -> Api {
    let animals = Endpoints::from_definition(animals(), MemoryStore::new(), Access::public());
    let visits = Endpoints::from_definition(visits(), MemoryStore::new(), Access::public());
    let visits = visits.without(Mode::Update).without(Mode::Delete).without(Mode::List);
    let builder = Api::builder(Configuration::new("shelter", "1.0.0"));
    builder.module(&animals.put().batch().hooks(hooks)).module(&visits).build().unwrap()
}

fn animals() -> ResourceDefinition {
    let chip = PropertyCollection::new("Chip").property(string("number")).property(string("pin").write_only());
    let animal = PropertyCollection::new("Animal")
        .description("An animal in the shelter.")
        .property(uuid("id"))
        .property(string("name").min_length(1).max_length(20).description("What it is called."))
        .property(enumeration("species", ["dog", "cat"]))
        .property(int64("visits").default_value(1))
        .property(array("tags", SchemaObject::string()).optional())
        .property(object("chip", chip).optional())
        .property(string("secret").optional().write_only())
        .property(string("slug").read_only())
        .property(string("note").optional().nullable().modes([Mode::Create, Mode::Update, Mode::View]))
        .property(date_time("created_at"));
    ResourceDefinition::new("/animals", "animals", animal, "id", IdentifierKind::Uuid)
        .field("created_at", FieldDefinition::created_at)
        .filter("name", [Operator::Eq, Operator::Contains])
        .filter("species", [Operator::Eq])
        .sort("name")
        .sort("created_at")
        .default_sort("created_at", Direction::Descending)
}

pub(crate) fn visits() -> ResourceDefinition {
    let visit = PropertyCollection::new("Visit").property(int64("id").read_only()).property(string("guest"));
    ResourceDefinition::new("/visits", "visits", visit, "id", IdentifierKind::Integer)
}
