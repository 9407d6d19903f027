//! The parameters in the document.

use restwright::openapi::Document;
use serde_json::{Value, json};

use crate::pets::{client, five};

#[test]
fn parameters() {
    let client = client(&five());
    let document = serde_json::to_value(Document::from_api(client.api())).unwrap();
    let parameter = |name: &str| -> Value {
        let parameters = document["paths"]["/pets"]["get"]["parameters"].as_array().unwrap();
        parameters.iter().find(|parameter| parameter["name"] == name).unwrap_or_else(|| panic!("{name}")).clone()
    };
    assert_eq!(parameter("filter[name]")["schema"], json!({"type": "string"}));
    assert_eq!(
        parameter("filter[name]")["description"],
        "The name. Equals this value. Short: `name`. A request must have at most 20 filters."
    );
    assert_eq!(parameter("filter[species][in]")["schema"]["items"]["$ref"], "#/components/schemas/Species");
    assert_eq!(parameter("filter[species][in]")["style"], "form");
    assert_eq!(parameter("filter[species][in]")["explode"], false);
    assert_eq!(parameter("filter[age][between]")["schema"]["minItems"], 2);
    // A comma in a value is no separator, however a client encodes it.
    let item = json!({"type": "string", "pattern": r"^([^,\\]|\\[^\n\r\u2028\u2029])*$"});
    assert_eq!(parameter("filter[name][between]")["schema"]["items"], item);
    // A list of one empty text is an empty list.
    let item = json!({"type": "string", "minLength": 1, "pattern": r"^([^,\\]|\\[^\n\r\u2028\u2029])*$"});
    assert_eq!(parameter("filter[name][in]")["schema"]["items"], item);
    let several = parameter("filter[species][in]")["schema"].clone();
    assert_eq!([&several["minItems"], &several["maxItems"]], [1, 100]);
    for several in ["filter[age][between]", "filter[age][in]", "order_by"] {
        let description = parameter(several)["description"].as_str().unwrap().to_owned();
        assert!(description.contains("repeat"), "{description}");
    }
    assert_eq!(parameter("page")["schema"]["maximum"], 10_001);
    assert_eq!(parameter("filter[seen][gte]")["schema"]["format"], "date-time");
    assert_eq!(parameter("filter[calm][is_null]")["schema"]["type"], "boolean");
    assert_eq!(parameter("limit")["schema"]["maximum"], 100);
    let order = parameter("order_by");
    assert_eq!(order["schema"]["default"], json!(["-weight_kg", "born", "id"]));
    assert_eq!(order["schema"]["items"]["enum"].as_array().unwrap().len(), 12);
    let offsets = document["paths"]["/pets/by-offset"]["get"]["parameters"].as_array().unwrap();
    let offset = offsets.iter().find(|parameter| parameter["name"] == "offset").unwrap();
    assert_eq!(offset["schema"]["maximum"], 10_000);
    let names: Vec<_> = document["components"]["schemas"].as_object().unwrap().keys().collect();
    for name in ["PetPage", "PetUncountedPage", "PetOffset", "PetCursor", "PagePagination", "CursorPagination"] {
        assert!(names.iter().any(|known| *known == name), "{name} in {names:?}");
    }
}
