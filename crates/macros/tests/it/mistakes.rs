//! Each folder of `tests/ui` is named for a mistake; the `.stderr` beside a file is the error that it gets.

#[test]
fn each_mistake_says_what_to_write() {
    trybuild::TestCases::new().compile_fail("tests/ui/*/*.rs");
}
