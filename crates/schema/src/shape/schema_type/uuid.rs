//! Defines the UUID type in the hyphenated form of RFC 9562, in upper or lower case.

use serde_json::{Map, Value};

use super::text::{check_form, form_schema};
use super::{Scalar, ScalarRules};
use crate::pending_violation::ViolationSink;

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct UuidType;

impl ScalarRules for UuidType {
    fn name(&self) -> &'static str {
        "uuid"
    }

    #[inline]
    fn check<S: ViolationSink>(&self, value: Scalar<'_>, sink: &mut S) {
        check_form(value, "uuid", is_hyphenated, sink);
    }

    fn schema(&self) -> Map<String, Value> {
        form_schema("uuid")
    }
}

fn is_hyphenated(text: &str) -> bool {
    text.len() == 36
        && text.bytes().enumerate().all(|(index, byte)| match index {
            8 | 13 | 18 | 23 => byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_hyphenated_form_is_a_uuid() {
        assert!(is_hyphenated("67e55044-10b1-426f-9247-bb680e5fe0c8"));
        assert!(is_hyphenated("67E55044-10B1-426F-9247-BB680E5FE0C8"));
        for text in [
            "67e5504410b1426f9247bb680e5fe0c8",
            "urn:uuid:67e55044-10b1-426f-9247-bb680e5fe0c8",
            "{67e55044-10b1-426f-9247-bb680e5fe0c8}",
            "67e55044-10b1-426f-9247-bb680e5fe0cg",
            "67e550441-0b1-426f-9247-bb680e5fe0c8",
            "",
        ] {
            assert!(!is_hyphenated(text), "{text}");
        }
    }
}
