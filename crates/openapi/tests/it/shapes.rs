//! Schemas as components: sides, modes and recursion.

use restwright_runtime::core::Route;
use restwright_runtime::core::operation::ParameterLocation;
use restwright_runtime::core::schema::{Mode, PropertyCollection, SchemaObject, array, int64, string};
use serde_json::{Value, json};

use crate::support::{document, part};

fn names(routes: impl IntoIterator<Item = Route>) -> Vec<String> {
    let document = document(routes);
    let schemas = document["components"]["schemas"].as_object().unwrap();
    schemas.keys().filter(|name| !name.ends_with("Problem") && *name != "Violation").cloned().collect()
}

fn both_ways(collection: &PropertyCollection) -> Route {
    Route::post("/things").public().body(collection.clone()).response(200, collection.clone())
}

#[test]
fn equal_sides_share_a_component() {
    let thing = PropertyCollection::new("Thing").property(string("name"));
    assert_eq!(names([both_ways(&thing)]), ["Thing"]);
}

#[test]
fn different_sides_have_two_components() {
    let thing = PropertyCollection::new("Thing").property(string("name")).property(int64("id").read_only());
    let owner = PropertyCollection::new("Owner").property(array("things", thing));
    assert_eq!(names([both_ways(&owner)]), ["Owner", "OwnerInput", "Thing", "ThingInput"]);
}

#[test]
fn names_a_component_after_a_mode_that_omits_properties() {
    let thing = PropertyCollection::new("Thing")
        .property(string("name"))
        .property(string("note").optional().modes([Mode::View]));
    let route = |path: &str, mode| {
        Route::post(path).id(path).public().body(thing.clone()).describe(move |operation| {
            for media_type in operation.request_body.iter_mut().flat_map(|body| &mut body.content) {
                media_type.schema = media_type.schema.take().map(|used| used.mode(mode));
            }
        })
    };
    assert_eq!(names([route("/create", Mode::Create), route("/view", Mode::View)]), ["Thing", "ThingCreate"]);
}

#[test]
fn a_recursive_shape_refers_to_itself() {
    let category = PropertyCollection::new("Category")
        .property(string("name"))
        .property(array("children", SchemaObject::reference("Category")).optional());
    let schema = part([both_ways(&category)], "/components/schemas/Category/properties/children/items");
    assert_eq!(schema, json!({ "$ref": "#/components/schemas/Category" }));
}

#[test]
fn keeps_the_order_of_properties() {
    let thing = PropertyCollection::new("Thing").property(string("z")).property(string("a")).property(string("m"));
    let properties = part([both_ways(&thing)], "/components/schemas/Thing/properties");
    let names: Vec<_> = properties.as_object().unwrap().keys().collect();
    assert_eq!(names, ["z", "a", "m"]);
}

#[test]
fn hidden_operations_leave_no_shapes() {
    let thing = PropertyCollection::new("Thing").property(string("name"));
    let seen = Route::get("/seen").id("seen").public();
    assert_eq!(names([seen, both_ways(&thing).hidden()]), Vec::<String>::new());
}

#[test]
fn a_header_or_parameter_is_never_null() {
    let route = Route::get("/").public().parameter(ParameterLocation::Query, string("q").optional().nullable());
    let parameter: Value = part([route], "/paths/~1/get/parameters/0");
    assert_eq!(parameter, json!({ "name": "q", "in": "query", "schema": { "type": "string" } }));
}
