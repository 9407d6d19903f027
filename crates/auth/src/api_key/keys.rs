//! Where keys are looked up.

use std::collections::HashMap;
use std::fmt;
use std::future::Future;

use restwright_core::ComponentError;

use super::ApiKey;

/// Looks keys up, usually in the application's database.
pub trait ApiKeys: Send + Sync + 'static {
    /// The key with this id, expired and disabled ones included.
    ///
    /// # Errors
    /// It cannot be said now; callers get 503.
    fn find(&self, id: &str) -> impl Future<Output = Result<Option<ApiKey>, ComponentError>> + Send;
}

/// Keys that do not change.
#[derive(Clone, Default)]
pub struct KeyList {
    keys: HashMap<String, ApiKey>,
}

impl KeyList {
    /// These keys; of two with one id the later.
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
