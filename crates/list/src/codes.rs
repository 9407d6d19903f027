//! Defines the violation codes of lists, in addition to [`Code::ALL`](restwright_core::schema::Code::ALL).

use restwright_core::schema::Code;

macro_rules! catalogue {
    ($($name:ident = $code:literal, $meaning:literal;)*) => {
        $(#[doc = concat!("`", $code, "`: ", $meaning)]
        pub const $name: Code = Code::from_static($code);)*

        /// All violation codes of this crate, each with its meaning in one line.
        pub const ALL: &[(Code, &str)] = &[$(($name, $meaning)),*];
    };
}

catalogue! {
    UNKNOWN_FILTER = "unknown_filter", "No filter is declared for this field.";
    UNKNOWN_OPERATOR = "unknown_operator", "The field does not support this operator.";
    MALFORMED_FILTER = "malformed_filter", "The name of a filter must be `filter[field]` or `filter[field][operator]`.";
    DUPLICATE_CONDITION = "duplicate_condition", "The same condition occurs twice, in either spelling.";
    TOO_MANY_CONDITIONS = "too_many_conditions", "The request has more conditions than a list accepts.";
    FILTER_TOO_DEEP = "filter_too_deep", "The filter has more levels than a list accepts.";
    EMPTY_LIST = "empty_list", "A list of values is empty.";
    NOT_A_RANGE = "not_a_range", "A range must have exactly two values.";
    UNKNOWN_SORT_FIELD = "unknown_sort_field", "The list cannot be sorted by this field.";
    DUPLICATE_SORT_FIELD = "duplicate_sort_field", "The order contains a field twice.";
    CURSOR_INVALID = "cursor_invalid", "This service did not create the cursor.";
    CURSOR_MISMATCH = "cursor_mismatch", "The cursor belongs to another list: another route, order or filter.";
    CURSOR_EXPIRED = "cursor_expired", "The cursor has expired.";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_unique_and_described() {
        let known = Code::ALL.iter().chain(ALL).map(|(code, _)| code.as_str());
        let unique: std::collections::BTreeSet<_> = known.collect();
        assert_eq!(unique.len(), Code::ALL.len() + ALL.len());
        assert!(ALL.iter().all(|(_, meaning)| meaning.ends_with('.')));
    }
}
