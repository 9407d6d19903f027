//! Converts values in attributes to expressions for the emitted code.

use proc_macro2::{Delimiter, Literal, TokenStream, TokenTree};
use quote::quote_spanned;
use syn::LitInt;

/// Returns the expression for a numeric value in an attribute. An integer that does not fit into `i32` gets a suffix,
/// because `i32` is Rust's default.
pub(crate) fn number(value: TokenStream) -> TokenStream {
    let tokens: Vec<TokenTree> = value.clone().into_iter().collect();
    let (sign, literal) = match tokens.as_slice() {
        [TokenTree::Literal(literal)] => (None, literal),
        [TokenTree::Punct(sign), TokenTree::Literal(literal)] if sign.as_char() == '-' => (Some(sign), literal),
        _ => return value,
    };
    let Some(magnitude) = magnitude(literal) else { return value };
    if i32::try_from(magnitude).is_ok() {
        return value;
    }
    let mut suffixed = if i64::try_from(magnitude).is_ok() || sign.is_some() {
        let text = format!("{magnitude}i64");
        text.parse().unwrap_or_else(|_| Literal::u64_suffixed(magnitude))
    } else {
        Literal::u64_suffixed(magnitude)
    };
    suffixed.set_span(literal.span());
    quote_spanned!(literal.span()=> #sign #suffixed)
}

/// Returns the expression for a JSON value in an attribute. It is a number, a string, a boolean, `null`, `[..]`, or any
/// `Into<serde_json::Value>`.
pub(crate) fn json(value: TokenStream) -> TokenStream {
    let tokens: Vec<TokenTree> = value.clone().into_iter().collect();
    match tokens.as_slice() {
        [TokenTree::Ident(null)] if null == "null" => quote_spanned!(null.span()=> ()),
        // The element type of an empty list cannot be inferred.
        [TokenTree::Group(list)] if list.delimiter() == Delimiter::Bracket && list.stream().is_empty() => {
            quote_spanned!(list.span()=> [(); 0])
        }
        _ => number(value),
    }
}

/// Returns the value of an integer literal, or `None` if the literal has a suffix.
fn magnitude(literal: &Literal) -> Option<u64> {
    let literal: LitInt = syn::parse_str(&literal.to_string()).ok()?;
    if literal.suffix().is_empty() { literal.base10_parse().ok() } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_are_given_a_type_that_holds_them() {
        for (written, expected) in [
            ("1", "1"),
            ("-1", "- 1"),
            ("5_000_000_000", "5000000000i64"),
            ("-5_000_000_000", "- 5000000000i64"),
            ("18446744073709551615", "18446744073709551615u64"),
            ("7u8", "7u8"),
            ("0.5", "0.5"),
            ("LIMIT", "LIMIT"),
        ] {
            assert_eq!(number(written.parse().unwrap()).to_string(), expected, "{written}");
        }
    }

    #[test]
    fn values_that_rust_has_no_type_for() {
        assert_eq!(json("[]".parse().unwrap()).to_string(), "[() ; 0]");
        assert_eq!(json("null".parse().unwrap()).to_string(), "()");
        assert_eq!(json("\"x\"".parse().unwrap()).to_string(), "\"x\"");
    }
}
