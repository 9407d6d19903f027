//! The warnings of a test.

use std::fmt::Debug;
use std::sync::{Arc, Mutex};

use tracing::field::{Field, Visit};
use tracing::subscriber::DefaultGuard;
use tracing::{Event, Level, Metadata, Subscriber, span};

/// Returns what a future returns, with the messages of its warnings. The runtime is one of a single thread.
pub(crate) async fn logged<T>(future: impl Future<Output = T>) -> (T, Vec<String>) {
    let (lines, _guard) = capture();
    let returned = future.await;
    let lines = std::mem::take(&mut *lines.lock().unwrap());
    (returned, lines)
}

/// Collects the warnings of the thread until the guard is dropped.
pub(crate) fn capture() -> (Arc<Mutex<Vec<String>>>, DefaultGuard) {
    let lines = Arc::<Mutex<Vec<String>>>::default();
    let guard = tracing::subscriber::set_default(Warnings(Arc::clone(&lines)));
    (lines, guard)
}

struct Warnings(Arc<Mutex<Vec<String>>>);

impl Subscriber for Warnings {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target().starts_with("restwright") && *metadata.level() <= Level::WARN
    }

    fn event(&self, event: &Event<'_>) {
        let mut message = Message::default();
        event.record(&mut message);
        self.0.lock().unwrap().push(message.0);
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
struct Message(String);

impl Visit for Message {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        if field.name() == "message" {
            self.0 = format!("{value:?}");
        }
    }
}
