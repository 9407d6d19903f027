//! Defines [`MessageRate`], a limit on the messages of a client.

use std::time::Duration;

use restwright_core::rate_limit::Quota;
use tokio::time::Instant;

/// A route setting that limits how many messages a client may send on one connection. The default is 100 per second.
///
/// A client that sends faster is slowed down and not disconnected: the server reads the next message when the quota
/// allows it. Pings and pongs count as messages.
///
/// ```
/// use restwright_core::Route;
/// use restwright_websocket::MessageRate;
///
/// let route = Route::get("/chat").with(MessageRate::per_second(10).burst(50));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MessageRate(Quota);

impl MessageRate {
    /// Allows this number of messages in a second.
    #[must_use]
    pub fn per_second(messages: u32) -> Self {
        Self(Quota::per_second(messages))
    }

    /// Allows this number of messages at once, if the client has sent none before.
    #[must_use]
    pub fn burst(self, messages: u32) -> Self {
        Self(self.0.burst(messages))
    }

    /// Returns `true` if the client may send no message.
    pub(crate) fn allows_nothing(self) -> bool {
        self.0.limit() == 0
    }
}

impl Default for MessageRate {
    fn default() -> Self {
        Self::per_second(100)
    }
}

/// The messages that a client may still send on its connection.
#[derive(Debug)]
pub(crate) struct Allowance {
    quota: Quota,
    /// The time at which the whole quota is available again.
    full_at: Instant,
}

impl Allowance {
    pub(crate) fn new(MessageRate(quota): MessageRate) -> Self {
        Self { quota, full_at: Instant::now() }
    }

    /// Counts a message that was received.
    pub(crate) fn charge(&mut self) {
        self.full_at = self.full_at.max(Instant::now()) + self.quota.interval();
    }

    /// Returns how long the next message must wait, or `None` if it is allowed now.
    pub(crate) fn wait(&self) -> Option<Duration> {
        let earlier = self.quota.interval().saturating_mul(self.quota.limit().saturating_sub(1));
        let wait = self.full_at.saturating_duration_since(Instant::now()).saturating_sub(earlier);
        (!wait.is_zero()).then_some(wait)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn allows_a_burst_and_then_the_rate() {
        let mut allowance = Allowance::new(MessageRate::per_second(10).burst(3));
        for expected in [None, None, None, Some(100), Some(200)] {
            assert_eq!(allowance.wait(), expected.map(Duration::from_millis));
            allowance.charge();
        }
        tokio::time::advance(Duration::from_millis(300)).await;
        assert_eq!(allowance.wait(), None);
    }
}
