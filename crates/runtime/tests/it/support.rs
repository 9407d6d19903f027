//! Schemes with one header each, a controller that returns its caller, and checks of its responses.

use restwright_core::auth::{Access, Authentication, Authenticator, Identity, Rejection};
use restwright_core::http::{HeaderName, HttpRequest, StatusCode};
use restwright_core::operation::{ApiKeyLocation, Operation, ParameterLocation, SecurityScheme};
use restwright_core::part::ParameterPlan;
use restwright_core::schema::{PropertyCollection, int64, string};
use restwright_core::{
    ApiState, BuildContext, BuildErrors, Component, Configuration, Controller, Output, Reader, Request, Result, Route,
};
use restwright_testing::TestClient;
use serde_json::{Value, json};

pub(crate) const RED: &str = "red realm=\"who\"";
pub(crate) const WRONG_RED: &str = "red realm=\"who\", error=\"invalid_token\", error_description=\"It is wrong\"";

pub(crate) fn configuration() -> Configuration {
    Configuration::new("who", "1.0.0")
        .authenticator("red", Words("red"))
        .authenticator("blue", Words("blue"))
        .authenticator("green", Words("green"))
        .authenticator("jwt", Words("Bearer"))
        .guest_scopes(["pets:read"])
}

/// Reads `X-<name>: <subject> [word..]`. Words with a colon are scopes, and others are permissions. Rejects `wrong`.
pub(crate) struct Words(pub(crate) &'static str);

impl Authenticator for Words {
    fn describe(&self) -> SecurityScheme {
        SecurityScheme::api_key(ApiKeyLocation::Header, format!("X-{}", self.0))
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

    fn plan(&self, context: &mut BuildContext<'_, ApiState>) -> Result<(), BuildErrors> {
        match self.0 {
            "broken" => Err(BuildErrors::one("it is broken")),
            name => {
                context.component(Named(name));
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

/// Responds with the caller. A query without a number `n` is a violation.
pub(crate) struct Who(pub(crate) Route);

pub(crate) struct WhoRequest(Identity);

impl Request for WhoRequest {
    type Plan = (ParameterPlan<i64>, Option<ParameterPlan<String>>);

    fn plan(context: &mut BuildContext<'_>) -> Result<Self::Plan, BuildErrors> {
        let id = context.template().position_of("id").is_some();
        let id = id.then(|| context.parameter(ParameterLocation::Path, string("id").min_length(20))).transpose()?;
        Ok((context.parameter(ParameterLocation::Query, int64("n"))?, id))
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

/// A route with this path, which is also the id of its operation.
pub(crate) fn route(path: &str, access: impl Into<Access>) -> Who {
    Who(Route::get(path).id(path.to_owned()).access(access))
}

/// Sends a request without the required query, so only an admitted caller gets a 422. Compares the challenges.
#[track_caller]
pub(crate) fn check(
    client: &TestClient,
    path: &str,
    headers: &[(&str, &str)],
    status: u16,
    challenges: &[&str],
) -> Value {
    let request = headers.iter().fold(client.get(path), |request, (name, value)| request.header(name, value));
    let response = request.send();
    response.assert_status(status).assert_documented();
    let found: Vec<_> =
        response.headers().get_all("www-authenticate").iter().map(|value| value.to_str().unwrap()).collect();
    assert_eq!(found, challenges, "{path} {headers:?}");
    assert!(!response.text().contains("secret"), "a reason in the response: {}", response.text());
    response.json()
}
