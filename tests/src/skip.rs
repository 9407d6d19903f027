//! Tests that need a server or a program which may be missing.

use std::fmt::Display;
use std::io::Write;

/// Prints that a test is skipped. The gate fails if a test prints this.
///
/// The test harness captures `println!` of a test that passes, but not the handle of stderr.
pub fn skip(reason: impl Display) {
    // In one piece, because other tests print at the same time.
    let line = format!("SKIPPED: {reason}\n");
    drop(std::io::stderr().write_all(line.as_bytes()));
}

/// Returns a variable of the environment, such as the address of a server; without it, the test is skipped.
#[must_use]
pub fn environment(variable: &str) -> Option<String> {
    let value = std::env::var(variable).ok();
    if value.is_none() {
        skip(format_args!("{variable} is not set"));
    }
    value
}
