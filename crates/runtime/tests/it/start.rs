//! All errors that fail the build of an Api, reported together.

use restwright_core::http::{HttpRequest, HttpResponse, StatusCode};
use restwright_core::operation::{Operation, ParameterLocation};
use restwright_core::part::ParameterPlan;
use restwright_core::schema::PropertyCollection;
use restwright_core::schema::{SchemaObject, int64, string, typed};
use restwright_core::{
    BuildContext, BuildErrors, Configuration, Controller, Input, Output, Reader, Request, Response, Result, Route,
};
use restwright_runtime::{Api, Group};

/// A controller of which only the route matters.
struct At(Route);

impl Controller for At {
    type Request = Nothing;
    type Response = Nothing;

    fn route(&self) -> Route {
        self.0.clone()
    }

    async fn handle(&self, _: Nothing) -> Result<Nothing> {
        Ok(Nothing)
    }
}

/// A controller whose schemas the route declares.
struct Declared(Route);

impl Controller for Declared {
    type Request = Input;
    type Response = Output;

    fn route(&self) -> Route {
        self.0.clone()
    }

    async fn handle(&self, _: Input) -> Result<Output> {
        Ok(Output::new(StatusCode::NO_CONTENT, ()))
    }
}

struct Nothing;

impl Request for Nothing {
    type Plan = ();

    fn plan(_: &mut BuildContext<'_>) -> Result<(), BuildErrors> {
        Ok(())
    }

    fn describe((): &(), _: &mut Operation) {}

    async fn read((): &(), _: &mut Reader<'_>) -> Result<Option<Self>> {
        Ok(Some(Self))
    }
}

impl Response for Nothing {
    type Plan = ();

    fn plan(_: &mut BuildContext<'_>) -> Result<(), BuildErrors> {
        Ok(())
    }

    fn describe((): &(), operation: &mut Operation) {
        operation.response(StatusCode::NO_CONTENT);
    }

    fn respond(self, (): &(), _: &HttpRequest) -> Result<HttpResponse> {
        Ok(HttpResponse::new(StatusCode::NO_CONTENT))
    }
}

/// A request that declares `{id}`.
struct ById;

impl Request for ById {
    type Plan = ParameterPlan<i64>;

    fn plan(context: &mut BuildContext<'_>) -> Result<Self::Plan, BuildErrors> {
        let id = typed::<i64>(context.registry(), "id");
        context.parameter(ParameterLocation::Path, id)
    }

    fn describe(plan: &Self::Plan, operation: &mut Operation) {
        plan.describe(operation);
    }

    async fn read(plan: &Self::Plan, reader: &mut Reader<'_>) -> Result<Option<Self>> {
        Ok(reader.parameter(plan).map(|_| Self))
    }
}

struct ByIdAt(Route);

impl Controller for ByIdAt {
    type Request = ById;
    type Response = Nothing;

    fn route(&self) -> Route {
        self.0.clone()
    }

    async fn handle(&self, _: ById) -> Result<Nothing> {
        Ok(Nothing)
    }
}

/// Builds an Api and compares its errors.
fn check(group: Group, expected: &[&str]) {
    let outcome = Api::builder(Configuration::new("start", "1.0.0")).group(group).build();
    let errors = outcome.map(|_| BuildErrors::new()).unwrap_or_else(|errors| errors);
    assert_eq!(errors.messages(), expected, "{errors}");
}

fn at(path: &str) -> Route {
    Route::get(path).id(path.to_owned()).public()
}

#[test]
fn rejects_a_route_without_access() {
    check(
        Group::new("").controller(At(Route::get("/a"))),
        &[
            "GET /a: the route declares no access; add `.public()`, `.optional(scheme)` or `.authorize(scheme, scopes)` to it or to its group",
        ],
    );
    check(Group::new("").public().controller(At(Route::get("/a"))), &[]);
}

#[test]
fn returns_all_errors_together() {
    check(
        Group::new("")
            .controller(At(at("/a")))
            .controller(At(at("/a").id("other")))
            .controller(At(at("/b/{x}").id("x")))
            .controller(At(Route::post("/b/{y}").id("y").public()))
            .controller(At(at("/c").id("/a")))
            .controller(At(Route::get("/d").id("d").authorize("bearer", ["x"]))),
        &[
            "GET /a: the operations `/a` and `other` have the same method and path; remove one or change its method or path",
            "GET /b/{x}: the path contains {x}, but the request does not declare it; add a field `#[segment] x: ..` to the request",
            "POST /b/{y}: the paths `/b/{x}` and `/b/{y}` differ only in a parameter's name; use the same name in both",
            "POST /b/{y}: the path contains {y}, but the request does not declare it; add a field `#[segment] y: ..` to the request",
            "GET /c: the operation id `/a` is already used by GET /a; change one of them with `.id(..)`",
            "GET /d: the access uses the scheme `bearer`, which is not registered (registered: none); add `.authenticator(\"bearer\", ..)` to the configuration",
        ],
    );
}

#[test]
fn path_and_request_declare_the_same_names() {
    check(Group::new("/things").controller(ByIdAt(at("/{id}"))), &[]);
    check(
        Group::new("").controller(ByIdAt(at("/{key}"))),
        &[
            "GET /{key}: the request declares the path parameter `id`, but the path `/{key}` has no {id}; add it to the path, or rename the field",
        ],
    );
}

#[test]
fn run_time_declarations_are_checked() {
    check(
        Group::new("").controller(Declared(at("/a"))),
        &[
            "GET /a: the response is an `Output`, but the route declares no responses; add `.response(200, ..)` to the route",
        ],
    );
    let shape = |name: &str, length| PropertyCollection::new(name.to_owned()).property(string("a").max_length(length));
    let outcome = Api::builder(Configuration::new("start", "1.0.0"))
        .controller(Declared(at("/a").body(shape("Same", 1)).empty_response(204)))
        .controller(Declared(at("/b").body(shape("Same", 2)).empty_response(204)))
        .controller(Declared(
            at("/c")
                .body(SchemaObject::object(PropertyCollection::new("Bad").property(int64("n").min_length(1))))
                .empty_response(204),
        ))
        .build();
    let message = outcome.unwrap_err().to_string();
    assert!(message.contains("`Same`") && message.contains("`Bad`"), "{message}");
}
