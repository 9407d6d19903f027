//! Contains nothing. The test target compiles the cases.
