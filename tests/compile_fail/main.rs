//! Each folder of `cases` is named for an error in a declaration. The `.stderr` next to a file is the message of the compiler.

#![cfg(test)]

#[test]
fn each_mistake_says_what_to_write() {
    trybuild::TestCases::new().compile_fail("cases/*/*.rs");
}
