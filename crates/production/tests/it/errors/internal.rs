//! The causes of a 500, which clients see by the configuration alone.

use restwright::http::StatusCode;
use restwright::prelude::*;
use restwright::problem::ProblemKind;
use restwright::testing::TestClient;
use serde_json::{Value, json};

use super::Log;
use super::form::{builder, configuration};
use crate::server::Server;

const WARNING: &str = "500 responses show their causes to every client";

fn api(expose: bool) -> Api {
    let route = |name: &str| Route::get(format!("/{name}")).id(name).public();
    let nested = std::io::Error::other(std::fmt::Error);
    let chain = ProblemKind::new(StatusCode::INTERNAL_SERVER_ERROR, "broken", "Broken");
    builder(configuration().expose_internal_errors(expose))
        .controller(route("chain").handler(async move |(): ()| -> Result<NoContent> {
            let source = std::io::Error::other(format!("the pool is closed: {nested}"));
            Err(Problem::new(chain.clone()).detail("It broke.").source(source))
        }))
        .controller(route("plain").handler(async |(): ()| -> Result<NoContent> {
            Err(Problem::new(restwright::problem::catalogue::INTERNAL))
        }))
        .build()
        .unwrap()
}

fn detail(api: &Api, path: &str) -> Value {
    let asks = [("x-debug", "true"), ("debug", "1"), ("x-restwright-debug", "true"), ("cookie", "debug=true")];
    let client = TestClient::new(api.clone());
    let request = asks.into_iter().fold(client.get(path), |request, (name, value)| request.header(name, value));
    request.send().json::<Value>()["detail"].clone()
}

#[test]
fn a_500_shows_its_causes_by_the_configuration_alone() {
    for (path, hidden, shown) in [
        ("/fail/internal", Value::Null, json!("a secret of the source")),
        ("/fail/internal?debug=true", Value::Null, json!("a secret of the source")),
        ("/fail/panic", Value::Null, json!("panic: a secret of the handler")),
        (
            "/chain",
            json!("It broke."),
            json!("It broke. the pool is closed: an error occurred when formatting an argument"),
        ),
        ("/plain", Value::Null, Value::Null),
        // Its cause is no 500's.
        ("/fail/unavailable", Value::Null, Value::Null),
    ] {
        assert_eq!(detail(&api(false), path), hidden, "{path}");
        assert_eq!(detail(&api(true), path), shown, "{path}");
    }
}

#[test]
fn a_client_on_a_socket_sees_them() {
    for (expose, shown) in [(false, Value::Null), (true, json!("panic: a secret of the handler"))] {
        let server = Server::start(api(expose));
        let reply = server.send("GET", "/fail/panic", &["X-Debug: true"]);
        assert_eq!((reply.status(), reply.json()["detail"].clone()), (500, shown));
    }
}

#[test]
fn each_start_logs_a_warning() {
    for (expose, warnings) in [(false, 0), (true, 2)] {
        let log = Log::of(|| {
            let client = TestClient::new(api(expose));
            client.start().unwrap();
            client.stop();
            client.start().unwrap();
        });
        let found = log.lines().filter(|line| line.contains("WARN") && line.contains(WARNING)).count();
        assert_eq!(found, warnings, "{log}");
    }
}
