//! Skips tests that need a missing server or program.

use std::fmt::Display;
use std::io::Write;

/// Prints that a test is skipped. The gate fails if a test prints this.
///
/// The test harness captures `println!` of a passing test, but not writes to the handle of stderr.
pub fn skip(reason: impl Display) {
    // Written in one call, because other tests print at the same time.
    let line = format!("SKIPPED: {reason}\n");
    drop(std::io::stderr().write_all(line.as_bytes()));
}

/// Returns an environment variable, such as the address of a server. If it is missing, prints that the test is skipped.
#[must_use]
pub fn environment(variable: &str) -> Option<String> {
    let value = std::env::var(variable).ok();
    if value.is_none() {
        skip(format_args!("{variable} is not set"));
    }
    value
}
