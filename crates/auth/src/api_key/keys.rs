//! The look-up of keys.

use std::collections::HashMap;
use std::fmt;
use std::future::Future;

use restwright_core::ComponentError;

use super::ApiKey;

/// A source of keys, usually the application's database.
pub trait ApiKeys: Send + Sync + 'static {
    /// Returns the key with this id, expired and disabled ones included.
    ///
    /// # Errors
    /// The look-up failed; callers get 503.
    fn find(&self, id: &str) -> impl Future<Output = Result<Option<ApiKey>, ComponentError>> + Send;
}

/// A fixed list of keys.
#[derive(Clone, Default)]
pub struct KeyList {
    keys: HashMap<String, ApiKey>,
}

impl KeyList {
    /// Returns a list of these keys; of two with one id, it has the later.
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
