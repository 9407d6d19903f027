//! Security schemes.

use restwright_runtime::Api;
use restwright_runtime::core::operation::SecurityScheme;

/// Returns the scopes of a scheme that operations require.
pub(super) fn required_scopes(api: &Api, name: &str) -> Vec<String> {
    let mut required = Vec::new();
    for requirement in api.operations().flat_map(|operation| &operation.security) {
        required.extend(requirement.schemes.get(name).into_iter().flatten().cloned());
    }
    required.sort_unstable();
    required.dedup();
    required
}

/// Adds the scopes that operations require to each flow. Described scopes stay unchanged.
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
