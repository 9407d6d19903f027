//! The log lines of the store.

use std::fmt::{Debug, Write as _};
use std::sync::{Arc, Mutex};

use tracing::field::{Field, Visit};
use tracing::{Event, Level, Metadata, Subscriber, span};

/// The log lines of a thread up to a level.
#[derive(Clone)]
pub(crate) struct Log {
    most: Level,
    lines: Arc<Mutex<Vec<String>>>,
}

/// The separator between a message and its fields.
const FIELDS: &str = " | ";

impl Log {
    fn up_to(most: Level) -> Self {
        Self { most, lines: Arc::default() }
    }

    /// Returns the result of a function, and the warnings and errors that it logged on this thread.
    pub(crate) fn of<T>(run: impl FnOnce() -> T) -> (T, Vec<String>) {
        let log = Self::up_to(Level::WARN);
        let result = {
            let _guard = restwright_tests::subscribe(log.clone());
            run()
        };
        (result, log.take())
    }

    async fn of_future<T>(self, future: impl Future<Output = T>) -> (T, Vec<String>) {
        let _guard = restwright_tests::subscribe(self.clone());
        let returned = future.await;
        (returned, self.take())
    }

    fn take(&self) -> Vec<String> {
        std::mem::take(&mut *self.lines.lock().unwrap())
    }
}

/// Returns the result of a future, and the messages of its warnings. The runtime must have a single thread.
pub(crate) async fn logged<T>(future: impl Future<Output = T>) -> (T, Vec<String>) {
    let (returned, lines) = logged_fields(future).await;
    (returned, messages(&lines))
}

/// Returns the result of a future, and the messages of any level that contain a string.
pub(crate) async fn logged_of<T>(text: &str, future: impl Future<Output = T>) -> (T, Vec<String>) {
    let (returned, lines) = Log::up_to(Level::INFO).of_future(future).await;
    let mut messages = messages(&lines);
    messages.retain(|message| message.contains(text));
    (returned, messages)
}

/// Like `logged`, with the fields after each message.
pub(crate) async fn logged_fields<T>(future: impl Future<Output = T>) -> (T, Vec<String>) {
    Log::up_to(Level::WARN).of_future(future).await
}

fn messages(lines: &[String]) -> Vec<String> {
    lines.iter().map(|line| line.split(FIELDS).next().unwrap_or_default().to_owned()).collect()
}

impl Subscriber for Log {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target().starts_with("restwright") && *metadata.level() <= self.most
    }

    fn event(&self, event: &Event<'_>) {
        let mut line = Line::default();
        event.record(&mut line);
        self.lines.lock().unwrap().push(format!("{}{FIELDS}{}", line.message, line.fields));
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
