//! An application that uses every kind of run-time declaration.

use restwright::list::{Direction, FilterBag, FilterFields, Operator, SortBag, SortFields};
use restwright::operation::ParameterLocation;
use restwright::prelude::*;
use restwright::schema::{
    Mode, OneOf, Property, PropertyCollection, SchemaObject, any, array, boolean, date, date_time, enumeration,
    float32, int32, int64, integer, map, number, object, one_of, reference, string, uint32, uint64, uuid,
};
use restwright::{Input, Output};
use serde::Serialize;

/// A handler of an operation that is declared at run time.
pub(crate) type Handler = fn(Input) -> Result<Output>;

/// The handlers of the operations in the order of [`api`], and the handler of the list.
pub(crate) struct Handlers(pub(crate) [Handler; 6], pub(crate) ListHandler);

type ListHandler = fn(FilterBag, SortBag) -> Result<Output>;

/// Returns the application. Some of its operations use run-time declarations, and some do not.
pub(crate) fn api(
    Handlers([on_create, on_view, on_replace, on_hostile, on_hidden, on_plain], on_list): Handlers,
) -> Api {
    let hidden = Route::post("/hidden").id("hidden").body(SchemaObject::array(label())).hidden();
    Api::builder(Configuration::new("shelter", "1.0.0"))
        .controller(Declared(create(), on_create))
        .controller(Declared(view(), on_view))
        .controller(Declared(replace(), on_replace))
        .controller(Declared(hostile(), on_hostile))
        .controller(Declared(hidden.public(), on_hidden))
        .controller(Declared(Route::get("/plain").id("plain").public(), on_plain))
        .controller(ListPets(on_list))
        .controller(
            Route::get("/typed").id("typed").public().handler(async |_: ()| Ok(Data(Typed { name: "Bo".to_owned() }))),
        )
        .build()
        .unwrap_or_else(|errors| panic!("{errors}"))
}

/// An endpoint that is declared at run time. Without a declared response, it returns 204.
pub(crate) struct Declared(pub(crate) Route, pub(crate) Handler);

impl Controller for Declared {
    type Request = Input;
    type Response = Output;

    fn route(&self) -> Route {
        if self.0.declared_responses().is_empty() { self.0.clone().empty_response(204) } else { self.0.clone() }
    }

    async fn handle(&self, input: Input) -> Result<Output> {
        (self.1)(input)
    }
}

/// A Rust type that run-time declarations may refer to.
#[derive(Serialize, Schema)]
struct Typed {
    /// The name of a typed value.
    name: String,
}

fn label() -> PropertyCollection {
    PropertyCollection::new("Label").property(string("text"))
}

/// Properties of every kind.
fn pet() -> PropertyCollection {
    let cat = PropertyCollection::new("Cat").property(boolean("indoor"));
    let dog = PropertyCollection::new("Dog").property(enumeration("size", ["small", "large"]));
    let kind = OneOf::new("Kind", "species").variant("cat", cat).variant("dog", dog).description("What it is.");
    let chip = PropertyCollection::new("").property(string("number")).property(boolean("is read"));
    PropertyCollection::new("Pet")
        .description("An animal that wants a home.\n\nOr has one.")
        .property(int64("id").minimum(1).read_only())
        .property(string("name").min_length(1).max_length(100).example("Rex").description("The name of the pet."))
        .property(string("secret").write_only().optional())
        .property(string("colour").optional().nullable().deprecated())
        .property(string("breed").nullable())
        .property(int32("legs").minimum(0).maximum(8).default_value(4))
        .property(uint32("steps"))
        .property(uint64("stars").optional())
        .property(integer("rank").multiple_of(5))
        .property(number("weightKg").exclusive_minimum(0).maximum(10_000))
        .property(float32("ratio"))
        .property(boolean("vaccinated"))
        .property(date("born").optional().modes([Mode::View, Mode::Update]))
        .property(date_time("found_at"))
        .property(uuid("tag"))
        .property(enumeration("mood", ["calm", "very wild", "1st", ""]))
        .property(enumeration("grade", [1, 2, 3]))
        .property(array("tags", SchemaObject::string().max_length(30)).max_items(10).unique_items().optional())
        .property(array("notes", PropertyCollection::new("").property(string("text"))).optional())
        .property(map("labels", label()).optional())
        .property(any("extra").optional())
        .property(one_of("kind", kind))
        .property(object("chip", chip))
        .property(Property::of::<Typed>("typed"))
        .property(
            object("mother", PropertyCollection::new("Parent").property(reference("child", "Pet").optional()))
                .optional(),
        )
        .property(array("children", SchemaObject::reference("Pet")).optional())
        .property(reference("friend", "Pet").optional())
}

