//! Implements [`Component`] for [`SqlStore`], so the Api starts and stops the store.

use restwright_core::report::Report;
use restwright_core::runtime::log;
use restwright_core::{Component, ComponentError};
use restwright_resource::StoreError;

use crate::connections::ignored;
use crate::driver::DriverError;
use crate::settings::StorePart;
use crate::store::{Address, SqlStore, Step};

impl Component for SqlStore {
    fn name(&self) -> &str {
        self.dialect().name()
    }

    async fn start(&self) -> Result<(), ComponentError> {
        self.warn_of_ignored_settings();
        let started = self.start_in_steps().await;
        self.shared.progress.set(None);
        started
    }

    fn progress(&self) -> Option<String> {
        self.shared.progress.step().map(|step| step.to_string())
    }

    async fn ready(&self) -> Result<(), ComponentError> {
        self.shared.connections.check_workers().await?;
        match self.unfolded_table().await? {
            None => Ok(()),
            Some(table) => Err(format!(
                "rows of `{table}` have no folded strings, so searches would not find them; call `fold_texts` on the store"
            )
            .into()),
        }
    }

    fn is_required(&self) -> bool {
        self.shared.settings.is_required(StorePart::Reads)
    }

    async fn stop(&self) {
        self.shared.connections.close().await;
        if let Some(replica) = &self.shared.replica {
            replica.connections.close().await;
        }
    }

    fn report(&self, report: &mut Report) {
        self.shared.connections.report(report);
        self.shared.settings.counts.report(report);
        self.shared.unreadable.report(report);
        if let Some(replica) = &self.shared.replica {
            replica.report(report);
        }
    }
}

impl SqlStore {
    async fn start_in_steps(&self) -> Result<(), ComponentError> {
        self.shared.progress.set(Some(Step::Connecting));
        self.shared.connections.create().await.map_err(cause)?;
        // The connection stays open, even for a database in memory.
        self.shared.connections.start().await.map_err(cause)?;
        let checked = self.check_schema().await;
        #[cfg(feature = "sqlite")]
        self.shared.connections.allow_groups().await.map_err(cause)?;
        checked.map_err(|error| match error.downcast::<DriverError>() {
            Ok(error) => self.database().advised_message(&error).into(),
            Err(error) => error,
        })
    }

    /// Logs the settings in the URLs of the database and its replica that have no effect.
    fn warn_of_ignored_settings(&self) {
        let url = match &self.shared.address {
            Address::Url(url) => Some(url),
            Address::Pool(_) => None,
        };
        let replica = self.shared.replica.as_ref().map(|replica| &replica.url);
        let mut settings: Vec<_> =
            url.into_iter().chain(replica).flat_map(|url| ignored(self.database(), url)).collect();
        settings.dedup();
        if !settings.is_empty() {
            let settings = settings.join(", ");
            log(|| {
                tracing::warn!(
                    database = self.dialect().name(),
                    settings,
                    "settings of the connection are not supported and have no effect"
                )
            });
        }
    }
}

/// Returns the cause of a failed start, without the words that describe it as the error of a statement.
fn cause(error: StoreError) -> ComponentError {
    match error {
        StoreError::Unavailable(cause) | StoreError::Failed(cause) => cause,
        other => other.into(),
    }
}
