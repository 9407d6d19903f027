//! Implements the setting `search(title, text)`, which selects the fields for searches with the query parameter `q`.

use proc_macro2::TokenStream;
use syn::Ident;

use super::Declaration;
use crate::errors::Errors;
use crate::settings::Setting;

/// Parses the field names in `search(..)`.
pub(super) fn parse(setting: &Setting, errors: &mut Errors) -> Vec<Ident> {
    let names = setting.list(errors);
    for name in &names {
        name.flag(errors);
    }
    if names.is_empty() && setting.is_list() {
        errors.push(setting.span(), "a search requires fields: write `search(title, text)`");
    }
    names.into_iter().map(|name| name.name).collect()
}

/// Rejects fields in `search(..)` that are not stored, or that no response contains.
pub(super) fn check(declared: &Declaration<'_>, errors: &mut Errors) {
    for name in &declared.own.search {
        match declared.field_of_index(name) {
            Some(field) if !field.shapes.is_read() => errors.push(
                name.span(),
                "a search in a field reveals the field, but no response contains it; remove the field from the search",
            ),
            Some(_) => {}
            None => errors.push(name.span(), declared.unknown_field(name)),
        }
    }
}

/// Returns the generated call to `EntityDefinition::search`, if the resource has the setting `search(..)`.
pub(super) fn call(declared: &Declaration<'_>) -> Option<TokenStream> {
    let fields = declared.own.search.iter().filter_map(|name| declared.field_of_index(name)).map(|field| &field.name);
    (!declared.own.search.is_empty()).then(|| emit!(.search([#(#fields),*])))
}
