//! Which routes are open.

use std::collections::BTreeSet;

use restwright_runtime::Api;

/// Asserts that callers without credentials pass at the named routes (`GET /health`) and at no others, hidden ones such as
/// those of the documentation included; a route with optional credentials is open too.
///
/// ```
/// use restwright_runtime::core::Configuration;
/// use restwright_runtime::Api;
/// use restwright_testing::assert_guests_only_at;
///
/// let api = Api::builder(Configuration::new("empty", "1.0.0")).build()?;
/// assert_guests_only_at(&api, []);
/// # Ok::<(), restwright_runtime::core::BuildErrors>(())
/// ```
///
/// # Panics
/// Another route is open, or a named one is not.
#[track_caller]
pub fn assert_guests_only_at<'n>(api: &Api, named: impl IntoIterator<Item = &'n str>) {
    let open = api.routes().filter(|route| route.admits_guests());
    let open: BTreeSet<_> = open.map(|route| format!("{} {}", route.operation().method, route.template())).collect();
    let named: BTreeSet<_> = named.into_iter().map(str::to_owned).collect();
    let list = |names: &mut dyn Iterator<Item = &String>| names.cloned().collect::<Vec<_>>().join(", ");
    let unnamed = list(&mut open.difference(&named));
    let closed = list(&mut named.difference(&open));
    assert!(
        unnamed.is_empty() && closed.is_empty(),
        "open to guests and not named: {unnamed}; named and not open to guests: {closed}"
    );
}
