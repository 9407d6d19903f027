//! Warns about a module that is registered after a middleware that it should wrap.

use restwright_runtime::ApiBuilder;

/// Adds a warning if middlewares were added before a module that sees only the responses of middlewares inside it. The
/// middlewares in `outer` belong around the module.
pub(crate) fn warn_if_late(api: ApiBuilder, module: &str, outer: &[&str]) -> ApiBuilder {
    let names = api.middleware_names().into_iter().filter(|name| !outer.contains(&&**name));
    let names: Vec<_> = names.map(|name| format!("`{name}`")).collect();
    if names.is_empty() {
        return api;
    }
    let (names, noun) = (names.join(", "), if names.len() == 1 { "middleware" } else { "middlewares" });
    api.warning(format!(
        "the module `{module}` is registered after the {noun} {names}, so it does not see the responses that clients receive; call `.module(..)` with \
         `{module}` before `.middleware(..)` with {names}"
    ))
}
