//! Defines [`ApiKeys`], the trait that finds API keys, and [`KeyList`], a fixed list of API keys.

use std::collections::HashMap;
use std::fmt;
use std::future::Future;

use restwright_core::ComponentError;

use super::ApiKey;

/// A source of API keys, usually the application's database.
pub trait ApiKeys: Send + Sync + 'static {
    /// Returns the API key with the id `id`, even if the key is expired or disabled.
    ///
    /// # Errors
    /// Fails if the look-up fails. The response is then a 503.
    fn find(&self, id: &str) -> impl Future<Output = Result<Option<ApiKey>, ComponentError>> + Send;
}

/// A fixed list of API keys.
#[derive(Clone, Default)]
pub struct KeyList {
    keys: HashMap<String, ApiKey>,
}

impl KeyList {
    /// Creates a list of keys. If two keys share an id, the later one wins.
    #[must_use]
    pub fn new(keys: impl IntoIterator<Item = ApiKey>) -> Self {
        Self { keys: keys.into_iter().map(|key| (key.id().to_owned(), key)).collect() }
    }
}

impl ApiKeys for KeyList {
    async fn find(&self, id: &str) -> Result<Option<ApiKey>, ComponentError> {
        Ok(self.keys.get(id).cloned())
    }
}

impl fmt::Debug for KeyList {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_list().entries(self.keys.keys()).finish()
    }
}
