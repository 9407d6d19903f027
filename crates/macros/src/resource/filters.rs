//! Emits the struct of list filters, which derives `Filters`.

use proc_macro2::TokenStream;

use super::Declaration;
use super::field::ResourceField;
use crate::errors::Errors;
use crate::filters::CONSTRAINTS;
use crate::settings::Setting;

pub(super) fn emit(declared: &Declaration<'_>) -> TokenStream {
    let name = &declared.names.filters;
    let (visibility, ident) = (&declared.input.vis, &declared.input.ident);
    let doc = format!("The filters of a list of `{ident}`.");
    let derives = declared.own.types.filters.derives_beside(&[]);
    let members = declared.fields.iter().filter_map(|field| {
        let operators = operators(field)?;
        let ty = field.items().unwrap_or_else(|| field.inner());
        let (ident, name, visibility) = (field.ident, &field.name, &field.syntax.vis);
        let items = items(field);
        let docs = field.docs();
        let computed = (!field.shapes.list).then(|| emit!(computed,));
        Some(emit! {
            #(#docs)*
            #[filter(rename = #name, #computed #(#items,)* #operators)]
            #visibility #ident: ::restwright::derived::list::Filter<#ty>,
        })
    });
    emit! {
        #[doc = #doc]
        #[derive(::restwright::Filters #(, #derives)*)]
        #[filter(crate = "::restwright")]
        #visibility struct #name {
            #(#members)*
        }
    }
}

/// Returns the constraints of the items, which a filter with `has` also has.
fn items(field: &ResourceField<'_>) -> Vec<Setting> {
    let settings = field.constraints.iter().filter(|setting| field.items().is_some() && setting.name == "items");
    let settings = settings.flat_map(|items| items.list(&mut Errors::default()));
    settings.filter(|setting| CONSTRAINTS.iter().any(|name| setting.name == name)).collect()
}

/// Returns the settings for the `#[filter(..)]` attribute of a field. Omits `index`, which `#[derive(Filters)]` does
/// not accept.
fn operators(field: &ResourceField<'_>) -> Option<TokenStream> {
    let filter = field.filter.as_ref()?;
    if field.index.is_none() {
        return Some(filter.tokens());
    }
    let settings = filter.list(&mut Errors::default());
    let settings = settings.iter().filter(|setting| setting.name != "index");
    Some(emit!(#(#settings),*))
}
