//! What a documented flow needs.

use restwright_core::operation::OAuthFlow;

/// What is wrong with a flow, by OpenAPI 3.1 (OAuth Flow Object).
pub(super) fn mistake(name: &str, flow: &OAuthFlow) -> Option<String> {
    let (authorization, token) = match name {
        "authorizationCode" => (true, true),
        "clientCredentials" | "password" => (false, true),
        "implicit" => (true, false),
        _ => {
            return Some(format!(
                "OpenAPI knows no flow `{name}`; it is `authorizationCode`, `clientCredentials`, `implicit` or `password`"
            ));
        }
    };
    if authorization && flow.authorization_url.is_none() {
        return Some(format!("the flow `{name}` does not say where users agree; set its `authorization_url`"));
    }
    (token && flow.token_url.is_none())
        .then(|| format!("the flow `{name}` does not say where tokens are issued; set its `token_url`"))
}
