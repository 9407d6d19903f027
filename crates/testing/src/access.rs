//! Defines [`assert_guests_only_at`], which asserts that exactly the named routes accept callers without credentials.

use std::collections::BTreeSet;

use restwright_runtime::Api;

/// Asserts that exactly the named routes, such as `GET /health`, accept callers without credentials. The check includes hidden routes and
/// routes with optional credentials.
///
/// Routes that serve the Api's own documentation may be open without being named.
///
/// ```
/// use restwright_runtime::core::Configuration;
/// use restwright_runtime::Api;
/// use restwright_testing::assert_guests_only_at;
///
/// let api = Api::builder(Configuration::new("empty", "1.0.0")).build()?;
/// assert_guests_only_at(&api, [""; 0]);
/// # Ok::<(), restwright_runtime::core::BuildErrors>(())
/// ```
///
/// # Panics
/// Panics if another route is open, or if a named route is not open.
#[track_caller]
pub fn assert_guests_only_at<N: AsRef<str>>(api: &Api, named: impl IntoIterator<Item = N>) {
    let (mut open, mut unnamed) = (BTreeSet::new(), BTreeSet::new());
    let named: BTreeSet<String> = named.into_iter().map(|name| name.as_ref().to_owned()).collect();
    for route in api.routes().filter(|route| route.admits_guests()) {
        let name = format!("{} {}", route.operation().method, route.template());
        if !named.contains(&name) && !route.operation().is_documentation {
            unnamed.insert(name.clone());
        }
        open.insert(name);
    }
    let list = |names: &mut dyn Iterator<Item = &String>| names.cloned().collect::<Vec<_>>().join(", ");
    let (unnamed, closed) = (list(&mut unnamed.iter()), list(&mut named.difference(&open)));
    assert!(
        unnamed.is_empty() && closed.is_empty(),
        "open to guests but not listed: {unnamed}; listed but not open to guests: {closed}"
    );
}
