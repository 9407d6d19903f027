//! The callers of tests.

use restwright::auth::{Authentication, Authenticator, Identity};
use restwright::http::{HeaderName, HttpRequest};
use restwright::operation::{ApiKeyLocation, SecurityScheme};
use serde_json::json;

/// The credentials of a caller: `X-Caller: <subject> [permission..]`. A permission `role:<name>` is a role in the claim `roles`.
pub(super) struct Callers;

impl Authenticator for Callers {
    fn describe(&self) -> SecurityScheme {
        SecurityScheme::api_key(ApiKeyLocation::Header, "X-Caller")
    }

    async fn authenticate(&self, request: &mut HttpRequest) -> Authentication {
        let Some(caller) = request.header(&HeaderName::from_static("x-caller")) else {
            return Authentication::NoCredentials;
        };
        let mut words = caller.split(' ');
        let subject = words.next().unwrap_or_default();
        let (roles, permissions): (Vec<_>, Vec<_>) = words.partition(|word| word.starts_with("role:"));
        let roles: Vec<_> = roles.iter().map(|role| role.trim_start_matches("role:")).collect();
        let claims = json!({"roles": roles}).as_object().cloned().unwrap();
        Authentication::Identity(Identity::builder(subject).permissions(permissions).claims(claims).build())
    }
}
