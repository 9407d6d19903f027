//! Defines [`Rejections`], which logs the rows that database checks, triggers or policies reject.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use restwright_core::runtime::log;
use restwright_core::{OutageLog, OutageSummary};

use crate::driver::DriverError;
use crate::table::Table;

/// The maximum number of checks, triggers and policies whose rejections are counted separately.
const MOST: usize = 128;

/// The maximum number of characters of an error message that are used to identify a check, trigger or policy.
const LENGTH: usize = 80;

/// Counts the rows that each check, trigger or policy of the database rejected. Clients can cause many rejections, so the log contains the
/// first rejection of each rule, and then their number once a minute. At the level `debug`, the log contains every rejection.
#[derive(Debug)]
pub(crate) struct Rejections {
    begun: Instant,
    rules: Mutex<BTreeMap<String, OutageLog>>,
}

impl Default for Rejections {
    fn default() -> Self {
        Self { begun: Instant::now(), rules: Mutex::default() }
    }
}

impl Rejections {
    pub(crate) fn log(&self, table: Option<&Table>, error: &DriverError) {
        let code = error.code().unwrap_or_default();
        // The message contains the name of a check. Numbers in the message of a trigger may be values of the row.
        let message = error.reported().unwrap_or_default();
        let message: String = message.chars().filter(|character| !character.is_ascii_digit()).take(LENGTH).collect();
        self.count(table, &format!("{code} {message}"), error);
    }

    /// Logs that a trigger skipped the change of a row without an error.
    pub(crate) fn log_skipped(&self, table: &Table) {
        self.count(Some(table), "skipped", &"a trigger skips the change, for example because it returns NULL");
    }

    fn count(&self, table: Option<&Table>, rule: &str, cause: &dyn fmt::Display) {
        let table = table.map(ToString::to_string);
        let table = table.as_deref();
        log(|| tracing::debug!(table, %cause, "the database rejects a row"));
        if let Some(OutageSummary { failures, seconds }) = self.due(&format!("{} {rule}", table.unwrap_or_default())) {
            log(|| tracing::warn!(table, %cause, failures, seconds, "the database rejects rows"));
        }
    }

    /// Logs that inserts fail until a person runs the statement in the message.
    pub(crate) fn log_broken(&self, table: &Table, message: &str) {
        if let Some(OutageSummary { failures, seconds }) = self.due(&format!("{table} broken")) {
            log(|| tracing::error!(failures, seconds, "{message}"));
        }
    }

    /// Counts a rejection by a rule. Returns the number of its rejections if a log line is due.
    fn due(&self, rule: &str) -> Option<OutageSummary> {
        let mut rules = self.rules.lock().unwrap_or_else(PoisonError::into_inner);
        let rule = if rules.len() < MOST || rules.contains_key(rule) { rule } else { "" };
        let (rule, now) = (rules.entry(rule.to_owned()).or_default(), self.begun.elapsed());
        rule.ended_by_itself(now);
        rule.failed(now)
    }
}
