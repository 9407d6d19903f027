//! Each folder of `tests/ui` is named for a mistake; the `.stderr` next to a file is its error.

#[test]
fn each_mistake_says_what_to_write() {
    trybuild::TestCases::new().compile_fail("tests/ui/*/*.rs");
}
