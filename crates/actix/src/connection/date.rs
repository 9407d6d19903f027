//! Formats the `Date` header (RFC 9110, section 6.6.1).

use std::cell::RefCell;
use std::time::{SystemTime, UNIX_EPOCH};

/// The value of the `Date` header. It is formatted at most once per second.
#[derive(Default)]
pub(super) struct Date(RefCell<WrittenDate>);

#[derive(Default)]
struct WrittenDate {
    /// The Unix time in seconds that `text` represents.
    time: u64,
    text: String,
}

impl Date {
    /// Calls `visit` with the current value of the `Date` header.
    pub(super) fn with(&self, visit: impl FnOnce(&str)) {
        let now = SystemTime::now();
        let time = now.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
        let mut written = self.0.borrow_mut();
        if written.time != time || written.text.is_empty() {
            *written = WrittenDate { time, text: httpdate::fmt_http_date(now) };
        }
        visit(&written.text);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_date_is_that_of_the_clock() {
        let date = Date::default();
        let read = || {
            let mut text = String::new();
            date.with(|date| text = date.to_owned());
            httpdate::parse_http_date(&text).unwrap()
        };
        for _ in 0..3 {
            let before = SystemTime::now() - std::time::Duration::from_secs(1);
            assert!(read() >= before && read() <= SystemTime::now());
            std::thread::sleep(std::time::Duration::from_millis(600));
        }
    }
}
