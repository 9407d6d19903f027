//! Emits the impls of `Schema`, `Record` and `Entity` for the struct that derives `Resource`.

use proc_macro2::TokenStream;
use syn::{Attribute, Data, DeriveInput, Fields, Ident, LitStr, parse_quote};

use super::Declaration;
use super::field::{Field, Role};
use crate::errors::Errors;
use crate::{record, schema, serde_attributes};

pub(super) fn emit(declared: &Declaration<'_>, errors: &mut Errors) -> TokenStream {
    let shown = rewritten(declared, |field| {
        let is_write_only = !field.shapes.is_read() && field.shapes.is_written();
        let write_only = is_write_only.then(|| parse_quote!(#[property(write_only)]));
        let property = field.property(&[], field.shapes.is_read() && !field.shapes.is_written());
        property.map(|property| parse_quote!(#property)).into_iter().chain(write_only).collect()
    });
    // Makes every field read-only that updates exclude, so the partial update omits it.
    let mut changed = rewritten(declared, |field| {
        let property = field.property(&[], !field.shapes.update);
        property.map(|property| parse_quote!(#property)).into_iter().collect()
    });
    let container = serde_attributes::Container::parse(&declared.input.attrs, &mut Errors::default());
    if !declared.own.ignores_unknown {
        changed.attrs.push(parse_quote!(#[schema(closed_recursively)]));
        if container.deny_unknown_fields.is_none() {
            changed.attrs.push(parse_quote!(#[serde(deny_unknown_fields)]));
        }
    }
    let schema = schema::of_resource(&shown, &changed, errors);
    let values: Vec<&Ident> =
        declared.fields.iter().filter(|field| field.is_value()).map(|field| field.ident).collect();
    let record = record::of_resource(declared.input, &values, errors);
    let entity = entity(declared);
    emit!(#schema #record #entity)
}

/// Returns a copy of the struct in which the `#[property(..)]` attributes are replaced. `property` returns the new
/// attributes of a field. The added attribute `#[schema(changes(..))]` generates the type of partial updates.
fn rewritten(declared: &Declaration<'_>, property: impl Fn(&Field<'_>) -> Vec<Attribute>) -> DeriveInput {
    let mut input = declared.input.clone();
    let changes = &declared.own.types.changes;
    let derives = &changes.derives;
    let name = LitStr::new(&declared.names.changes.to_string(), declared.names.changes.span());
    let setting = Ident::new("changes", changes.span);
    input.attrs.push(parse_quote!(#[schema(#setting(name = #name, derive(#(#derives),*)))]));
    if let Data::Struct(syn::DataStruct { fields: Fields::Named(fields), .. }) = &mut input.data {
        for (syntax, field) in fields.named.iter_mut().zip(&declared.fields) {
            syntax.attrs.retain(|attribute| !attribute.path().is_ident("property"));
            syntax.attrs.extend(property(field));
        }
    }
    input
}

fn entity(declared: &Declaration<'_>) -> TokenStream {
    let ident = &declared.input.ident;
    let arms =
        declared.fields.iter().filter(|field| field.is_recorded).map(|Field { ident, ty, name, role, .. }| {
            let span = syn::spanned::Spanned::span(ty);
            match role {
                Role::Plain => emit! {
                    #name => <::restwright::resource::MaybeRounded<#ty>>::assign(&mut self.#ident, value),
                },
                _ => emit_at!(span=> #name => ::restwright::resource::assign(&mut self.#ident, value),),
            }
        });
    emit! {
        #[automatically_derived]
        #[allow(deprecated, reason = "an entity has all its fields")]
        impl ::restwright::resource::Entity for #ident {
            fn set_value(&mut self, field: &str, value: ::restwright::list::Value<'static>) -> bool {
                #[allow(unused_imports, reason = "for types that are not rounded")]
                use ::restwright::resource::NotRounded as _;

                match field {
                    #(#arms)*
                    _ => false,
                }
            }
        }
    }
}
