//! Emits placeholder impls for a resource whose derive failed, so rustc reports only the errors of the derive.

use proc_macro2::TokenStream;
use syn::DeriveInput;

use super::attributes::ResourceAttributes;
use super::names;
use crate::errors::Errors;
use crate::{record, schema};

/// Emits the placeholder impls for a resource. Other code then compiles as if the derive had not failed.
pub(super) fn emit(input: &DeriveInput) -> TokenStream {
    let schema = schema::stub(input);
    if !input.generics.params.is_empty() {
        return schema;
    }
    let record = record::stub(input);
    let (ident, visibility) = (&input.ident, &input.vis);
    let ResourceAttributes { types, has_new, .. } =
        ResourceAttributes::parse(&input.attrs, ident, &mut Errors::default());
    // The generated types that other code may name.
    let new = has_new.then(|| (&types.new, "New", "", emit!(#ident)));
    let named = [
        (&types.changes, "", "Changes", emit!(#ident)),
        (&types.filters, "", "Filters", emit!(::restwright::derived::list::FilterBag)),
        (&types.sort, "", "Sort", emit!(::restwright::derived::list::FieldName)),
    ];
    let names = new.into_iter().chain(named).map(|(setting, prefix, suffix, of)| {
        let name = names::of_type(setting, prefix, ident, suffix);
        emit!(#[allow(unused_imports, reason = "a name for other code")] #visibility use #of as #name;)
    });
    emit! {
        #schema
        #record
        #(#names)*

        impl ::restwright::derived::resource::Entity for #ident {
            fn from_row(_: &mut ::restwright::derived::resource::Row) -> ::core::result::Result<Self, ::restwright::derived::resource::RowError> {
                ::core::unreachable!()
            }

            fn to_row(
                &self,
                _: &::restwright::derived::resource::EntityDefinition,
            ) -> ::core::result::Result<::restwright::derived::resource::Row, ::restwright::derived::resource::RowError> {
                ::core::unreachable!()
            }

            fn set_value(&mut self, _: &str, _: ::restwright::derived::list::Value<'static>) -> bool {
                false
            }
        }

        impl ::restwright::derived::resource::Resource for #ident {
            const NAME: &'static str = "Stub";
            const PATH: &'static str = "/stubs";

            type Id = i64;
            type New = bool;
            type Update = bool;
            type View = Self;
            type Item = Self;
            type Filters = ::restwright::derived::list::FilterBag;
            type Sort = ::restwright::derived::list::FieldName;

            fn definition() -> ::restwright::derived::resource::EntityDefinition {
                ::core::unreachable!()
            }

            fn create(_: bool) -> Self {
                ::core::unreachable!()
            }

            fn change(&mut self, _: bool, _: &mut ::restwright::derived::schema::Checks<'_>) {}
        }
    }
}
