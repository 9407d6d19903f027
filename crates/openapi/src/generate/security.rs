//! Adds the required scopes of operations to OAuth 2.0 schemes.

use restwright_runtime::Api;
use restwright_runtime::core::operation::SecurityScheme;

/// Returns the scopes that operations require of a scheme.
pub(super) fn required_scopes(api: &Api, name: &str) -> Vec<String> {
    let mut required = Vec::new();
    for requirement in api.operations().flat_map(|operation| &operation.security) {
        required.extend(requirement.schemes.get(name).into_iter().flatten().cloned());
    }
    required.sort_unstable();
    required.dedup();
    required
}

/// Adds the required scopes to each flow of a scheme. Scopes that the flow already describes stay unchanged.
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
