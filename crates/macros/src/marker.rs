//! Parses the attributes that set the source of a field, such as `#[query("name")]` and `#[body]`.

use syn::spanned::Spanned;
use syn::{Attribute, LitStr, Meta};

use crate::errors::Errors;

/// Returns the name in an attribute such as `#[query("name")]`, or `None` if the attribute contains no name.
pub(crate) fn written_name(marker: &Attribute, errors: &mut Errors) -> Option<String> {
    if matches!(marker.meta, Meta::Path(_)) {
        return None;
    }
    match marker.parse_args::<LitStr>() {
        Ok(name) if !name.value().is_empty() => Some(name.value()),
        _ => {
            let kind = marker.path().get_ident().map(ToString::to_string).unwrap_or_default();
            errors.push(marker.path().span(), format!("write the name in quotes: `#[{kind}(\"name\")]`"));
            None
        }
    }
}

/// Rejects arguments of an attribute that accepts no arguments. `instead` is the advice in the message.
pub(crate) fn takes_nothing(marker: &Attribute, instead: &str, errors: &mut Errors) {
    if !matches!(marker.meta, Meta::Path(_)) {
        let kind = marker.path().get_ident().map(ToString::to_string).unwrap_or_default();
        errors.add(syn::Error::new_spanned(&marker.meta, format!("`#[{kind}]` accepts no arguments; {instead}")));
    }
}
