//! The lines that the store writes to the log.

use std::fmt::{Debug, Write as _};
use std::sync::{Arc, Mutex};

use tracing::field::{Field, Visit};
use tracing::{Event, Level, Metadata, Subscriber, span};

/// The warnings and errors of a thread.
#[derive(Clone, Default)]
pub(crate) struct Log(Arc<Mutex<Vec<String>>>);

impl Log {
    /// Returns the result of a function, with the lines that it has logged on this thread.
    pub(crate) fn of<T>(run: impl FnOnce() -> T) -> (T, Vec<String>) {
        let log = Self::default();
        let result = tracing::subscriber::with_default(log.clone(), run);
        let lines = std::mem::take(&mut *log.0.lock().unwrap());
        (result, lines)
    }
}

/// Returns what a future returns, with the lines of its warnings. The runtime is one of a single thread.
pub(crate) async fn logged<T>(future: impl Future<Output = T>) -> (T, Vec<String>) {
    let (returned, lines) = logged_fields(future).await;
    let messages = lines.iter().map(|line| line.split(FIELDS).next().unwrap_or_default().to_owned());
    (returned, messages.collect())
}

/// As `logged`, with the fields after each message.
pub(crate) async fn logged_fields<T>(future: impl Future<Output = T>) -> (T, Vec<String>) {
    let log = Log::default();
    let _guard = tracing::subscriber::set_default(log.clone());
    let returned = future.await;
    let lines = std::mem::take(&mut *log.0.lock().unwrap());
    (returned, lines)
}

/// The text between a message and its fields.
const FIELDS: &str = " | ";

impl Subscriber for Log {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target().starts_with("restwright") && *metadata.level() <= Level::WARN
    }

    fn event(&self, event: &Event<'_>) {
        let mut line = Line::default();
        event.record(&mut line);
        self.0.lock().unwrap().push(format!("{}{FIELDS}{}", line.message, line.fields));
    }

    fn new_span(&self, _: &span::Attributes<'_>) -> span::Id {
        span::Id::from_u64(1)
    }

    fn record(&self, _: &span::Id, _: &span::Record<'_>) {}
    fn record_follows_from(&self, _: &span::Id, _: &span::Id) {}
    fn enter(&self, _: &span::Id) {}
    fn exit(&self, _: &span::Id) {}
}

#[derive(Default)]
struct Line {
    message: String,
    fields: String,
}

impl Visit for Line {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        match field.name() {
            "message" => self.message = format!("{value:?}"),
            name => write!(self.fields, "{name}={value:?} ").unwrap(),
        }
    }
}
