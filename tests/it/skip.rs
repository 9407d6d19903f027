//! The output of a skipped test.

use std::process::Command;

const CHILD: &str = "RESTWRIGHT_TEST_SKIP";

/// Runs in a separate process, where it is skipped.
#[test]
fn child() {
    if std::env::var_os(CHILD).is_some() {
        assert_eq!(restwright_tests::environment("RESTWRIGHT_TEST_NEVER_SET"), None);
    }
}

#[test]
fn a_skipped_test_that_passes_appears_in_the_output() {
    let mut command = Command::new(std::env::current_exe().unwrap());
    let output = command.args(["--exact", "skip::child"]).env(CHILD, "1").output().unwrap();
    assert!(output.status.success());
    assert_eq!(String::from_utf8(output.stderr).unwrap(), "SKIPPED: RESTWRIGHT_TEST_NEVER_SET is not set\n");
}
