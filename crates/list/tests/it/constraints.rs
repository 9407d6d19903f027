//! The constraints of a type hold for the values of its filters, and the operator of a condition that names none can be chosen.

use std::sync::{Arc, Mutex};

use restwright::list::Filter;
use restwright::openapi::Document;
use restwright::prelude::*;
use restwright::schema::Invalid;
use restwright::testing::TestClient;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::compared::Compared;
use crate::{get, violations};

#[derive(Clone, Debug, Serialize, Deserialize, Schema)]
struct Age(#[property(minimum = 0, maximum = 200)] i64);

#[derive(Clone, Debug, Serialize, Deserialize, Schema)]
struct Code(#[property(min_length = 3, max_length = 5, pattern = "^[a-z]+$")] String);

/// An even number.
#[derive(Clone, Debug, Serialize, Deserialize, Schema)]
struct Even(#[property(validate = even)] i64);

fn even(value: &i64) -> std::result::Result<(), Invalid> {
    if value % 2 == 0 { Ok(()) } else { Err(Invalid::new("odd", "must be even")) }
}

#[derive(Clone, Debug, Default, Filters)]
struct ItemFilters {
    #[filter(eq, in, gt, between)]
    age: Filter<Age>,
    #[filter(eq, in, gt, contains, starts_with)]
    code: Filter<Code>,
    #[filter(eq, in, gt)]
    even: Filter<Even>,
    #[filter(eq, lt, minimum = 0, exclusive_maximum = 10.5)]
    weight: Filter<f64>,
    /// The name.
    #[filter(eq, contains, default = contains, max_length = 4)]
    name: Filter<String>,
    #[filter(between, default = between)]
    year: Filter<i32>,
}

#[derive(Request)]
struct ListItemsRequest {
    filters: Compared<ItemFilters>,
}

#[derive(Serialize, Schema, Response)]
#[response(status = 200)]
struct Nothing {}

struct ListItems(Arc<Mutex<ItemFilters>>);

impl Controller for ListItems {
    type Request = ListItemsRequest;
    type Response = Nothing;

    fn route(&self) -> Route {
        Route::get("/items").public()
    }

    async fn handle(&self, request: ListItemsRequest) -> Result<Nothing> {
        *self.0.lock().unwrap() = request.filters.0;
        Ok(Nothing {})
    }
}

fn client() -> (TestClient, Arc<Mutex<ItemFilters>>) {
    let read = Arc::default();
    let controller = ListItems(Arc::clone(&read));
    (TestClient::new(Api::builder(Configuration::new("items", "1.0.0")).controller(controller).build().unwrap()), read)
}

#[test]
fn values_satisfy_the_constraints_of_their_type() {
    let (client, _) = client();
    for (query, expected) in [
        ("age=200", None),
        ("age=201", Some("maximum")),
        ("age=-1", Some("minimum")),
        ("age[gt]=500", Some("maximum")),
        ("age[between]=1,500", Some("maximum")),
        ("age[in]=1,500", Some("maximum")),
        ("code=abc", None),
        ("code=ab", Some("min_length")),
        ("code=ABC", Some("pattern")),
        ("code[in]=abc,abcdef", Some("max_length")),
        // A piece of a text, and the end of a range of texts, is no whole one.
        ("code[contains]=B", None),
        ("code[starts_with]=a", None),
        ("code[gt]=A", None),
        ("even=2", None),
        ("even=3", Some("odd")),
        ("even[in]=2,3", Some("odd")),
        ("even[gt]=3", None),
        ("weight=0", None),
        ("weight=-0.5", Some("minimum")),
        ("weight[lt]=10.5", Some("exclusive_maximum")),
        ("name[eq]=abcd", None),
        ("name[eq]=abcde", Some("max_length")),
        ("name=abcde", None),
    ] {
        let response = get(&client, &format!("/items?{query}"));
        match expected {
            None => _ = response.assert_status(200),
            Some(code) => {
                let pointer = format!("/{}", query.split_once('=').unwrap().0);
                assert_eq!(violations(&response), [(code.to_owned(), pointer)], "{query}");
            }
        }
    }
}

#[test]
fn a_condition_without_an_operator_has_the_default_one() {
    let (client, read) = client();
    for (query, operator) in [
        ("name=x", "contains"),
        ("filter[name]=x", "contains"),
        ("filter[name][contains]=x", "contains"),
        ("name[eq]=x", "eq"),
        ("year=1,2", "between"),
        ("year=1&filter[year]=2", "between"),
    ] {
        get(&client, &format!("/items?{query}")).assert_status(200);
        let filters = read.lock().unwrap().clone();
        let given = filters.name.iter().map(|given| given.operator());
        let given: Vec<_> = given.chain(filters.year.iter().map(|given| given.operator())).collect();
        assert_eq!(given.iter().map(|operator| operator.as_str()).collect::<Vec<_>>(), [operator], "{query}");
    }
    let twice = get(&client, "/items?name=x&name[contains]=y");
    assert_eq!(violations(&twice), [("duplicate_condition".to_owned(), "/name[contains]".to_owned())]);
}

#[test]
fn the_document_has_constraints_and_default_operators() {
    let (client, _) = client();
    let document = serde_json::to_value(Document::from_api(client.api())).unwrap();
    let parameters = document["paths"]["/items"]["get"]["parameters"].as_array().unwrap();
    let parameter = |name: &str| -> &Value {
        parameters.iter().find(|parameter| parameter["name"] == name).unwrap_or_else(|| panic!("{name}"))
    };
    let resolve = |schema: &Value| -> Value {
        match schema["$ref"].as_str() {
            Some(reference) => document.pointer(reference.trim_start_matches('#')).unwrap().clone(),
            None => schema.clone(),
        }
    };
    for name in ["filter[age]", "filter[age][gt]"] {
        let schema = resolve(&parameter(name)["schema"]);
        assert_eq!([&schema["minimum"], &schema["maximum"]], [0, 200], "{name}");
    }
    assert_eq!(resolve(&parameter("filter[age][in]")["schema"]["items"])["maximum"], 200);
    assert_eq!(resolve(&parameter("filter[code]")["schema"])["minLength"], 3);
    assert_eq!(parameter("filter[code][contains]")["schema"], json!({"type": "string"}));
    let schema = &parameter("filter[weight][lt]")["schema"];
    assert_eq!([&schema["minimum"], &schema["exclusiveMaximum"]], [&json!(0), &json!(10.5)]);
    assert_eq!(
        parameter("filter[name]")["description"],
        "The name. Contains this string, ignoring case. This is the default operator: `name`, `filter[name][contains]` and `name[contains]` \
         are equivalent."
    );
    assert_eq!(parameter("filter[name][eq]")["schema"]["maxLength"], 4);
    let description = parameter("filter[code][in]")["description"].as_str().unwrap();
    assert!(
        description.contains("Each value must meet the length, pattern and format of a single value."),
        "{description}"
    );
}
