//! The caller of a guarded route.

use restwright_core::auth::{Access, Caller, Identity};
use restwright_core::http::StatusCode;
use restwright_core::operation::Operation;
use restwright_core::schema::{PropertyCollection, string};
use restwright_core::{BuildContext, BuildErrors, Controller, Output, Part, Reader, Request, Result, Route};
use restwright_runtime::{Api, Group};
use restwright_testing::TestClient;
use serde_json::json;

use crate::added_access::{BLUE, errors};
use crate::support::{RED, check, configuration};

/// Responds with the subject of its caller.
struct Me(Route);

struct MeRequest(Caller);

impl Request for MeRequest {
    type Plan = ();

    fn plan(context: &mut BuildContext<'_>) -> Result<(), BuildErrors> {
        <Caller as Part>::plan(context)
    }

    fn describe((): &(), _: &mut Operation) {}

    async fn read((): &(), reader: &mut Reader<'_>) -> Result<Option<Self>> {
        Ok(reader.part::<Caller>(&()).map(Self))
    }
}

impl Controller for Me {
    type Request = MeRequest;
    type Response = Output;

    fn route(&self) -> Route {
        let me = PropertyCollection::new("Me").property(string("me"));
        self.0.clone().response(200, me)
    }

    async fn handle(&self, MeRequest(caller): MeRequest) -> Result<Output> {
        let subject: &str = caller.subject();
        assert!(!caller.is_guest());
        Ok(Output::new(StatusCode::OK, json!({ "me": subject })))
    }
}

#[test]
fn provides_a_caller_on_routes_without_guests() {
    let me = |path: &str| Route::get(path).id(path.to_owned());
    let api = Api::builder(configuration())
        .controller(Me(me("/own").authorize("red", ["a:b"])))
        .group(Group::new("").authorize("red", ["a:b"]).controller(Me(me("/inherited"))))
        .group(Group::new("").optional("blue").controller(Me(me("/optional").authorize("red", ["a:b"]))));
    let client = TestClient::new(api.build().unwrap());
    for path in ["/own", "/inherited", "/optional"] {
        check(&client, path, &[], 401, if path == "/optional" { &[BLUE, RED] } else { &[RED] });
        assert_eq!(check(&client, path, &[("X-red", "ann a:b")], 200, &[]), json!({ "me": "ann" }));
    }
    let guests = "the route admits guests; require credentials with `.authorize(scheme, scopes)`, or use `Identity`, which can be a guest";
    let errors = errors(
        Group::new("")
            .controller(Me(me("/public").public()))
            .controller(Me(me("/guests").optional("red")))
            .controller(Me(me("/silent")))
            .group(
                Group::new("")
                    .authorize("red", ["a:b"])
                    .controller(Me(me("/overridden").override_access(Access::public()))),
            ),
    );
    assert_eq!(
        errors,
        [
            format!("GET /public: the request has a `Caller`, but {guests}"),
            format!("GET /guests: the request has a `Caller`, but {guests}"),
            "GET /silent: the route declares no access; add `.public()`, `.optional(scheme)` or `.authorize(scheme, scopes)` to it or to its group".to_owned(),
            format!("GET /overridden: the request has a `Caller`, but {guests}"),
        ]
    );
    assert!(Caller::from_identity(Identity::guest().with_scopes(["a:b"])).is_none());
}
