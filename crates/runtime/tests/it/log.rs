//! A subscriber that records the events of a test.

use std::fmt::Debug;
use std::sync::{Arc, Mutex};

use tracing::field::Field;
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Level, Metadata, Subscriber};

/// The events up to a level. Each line contains the level, the target and the fields.
#[derive(Clone, Debug)]
pub(crate) struct Log {
    most: Level,
    lines: Arc<Mutex<Vec<String>>>,
}

impl Log {
    pub(crate) fn up_to(most: Level) -> Self {
        Self { most, lines: Arc::default() }
    }

    /// Returns the lines that contain a string, and clears all lines.
    pub(crate) fn take(&self, text: &str) -> Vec<String> {
        let lines = std::mem::take(&mut *self.lines.lock().unwrap());
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
        self.lines.lock().unwrap().push(line);
    }

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}
