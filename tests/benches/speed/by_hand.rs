//! The hand-written side: actix-web with serde and validator, and every violation in one problem.

use std::collections::BTreeMap;
use std::fmt::{self, Display, Formatter};
use std::net::TcpListener;
use std::sync::LazyLock;
use std::time::Duration;

use actix_web::http::{StatusCode, header};
use actix_web::{App, HttpResponse, HttpServer, ResponseError, error, web};
use regex::Regex;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use validator::{Validate, ValidationError, ValidationErrors, ValidationErrorsKind};

use crate::list_by_hand;
use crate::token;

pub(crate) fn serve(listener: TcpListener, routes: usize) -> std::io::Result<()> {
    let server = HttpServer::new(move || App::new().configure(|app| configure(app, routes)));
    // Under callgrind on a busy machine, 1,000 routes take longer to build than the 5 s that a connection has by default.
    let server = server.client_request_timeout(Duration::from_secs(60));
    actix_web::rt::System::new().block_on(server.workers(1).listen(listener)?.run())
}

/// Health stands in the middle of the further routes.
pub(crate) fn configure(app: &mut web::ServiceConfig, routes: usize) {
    app.app_data(web::JsonConfig::default().limit(1 << 20).error_handler(|error, _| Failure::Unreadable(error).into()));
    let further = routes.saturating_sub(if routes < 4 { 1 } else { 3 });
    for number in 0..further {
        if number == further / 2 {
            app.route("/health", web::get().to(health));
        }
        app.route(&format!("/shelters{number}/{{id}}"), web::get().to(shelter));
    }
    if routes >= 4 {
        list_by_hand::configure(app);
        token::by_hand::configure(app);
        app.route("/pets", web::post().to(create));
        app.route("/shelters/{shelter}/pets/{pet}", web::get().to(place));
    }
}

#[derive(Serialize)]
struct Health {
    status: &'static str,
}

async fn health() -> web::Json<Health> {
    web::Json(Health { status: "ok" })
}

#[derive(Deserialize, Serialize)]
struct Place {
    shelter: i64,
    pet: i64,
}

async fn place(place: web::Path<Place>) -> web::Json<Place> {
    web::Json(place.into_inner())
}

async fn shelter(id: web::Path<i64>) -> web::Json<i64> {
    web::Json(id.into_inner())
}

async fn create(pet: web::Json<Pet>) -> Result<HttpResponse, Failure> {
    let Pet { name, species, weight_kg, tags, owner } = {
        pet.validate()?;
        pet.into_inner()
    };
    let data = StoredPet { id: 1, name, species, weight_kg, tags, owner };
    let location = format!("/pets/{}", data.id);
    Ok(HttpResponse::Created().insert_header((header::LOCATION, location)).json(Created { data }))
}

#[derive(Deserialize, Validate)]
struct Pet {
    #[validate(length(min = 1, max = 100))]
    name: String,
    species: Species,
    #[validate(range(exclusive_min = 0.0, max = 10_000.0))]
    weight_kg: f64,
    #[validate(length(max = 10), custom(function = tags_have_length))]
    tags: Vec<String>,
    #[validate(nested)]
    owner: Owner,
}

#[derive(Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
enum Species {
    Dog,
    Cat,
    Bird,
    Fish,
    Horse,
}

#[derive(Deserialize, Serialize, Validate)]
struct Owner {
    #[validate(length(min = 1, max = 100))]
    name: String,
    #[validate(email)]
    email: String,
    #[validate(nested)]
    address: Address,
}

#[derive(Deserialize, Serialize, Validate)]
struct Address {
    #[validate(length(min = 1, max = 200))]
    street: String,
    #[validate(length(min = 1, max = 100))]
    city: String,
    #[validate(regex(path = *ZIP))]
    zip: String,
}

static ZIP: LazyLock<Regex> = LazyLock::new(|| Regex::new("^[0-9]{5}$").expect("a valid pattern"));

