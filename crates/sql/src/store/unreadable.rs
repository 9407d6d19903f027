//! Leaves unreadable rows out of lists, and counts and logs them.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use restwright_core::report::{Report, SampleValue};
use restwright_core::runtime::log;
use restwright_core::{OutageLog, OutageSummary};
use restwright_list::Window;
use restwright_resource::{ListQuery, StoreError};

/// The maximum number of unreadable rows that one list leaves out.
const MOST: usize = 10_000;

/// Returns a window that reads further rows in place of unreadable rows. Returns `None` if the window of the query has read enough rows.
///
/// `further` is the number of further rows that the last window has read.
///
/// # Errors
/// The query would leave out too many rows.
pub(crate) fn wider<'q>(
    query: &ListQuery<'q>,
    unreadable: &[StoreError],
    further: &mut usize,
) -> Result<Option<Window<'q>>, StoreError> {
    if unreadable.len() <= *further {
        return Ok(None);
    }
    if unreadable.len() > MOST {
        let last = unreadable.last().map(ToString::to_string).unwrap_or_default();
        return Err(StoreError::failed(format!(
            "a list must not leave out more than {MOST} unreadable rows; the last: {last}"
        )));
    }
    // Doubled, so a list with many unreadable rows needs few statements.
    *further = unreadable.len() * 2;
    let limit = query.window.limit().saturating_add(u64::try_from(*further).unwrap_or(u64::MAX));
    let limit = u32::try_from(limit).unwrap_or(u32::MAX);
    Ok(Some(if query.window.is_seek() {
        Window::seek(query.window.position(), limit)
    } else {
        Window::skip(query.window.offset(), limit)
    }))
}

/// Counts the rows that lists have left out, by entity. Clients can cause many of them, so the log contains the first row of an entity, and then their
/// number once a minute.
pub(crate) struct UnreadableRows {
    begun: Instant,
    entities: Mutex<BTreeMap<String, (u64, OutageLog)>>,
}

impl Default for UnreadableRows {
    fn default() -> Self {
        Self { begun: Instant::now(), entities: Mutex::default() }
    }
}

impl UnreadableRows {
    /// Records the errors of rows that a list of an entity has left out.
    pub(crate) fn record(&self, entity: &str, table: &impl fmt::Display, rows: &[StoreError]) {
        for cause in rows {
            let summary = {
                let mut entities = self.entities.lock().unwrap_or_else(PoisonError::into_inner);
                let (count, outage) = entities.entry(entity.to_owned()).or_default();
                *count += 1;
                let now = self.begun.elapsed();
                outage.ended_by_itself(now);
                outage.failed(now)
            };
            if let Some(OutageSummary { failures, seconds }) = summary {
                log(|| {
                    tracing::warn!(%table, %cause, rows = failures, seconds, "lists leave out unreadable rows");
                });
            }
        }
    }

    pub(crate) fn report(&self, report: &mut Report) {
        for (entity, (count, _)) in &*self.entities.lock().unwrap_or_else(PoisonError::into_inner) {
            let labels = [("db_collection_name", entity.as_str())];
            let help = "Unreadable rows that lists have left out.";
            report.labelled("store_unreadable_rows", help, labels, SampleValue::Counter(*count));
        }
    }
}

impl fmt::Debug for UnreadableRows {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("UnreadableRows").finish_non_exhaustive()
    }
}