fn create() -> Route {
    Route::post("/pets")
        .id("createPet")
        .public()
        .body(pet())
        .response(201, PropertyCollection::new("PetCreated").property(object("data", pet())))
        .response_header(201, string("Location").description("The path of the pet."))
        .response_header(201, int64("X-Total").optional())
        .describe(|operation| {
            for media_type in operation.request_body.iter_mut().flat_map(|body| &mut body.content) {
                media_type.schema = media_type.schema.take().map(|used| used.mode(Mode::Create));
            }
        })
}

fn view() -> Route {
    Route::get("/pets/{id}")
        .id("viewPet")
        .public()
        .parameter(ParameterLocation::Path, int64("id").minimum(1).description("Which one."))
        .parameter(ParameterLocation::Query, array("fields", SchemaObject::enumeration(["name", "id"])).optional())
        .parameter(ParameterLocation::Query, int32("depth").default_value(1))
        .parameter(ParameterLocation::Header, string("X-Trace").optional())
        .parameter(ParameterLocation::Cookie, string("session").optional().deprecated())
        .response(200, SchemaObject::object(pet()).nullable())
        .response(203, PropertyCollection::new("").property(string("why")))
}

fn replace() -> Route {
    Route::put("/tags/{tag_id}")
        .id("replace-pet")
        .public()
        .parameter(ParameterLocation::Path, uuid("tag_id"))
        .optional_body(SchemaObject::object(label()).nullable())
}

/// Names that are not identifiers, and descriptions that try to end their comment.
fn hostile() -> Route {
    let text = "*/ pub fn broken() {}\n```rust\npanic!()\n```\r#![deny(warnings)] \"quoted\" <b> [link] \\ \u{202E}";
    let names = ["self", "type", "1st", "a-b", "a_b", "a b", "größe", "\"quoted\"", "back\\slash", "", "async", "Self"];
    let option = PropertyCollection::new("Option").property(boolean("some"));
    let collection = PropertyCollection::new("Hostile").description(text).property(object("option", option));
    let long = "a_very_long_name_of_a_property_that_rustfmt_would_break_if_it_was_not_told_to_leave_it_alone_as_it_is";
    let collection = names.into_iter().fold(collection, |collection, name| collection.property(string(name)));
    let collection = collection.property(string(long).description(text).example("`\n*/"));
    let collection = collection.property(enumeration("kinds", ["self", "a b", "a-b", "\n", "Ok"]).description("``` a"));
    Route::post("/hostile").id("self").public().body(collection)
}

#[derive(Debug)]
struct ListPets(ListHandler);

/// A list whose filters and sort fields are declared at run time.
#[derive(Debug, Request)]
struct ListPetsRequest {
    filters: FilterBag,
    sort: SortBag,
}

impl Controller for ListPets {
    type Request = ListPetsRequest;
    type Response = Output;

    fn route(&self) -> Route {
        let filters = FilterFields::new()
            .field(string("name").max_length(20).description("A part of the name."), [Operator::Eq, Operator::Contains])
            .field(date("born"), [Operator::Gte, Operator::Lt])
            .field(int32("legs").nullable(), [Operator::Eq, Operator::In, Operator::IsNull])
            .field(enumeration("mood", ["calm", "wild"]), [Operator::Eq, Operator::In])
            .field(string("a-b"), [Operator::Eq]);
        let filters = ["name", "born", "legs", "mood", "a-b"].into_iter().fold(filters, FilterFields::computed);
        let sort = SortFields::by_identifier("id").field("name").field("bornOn").default("name", Direction::Descending);
        Route::get("/pets").id("listPets").public().with(filters).with(sort).response(200, SchemaObject::array(label()))
    }

    async fn handle(&self, request: ListPetsRequest) -> Result<Output> {
        (self.0)(request.filters, request.sort)
    }
}
