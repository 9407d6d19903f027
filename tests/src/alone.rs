//! Tests that need a process for themselves.

use std::process::Command;

/// Set in the process of [`alone`].
const ALONE: &str = "RESTWRIGHT_ALONE";

/// Runs the body of a test in a separate process, because the test measures the memory of its process, or reads the events of all its threads.
/// `test` is the full name of the test that calls it.
///
/// # Panics
/// The body panics.
pub fn alone(test: &str, body: impl FnOnce()) {
    if std::env::var_os(ALONE).is_some() {
        return body();
    }
    let program = std::env::current_exe().unwrap_or_else(|error| panic!("{error}"));
    let run =
        Command::new(program).args(["--exact", test, "--nocapture", "--include-ignored"]).env(ALONE, "1").output();
    let run = run.unwrap_or_else(|error| panic!("{error}"));
    let shown = String::from_utf8_lossy(&[run.stdout, run.stderr].concat()).into_owned();
    assert!(run.status.success() && shown.contains("1 passed"), "{test} in a separate process:\n{shown}");
    println!("{shown}");
}

/// Returns the resident memory of this process in KiB.
///
/// # Panics
/// The system is not Linux.
#[must_use]
pub fn resident() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let size = line.and_then(|line| line.trim().trim_end_matches(" kB").parse().ok());
    size.unwrap_or_else(|| panic!("/proc/self/status has no VmRSS"))
}
