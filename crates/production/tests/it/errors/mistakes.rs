//! Forms that are not as they say.

use restwright::http::StatusCode;
use restwright::prelude::*;
use restwright::problem::{ErrorForm, ProblemKind, ProblemView};
use restwright::testing::TestClient;
use serde::Serialize;

use super::Log;
use super::form::{builder, configuration};

/// A form that is not as it says.
struct Lies<const LIE: u16>;

/// A body that serde cannot write.
#[derive(Schema)]
struct Unwritable {
    name: String,
}

impl Serialize for Unwritable {
    fn serialize<S: serde::Serializer>(&self, _: S) -> std::result::Result<S::Ok, S::Error> {
        Err(serde::ser::Error::custom(&self.name))
    }
}

impl<const LIE: u16> ErrorForm for Lies<LIE> {
    type Body = Unwritable;

    const MEDIA_TYPE: &'static str = if LIE == 1 { "text/plain" } else { "application/json" };

    fn status(&self, kind: &ProblemKind) -> StatusCode {
        match (LIE, &*kind.code) {
            (2, "not_found") => panic!("no status"),
            (3, "not_found") => StatusCode::INTERNAL_SERVER_ERROR,
            (4, "sold_out") => StatusCode::OK,
            _ => kind.status,
        }
    }

    fn render(&self, _: &ProblemView<'_>) -> Unwritable {
        Unwritable { name: "the secret of the body".to_owned() }
    }
}

#[test]
fn a_body_that_cannot_be_written_gives_way_to_the_standard_problem() {
    let log = Log::of(|| {
        let api = builder(configuration().error_form(Lies::<0>)).build().unwrap();
        let response = TestClient::new(api).get("/nothing").send();
        response
            .assert_status(404)
            .assert_header("content-type", "application/problem+json")
            .assert_problem("not_found");
    });
    assert!(log.contains("ERROR") && log.contains("cannot be written as JSON") && !log.contains("secret"), "{log}");
}

#[test]
fn mistakes_of_a_form_are_build_errors() {
    let errors = |configuration: Configuration| builder(configuration).build().unwrap_err().to_string();
    for (found, expected) in [
        (
            errors(configuration().error_form(Lies::<1>)),
            "the error form has the media type \"text/plain\"; it sends JSON, so write `application/json` or a type that ends in `+json`, without parameters",
        ),
        (
            errors(configuration().error_form(Lies::<2>)),
            "`ErrorForm::status` panics for the problem `not_found`; return a status for every problem",
        ),
        (
            errors(configuration().error_form(Lies::<3>)),
            "`ErrorForm::status` returns 500 for the problem `not_found` (404); return a status from 400 to 499",
        ),
        (
            errors(configuration().error_form(Lies::<4>)),
            "`ErrorForm::status` returns 200 for the problem `sold_out` (409); return a status from 400 to 499",
        ),
    ] {
        assert!(found.contains(expected) && found.matches("ErrorForm::status").count() <= 1, "{found}");
    }
}
