//! The document as a value of okapi.

use okapi::openapi3::SchemaObject;
use restwright_okapi::to_okapi;
use restwright_openapi::{Document, DocumentOptions, OpenApiVersion};
use restwright_runtime::Api;
use restwright_runtime::core::operation::{OAuthFlow, SecurityScheme};
use restwright_runtime::core::schema::{PropertyCollection, int64, string};
use restwright_runtime::core::{Configuration, Route};
use serde_json::{Value, json};

use crate::everything;
use crate::support::{Endpoint, Scheme, api};

fn v3_0(api: &Api) -> Document {
    Document::with_options(api, &DocumentOptions::new(OpenApiVersion::V3_0))
}

/// Removes from a document what okapi's types lose: integers become doubles, and `required` is sorted.
fn comparable(mut value: Value) -> Value {
    match &mut value {
        Value::Number(number) => return json!(number.as_f64()),
        Value::Array(items) => items.iter_mut().for_each(|item| *item = comparable(item.take())),
        Value::Object(members) => {
            if let Some(Value::Array(names)) = members.get_mut("required") {
                names.sort_by_key(Value::to_string);
            }
            members.values_mut().for_each(|member| *member = comparable(member.take()));
        }
        _ => {}
    }
    value
}

#[test]
fn equals_the_document_of_version_3_0_except_for_losses() {
    for api in [everything::api(), api([Route::get("/a").public()])] {
        let document = v3_0(&api);
        let written = serde_json::to_string(&to_okapi(&document)).unwrap();
        let read: Value = serde_json::from_str(&written).unwrap();
        assert_eq!(comparable(read), comparable(serde_json::to_value(&document).unwrap()));
    }
}

#[test]
fn okapi_reads_the_schemas_that_it_writes_unless_a_bound_is_exclusive() {
    let schema = |exclusive: bool| {
        let count = int64("count").maximum(7);
        let count = if exclusive { count.exclusive_minimum(0) } else { count.minimum(1) };
        let thing = PropertyCollection::new("Thing").property(string("name").nullable()).property(count);
        let document = to_okapi(&v3_0(&api([Route::post("/things").public().body(thing)])));
        document.components.unwrap().schemas.remove("Thing").unwrap()
    };
    let inclusive = schema(false);
    let written = serde_json::to_string(&inclusive).unwrap();
    assert_eq!(serde_json::from_str::<SchemaObject>(&written).unwrap(), inclusive);
    let written = serde_json::to_string(&schema(true)).unwrap();
    assert!(serde_json::from_str::<SchemaObject>(&written).is_err(), "{written}");
}

#[test]
fn the_first_flow_of_a_scheme_is_kept() {
    let flows = [OAuthFlow::password("/token"), OAuthFlow::client_credentials("/token").scope("pets", "Pets.")];
    let configuration = Configuration::new("a", "1").authenticator("oauth", Scheme(SecurityScheme::oauth2(flows)));
    let api = Api::builder(configuration).controller(Endpoint(Route::get("/a").public())).build().unwrap();
    let written = serde_json::to_value(to_okapi(&v3_0(&api))).unwrap();
    assert_eq!(
        written["components"]["securitySchemes"]["oauth"],
        json!({ "type": "oauth2", "flows": { "clientCredentials": { "tokenUrl": "/token", "scopes": { "pets": "Pets." } } } })
    );
}
