//! Adds the scopes that operations require to the OAuth 2.0 security schemes.

use restwright_runtime::Api;
use restwright_runtime::core::operation::SecurityScheme;

/// Returns the scopes that operations require from a security scheme.
pub(super) fn required_scopes(api: &Api, name: &str) -> Vec<String> {
    let mut required = Vec::new();
    for requirement in api.operations().flat_map(|operation| &operation.security) {
        required.extend(requirement.schemes.get(name).into_iter().flatten().cloned());
    }
    required.sort_unstable();
    required.dedup();
    required
}

/// Adds the required scopes to each OAuth 2.0 flow of a security scheme. Scopes that the flow already describes stay
/// unchanged.
pub(super) fn with_scopes(mut scheme: SecurityScheme, required: &[String]) -> SecurityScheme {
    if let SecurityScheme::OAuth2 { flows, .. } = &mut scheme {
        for flow in flows {
            for scope in required {
                flow.scopes.entry(scope.clone()).or_default();
            }
        }
    }
    scheme
}
