//! Random schemas in OpenAPI 3.1 and 3.0 with random values: both versions accept the same values, apart from the items of tuples and the
//! names of properties, which 3.0 cannot restrict.
//!
//! `RESTWRIGHT_SEED` repeats a run, and `RESTWRIGHT_CASES` sets its number of cases.

#![cfg(test)]
#![allow(dead_code, unreachable_pub, reason = "the tests of restwright-schema share the modules")]

#[path = "../../../schema/tests/properties/choices.rs"]
mod choices;
#[path = "../../../schema/tests/properties/samples.rs"]
mod samples;
#[path = "../../../schema/tests/properties/shapes.rs"]
mod shapes;
#[path = "../../../schema/tests/properties/texts.rs"]
mod texts;

use std::cell::{Cell, RefCell};
use std::io::Write;

use jsonschema::{Draft, Validator};
use restwright_openapi::{Document, DocumentOptions, OpenApiVersion};
use restwright_runtime::Api;
use restwright_runtime::core::http::StatusCode;
use restwright_runtime::core::schema::PropertyCollection;
use restwright_runtime::core::{Configuration, Controller, Input, Output, Result, Route};
use serde_json::{Value, json};

use choices::{Choices, run_cases};
use shapes::Object;
use texts::Writer;

struct Endpoint(PropertyCollection);

impl Controller for Endpoint {
    type Request = Input;
    type Response = Output;

    fn route(&self) -> Route {
        Route::post("/values").public().body(self.0.clone()).empty_response(204)
    }

    async fn handle(&self, _: Input) -> Result<Output> {
        Ok(Output::new(StatusCode::NO_CONTENT, Value::Null))
    }
}

/// The keywords that OpenAPI 3.0 cannot express.
const LOST: [&str; 2] = ["prefixItems", "propertyNames"];

/// Returns the schema of a body in a version of OpenAPI, with the components that it refers to.
fn schema(api: &Api, version: OpenApiVersion) -> Value {
    let document = Document::with_options(api, &DocumentOptions::new(version));
    for line in document.info.description.iter().flat_map(|text| text.lines()).filter(|line| line.starts_with("- ")) {
        assert!(LOST.iter().any(|keyword| line.starts_with(&format!("- `{keyword}`"))), "{line} is lost");
    }
    let document = serde_json::to_value(document).unwrap();
    let body = &document["paths"]["/values"]["post"]["requestBody"]["content"]["application/json"]["schema"];
    json!({ "allOf": [body], "components": { "schemas": document["components"]["schemas"] } })
}

/// Calls a test with the schemas of 3.1 and 3.0 and a value.
fn run(name: &str, cases: u32, test: impl Fn(&Value, &Value, &Value) -> Result<(), String>) {
    run_cases(name, cases, |choices: &mut Choices<'_>, text_choices: &mut Choices<'_>| {
        let object = Object::random(choices, 0, &mut 0);
        let api = Api::builder(Configuration::new("random", "1")).controller(Endpoint(object.collection())).build();
        // A declaration that cannot be built has no document.
        let Ok(api) = api else { return Ok(()) };
        let [v3_1, v3_0] = [OpenApiVersion::V3_1, OpenApiVersion::V3_0].map(|version| schema(&api, version));
        let wrong_once_in = *text_choices.pick(&[0, 0, 40, 12]);
        let mut writer =
            Writer { choices: text_choices, root: &object, text: String::new(), depth: 0, input: true, wrong_once_in };
        writer.object(&object, None);
        match serde_json::from_str(&writer.text) {
            Ok(value) if !has_decimal_integer(&value) => test(&v3_1, &v3_0, &value),
            _ => Ok(()),
        }
    });
}

/// Returns `true` if a value contains a number such as `1.0`, which is an integer only in OpenAPI 3.1.
fn has_decimal_integer(value: &Value) -> bool {
    match value {
        Value::Number(number) => number.is_f64() && number.as_f64().is_some_and(|number| number.fract() == 0.0),
        Value::Array(items) => items.iter().any(has_decimal_integer),
        Value::Object(members) => members.values().any(has_decimal_integer),
        _ => false,
    }
}

fn validator(draft: Draft, schema: &Value) -> Validator {
    jsonschema::options()
        .with_draft(draft)
        .should_validate_formats(false)
        .build(schema)
        .unwrap_or_else(|error| panic!("{error}\n{schema:#}"))
}

/// OpenAPI 3.0 is based on draft 4 of JSON Schema, with `nullable` instead of the type `null`.
fn as_draft_4(schema: &mut Value) {
    match schema {
        Value::Array(items) => items.iter_mut().for_each(as_draft_4),
        Value::Object(keywords) => {
            if keywords.remove("nullable").is_some() {
                let name = keywords["type"].clone();
                keywords["type"] = json!([name, "null"]);
            }
            keywords.values_mut().for_each(as_draft_4);
        }
        _ => {}
    }
}

#[test]
fn openapi_3_0_accepts_what_openapi_3_1_accepts() {
    let (accepted, rejected) = (Cell::new(0), Cell::new(0));
    run("values in 3.1 and 3.0", 1_000, |v3_1, v3_0, value| {
        let mut draft_4 = v3_0.clone();
        as_draft_4(&mut draft_4);
        let holds = validator(Draft::Draft202012, v3_1).is_valid(value);
        let count = if holds { &accepted } else { &rejected };
        count.set(count.get() + 1);
        let also = validator(Draft::Draft4, &draft_4).is_valid(value);
        let text = v3_1.to_string();
        let is_looser = LOST.iter().any(|keyword| text.contains(keyword));
        if also == holds || also && is_looser {
            Ok(())
        } else {
            Err(format!("{holds} in 3.1, {also} in 3.0\n{value}\n{v3_1:#}\n{v3_0:#}"))
        }
    });
    println!("{} accepted, {} rejected", accepted.get(), rejected.get());
    assert!(accepted.get() > 0 && rejected.get() > 0, "one verdict never came up");
}

/// For `.ci/versions`, which compares the validators of another library.
#[test]
#[ignore = "writes a file for .ci/versions"]
fn cases_for_other_validators_are_written() {
    let path = concat!(env!("CARGO_TARGET_TMPDIR"), "/versions.jsonl");
    let file = RefCell::new(std::io::BufWriter::new(std::fs::File::create(path).unwrap()));
    run("cases for other validators", 5_000, |v3_1, v3_0, value| {
        let case = json!({ "3.1": v3_1, "3.0": v3_0, "value": value });
        writeln!(file.borrow_mut(), "{case}").map_err(|error| error.to_string())
    });
    file.borrow_mut().flush().unwrap();
}
