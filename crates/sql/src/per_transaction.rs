//! Implements `per_transaction`, which sets PostgreSQL parameters in each transaction.

use std::fmt;
use std::sync::Arc;

use restwright_core::auth::Identity;
use restwright_resource::StoreError;

use crate::dialect::Dialect;
use crate::store::DatabaseStore;
use crate::transaction::SqlTransaction;

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

impl fmt::Debug for CallerParameters {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("CallerParameters")
    }
}

impl<D: Dialect> DatabaseStore<D> {
    pub(crate) fn with_caller_parameters(self, parameters: CallerParameters) -> Self {
        self.set(|plan| plan.settings.caller_parameters = Some(parameters))
    }

    /// Returns a copy of the store that sets the database parameters of `caller` in each transaction.
    #[must_use]
    pub fn for_caller(&self, caller: &Identity) -> Self {
        let parameters = self.shared.settings.caller_parameters.as_ref().map(|parameters| (parameters.0)(caller));
        Self { shared: self.shared.clone(), parameters }
    }

    /// Returns the database parameters that this copy of the store sets in each transaction. Returns `None` if the store sets no
    /// parameters.
    ///
    /// # Errors
    /// The store sets parameters, but this copy has no caller.
    pub(crate) fn parameters(&self) -> Result<Option<&Parameters>, StoreError> {
        if self.parameters.is_none() && self.shared.settings.caller_parameters.is_some() {
            return Err(StoreError::failed(
                "`per_transaction` of the store requires a caller, but this statement has none; call `store.for_caller(&identity)` and use the store \
                 that it returns",
            ));
        }
        Ok(self.parameters.as_ref())
    }

    /// Begins a transaction with the SQL in `begin`, and sets the database parameters of the store's caller.
    pub(crate) async fn begin_by(&self, begin: Arc<str>) -> Result<SqlTransaction<D>, StoreError> {
        let begin = with_parameters(begin, self.parameters()?)?;
        SqlTransaction::begin(&self.shared.connections, self.id(), begin).await
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
