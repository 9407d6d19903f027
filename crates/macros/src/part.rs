//! Implements `#[derive(Part)]` for a struct of parameters that several requests share.

use proc_macro2::TokenStream;
use syn::DeriveInput;
use syn::spanned::Spanned;

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
    let fields = fields::parse(input, "a part must be a struct whose fields are parameters and other parts", errors);
    for body in fields.iter().filter(|field| field.is_body()) {
        errors
            .push(body.member.span(), "a part is read from the request head; put `#[body]` on a field of the request");
    }
    fields
}

fn emit(input: &DeriveInput, fields: &[RequestField<'_>]) -> TokenStream {
    let ident = &input.ident;
    let generics = fields::bounded(&input.generics, fields);
    let (impl_generics, type_generics, where_clause) = generics.split_for_impl();
    let plan_items = plan::items(&fields.iter().map(RequestField::plan_value).collect::<Vec<_>>());
    let described = fields.iter().enumerate().map(|(index, field)| field.describe(&plan::value(index, fields.len())));
    let names = plan::names("field", fields.len());
    let reads = fields.iter().enumerate().map(|(index, field)| field.read_head(&plan::value(index, fields.len())));
    let built = fields::build(input, fields);
    let (plan, operation, head, violations) = match fields {
        [] => (emit!(_), emit!(_), emit!(_), emit!(_)),
        _ => (emit!(plan), emit!(operation), emit!(head), emit!(violations)),
    };
    emit! {
        #[automatically_derived]
        #[allow(deprecated, trivial_bounds, reason = "the operation says so; a field of another type is one error")]
        impl #impl_generics ::restwright::derived::core::Part for #ident #type_generics #where_clause {
            #plan_items

            fn describe(#plan: &Self::Plan, #operation: &mut ::restwright::derived::core::operation::Operation) {
                #(#described)*
            }

            fn read(
                #plan: &Self::Plan,
                #head: &::restwright::derived::core::RequestHead<'_>,
                #violations: &mut ::restwright::derived::core::problem::RequestViolations,
            ) -> ::core::option::Option<Self> {
                #(let #names = #reads;)*
                #built
            }
        }
    }
}

/// Returns a placeholder impl for a type whose derive failed. Without this impl, rustc would report more errors.
pub(crate) fn stub(input: &DeriveInput) -> TokenStream {
    let ident = &input.ident;
    let generics = fields::with_static_parameters(&input.generics);
    let (impl_generics, type_generics, where_clause) = generics.split_for_impl();
    let plan_items = plan::items(&[]);
    emit! {
        impl #impl_generics ::restwright::derived::core::Part for #ident #type_generics #where_clause {
            #plan_items

            fn describe(_: &(), _: &mut ::restwright::derived::core::operation::Operation) {}

            fn read(
                _: &(),
                _: &::restwright::derived::core::RequestHead<'_>,
                _: &mut ::restwright::derived::core::problem::RequestViolations,
            ) -> ::core::option::Option<Self> {
                ::core::option::Option::None
            }
        }
    }
}
