//! Derives without the facade, in a crate that depends on `restwright-core` and `restwright-macros`.

use serde::{Deserialize, Serialize};

/// The crates below the facade, under the names that the facade has for them.
pub mod contracts {
    pub use restwright_macros::{Part, Problem, Request, Response, Schema};

    /// The crates that the derives name.
    pub mod derived {
        pub use restwright_core as core;
        pub use restwright_core::schema;
    }
}

/// A customer.
#[derive(Debug, Serialize, Deserialize, contracts::Schema)]
#[schema(crate = "crate::below::contracts")]
pub struct Customer {
    #[property(min_length = 1)]
    name: String,
}

/// The caller's language.
#[derive(Debug, contracts::Part)]
#[part(crate = "crate::below::contracts")]
pub struct Language {
    #[header("Accept-Language")]
    language: Option<String>,
}

/// A request for a greeting.
#[derive(Debug, contracts::Request)]
#[request(crate = "crate::below::contracts")]
pub struct Greet {
    language: Language,
    #[body]
    customer: Customer,
}

/// A greeting.
#[derive(Debug, Serialize, contracts::Schema, contracts::Response)]
#[response(crate = "crate::below::contracts", status = 200)]
#[schema(crate = "crate::below::contracts")]
pub struct Greeting {
    text: String,
}

/// Why there is no greeting.
#[derive(Debug, contracts::Problem)]
#[problem(crate = "crate::below::contracts", status = 409, detail = "There is no greeting in {0}.")]
pub struct NoGreeting(String);

/// Returns a greeting.
///
/// # Errors
/// There is no greeting in the language.
pub async fn greet(request: Greet) -> restwright_core::Result<Greeting> {
    match request.language.language {
        Some(language) => Err(NoGreeting(language).into()),
        None => Ok(Greeting { text: format!("Hello, {}", request.customer.name) }),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};
    use web::testing::TestClient;
    use web::{Api, Configuration, Route};

    use super::*;

    #[test]
    fn derives_work_without_the_facade() {
        let greet = Route::post("/greetings").id("greet").public().problems::<NoGreeting>().handler(greet);
        let client =
            TestClient::new(Api::builder(Configuration::new("below", "1.0.0")).controller(greet).build().unwrap());
        let post = |name: &str| client.post("/greetings").json(&json!({"name": name}));
        assert_eq!(post("Ada").send().assert_status(200).assert_documented().json::<Value>()["text"], "Hello, Ada");
        post("").send().assert_status(422).assert_documented();
        post("Ada").header("Accept-Language", "x-y").send().assert_problem("no_greeting").assert_documented();
    }
}
