//! An application that uses everything that a document can contain.

use restwright_openapi::Documentation;
use restwright_runtime::core::Route;
use restwright_runtime::core::auth::Access;
use restwright_runtime::core::http::{Method, StatusCode};
use restwright_runtime::core::operation::{
    ApiKeyLocation, ExampleObject, HeaderObject, LinkObject, MediaTypeObject, OAuthFlow, ParameterLocation,
    ParameterObject, ParameterStyle, SchemaUse, SecurityScheme,
};
use restwright_runtime::core::problem::ProblemKind;
use restwright_runtime::core::schema::{
    Format, Mode, Property, PropertyCollection, SchemaObject, SchemaType, any_of, array, boolean, date, enumeration,
    int64, map, number, object, one_of, string, tuple,
};
use restwright_runtime::{Api, Group};
use serde_json::json;

use crate::support::{Endpoint, Scheme, configuration};

pub(crate) fn api() -> Api {
    let oauth = OAuthFlow::authorization_code("https://login.example.com/authorize", "https://login.example.com/token")
        .scope("pets:write", "Change pets.");
    let oauth = SecurityScheme::oauth2([oauth]);
    let key = SecurityScheme::api_key(ApiKeyLocation::Header, "X-Api-Key").description("A key for machines.");
    let configuration = configuration()
        .description("Pets and **shelters**.")
        .server("https://api.example.org/v1")
        .authenticator("key", Scheme(key))
        .authenticator("oauth", Scheme(oauth));
    Api::builder(configuration)
        .module(&Documentation::public())
        .group(
            Group::new("/pets")
                .tag("Pets")
                .public()
                .controller(Endpoint(list()))
                .controller(Endpoint(create()))
                .controller(Endpoint(view()))
                .controller(Endpoint(replace()))
                .controller(Endpoint(delete()))
                .controller(Endpoint(search()))
                .controller(Endpoint(purge())),
        )
        .controller(Endpoint(file()))
        .controller(Endpoint(watch()))
        .controller(Endpoint(Route::get("/hidden").id("hidden").public().hidden()))
        .build()
        .unwrap()
}

fn category() -> PropertyCollection {
    PropertyCollection::new("Category")
        .property(string("name").min_length(1))
        .property(array("children", SchemaObject::reference("Category")).optional())
}

fn pet() -> PropertyCollection {
    let cat = PropertyCollection::new("Cat").property(boolean("indoor"));
    let dog = PropertyCollection::new("Dog").property(enumeration("size", ["small", "large"]));
    let kind = restwright_runtime::core::schema::OneOf::new("Kind", "species").variant("cat", cat).variant("dog", dog);
    PropertyCollection::new("Pet")
        .title("A pet")
        .description("An animal that wants a home.")
        .property(int64("id").minimum(1).read_only())
        .property(string("name").min_length(1).max_length(100).example("Rex"))
        .property(string("secret").write_only().optional())
        .property(string("colour").optional().nullable().deprecated().example("black").example("white"))
        .property(date("born").optional().modes([Mode::View, Mode::Update]))
        .property(number("weight_kg").exclusive_minimum(0).maximum(10_000).default_value(1.5))
        .property(array("tags", SchemaObject::string().max_length(30)).max_items(10).unique_items().optional())
        .property(map("labels", SchemaObject::string()).optional())
        .property(tuple("position", [SchemaObject::number(), SchemaObject::number().maximum(180)]).optional())
        .property(
            Property::new("visits", SchemaType::keyed_map(SchemaObject::date(), SchemaObject::int64())).optional(),
        )
        .property(any_of("chip", [SchemaObject::int64(), SchemaObject::string().format(Format::BASE64)]).optional())
        .property(object("category", category()))
        .property(one_of("kind", kind))
}

