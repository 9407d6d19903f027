//! A route that takes tokens, on both sides.

/// The public key of an issuer, and a token of it that is good until 2100.
pub(crate) const KEYS: &str = concat!(
    r#"{"keys":[{"kty":"RSA","kid":"speed","alg":"RS256","use":"sig","e":"AQAB","n":"#,
    r#""vzBK-jX57CwDjT1Ophz33lq9rs6_Zd2xT_iUw-yNTWMUgla6F0J_rUUbwnjmvbn6Pzro4ltrFgm9qcc80d7TM6icnOALLBcXwasXZO5NcEzG-yk_WL5mVnsmVz8mqYpDZWllcl8bMHaZJ9pJdyStOuKCGZTEOVQGs-syFZ0Tyg5UW50eKn6uK7YmNXlH870YuPQLsK-TUnP_O5sut1a627XpfxfRljWoCXgsOQ61ubaC9FcSPdQB0r4-96jyQUGRW6jWjyC_unXxZIPw-MoGhJiVx6Z9W2wqX7kFiD_KDea69k1jq2_q8N14Q-Eod5HbFWZYyKYtOAjSsdhMBAGCxw"}]}"#,
);
pub(crate) const TOKEN: &str = concat!(
    "eyJhbGciOiJSUzI1NiIsImtpZCI6InNwZWVkIiwidHlwIjoiSldUIn0.eyJpc3MiOiJodHRwczovL2xvZ2luLmV4YW1wbGUuY29tIiwiYXVkIjoic3BlZWQiLCJzdWIiOiJhbm4iLCJleHAiOjQxMDI0NDQ4MDAsImlhdCI6MTcwMDAwMDAwMCwic2NvcGUiOiJwZXRzOnJlYWQgcGV0czpjcmVhdGUifQ.",
    "mDCAe-cmU78YdMkMsUe5ObNzdTppEwzUqc9xxtvBCI6wJi9DJzK-Y_HXdxDwxqrEiOelW28IulCebmzJgDcZerHrLdSJUxlamjbJVc-Z1wKb7BECCVJTkXCscBGEjGLGk1BJvsd98aAqFyJGDK82EOF8Mn8c1qihOqaCp-ScivWmbAye4nZe2_2ICYSp0NJx3MKb_zlyNuzgTo2ZeghgnaISxi6-taVP-2FjGHzoLBzFRITeQrtEQ_fjQea7Vzbr_J4w1HIsyZ0PEq50DwWXBZR0Ke0z1Dnju39ykY9Ui_Xlysd1O9ayiM558fPUK-2j6W30ma6GHZ-Uce4nxbqKbw"
);
pub(crate) const ISSUER: &str = "https://login.example.com";
pub(crate) const AUDIENCE: &str = "speed";

pub(crate) mod by_hand {
    use std::collections::HashMap;
    use std::future::{Ready, ready};
    use std::sync::LazyLock;

    use actix_web::error::ErrorUnauthorized;
    use actix_web::http::header::AUTHORIZATION;
    use actix_web::{Error, FromRequest, HttpRequest, dev, web};
    use jsonwebtoken::jwk::JwkSet;
    use jsonwebtoken::{Algorithm, DecodingKey, Validation, decode, decode_header};
    use serde::{Deserialize, Serialize};

    use super::{AUDIENCE, ISSUER, KEYS};

    pub(crate) fn configure(app: &mut web::ServiceConfig) {
        app.route("/me", web::get().to(me)).route("/remembered/me", web::get().to(me));
    }

    async fn me(claims: Claims) -> web::Json<Me> {
        web::Json(Me { subject: claims.sub })
    }

    #[derive(Serialize)]
    struct Me {
        subject: String,
    }

    #[derive(Deserialize)]
    struct Claims {
        sub: String,
        scope: String,
    }

    static CHECKS: LazyLock<(HashMap<String, DecodingKey>, Validation)> = LazyLock::new(|| {
        let set: JwkSet = serde_json::from_str(KEYS).expect("a key set");
        let keys = set.keys.iter().map(|jwk| {
            let id = jwk.common.key_id.clone().expect("keys have ids");
            (id, DecodingKey::from_jwk(jwk).expect("a key"))
        });
        let mut validation = Validation::new(Algorithm::RS256);
        validation.set_issuer(&[ISSUER]);
        validation.set_audience(&[AUDIENCE]);
        validation.set_required_spec_claims(&["exp", "iss", "aud", "sub"]);
        validation.validate_nbf = true;
        (keys.collect(), validation)
    });

    impl FromRequest for Claims {
        type Error = Error;
        type Future = Ready<Result<Self, Error>>;

        fn from_request(request: &HttpRequest, _: &mut dev::Payload) -> Self::Future {
            ready(claims(request).ok_or_else(|| ErrorUnauthorized("wrong token")))
        }
    }

    fn claims(request: &HttpRequest) -> Option<Claims> {
        let (keys, validation) = &*CHECKS;
        let token = request.headers().get(AUTHORIZATION)?.to_str().ok()?.strip_prefix("Bearer ")?;
        let key = keys.get(&decode_header(token).ok()?.kid?)?;
        let claims = decode::<Claims>(token, key, validation).ok()?.claims;
        claims.scope.split(' ').any(|scope| scope == "pets:read").then_some(claims)
    }
}

pub(crate) mod declared {
    use restwright::auth::{Issuer, JwtAuthenticator, KeySet};
    use restwright::prelude::*;
    use serde::Serialize;

    use super::{AUDIENCE, ISSUER, KEYS};

    pub(crate) fn authenticators(configuration: Configuration) -> Configuration {
        let keys = KeySet::from_json(KEYS.as_bytes()).expect("a key set");
        let jwt = || JwtAuthenticator::new(Issuer::new(ISSUER).audience(AUDIENCE).keys(keys.clone()));
        configuration.authenticator("jwt", jwt()).authenticator("remembering", jwt().remember(1000))
    }

    pub(crate) fn routes() -> Group {
        Group::new("")
            .controller(Protected { path: "/me", scheme: "jwt" })
            .controller(Protected { path: "/remembered/me", scheme: "remembering" })
    }

    pub(crate) struct Protected {
        pub(crate) path: &'static str,
        pub(crate) scheme: &'static str,
    }

    impl Controller for Protected {
        type Request = MeRequest;
        type Response = Me;

        fn route(&self) -> Route {
            Route::get(self.path).id(self.scheme).authorize(self.scheme, ["pets:read"])
        }

        async fn handle(&self, MeRequest { identity }: MeRequest) -> Result<Me> {
            Ok(Me { subject: identity.subject().unwrap_or_default().to_owned() })
        }
    }

    #[derive(Request)]
    pub(crate) struct MeRequest {
        identity: Identity,
    }

    #[derive(Serialize, Schema, Response)]
    #[response(status = 200)]
    pub(crate) struct Me {
        subject: String,
    }
}
