//! Lists the violation messages of the framework that can be translated.

/// The codes of all translatable violation messages, each with the names of the values that the message may contain.
///
/// The code `invalid` is missing because its messages come from the application's own checks.
pub(super) const VIOLATIONS: &[(&str, &[&str])] = &[
    ("required", &[]),
    ("type", &["expected", "actual"]),
    ("null", &[]),
    ("minimum", &["minimum"]),
    ("maximum", &["maximum"]),
    ("exclusive_minimum", &["exclusive_minimum"]),
    ("exclusive_maximum", &["exclusive_maximum"]),
    ("multiple_of", &["multiple_of"]),
    ("non_zero", &[]),
    ("min_length", &["min_length"]),
    ("max_length", &["max_length"]),
    ("pattern", &["pattern"]),
    ("format", &["format"]),
    ("enum", &["allowed"]),
    ("const", &["const"]),
    ("min_items", &["min_items"]),
    ("max_items", &["max_items"]),
    ("unique_items", &["equals"]),
    ("min_properties", &["min_properties"]),
    ("max_properties", &["max_properties"]),
    ("max_size", &["max_size"]),
    ("accept", &["accept"]),
    ("no_target", &[]),
    ("test_failed", &[]),
    ("unknown_property", &[]),
    ("property_name", &[]),
    ("duplicate_property", &[]),
    ("discriminator", &["allowed"]),
    ("unreadable", &[]),
    ("too_many_values", &[]),
    ("unknown_filter", &["allowed"]),
    ("unknown_operator", &["allowed"]),
    ("malformed_filter", &[]),
    ("duplicate_condition", &[]),
    ("too_many_conditions", &["maximum"]),
    ("filter_too_deep", &["maximum"]),
    ("empty_list", &[]),
    ("not_a_range", &[]),
    ("unknown_sort_field", &["value", "allowed"]),
    ("duplicate_sort_field", &["value"]),
    ("cursor_invalid", &[]),
    ("cursor_mismatch", &[]),
    ("cursor_expired", &[]),
    ("conflict", &[]),
    ("missing_reference", &[]),
    ("rejected", &[]),
    ("read_only", &[]),
];

#[cfg(test)]
mod tests {
    use restwright_core::schema::Code;

    use super::VIOLATIONS;

    #[test]
    fn every_code_of_schemas_has_a_message() {
        for (code, _) in Code::ALL.iter().filter(|(code, _)| *code != Code::INVALID) {
            assert!(VIOLATIONS.iter().any(|(known, _)| *code == **known), "{code}");
        }
    }
}
