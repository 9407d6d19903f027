//! `#[derive(Response)]`: a struct with one status, or an enum with one per variant.

use proc_macro2::{Ident, TokenStream};
use syn::{Data, DeriveInput, Generics, LitStr, Member, Type, parse_quote};

use crate::errors::Errors;
use crate::plan;
use crate::status::Status;
use crate::types;

mod answer;
mod parse;

pub(crate) fn derive(input: &DeriveInput) -> TokenStream {
    let mut errors = Errors::default();
    let answers = parse::answers(input, &mut errors);
    let output = emit(input, &answers);
    errors.finish(output)
}

/// A status with everything that goes with it.
struct Answer<'a> {
    /// The variant; `None` for a struct.
    variant: Option<&'a Ident>,
    status: Status,
    content_type: Option<LitStr>,
    description: Option<String>,
    headers: Vec<Header<'a>>,
    body: Body<'a>,
}

struct Header<'a> {
    member: Member,
    ty: &'a Type,
    name: String,
    description: Option<String>,
}

enum Body<'a> {
    None,
    /// The struct itself.
    Itself,
    Field(Member, &'a Type),
}

fn emit(input: &DeriveInput, answers: &[Answer<'_>]) -> TokenStream {
    let ident = &input.ident;
    let generics = bounded(&input.generics, answers);
    let (impl_generics, type_generics, where_clause) = generics.split_for_impl();
    let pieces: Vec<_> = answers.iter().map(Answer::pieces).collect();
    let counts: Vec<_> = pieces.iter().map(Vec::len).collect();
    let pieces: Vec<_> = pieces.into_iter().flatten().collect();
    let mut plans = (0..pieces.len()).map(|index| plan::part(index, pieces.len()));
    let plans: Vec<Vec<_>> = counts.iter().map(|count| plans.by_ref().take(*count).collect()).collect();
    let plan_items = plan::items(&pieces);

    let described = answers.iter().zip(&plans).map(|(answer, plans)| answer.describe(plans));
    let responds = answers.iter().zip(&plans).map(|(answer, plans)| {
        let respond = answer.respond(plans);
        match answer.variant {
            None => respond,
            Some(_) => {
                let pattern = answer.pattern();
                emit!(#pattern => { #respond })
            }
        }
    });
    let respond = match &input.data {
        Data::Enum(_) => emit!(match self { #(#responds)* }),
        _ => emit!(#(#responds)*),
    };
    let plan = if pieces.is_empty() { emit!(_) } else { emit!(plan) };
    emit! {
        #[automatically_derived]
        impl #impl_generics ::restwright::core::Response for #ident #type_generics #where_clause {
            #plan_items

            fn describe(#plan: &Self::Plan, operation: &mut ::restwright::core::operation::Operation) {
                #(#described)*
            }

            fn respond(
                self,
                #plan: &Self::Plan,
                _: &::restwright::core::http::HttpRequest,
            ) -> ::restwright::core::Result<::restwright::core::http::HttpResponse> {
                #respond
            }
        }
    }
}

/// What the parameters of a generic response must be for its bodies to be written.
fn bounded(generics: &Generics, answers: &[Answer<'_>]) -> Generics {
    let mut bounded = generics.clone();
    for parameter in bounded.type_params_mut() {
        parameter.bounds.push(parse_quote!('static));
    }
    let is_generic = generics.type_params().next().is_some();
    for answer in answers.iter().filter(|_| is_generic) {
        let ty: Type = match &answer.body {
            Body::Field(_, ty) if types::mentions(ty, generics) => (*ty).clone(),
            Body::Itself => parse_quote!(Self),
            _ => continue,
        };
        bounded.make_where_clause().predicates.push(parse_quote!(#ty: ::restwright::core::body::WriteBody));
    }
    bounded
}
