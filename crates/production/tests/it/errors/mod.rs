//! Errors in the application's own form, and what a 500 shows.

mod form;
mod internal;
mod languages;
mod mistakes;
mod unread_heads;

use std::io::Write;
use std::sync::{Arc, Mutex};

use tracing_subscriber::fmt::MakeWriter;

/// The log of one thread of a test.
#[derive(Clone, Default)]
pub(crate) struct Log(Arc<Mutex<Vec<u8>>>);

impl Log {
    /// Runs a test and returns what it logs on this thread.
    pub(crate) fn of(test: impl FnOnce()) -> String {
        let log = Self::default();
        let subscriber = tracing_subscriber::fmt().with_ansi(false).without_time().with_writer(log.clone()).finish();
        let _guard = restwright_tests::subscribe(subscriber);
        test();
        String::from_utf8(log.0.lock().unwrap().clone()).unwrap()
    }
}

impl Write for Log {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

impl MakeWriter<'_> for Log {
    type Writer = Self;

    fn make_writer(&self) -> Self {
        self.clone()
    }
}
