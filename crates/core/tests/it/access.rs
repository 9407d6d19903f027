//! Requirements, guests, alternatives and conjunctions.

use restwright_core::auth::{Access, Authentication, Authenticator, Decision, Identity, Policy, Question, Rejection};
use restwright_core::http::{HeaderName, HttpRequest, StatusCode};
use restwright_core::operation::{Operation, SecurityScheme};
use restwright_core::part::{ParameterPlan, Planner};
use restwright_core::problem::{Location, Problem, catalogue};
use restwright_core::schema::{PropertyCollection, int64, string};
use restwright_core::{
    Api, ApiBuilder, Component, Configuration, Controller, Output, Reader, Request, Result, Route, StartErrors,
};
use restwright_testing::TestClient;
use serde_json::{Value, json};

/// Reads `X-<name>: <subject> [word..]`: words with a colon are scopes, others permissions; `wrong` is refused.
pub(crate) struct Words(pub(crate) &'static str);

impl Authenticator for Words {
    fn describe(&self) -> SecurityScheme {
        SecurityScheme::ApiKey { location: Location::Header, name: format!("X-{}", self.0), description: None }
    }

    fn challenge(&self) -> String {
        self.0.to_owned()
    }

    async fn authenticate(&self, request: &mut HttpRequest) -> Authentication {
        let name = HeaderName::from_bytes(format!("x-{}", self.0).as_bytes()).unwrap();
        let Some(text) = request.header(&name) else { return Authentication::NoCredentials };
        let mut words = text.split(' ');
        let subject = words.next().unwrap();
        if subject == "guest" {
            return Authentication::Identity(Identity::guest().with_scopes(words));
        }
        if subject == "wrong" {
            let rejection = Rejection::new("secret reason").error("invalid_token").description("It is wrong");
            return Authentication::Rejected(rejection);
        }
        let (scopes, permissions): (Vec<_>, Vec<_>) = words.partition(|word| word.contains(':'));
        let claims = json!({ "realm": { "roles": permissions }, "a/b": "x" });
        let Value::Object(claims) = claims else { unreachable!() };
        let identity = Identity::builder(subject).scopes(scopes).permissions(permissions).claims(claims);
        Authentication::Identity(identity.build())
    }

    fn register(&self, api: &mut ApiBuilder) -> Result<(), StartErrors> {
        match self.0 {
            "broken" => Err(StartErrors::one("it is broken")),
            name => {
                api.component(Named(name));
                Ok(())
            }
        }
    }
}

struct Named(&'static str);

impl Component for Named {
    fn name(&self) -> &str {
        self.0
    }

    async fn ready(&self) -> std::result::Result<(), restwright_core::ComponentError> {
        Err("not yet".into())
    }
}

/// Callers may see what is theirs; `nothing` is hidden, `down` cannot be decided.
struct Own;

impl Policy for Own {
    fn describe(&self, operation: &mut Operation) {
        operation.add_problem(catalogue::NOT_FOUND);
    }

    async fn decide(&self, question: &Question<'_>) -> Result<Decision> {
        assert_eq!(question.route().template().as_str(), "/own/{id}");
        assert!(question.path().starts_with("/own/"));
        match question.parameter("id").as_deref() {
            Some("nothing") => Err(Problem::not_found("There is no such thing.")),
            Some("an/x") => {
                assert_eq!(question.path(), "/own/an%2Fx");
                Ok(Decision::Allow)
            }
            Some("down") => Err(Problem::unavailable("the database is down")),
            id if id == question.identity().subject() => Ok(Decision::Allow),
            _ => Ok(Decision::deny("secret reason")),
        }
    }
}

/// Answers who called; a query without a number `n` is a violation.
pub(crate) struct Who(pub(crate) Route);

pub(crate) struct WhoRequest(Identity);

impl Request for WhoRequest {
    type Plan = (ParameterPlan<i64>, Option<ParameterPlan<String>>);

    fn plan(planner: &mut Planner<'_>) -> Result<Self::Plan, StartErrors> {
        let id = planner.template().segment_of("id").is_some();
        let id = id.then(|| planner.parameter(Location::Path, string("id").min_length(20))).transpose()?;
        Ok((planner.parameter(Location::Query, int64("n"))?, id))
    }

    fn describe((n, id): &Self::Plan, operation: &mut Operation) {
        n.describe(operation);
        id.iter().for_each(|id| id.describe(operation));
    }

    async fn read((n, id): &Self::Plan, reader: &mut Reader<'_>) -> Result<Option<Self>> {
        let n = reader.parameter(n);
        id.iter().for_each(|id| drop(reader.parameter(id)));
        Ok(reader.part::<Identity>(&()).filter(|_| n.is_some()).map(Self))
    }
}

impl Controller for Who {
    type Request = WhoRequest;
    type Response = Output;

    fn route(&self) -> Route {
        let who = PropertyCollection::new("Who").property(string("who")).property(string("scopes"));
        self.0.clone().response(200, who)
    }

    async fn handle(&self, WhoRequest(identity): WhoRequest) -> Result<Output> {
        let found =
            identity.schemes().map(|scheme| format!("{} by {scheme}", subject(identity.of_scheme(scheme).unwrap())));
        let who = found.reduce(|all, one| format!("{all}, {one}")).unwrap_or_else(|| "guest by nothing".to_owned());
        Ok(Output::new(StatusCode::OK, json!({ "who": who, "scopes": identity.scopes().join(" ") })))
    }
}

fn subject(identity: &Identity) -> &str {
    identity.subject().unwrap()
}

pub(crate) fn configuration() -> Configuration {
    Configuration::new("who", "1.0.0")
        .authenticator("red", Words("red"))
        .authenticator("blue", Words("blue"))
        .authenticator("green", Words("green"))
        .authenticator("jwt", Words("Bearer"))
        .guest_scopes(["pets:read"])
}

fn client() -> TestClient {
    let route = |path: &str, access: Access| Who(Route::get(path).operation_id(path.to_owned()).access(access));
    let red = || Access::authenticated("red");
    let api = Api::builder(configuration())
        .controller(route("/open", Access::public()))
        .controller(route("/guests", Access::optional("red").all_scopes(["pets:read"])))
        .controller(route("/members", Access::optional("red").all_scopes(["pets:write"])))
        .controller(route("/two", red().or("blue").and("green").all_scopes(["a:b"])))
        .controller(route("/permissions", red().all_permissions(["a", "b"]).any_permission(["c", "d"])))
        .controller(route("/roles", red().any_role("/realm/roles", ["admin", "owner"])))
        .controller(route(
            "/groups",
            red().any_role("/groups", ["Domain Users", "Käufer \"A\""]).all_permissions(["ä b"]),
        ))
        .controller(route("/claim", red().any_role("a/b", ["x"])))
        .controller(route("/missing", red().any_role("/realm/nothing/0", ["x"])))
        .controller(route(
            "/token",
            Access::authenticated("jwt").or("red").all_scopes(["a:b"]).all_scopes(["c:d", "a:b"]),
        ))
        .controller(route("/any", Access::authenticated("jwt").any_scope(["a:b", "c:d"])))
        .controller(route("/both", Access::optional("jwt").all_scopes(["a:b"]).any_scope(["c:d", "e:f"])))
        .controller(route("/known", Access::authenticated("jwt").all_permissions(["a"])))
        .controller(route("/own/{id}", red().policy(Own)))
        .build()
        .unwrap();
    TestClient::new(api)
}

/// Sends a request without the query that it needs, so that only who is admitted gets a 422, and compares the challenges.
#[track_caller]
pub(crate) fn check(
    client: &TestClient,
    path: &str,
    headers: &[(&str, &str)],
    status: u16,
    challenges: &[&str],
) -> Value {
    let request = headers.iter().fold(client.get(path), |request, (name, value)| request.header(name, value));
    let answer = request.send();
    answer.assert_status(status).assert_documented();
    let found: Vec<_> =
        answer.headers().get_all("www-authenticate").iter().map(|value| value.to_str().unwrap()).collect();
    assert_eq!(found, challenges, "{path} {headers:?}");
    assert!(!answer.text().contains("secret"), "a reason in the answer: {}", answer.text());
    answer.json()
}

#[test]
fn guests_have_the_scopes_of_the_configuration() {
    let client = client();
    check(&client, "/guests", &[], 422, &[]);
    check(&client, "/guests", &[("X-red", "ann")], 403, &[INSUFFICIENT_READ]);
    check(&client, "/guests", &[("X-red", "wrong")], 401, &[WRONG_RED]);
    check(&client, "/members", &[], 401, &[RED]);
    check(&client, "/members", &[("X-red", "ann pets:write")], 422, &[]);
    for path in ["/open?n=1", "/guests?n=1"] {
        assert_eq!(
            check(&client, path, &[], 200, &[]),
            json!({ "who": "guest by nothing", "scopes": "pets:read" }),
            "{path}"
        );
    }
}

pub(crate) const RED: &str = "red realm=\"who\"";
pub(crate) const WRONG_RED: &str = "red realm=\"who\", error=\"invalid_token\", error_description=\"It is wrong\"";
const INSUFFICIENT: &str = "red realm=\"who\", error=\"insufficient_scope\"";
const INSUFFICIENT_READ: &str = "red realm=\"who\", error=\"insufficient_scope\", scope=\"pets:read\"";

#[test]
fn alternatives_and_conjunctions() {
    let client = client();
    let (blue, green) = ("blue realm=\"who\"", "green realm=\"who\"");
    let guest = check(&client, "/two", &[], 401, &[RED, blue, green]);
    let places = "the header `X-red`, or the header `X-blue` with the header `X-green`";
    assert_eq!(guest["detail"], format!("Credentials are required: {places}."));
    check(&client, "/two", &[("X-red", "ann a:b")], 422, &[]);
    check(&client, "/two", &[("X-red", "wrong"), ("X-blue", "ann a:b")], 401, &[WRONG_RED, blue, green]);
    check(&client, "/two", &[("X-blue", "ann a:b")], 401, &[RED, blue, green]);
    check(&client, "/two", &[("X-blue", "ann a:b"), ("X-green", "key")], 422, &[]);
}

/// Who asks for a token has to know what it needs; where any of some scopes does, no list of scopes says so.
#[test]
fn challenges_of_bearer_tokens_name_the_scopes_that_all_are_needed() {
    let client = client();
    let plain = "Bearer realm=\"who\"";
    let scoped = |scopes: &str| format!("{plain}, scope=\"{scopes}\"");
    let wrong = format!("{plain}, error=\"invalid_token\", error_description=\"It is wrong\"");
    let insufficient = format!("{plain}, error=\"insufficient_scope\"");
    let none: &[(&str, &str)] = &[];
    for (path, headers, status, expected) in [
        ("/token", none, 401, vec![scoped("a:b c:d"), RED.to_owned()]),
        ("/token", &[("X-Bearer", "wrong")], 401, vec![format!("{wrong}, scope=\"a:b c:d\""), RED.to_owned()]),
        ("/token", &[("X-red", "wrong")], 401, vec![scoped("a:b c:d"), WRONG_RED.to_owned()]),
        ("/token", &[("X-Bearer", "ann a:b")], 403, vec![format!("{insufficient}, scope=\"c:d a:b\"")]),
        ("/any", none, 401, vec![plain.to_owned()]),
        ("/any", &[("X-Bearer", "wrong")], 401, vec![wrong.clone()]),
        ("/any", &[("X-Bearer", "ann")], 403, vec![format!("{insufficient}, scope=\"a:b c:d\"")]),
        ("/both", none, 401, vec![scoped("a:b")]),
        ("/known", none, 401, vec![plain.to_owned()]),
        ("/known", &[("X-Bearer", "ann")], 403, vec![insufficient.clone()]),
    ] {
        let expected: Vec<&str> = expected.iter().map(String::as_str).collect();
        check(&client, path, headers, status, &expected);
    }
}

#[test]
fn permissions_and_roles() {
    let client = client();
    check(&client, "/permissions", &[("X-red", "ann a b d")], 422, &[]);
    let problem = check(&client, "/permissions", &[("X-red", "ann a")], 403, &[INSUFFICIENT]);
    assert_eq!(problem["missing_permissions"], json!(["b"]));
    let problem = check(&client, "/permissions", &[("X-red", "ann a b")], 403, &[INSUFFICIENT]);
    assert_eq!(problem["missing_permissions"], json!(["c", "d"]));
    check(&client, "/roles", &[("X-red", "ann owner")], 422, &[]);
    let problem = check(&client, "/roles", &[("X-red", "ann visitor")], 403, &[INSUFFICIENT]);
    assert_eq!(problem["missing_roles"], json!(["admin", "owner"]));
    let problem = check(&client, "/groups", &[("X-red", "ann")], 403, &[INSUFFICIENT]);
    assert_eq!(problem["missing_roles"], json!(["Domain Users", "Käufer \"A\""]));
    assert_eq!(problem["detail"], "One of these roles is needed: Domain Users, Käufer \"A\".");
    check(&client, "/claim", &[("X-red", "ann")], 422, &[]);
    check(&client, "/missing", &[("X-red", "ann x")], 403, &[INSUFFICIENT]);
}

#[test]
fn policies_decide_before_anything_is_validated() {
    let client = client();
    check(&client, "/own/ann", &[], 401, &[RED]);
    check(&client, "/own/ann", &[("X-red", "ann")], 422, &[]);
    check(&client, "/own/a%6En", &[("X-red", "ann")], 422, &[]);
    check(&client, "/own/a%6E%2fx", &[("X-red", "ann")], 422, &[]);
    let problem = check(&client, "/own/bob", &[("X-red", "ann")], 403, &[INSUFFICIENT]);
    let members: Vec<_> = problem.as_object().unwrap().keys().collect();
    assert_eq!(members, ["type", "title", "status", "detail", "code", "request_id"]);
    assert_eq!(problem["detail"], "The caller may not do this.");
    check(&client, "/own/nothing", &[("X-red", "ann")], 404, &[]);
    check(&client, "/own/down", &[("X-red", "ann")], 503, &[]);
}

#[test]
fn impossible_access_does_not_start() {
    let route = |path: &str, access: Access| Who(Route::get(path).operation_id(path.to_owned()).access(access));
    let errors = Api::builder(configuration().authenticator("broken", Words("broken")))
        .controller(route("/a", Access::authenticated("red").any_scope(Vec::<String>::new())))
        .controller(route("/b", Access::authenticated("red").all_scopes(["a b"])))
        .controller(route("/c", Access::public().all_scopes(["a"])))
        .controller(route("/d", Access::public().or("red").and("blue")))
        .controller(route("/e", Access::public().and("blue")))
        .controller(route("/f", Access::authenticated("red").or("blue").and("green").and("blue").and("blue")))
        .build()
        .unwrap_err();
    let found: Vec<_> = errors.messages().iter().map(|message| message.split(';').next().unwrap()).collect();
    assert_eq!(
        found,
        [
            "authenticator `broken`: it is broken",
            "GET /a: the access asks for any of no names, which nobody has",
            "GET /b: `a b` cannot be a scope (RFC 6749, section 3.3)",
            "GET /c: the access is public and demands something of its callers",
            "GET /d: the access is public and names the scheme `red`",
            "GET /e: the access is public and names the scheme `blue`",
            "GET /f: the access names the scheme `blue` twice in `blue + green + blue + blue`",
        ]
    );
}

#[test]
fn authenticators_bring_their_components() {
    let failures = tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(client().api().ready());
    let names: Vec<_> = failures.unwrap_err().iter().map(|failure| failure.component().to_owned()).collect();
    assert_eq!(names, ["red", "blue", "green", "Bearer"]);
}

#[test]
fn access_is_explained() {
    let explained = client().api().explain();
    for expected in
        ["optional red: pets:write", "red | blue + green: a:b", "any role of admin owner in /realm/roles", "policy Own"]
    {
        assert!(explained.contains(expected), "{explained}");
    }
}

#[test]
fn routes_that_admit_guests_are_known() {
    restwright_testing::assert_guests_only_at(
        client().api(),
        ["GET /open", "GET /guests", "GET /members", "GET /both"],
    );
}

#[test]
#[should_panic(expected = "open to guests and not named: GET /members; named and not open to guests: GET /two")]
fn another_open_route_is_found() {
    restwright_testing::assert_guests_only_at(client().api(), ["GET /open", "GET /guests", "GET /two", "GET /both"]);
}
