//! Reads the doc comments and `#[deprecated]` of an item.

use syn::{Attribute, Expr, ExprLit, Lit, Meta, MetaNameValue};

/// Returns the doc comment of an item, without the leading space of each line.
pub(crate) fn description(attributes: &[Attribute]) -> Option<String> {
    let lines: Vec<String> = attributes.iter().filter_map(text).collect();
    let lines: Vec<&str> = lines.iter().flat_map(|text| text.split('\n')).collect();
    let lines: Vec<&str> = lines.iter().map(|line| line.strip_prefix(' ').unwrap_or(line).trim_end()).collect();
    let description = lines.join("\n").trim_matches('\n').to_owned();
    (!description.is_empty()).then_some(description)
}

/// Returns whether an item has Rust's `#[deprecated]` attribute.
pub(crate) fn is_deprecated(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| attribute.path().is_ident("deprecated"))
}

fn text(attribute: &Attribute) -> Option<String> {
    match &attribute.meta {
        Meta::NameValue(MetaNameValue { path, value: Expr::Lit(ExprLit { lit: Lit::Str(text), .. }), .. })
            if path.is_ident("doc") =>
        {
            Some(text.value())
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use syn::parse_quote;

    #[test]
    fn lines_are_joined_and_paragraphs_kept() {
        let item: syn::DeriveInput = parse_quote! {
            /// One sentence.
            ///
            /// Another,
            ///   indented.
            #[serde(default)]
            struct Pet;
        };
        assert_eq!(description(&item.attrs).as_deref(), Some("One sentence.\n\nAnother,\n  indented."));
        assert_eq!(description(&[]), None);
    }
}
