//! Defines [`CallerParameters`], the parameters of PostgreSQL that depend on the caller of a transaction.

use std::fmt;
use std::sync::Arc;

use restwright_core::auth::Identity;
use restwright_resource::StoreError;

/// The names and values of the database parameters for a caller.
pub(crate) type Parameters = Arc<[(&'static str, String)]>;

/// A function that returns the database parameters for a caller.
#[derive(Clone)]
pub(crate) struct CallerParameters(Arc<dyn Fn(&Identity) -> Parameters + Send + Sync>);

impl CallerParameters {
    pub(crate) fn new<P>(parameters: impl Fn(&Identity) -> P + Send + Sync + 'static) -> Self
    where
        P: IntoIterator<Item = (&'static str, String)>,
    {
        Self(Arc::new(move |caller| parameters(caller).into_iter().collect()))
    }
}

impl CallerParameters {
    /// Returns the parameters for a caller.
    pub(crate) fn of(&self, caller: &Identity) -> Parameters {
        (self.0)(caller)
    }
}

impl fmt::Debug for CallerParameters {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("CallerParameters")
    }
}

/// Adds a statement that sets the database parameters to the SQL in `begin`. Both then take one round trip.
pub(crate) fn with_parameters(begin: Arc<str>, parameters: Option<&Parameters>) -> Result<Arc<str>, StoreError> {
    match parameters {
        Some(parameters) if !parameters.is_empty() => Ok(format!("{begin}; {}", parameters_sql(parameters)?).into()),
        _ => Ok(begin),
    }
}

/// Returns the statement that sets the database parameters until the transaction ends.
///
/// It contains the values, because a statement with bound values cannot be sent together with others. In `E'..'`, only `\` and `'` are special,
/// regardless of the server's settings.
pub(crate) fn parameters_sql(parameters: &Parameters) -> Result<String, StoreError> {
    let quoted = |text: &str| format!("E'{}'", text.replace('\\', r"\\").replace('\'', "''"));
    if let Some((name, _)) = parameters.iter().find(|(name, value)| name.contains('\0') || value.contains('\0')) {
        return Err(StoreError::failed(format!(
            "the parameter `{name}` of `per_transaction` must not contain the character NUL"
        )));
    }
    let calls = parameters.iter().map(|(name, value)| format!("set_config({}, {}, true)", quoted(name), quoted(value)));
    Ok(format!("SELECT {}", calls.collect::<Vec<_>>().join(", ")))
}

#[cfg(test)]
mod tests {
    use super::parameters_sql;

    #[test]
    fn quotes_values_of_parameters() {
        for (value, expected) in [
            ("ann", Some("E'ann'")),
            ("", Some("E''")),
            ("' OR true --", Some("E''' OR true --'")),
            (r"\'\", Some(r"E'\\''\\'")),
            ("\u{1a}\n\u{1F980}", Some("E'\u{1a}\n\u{1F980}'")),
            ("a\0b", None),
        ] {
            let sql = parameters_sql(&[("app.user", value.to_owned())].into()).ok();
            let expected = expected.map(|quoted| format!("SELECT set_config(E'app.user', {quoted}, true)"));
            assert_eq!(sql, expected, "{value:?}");
        }
    }
}
