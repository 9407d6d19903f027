//! Bodies, parameters and filters of a request.

use restwright::list::Filter;
use restwright::{Filters, Request, Response, Route, Schema};
use serde::{Deserialize, Serialize};
use serde_json::json;
use validator::{Validate, ValidationError};

use crate::client;

/// The example of validator's own documentation.
#[derive(Debug, Validate, Deserialize, Schema)]
#[schema(validator)]
struct SignupData {
    #[validate(email)]
    mail: String,
    #[validate(url)]
    site: String,
    #[validate(length(min = 1), custom(function = "validate_unique_username"))]
    #[serde(rename = "firstName")]
    first_name: String,
    #[validate(range(min = 18, max = 20))]
    age: u32,
    #[validate(range(exclusive_min = 0.0, max = 100.0))]
    height: f32,
}

fn validate_unique_username(username: &str) -> Result<(), ValidationError> {
    if username == "xXxShad0wxXx" {
        return Err(ValidationError::new("terrible_username"));
    }
    Ok(())
}

#[derive(Deserialize, Validate, Schema)]
#[serde(transparent)]
#[schema(validator)]
struct Code {
    #[validate(length(equal = 2))]
    code: String,
}

#[derive(Filters)]
struct SignupFilters {
    #[filter(eq, in, computed)]
    country: Filter<Code>,
}

#[derive(Request)]
struct Signup {
    #[query]
    invitation: Code,
    #[header]
    codes: Vec<Code>,
    filters: SignupFilters,
    #[body]
    data: SignupData,
}

#[derive(Serialize, Schema, Response)]
#[response(status = 200)]
struct Done {
    done: bool,
}

#[test]
fn a_problem_has_the_violations_of_each_part() {
    let client = client(
        || Route::post("/signups").public(),
        |signup: Signup| {
            let Signup { invitation, codes, filters, data } = signup;
            Ok(Done {
                done: !codes.is_empty() && filters.country.is_given() && data.age > 0 && invitation.code == "ab",
            })
        },
    );
    let valid = json!({"mail": "a@b.de", "site": "https://b.de", "firstName": "Ada", "age": 18, "height": 1.7});
    let invalid = json!({"mail": "a", "site": "b", "firstName": "xXxShad0wxXx", "age": 21, "height": 0});
    let send =
        |query: &str, codes, body| client.post(format!("/signups{query}")).header("Codes", codes).json(body).send();
    send("?invitation=ab&filter[country]=de", "ab, cd", &valid).assert_json(&json!({"done": true}));
    send("?invitation=abc&filter[country][in]=de,f", "ab, c", &invalid).assert_violations([
        ("query", "/invitation", "max_length"),
        ("header", "/Codes/1", "min_length"),
        ("query", "/filter[country][in]", "min_length"),
        ("body", "/mail", "format"),
        ("body", "/site", "format"),
        ("body", "/firstName", "validator.terrible_username"),
        ("body", "/age", "maximum"),
        ("body", "/height", "exclusive_minimum"),
    ]);
}

#[test]
fn the_problem_of_the_example_of_validator() {
    #[derive(Request)]
    struct SignUp {
        #[body]
        data: SignupData,
    }
    let client = client(|| Route::post("/signups").public(), |SignUp { data }: SignUp| Ok(Done { done: data.age > 0 }));
    let body = json!({"mail": "a@b.de", "site": "https://b.de", "firstName": "", "age": 17, "height": 1.7});
    let response = client.post("/signups").json(&body).send();
    let problem: serde_json::Value = response.json();
    assert_eq!(problem["status"], 422);
    assert_eq!(
        problem["errors"],
        json!([
            {
                "in": "body", "pointer": "/firstName", "code": "min_length",
                "message": "must have at least 1 character", "params": {"min_length": 1},
            },
            {
                "in": "body", "pointer": "/age", "code": "minimum",
                "message": "must be at least 18", "params": {"minimum": 18},
            },
        ])
    );
}
