//! The events that tests record.

use std::thread;

use restwright_tests::{Log, alone};
use tracing::Level;

#[test]
fn records_events_that_a_thread_without_a_subscriber_reaches_first() {
    alone("log::records_events_that_a_thread_without_a_subscriber_reaches_first", || {
        let event = || tracing::info!("reached");
        let log = Log::up_to(Level::INFO);
        log.during(|| {
            thread::spawn(event).join().unwrap();
            event();
        });
        assert_eq!(log.take("reached").len(), 1);
    });
}
