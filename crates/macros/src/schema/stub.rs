//! Emits a placeholder impl for a type whose derive failed, so rustc reports only the errors of the derive.

use proc_macro2::TokenStream;
use syn::{DeriveInput, parse_quote};

/// Emits a placeholder impl whose schema is a boolean. Other code then compiles as if the derive had not failed.
pub(super) fn emit(input: &DeriveInput, changes: &TokenStream) -> TokenStream {
    let ident = &input.ident;
    let mut generics = input.generics.clone();
    for parameter in generics.type_params_mut() {
        parameter.bounds.push(parse_quote!(::restwright::derived::schema::Schema));
    }
    let (impl_generics, type_generics, where_clause) = generics.split_for_impl();
    let value = cfg!(feature = "list").then(|| {
        emit! {
            impl #impl_generics ::restwright::derived::list::FieldValue for #ident #type_generics #where_clause {
                const VALUE_TYPE: ::restwright::derived::list::ValueType = ::restwright::derived::list::ValueType::Boolean;

                fn to_value(&self) -> ::restwright::derived::list::Value<'_> {
                    ::restwright::derived::list::Value::Null
                }

                fn from_value(_: ::restwright::derived::list::Value<'_>) -> ::core::option::Option<Self> {
                    ::core::option::Option::None
                }
            }
        }
    });
    // Other code may name the partial update.
    let visibility = &input.vis;
    let changes = (changes.to_string() != "Self")
        .then(|| emit!(#[allow(unused_imports, reason = "a name for other code")] #visibility use #ident as #changes;));
    emit! {
        #changes

        impl #impl_generics ::restwright::derived::schema::Schema for #ident #type_generics #where_clause {
            type Changes = Self;

            fn schema_type(registry: &mut ::restwright::derived::schema::Registry) -> ::restwright::derived::schema::SchemaType {
                <bool as ::restwright::derived::schema::Schema>::schema_type(registry)
            }
        }

        #value
    }
}