fn list() -> Route {
    Route::get("")
        .id("listPets")
        .summary("Pets")
        .parameter(ParameterLocation::Query, array("species", SchemaObject::enumeration(["dog", "cat"])).optional())
        .parameter(ParameterLocation::Query, string("name").optional().nullable().description("A part of the name."))
        .parameter(ParameterLocation::Header, string("Accept-Language").optional())
        .parameter(ParameterLocation::Cookie, string("session").optional().deprecated())
        .response(200, SchemaObject::array(pet()).max_items(100))
        .describe(|operation| {
            let schema = SchemaUse::input(SchemaObject::string());
            let mut fields = ParameterObject::new(
                ParameterLocation::Query,
                "fields",
                SchemaUse::input(SchemaObject::array(SchemaObject::string())),
            );
            fields.style = ParameterStyle::Comma;
            fields.required = false;
            let mut filter =
                ParameterObject::new(ParameterLocation::Query, "filter", SchemaUse::input(SchemaObject::string()));
            filter.required = false;
            filter.examples.push(ExampleObject::new("named", "Rex"));
            operation.parameters.extend([fields, filter]);
            let total = HeaderObject::new("X-Total", SchemaUse::output(SchemaObject::int64().minimum(0)))
                .description("How many there are.");
            operation.response(StatusCode::OK).add_header(total);
            operation.add_common_header(HeaderObject::new("X-Region", schema).optional());
            operation.extensions.insert("x-cache".to_owned(), json!({ "seconds": 60 }));
            operation.extensions.insert("cache".to_owned(), json!("not an extension"));
        })
}

fn create() -> Route {
    Route::post("")
        .id("createPet")
        .description("Takes a pet in.")
        .access(Access::authenticated("bearer").and("key").or("oauth").all_scopes(["pets:write"]))
        .body(SchemaObject::object(pet()).description("The newcomer."))
        .response(201, pet())
        .problem(ProblemKind::new(StatusCode::CONFLICT, "shelter_full", "Shelter full"))
        .problem(ProblemKind::new(StatusCode::CONFLICT, "pet_known", "Pet known").description("It has an id already."))
        .describe(|operation| {
            for media_type in operation.request_body.iter_mut().flat_map(|body| &mut body.content) {
                media_type.schema = media_type.schema.take().map(|used| used.mode(Mode::Create));
                let example = ExampleObject::new("dog", json!({
                    "name": "Rex", "weight_kg": 12, "category": { "name": "dogs" }, "kind": { "species": "dog", "size": "large" }
                })).summary("A dog");
                media_type.examples.push(example);
            }
            let created = operation.response(StatusCode::CREATED);
            created.description = Some("The pet is in.".to_owned());
            created.add_header(HeaderObject::new("Location", SchemaUse::output(SchemaObject::string())));
            let link = LinkObject::new("view", "viewPet").parameter("id", "$response.body#/id").description("The pet.");
            created.links.push(link);
        })
}

fn view() -> Route {
    Route::get("/{id}")
        .id("viewPet")
        .optional("bearer")
        .parameter(ParameterLocation::Path, int64("id").minimum(1).description("Which one."))
        .response(200, pet())
}

fn replace() -> Route {
    Route::put("/{id}")
        .id("replacePet")
        .deprecated()
        .parameter(ParameterLocation::Path, int64("id").minimum(1).description("Which one."))
        .optional_body(pet())
}

fn delete() -> Route {
    Route::delete("/{id}").id("deletePet").parameter(ParameterLocation::Path, int64("id").minimum(1))
}

fn search() -> Route {
    let names = SchemaObject::array(SchemaObject::string()).description("The names.");
    Route::new(Method::from_bytes(b"QUERY").unwrap(), "").id("searchPets").body(names).response(200, pet())
}

fn purge() -> Route {
    Route::new(Method::from_bytes(b"PURGE").unwrap(), "/{id}")
        .id("purgePet")
        .parameter(ParameterLocation::Path, int64("id").minimum(1))
}

fn file() -> Route {
    Route::get("/files/{*path}")
        .id("file")
        .public()
        .parameter(ParameterLocation::Path, string("path"))
        .describe(|operation| operation.response(StatusCode::OK).content.push(MediaTypeObject::new("application/pdf")))
}

/// Server-sent events, and lines of JSON, each of which is a pet.
fn watch() -> Route {
    Route::get("/changes").id("watchPets").public().describe(|operation| {
        let item = || SchemaUse::output(SchemaObject::reference("Pet"));
        let content = &mut operation.response(StatusCode::OK).content;
        content.push(MediaTypeObject::new("text/event-stream").item_schema(item()));
        content.push(MediaTypeObject::new("application/jsonl").item_schema(item()));
    })
}