fn tags_have_length(tags: &[String]) -> Result<(), ValidationError> {
    match tags.iter().all(|tag| (1..=30).contains(&tag.chars().count())) {
        true => Ok(()),
        false => Err(ValidationError::new("length")),
    }
}

#[derive(Serialize)]
struct Created {
    data: StoredPet,
}

#[derive(Serialize)]
struct StoredPet {
    id: u64,
    name: String,
    species: Species,
    weight_kg: f64,
    tags: Vec<String>,
    owner: Owner,
}

#[derive(Debug)]
pub(crate) enum Failure {
    Unreadable(error::JsonPayloadError),
    Invalid(ValidationErrors),
    Status(StatusCode, String),
}

impl Display for Failure {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unreadable(error) => error.fmt(formatter),
            Self::Invalid(errors) => errors.fmt(formatter),
            Self::Status(_, detail) => formatter.write_str(detail),
        }
    }
}

impl From<ValidationErrors> for Failure {
    fn from(errors: ValidationErrors) -> Self {
        Self::Invalid(errors)
    }
}

impl ResponseError for Failure {
    fn status_code(&self) -> StatusCode {
        match self {
            Self::Unreadable(error) => error.status_code(),
            Self::Invalid(_) => StatusCode::UNPROCESSABLE_ENTITY,
            Self::Status(status, _) => *status,
        }
    }

    fn error_response(&self) -> HttpResponse {
        let status = self.status_code();
        let title = status.canonical_reason().unwrap_or_default();
        let mut violations = Vec::new();
        let detail = match self {
            Self::Unreadable(error) => error.to_string(),
            Self::Status(_, detail) => detail.clone(),
            Self::Invalid(errors) => {
                list(errors, "", &mut violations);
                "The request holds invalid values.".to_owned()
            }
        };
        let problem = Problem { r#type: "about:blank", title, status: status.as_u16(), detail, errors: violations };
        let json = serde_json::to_vec(&problem).unwrap_or_default();
        HttpResponse::build(status).content_type("application/problem+json").body(json)
    }
}

#[derive(Serialize)]
struct Problem<'a> {
    r#type: &'static str,
    title: &'static str,
    status: u16,
    detail: String,
    errors: Vec<Violation<'a>>,
}

#[derive(Serialize)]
struct Violation<'a> {
    r#in: &'static str,
    pointer: String,
    code: &'a str,
    message: String,
    params: BTreeMap<&'a str, &'a Value>,
}

fn list<'a>(errors: &'a ValidationErrors, parent: &str, violations: &mut Vec<Violation<'a>>) {
    for (name, kind) in errors.errors() {
        let pointer = format!("{parent}/{name}");
        match kind {
            ValidationErrorsKind::Struct(nested) => list(nested, &pointer, violations),
            ValidationErrorsKind::List(items) => {
                for (index, nested) in items {
                    list(nested, &format!("{pointer}/{index}"), violations);
                }
            }
            ValidationErrorsKind::Field(failures) => violations.extend(failures.iter().map(|failure| {
                let params = failure.params.iter().filter(|(name, _)| *name != "value");
                Violation {
                    r#in: "body",
                    pointer: pointer.clone(),
                    code: &failure.code,
                    message: failure.message.as_deref().map_or_else(|| message(failure), str::to_owned),
                    params: params.map(|(name, value)| (name.as_ref(), value)).collect(),
                }
            })),
        }
    }
}

fn message(failure: &ValidationError) -> String {
    let bound = |name: &str| failure.params.get(name).map(Value::to_string);
    match (failure.code.as_ref(), bound("min").or_else(|| bound("exclusive_min")), bound("max")) {
        ("length", Some(min), Some(max)) => format!("must have between {min} and {max} characters"),
        ("range", Some(min), Some(max)) => format!("must be between {min} and {max}"),
        ("email", ..) => "must be an email address".to_owned(),
        ("regex", ..) => "must match the pattern".to_owned(),
        (code, ..) => format!("is not valid: {code}"),
    }
}
