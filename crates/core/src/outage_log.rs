//! Limits the number of log lines about an outage.

use std::time::Duration;

/// Limits the log lines about repeated failures of one kind. A log line is due at the first failure, once a minute
/// during the outage, and at its end.
///
/// Components and stores use this type, so clients that cause failures cannot flood the log. It has no clock. `now` is
/// a time that never decreases, such as [`Clock::elapsed`](crate::Clock::elapsed).
///
/// ```
/// use std::time::Duration;
///
/// use restwright_core::OutageLog;
///
/// let mut outage = OutageLog::default();
/// assert!(outage.failed(Duration::ZERO).is_some());
/// assert!(outage.failed(Duration::from_secs(1)).is_none());
/// assert_eq!(outage.ended(Duration::from_secs(2)).map(|summary| summary.failures), Some(2));
/// ```
#[derive(Debug, Default)]
pub struct OutageLog(Option<Outage>);

#[derive(Debug)]
struct Outage {
    begun: Duration,
    logged: Duration,
    last: Duration,
    failures: u64,
}

/// The summary of an outage for a log line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OutageSummary {
    /// The number of failures since the outage began.
    pub failures: u64,
    /// The duration of the outage in seconds.
    pub seconds: u64,
}

/// The minimum time between two log lines during an outage. It is also the time without failures after which an outage
/// is over.
const MINUTE: Duration = Duration::from_secs(60);

impl OutageLog {
    /// Counts a failure. Returns a summary of the outage if a log line is due.
    pub fn failed(&mut self, now: Duration) -> Option<OutageSummary> {
        let is_first = self.0.is_none();
        let outage = self.0.get_or_insert(Outage { begun: now, logged: now, last: now, failures: 0 });
        outage.failures += 1;
        outage.last = now;
        let is_due = is_first || now.saturating_sub(outage.logged) >= MINUTE;
        if is_due {
            outage.logged = now;
        }
        is_due.then(|| outage.summary(now))
    }

    /// Ends the outage. Returns its summary if there was an outage.
    pub fn ended(&mut self, now: Duration) -> Option<OutageSummary> {
        self.0.take().map(|outage| outage.summary(now))
    }

    /// Ends the outage if its last failure is at least a minute old. Returns the summary of the outage up to that
    /// failure.
    pub fn ended_by_itself(&mut self, now: Duration) -> Option<OutageSummary> {
        let last = self.0.as_ref()?.last;
        if now.saturating_sub(last) >= MINUTE { self.ended(last) } else { None }
    }

    /// Returns `true` during an outage.
    #[must_use]
    pub fn is_ongoing(&self) -> bool {
        self.0.is_some()
    }
}

impl Outage {
    fn summary(&self, now: Duration) -> OutageSummary {
        OutageSummary { failures: self.failures, seconds: now.saturating_sub(self.begun).as_secs() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn logs_the_begin_each_minute_and_the_end_of_an_outage() {
        let second = |number| Duration::from_secs(number);
        let mut log = OutageLog::default();
        assert_eq!(log.ended(second(0)), None);
        let mut lines = Vec::new();
        // Ten failures per second for 150 seconds.
        for now in 5..155 {
            lines.extend((0..10).filter_map(|_| log.failed(second(now))));
        }
        let summary = |failures, seconds| OutageSummary { failures, seconds };
        assert_eq!(lines, [summary(1, 0), summary(601, 60), summary(1201, 120)]);
        assert_eq!((log.ended(second(160)), log.ended(second(160))), (Some(summary(1500, 155)), None));
    }

    #[test]
    fn ends_an_outage_after_a_time_without_failures() {
        let second = |number| Duration::from_secs(number);
        let mut log = OutageLog::default();
        assert!(log.failed(second(0)).is_some() && log.failed(second(30)).is_none());
        assert_eq!(log.ended_by_itself(second(89)), None);
        assert_eq!(log.ended_by_itself(second(90)), Some(OutageSummary { failures: 2, seconds: 30 }));
        assert!(!log.is_ongoing() && log.failed(second(91)).is_some());
    }
}
