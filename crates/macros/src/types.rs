//! Inspects the tokens of types. Aliases are not resolved, so correctness must not depend on this module.

use proc_macro2::{TokenStream, TokenTree};
use quote::ToTokens;
use syn::spanned::Spanned;
use syn::{GenericArgument, Generics, Ident, PathArguments, PathSegment, Type};

use crate::errors::Errors;

/// Returns the type argument `T` if `ty` has the form `name<T>`.
pub(crate) fn argument_of<'t>(ty: &'t Type, name: &str) -> Option<&'t Type> {
    last_segment(ty).filter(|segment| segment.ident == name).and_then(first_argument)
}

/// Rejects an option in an option, which reads a null and an absent value alike.
pub(crate) fn check_options(ty: &Type, errors: &mut Errors) {
    if argument_of(ty, "Option").and_then(|inner| argument_of(inner, "Option")).is_some() {
        let message = "an option in an option reads a null and an absent value alike; write one `Option`, or `Patch` to tell them apart";
        errors.push(ty.span(), message);
    }
}

/// Returns whether a type is a plain type, such as `String`, whose values never have custom checks.
pub(crate) fn is_plain(ty: &Type) -> bool {
    const SCALARS: [&str; 16] = [
        "String", "str", "bool", "char", "i8", "i16", "i32", "i64", "isize", "u8", "u16", "u32", "u64", "usize", "f32",
        "f64",
    ];
    const AROUND: [&str; 4] = ["Option", "Patch", "Vec", "Box"];
    if let Type::Reference(reference) = ty {
        return is_plain(&reference.elem);
    }
    let Some(segment) = last_segment(ty) else { return false };
    match first_argument(segment) {
        Some(inner) => AROUND.iter().any(|name| segment.ident == name) && is_plain(inner),
        None => segment.arguments.is_none() && SCALARS.iter().any(|name| segment.ident == name),
    }
}

/// Returns whether a field type contains one of the given generic parameters.
pub(crate) fn mentions(ty: &Type, generics: &Generics) -> bool {
    let lifetimes = generics.lifetimes().map(|parameter| &parameter.lifetime.ident);
    let types = generics.type_params().map(|parameter| &parameter.ident);
    let constants = generics.const_params().map(|parameter| &parameter.ident);
    let parameters: Vec<&Ident> = lifetimes.chain(types).chain(constants).collect();
    !parameters.is_empty() && contains(ty.to_token_stream(), &parameters)
}

/// Returns whether a field type contains the type `ident`, written as `Self` or as a name without a path.
pub(crate) fn names_itself(ty: &Type, ident: &Ident) -> bool {
    fn occurs(tokens: TokenStream, ident: &Ident) -> bool {
        let mut is_qualified = false;
        tokens.into_iter().any(|token| {
            let found = match &token {
                TokenTree::Ident(name) => !is_qualified && (name == ident || name == "Self"),
                TokenTree::Group(group) => occurs(group.stream(), ident),
                _ => false,
            };
            is_qualified = matches!(&token, TokenTree::Punct(punct) if punct.as_char() == ':');
            found
        })
    }
    occurs(ty.to_token_stream(), ident)
}

/// Returns whether tokens contain any of the identifiers, at any depth.
pub(crate) fn contains(tokens: TokenStream, idents: &[&Ident]) -> bool {
    tokens.into_iter().any(|token| match token {
        TokenTree::Ident(found) => idents.iter().any(|ident| found == **ident),
        TokenTree::Group(group) => contains(group.stream(), idents),
        _ => false,
    })
}

fn last_segment(ty: &Type) -> Option<&PathSegment> {
    match ty {
        Type::Path(path) => path.path.segments.last(),
        Type::Group(group) => last_segment(&group.elem),
        Type::Paren(paren) => last_segment(&paren.elem),
        _ => None,
    }
}

fn first_argument(segment: &PathSegment) -> Option<&Type> {
    match &segment.arguments {
        PathArguments::AngleBracketed(arguments) => arguments.args.iter().find_map(|argument| match argument {
            GenericArgument::Type(ty) => Some(ty),
            _ => None,
        }),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_types() {
        for (written, expected) in [
            ("String", true),
            ("Option<Vec<std::string::String>>", true),
            ("Patch<Option<i64>>", true),
            ("&'static str", true),
            ("Owner", false),
            ("Option<Owner>", false),
            ("HashMap<String, String>", false),
            ("(i64, i64)", false),
        ] {
            assert_eq!(is_plain(&syn::parse_str(written).unwrap()), expected, "{written}");
        }
    }

    #[test]
    fn types_in_themselves() {
        let ident = syn::parse_str("Date").unwrap();
        for (written, expected) in [
            ("Option<Box<Date>>", true),
            ("[Self; 2]", true),
            ("Date<T>", true),
            ("jiff::civil::Date", false),
            ("Option<Dates>", false),
        ] {
            assert_eq!(names_itself(&syn::parse_str(written).unwrap(), &ident), expected, "{written}");
        }
    }

    #[test]
    fn parameters_are_found_wherever_they_stand() {
        let generics: syn::DeriveInput = syn::parse_str("struct Page<'a, T, const N: usize>;").unwrap();
        for (written, expected) in
            [("Vec<T>", true), ("&'a str", true), ("[u8; N]", true), ("(u8, Option<T>)", true), ("String", false)]
        {
            assert_eq!(mentions(&syn::parse_str(written).unwrap(), &generics.generics), expected, "{written}");
        }
    }
}
