//! Emits the impls of `Schema`, `Record` and `Entity` for the struct that derives `Resource`.

use proc_macro2::TokenStream;
use syn::spanned::Spanned;
use syn::{Attribute, Data, DeriveInput, Fields, Ident, LitStr, parse_quote};

use super::Declaration;
use super::field::{ResourceField, Role};
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
fn rewritten(declared: &Declaration<'_>, property: impl Fn(&ResourceField<'_>) -> Vec<Attribute>) -> DeriveInput {
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

/// Emits the `Entity` impl. The row contains the recorded fields, and the other fields keep their initial values.
fn entity(declared: &Declaration<'_>) -> TokenStream {
    let ident = &declared.input.ident;
    let reads = declared.fields.iter().map(|field| read(field, declared.default.as_ref()));
    let recorded = || declared.fields.iter().filter(|field| field.is_recorded);
    let writes = recorded().map(|field| {
        let ResourceField { ident, ty, name, .. } = field;
        // Uses the span of the user's type, so rustc reports a type that is neither a value nor JSON there.
        let write = emit_at!(ty.span()=> <::restwright::derived::resource::RowField<#ty>>::write(&mut row, #name, &self.#ident)?);
        match serde_attributes::skip_serializing_if(&field.syntax.attrs) {
            Some(is_skipped) => emit!(if !(#is_skipped(&self.#ident) && <::restwright::derived::list::MaybeValue<#ty>>::VALUE_TYPE.is_none()) { #write; }),
            None => emit!(#write;),
        }
    });
    let arms = recorded().filter(|field| !matches!(field.role, Role::Plain)).map(|ResourceField { ident, ty, name, .. }| {
        emit_at!(ty.span()=> #name => ::restwright::derived::resource::assign(&mut self.#ident, value),)
    });
    emit! {
        #[automatically_derived]
        #[allow(deprecated, reason = "an entity has all its fields")]
        impl ::restwright::derived::resource::Entity for #ident {
            fn from_row(row: &mut ::restwright::derived::resource::Row) -> ::core::result::Result<Self, ::restwright::derived::resource::RowError> {
                #[allow(unused_imports, reason = "for types that are stored as JSON")]
                use ::restwright::derived::resource::JsonField as _;

                ::core::result::Result::Ok(Self { #(#reads),* })
            }

            fn to_row(
                &self,
                definition: &::restwright::derived::resource::EntityDefinition,
            ) -> ::core::result::Result<::restwright::derived::resource::Row, ::restwright::derived::resource::RowError> {
                #[allow(unused_imports, reason = "for types that are stored as JSON")]
                use ::restwright::derived::{list::NoValue as _, resource::JsonField as _};

                let mut row = ::restwright::derived::resource::Row::new(definition);
                #(#writes)*
                ::core::result::Result::Ok(row)
            }

            fn set_value(&mut self, field: &str, value: ::restwright::derived::list::Value<'static>) -> bool {
                match field {
                    #(#arms)*
                    _ => false,
                }
            }
        }
    }
}

/// Returns the initializer of a field, which reads its value from the row.
fn read(field: &ResourceField<'_>, container: Option<&TokenStream>) -> TokenStream {
    let ResourceField { ident, ty, name, .. } = field;
    let default = || field.initial(container);
    if !field.is_recorded {
        let default = default();
        return emit!(#ident: #default);
    }
    // serde sets the default if the JSON is absent.
    let default = match field.serde.default || container.is_some() {
        true => {
            let default = default();
            emit!(::core::option::Option::Some(|| #default))
        }
        false => emit!(::core::option::Option::None),
    };
    emit_at!(ty.span()=> #ident: <::restwright::derived::resource::RowField<#ty>>::read(row, #name, #default)?)
}
