//! The events of a test.

use std::fmt::Debug;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use tracing::dispatcher::{DefaultGuard, Dispatch};
use tracing::field::Field;
use tracing::span::{Attributes, Id, Record};
use tracing::subscriber::NoSubscriber;
use tracing::{Event, Level, Metadata, Subscriber};

/// Gives the events of this thread to a subscriber until the guard is dropped.
///
/// While a process has one subscriber, tracing lets the first thread that reaches an event decide for all threads whether the event is
/// enabled. This thread can be the thread of another test, without a subscriber. So the process keeps two more subscribers, which enable
/// nothing.
#[must_use]
pub fn subscribe(subscriber: impl Subscriber + Send + Sync) -> DefaultGuard {
    static SUBSCRIBERS: LazyLock<[Dispatch; 2]> =
        LazyLock::new(|| [(); 2].map(|()| Dispatch::new(NoSubscriber::new())));
    LazyLock::force(&SUBSCRIBERS);
    tracing::dispatcher::set_default(&Dispatch::new(subscriber))
}

/// Records the events up to a level. Each line contains the level, the target and the fields.
#[derive(Clone, Debug)]
pub struct Log {
    most: Level,
    lines: Arc<Mutex<Vec<String>>>,
}

impl Log {
    /// Creates a log of events up to a level.
    #[must_use]
    pub fn up_to(most: Level) -> Self {
        Self { most, lines: Arc::default() }
    }

    /// Runs a function and records the events of this thread.
    pub fn during<T>(&self, run: impl FnOnce() -> T) -> T {
        let _guard = subscribe(self.clone());
        run()
    }

    /// Returns the lines that contain a string, and clears all lines.
    #[must_use]
    pub fn take(&self, text: &str) -> Vec<String> {
        let lines = std::mem::take(&mut *self.lines.lock().unwrap_or_else(PoisonError::into_inner));
        lines.into_iter().filter(|line| line.contains(text)).collect()
    }
}

impl Subscriber for Log {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        *metadata.level() <= self.most
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, event: &Event<'_>) {
        let mut line = format!("{} {}:", event.metadata().level(), event.metadata().target());
        event.record(&mut |field: &Field, value: &dyn Debug| line += &format!(" {field}={value:?}"));
        self.lines.lock().unwrap_or_else(PoisonError::into_inner).push(line);
    }

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}
