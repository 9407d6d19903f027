//! Implements `#[derive(Request)]` for a struct of parts, parameters and at most one body.

use proc_macro2::TokenStream;
use syn::DeriveInput;
use syn::spanned::Spanned;

use crate::docs;
use crate::errors::Errors;
use crate::fields::{self, RequestField};
use crate::plan;

pub(crate) fn derive(input: &DeriveInput) -> TokenStream {
    let mut errors = Errors::default();
    let fields = parse(input, &mut errors);
    let output = emit(input, &fields);
    errors.finish(output, || stub(input))
}

fn parse<'i>(input: &'i DeriveInput, errors: &mut Errors) -> Vec<RequestField<'i>> {
    let fields = fields::parse(
        input,
        "a request must be a struct whose fields are parts, parameters and at most one body",
        errors,
    );
    for second in fields.iter().filter(|field| field.is_body()).skip(1) {
        errors.push(
            second.member.span(),
            "a request must have only one body; put both into one type, or make this field a parameter",
        );
    }
    fields
}

fn emit(input: &DeriveInput, fields: &[RequestField<'_>]) -> TokenStream {
    let ident = &input.ident;
    let generics = fields::bounded(&input.generics, fields);
    let (impl_generics, type_generics, where_clause) = generics.split_for_impl();
    let plan_items = plan::items(&fields.iter().map(RequestField::plan_value).collect::<Vec<_>>());
    let described = fields.iter().enumerate().map(|(index, field)| field.describe(&plan::value(index, fields.len())));
    // The body is read last, because it is the only field that is awaited.
    let names = plan::names("field", fields.len());
    let mut order: Vec<_> = fields.iter().zip(&names).enumerate().collect();
    order.sort_by_key(|(_, (field, _))| field.is_body());
    let reads = order.iter().map(|(index, (field, name))| {
        let read = field.read(&plan::value(*index, fields.len()));
        emit!(let #name = #read;)
    });
    let built = fields::build(input, fields);
    let description = docs::description(&input.attrs)
        .map(|text| emit!(operation.description.get_or_insert_with(|| ::std::borrow::ToOwned::to_owned(#text));));
    let operation = if fields.is_empty() && description.is_none() { emit!(_) } else { emit!(operation) };
    let (plan, reader) = if fields.is_empty() { (emit!(_), emit!(_)) } else { (emit!(plan), emit!(reader)) };
    emit! {
        #[automatically_derived]
        #[allow(deprecated, trivial_bounds, reason = "the operation says so; a field of another type is one error")]
        impl #impl_generics ::restwright::derived::core::Request for #ident #type_generics #where_clause {
            #plan_items

            fn describe(#plan: &Self::Plan, #operation: &mut ::restwright::derived::core::operation::Operation) {
                #description
                #(#described)*
            }

            async fn read(
                #plan: &Self::Plan,
                #reader: &mut ::restwright::derived::core::Reader<'_>,
            ) -> ::restwright::derived::core::Result<::core::option::Option<Self>> {
                #(#reads)*
                ::core::result::Result::Ok(#built)
            }
        }
    }
}

/// Returns a placeholder impl for a type whose derive failed. Without this impl, rustc would report more errors.
fn stub(input: &DeriveInput) -> TokenStream {
    let ident = &input.ident;
    let generics = fields::with_static_parameters(&input.generics);
    let (impl_generics, type_generics, where_clause) = generics.split_for_impl();
    let plan_items = plan::items(&[]);
    emit! {
        impl #impl_generics ::restwright::derived::core::Request for #ident #type_generics #where_clause {
            #plan_items

            fn describe(_: &(), _: &mut ::restwright::derived::core::operation::Operation) {}

            async fn read(
                _: &(),
                _: &mut ::restwright::derived::core::Reader<'_>,
            ) -> ::restwright::derived::core::Result<::core::option::Option<Self>> {
                ::core::result::Result::Ok(::core::option::Option::None)
            }
        }
    }
}
