//! The `WWW-Authenticate` header of custom schemes.

use restwright_core::auth::{Access, Authentication, Authenticator, Rejection};
use restwright_core::http::{HttpRequest, header};
use restwright_core::operation::SecurityScheme;
use restwright_core::{BuildErrors, Configuration, Route};
use restwright_runtime::Api;
use restwright_testing::TestClient;

use crate::support::Who;

/// Sends this challenge and rejects all credentials.
struct Own(&'static str);

impl Authenticator for Own {
    fn describe(&self) -> SecurityScheme {
        SecurityScheme::http("own")
    }

    fn challenge(&self) -> String {
        self.0.to_owned()
    }

    async fn authenticate(&self, request: &mut HttpRequest) -> Authentication {
        match request.header(&header::AUTHORIZATION) {
            None => Authentication::NoCredentials,
            Some(_) => {
                let rejection =
                    Rejection::new("wrong").error("invalid\r\ntoken").description("two\nlines, \"one\" é\\");
                Authentication::Rejected(rejection)
            }
        }
    }
}

fn build(challenge: &'static str) -> Result<Api, BuildErrors> {
    let configuration = Configuration::new("who", "1.0.0").authenticator("own", Own(challenge));
    let route = |path: &str| Route::get(path).id(path.to_owned()).access(Access::authenticated("own"));
    Api::builder(configuration).controller(Who(route("/a"))).controller(Who(route("/b"))).build()
}

#[test]
fn sends_challenges_with_realm_and_custom_parameters() {
    for (challenge, expected) in [
        ("Own", "Own realm=\"who\""),
        ("Digest nonce=\"a\"", "Digest realm=\"who\", nonce=\"a\""),
        (
            "Digest nonce=\"a, \\\"b\\\" = c\", algorithm=SHA-256 ,qop = \"auth\"",
            "Digest realm=\"who\", nonce=\"a, \\\"b\\\" = c\", algorithm=SHA-256 ,qop = \"auth\"",
        ),
        ("Basic Realm=\"staff\", charset=\"UTF-8\"", "Basic Realm=\"staff\", charset=\"UTF-8\""),
    ] {
        let client = TestClient::new(build(challenge).unwrap());
        let response = client.get("/a").send();
        response.assert_status(401).assert_documented().assert_header("WWW-Authenticate", expected);
        let scheme = expected.split(' ').next().unwrap();
        let detail = format!("Credentials are required: `Authorization: {scheme} ..`.");
        assert_eq!(response.json::<serde_json::Value>()["detail"], detail);
        let response = client.get("/a").header("Authorization", "x").send();
        let said = format!("{expected}, error=\"invalidtoken\", error_description=\"twolines, one \"");
        response.assert_status(401).assert_documented().assert_header("WWW-Authenticate", &said);
    }
}

#[test]
fn rejects_invalid_challenges() {
    for challenge in [
        "",
        " ",
        "Own ",
        " Own",
        "O,wn",
        "Own é",
        "Own\n",
        "Own nonce",
        "Own nonce=",
        "Own =a",
        "Own a=b,",
        "Own a=b c=d",
        "Own a=\"b",
        "Own a=\"b\\\"",
        "Own a=\"b\"c",
        "Own a=\"b\n\"",
        "Own a b=c",
        "Own dG9rZW42OA==",
    ] {
        let errors = build(challenge).unwrap_err();
        let expected = format!(
            "authenticator `own`: {challenge:?} is not a valid challenge (RFC 9110, section 11.6.1); write the scheme, then a space, then parameters such as `nonce=\"a\"`, separated by commas"
        );
        assert_eq!(errors.messages(), [expected], "{challenge}");
    }
}
