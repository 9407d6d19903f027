//! Implements `#[derive(Response)]` for a struct with one status, or an enum with one status per variant.

use proc_macro2::{Ident, TokenStream};
use quote::quote_spanned;
use syn::spanned::Spanned;
use syn::{Data, DeriveInput, Generics, LitStr, Member, Type, parse_quote};

use crate::errors::Errors;
use crate::fields::with_static_parameters;
use crate::plan;
use crate::status::StatusSetting;

mod parse;
mod status_response;

pub(crate) fn derive(input: &DeriveInput) -> TokenStream {
    let mut errors = Errors::default();
    let responses = parse::responses(input, &mut errors);
    let output = emit(input, &responses);
    errors.finish(output, || stub(input))
}

/// The parsed declaration of a response with one status.
struct StatusResponse<'a> {
    /// The name of the variant, or `None` for a struct.
    variant: Option<&'a Ident>,
    status: StatusSetting,
    content_type: Option<LitStr>,
    description: Option<String>,
    headers: Vec<ResponseHeader<'a>>,
    body: BodySource<'a>,
}

/// A field that is sent as a header.
struct ResponseHeader<'a> {
    member: Member,
    ty: &'a Type,
    name: String,
    description: Option<String>,
}

/// The value that is sent as the body.
enum BodySource<'a> {
    None,
    /// The struct that derives `Response` is also the body.
    Itself,
    Field(Member, &'a Type),
}

fn emit(input: &DeriveInput, responses: &[StatusResponse<'_>]) -> TokenStream {
    let ident = &input.ident;
    let generics = bounded(&input.generics, responses);
    let (impl_generics, type_generics, where_clause) = generics.split_for_impl();
    let values: Vec<_> = responses.iter().map(StatusResponse::plan_values).collect();
    let counts: Vec<_> = values.iter().map(Vec::len).collect();
    let values: Vec<_> = values.into_iter().flatten().collect();
    let mut plans = (0..values.len()).map(|index| plan::value(index, values.len()));
    let plans: Vec<Vec<_>> = counts.iter().map(|count| plans.by_ref().take(*count).collect()).collect();
    let plan_items = plan::items(&values);

    let described = responses.iter().zip(&plans).map(|(response, plans)| response.describe(plans));
    let responds = responses.iter().zip(&plans).map(|(response, plans)| {
        let respond = response.respond(plans);
        match response.variant {
            None => respond,
            Some(_) => {
                let pattern = response.pattern();
                emit!(#pattern => { #respond })
            }
        }
    });
    let respond = match &input.data {
        Data::Enum(_) => emit!(match self { #(#responds)* }),
        _ => emit!(#(#responds)*),
    };
    let plan = if values.is_empty() { emit!(_) } else { emit!(plan) };
    emit! {
        #[automatically_derived]
        #[allow(trivial_bounds, reason = "a field of another type is one error")]
        impl #impl_generics ::restwright::derived::core::Response for #ident #type_generics #where_clause {
            #plan_items

            fn describe(#plan: &Self::Plan, operation: &mut ::restwright::derived::core::operation::Operation) {
                #(#described)*
            }

            fn respond(
                self,
                #plan: &Self::Plan,
                _: &::restwright::derived::core::http::HttpRequest,
            ) -> ::restwright::derived::core::Result<::restwright::derived::core::http::HttpResponse> {
                #respond
            }
        }
    }
}

/// Returns a placeholder impl for a type whose derive failed. Without this impl, rustc would report more errors.
fn stub(input: &DeriveInput) -> TokenStream {
    let ident = &input.ident;
    let generics = with_static_parameters(&input.generics);
    let (impl_generics, type_generics, where_clause) = generics.split_for_impl();
    let plan_items = plan::items(&[]);
    emit! {
        impl #impl_generics ::restwright::derived::core::Response for #ident #type_generics #where_clause {
            #plan_items

            fn describe(_: &(), _: &mut ::restwright::derived::core::operation::Operation) {}

            fn respond(
                self,
                _: &(),
                _: &::restwright::derived::core::http::HttpRequest,
            ) -> ::restwright::derived::core::Result<::restwright::derived::core::http::HttpResponse> {
                ::core::unreachable!()
            }
        }
    }
}

/// Adds a bound for each header type and body type, so the emitted code can write the header or body.
///
/// Types without generic parameters get these bounds too. rustc then reports a wrong field type only at its bound.
fn bounded(generics: &Generics, responses: &[StatusResponse<'_>]) -> Generics {
    let mut bounded = with_static_parameters(generics);
    for ResponseHeader { ty, .. } in responses.iter().flat_map(|response| &response.headers) {
        let predicate = quote_spanned!(ty.span()=> #ty: ::restwright::derived::core::HeaderField);
        bounded.make_where_clause().predicates.push(parse_quote!(#predicate));
    }
    for ty in responses.iter().filter_map(|response| response.body.ty()) {
        let predicate = quote_spanned!(ty.span()=> #ty: ::restwright::derived::core::body::WriteBody);
        bounded.make_where_clause().predicates.push(parse_quote!(#predicate));
    }
    bounded
}
