//! Parses `computed(full_name: String, #[property(read = "hr")] margin: i64)`. Doc comments are descriptions.

use proc_macro2::TokenStream;
use syn::ext::IdentExt;
use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::{Attribute, Ident, Token, Type};

use super::access::FieldRequirement;
use crate::docs;
use crate::errors::Errors;
use crate::settings::{self, Setting};
use crate::suggest;

/// A method of the resource and the type of its value.
struct ComputedMethod {
    attributes: Vec<Attribute>,
    name: Ident,
    ty: Type,
}

impl Parse for ComputedMethod {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let attributes = input.call(Attribute::parse_outer)?;
        let name = input.parse()?;
        input.parse::<Token![:]>()?;
        Ok(Self { attributes, name, ty: input.parse()? })
    }
}

struct ComputedMethods(Punctuated<ComputedMethod, Token![,]>);

impl Parse for ComputedMethods {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        Punctuated::parse_terminated(input).map(Self)
    }
}

/// Returns the method calls on `Endpoints` that add the fields.
pub(super) fn calls(setting: &Setting, errors: &mut Errors) -> TokenStream {
    let fields = syn::parse2::<ComputedMethods>(setting.tokens())
        .ok()
        .filter(|fields| setting.is_list() && !fields.0.is_empty());
    let Some(fields) = fields else {
        let message = "`computed` requires methods with the types of their values: write `computed(full_name: String)`";
        errors.push(setting.span(), message);
        return TokenStream::new();
    };
    fields.0.iter().map(|field| call(field, errors)).collect()
}

/// Returns the names of the fields.
pub(super) fn names(setting: &Setting) -> Vec<String> {
    let fields = syn::parse2::<ComputedMethods>(setting.tokens()).ok().into_iter().flat_map(|fields| fields.0);
    fields.map(|field| field.name.unraw().to_string()).collect()
}

fn call(ComputedMethod { attributes, name, ty }: &ComputedMethod, errors: &mut Errors) -> TokenStream {
    let mut read = None;
    for setting in settings::of(attributes, "property", errors) {
        match setting.name.to_string().as_str() {
            "read" => read = FieldRequirement::parse(&setting, errors),
            other => errors.push(setting.span(), suggest::unknown("setting of a computed field", other, &["read"])),
        }
    }
    let text = name.unraw().to_string();
    // With the span of the name, so rustc reports a missing method there.
    let function = emit_at! {name.span()=>
        |entity: &Self, caller: &::restwright::derived::core::auth::Identity| -> #ty { entity.#name(caller) }
    };
    let computed = match read.map(|access| access.emit()) {
        Some(access) => emit!(.computed_for(#text, #access, #function)),
        None => emit!(.computed(#text, #function)),
    };
    let description = docs::description(attributes).into_iter().map(|words| emit!(.describe_computed(#text, #words)));
    emit!(#computed #(#description)*)
}
