//! Implements the setting `crate = ".."` on a type, which sets the path of restwright in the emitted code.
//!
//! Derives emit `::restwright` everywhere. This module then replaces `::restwright` with the path in the setting.

use proc_macro2::{Group, Ident, Literal, Span, TokenStream, TokenTree};
use quote::ToTokens;
use syn::{Attribute, DeriveInput, LitStr, Meta, Path};

use crate::errors::Errors;
use crate::suggest;

/// The attributes that accept `crate = ".."` on a type. A derive may also read the attributes of other derives.
const ATTRIBUTES: [&str; 9] =
    ["filter", "part", "problem", "record", "request", "resource", "response", "schema", "sort"];

/// The attributes that accept only `crate = ".."` on a type.
const WITHOUT_OTHERS: [&str; 3] = ["part", "record", "request"];

/// Runs a derive, and applies the setting `crate = ".."` to its output. The path in the setting replaces
/// `::restwright`.
pub(crate) fn expand(
    attribute: &str,
    mut input: DeriveInput,
    derive: impl FnOnce(&DeriveInput) -> TokenStream,
) -> TokenStream {
    let mut errors = Errors::default();
    let mut path = None;
    for name in ATTRIBUTES {
        let mut unread = Errors::default();
        let errors = if name == attribute { &mut errors } else { &mut unread };
        let found = take(&mut input.attrs, name, errors);
        if name == attribute {
            path = found;
        }
    }
    if let Err(error) = owned(attribute, &input).and_then(|()| declared_once(attribute, &input)) {
        return error.into_compile_error();
    }
    let output = derive(&input);
    let output = match path {
        Some(path) => path.replace(output),
        None => output,
    };
    errors.finish(output.clone(), || output)
}

/// Checks that a type which outlives its request borrows nothing.
fn owned(attribute: &str, input: &DeriveInput) -> syn::Result<()> {
    match input.generics.lifetimes().next() {
        Some(lifetime) if ["part", "request", "resource", "response"].contains(&attribute) => {
            let message = format!(
                "a {attribute} owns its values; remove the lifetime, and write for example `String` instead of `&str`"
            );
            Err(syn::Error::new(lifetime.lifetime.span(), message))
        }
        _ => Ok(()),
    }
}

/// Checks that `Schema` is not derived next to `Resource`, which includes it.
fn declared_once(attribute: &str, input: &DeriveInput) -> syn::Result<()> {
    match input.attrs.iter().find(|other| other.path().is_ident("resource")) {
        Some(resource) if attribute == "schema" => {
            Err(syn::Error::new_spanned(resource, "`Resource` includes `Schema`; remove `Schema` from the derive"))
        }
        _ => Ok(()),
    }
}

/// The path in a setting `crate = ".."`.
struct CratePath {
    literal: LitStr,
    path: TokenStream,
}

/// Removes `crate = ".."` from the attributes named `name`, and returns its value.
fn take(attributes: &mut Vec<Attribute>, name: &str, errors: &mut Errors) -> Option<CratePath> {
    let mut found = None;
    attributes.retain_mut(|attribute| {
        let is_named = attribute.path().is_ident(name);
        let Meta::List(list) = &mut attribute.meta else { return true };
        if !is_named {
            return true;
        }
        let settings = split(list.tokens.clone());
        let (own, others): (Vec<_>, Vec<_>) = settings.into_iter().partition(|setting| is_crate(setting));
        for setting in &own {
            let span = setting.first().map_or_else(Span::call_site, TokenTree::span);
            if found.is_some() {
                errors.push(span, "`crate` must be set once");
            }
            found = errors.take(parse(setting, name, span)).or(found.take());
        }
        if WITHOUT_OTHERS.contains(&name) {
            for other in others.iter().filter_map(|setting| setting.first()) {
                errors.push(other.span(), suggest::unknown("setting", &other.to_string(), &["crate"]));
            }
        }
        list.tokens = join(&others);
        own.is_empty() || !others.is_empty()
    });
    found
}

fn parse(setting: &[TokenTree], name: &str, span: Span) -> syn::Result<CratePath> {
    let wrong = |span| {
        let message = format!("`crate` must be the path of restwright, as a string: `#[{name}(crate = \"my_name\")]`");
        syn::Error::new(span, message)
    };
    let [_, _, value] = setting else { return Err(wrong(span)) };
    let Ok(literal) = syn::parse2::<LitStr>(value.to_token_stream()) else { return Err(wrong(value.span())) };
    let Ok(path) = literal.parse_with(Path::parse_mod_style) else { return Err(wrong(literal.span())) };
    Ok(CratePath { path: path.into_token_stream(), literal })
}

/// Returns whether a setting is `crate = ".."`. A path such as `crate::Name` is not this setting.
fn is_crate(setting: &[TokenTree]) -> bool {
    match setting {
        [TokenTree::Ident(name), rest @ ..] if name == "crate" => {
            !matches!(rest, [TokenTree::Punct(next), ..] if next.as_char() == ':')
        }
        _ => false,
    }
}

/// Splits the tokens of an attribute into settings, at commas.
fn split(tokens: TokenStream) -> Vec<Vec<TokenTree>> {
    let tokens: Vec<_> = tokens.into_iter().collect();
    let is_comma = |token: &TokenTree| matches!(token, TokenTree::Punct(comma) if comma.as_char() == ',');
    tokens.split(is_comma).filter(|setting| !setting.is_empty()).map(<[_]>::to_vec).collect()
}

fn join(settings: &[Vec<TokenTree>]) -> TokenStream {
    let settings = settings.iter().map(|setting| setting.iter().cloned().collect::<TokenStream>());
    emit!(#(#settings),*)
}

impl CratePath {
    /// Replaces `::restwright` with the configured path. Replaces it in paths, and at the start of strings that serde
    /// reads as paths.
    fn replace(&self, tokens: TokenStream) -> TokenStream {
        let tokens: Vec<_> = tokens.into_iter().collect();
        let (mut output, mut rest, mut in_path) = (TokenStream::new(), &tokens[..], false);
        loop {
            rest = match rest {
                [first, second, TokenTree::Ident(name), rest @ ..]
                    if !in_path && is_colon(first) && is_colon(second) && name == "restwright" =>
                {
                    output.extend(self.path.clone());
                    in_path = true;
                    rest
                }
                [token, rest @ ..] => {
                    in_path = matches!(token, TokenTree::Ident(name) if is_segment(name));
                    output.extend([self.replace_within(token)]);
                    rest
                }
                [] => return output,
            };
        }
    }

    fn replace_within(&self, token: &TokenTree) -> TokenTree {
        match token {
            TokenTree::Group(group) => {
                let mut replaced = Group::new(group.delimiter(), self.replace(group.stream()));
                replaced.set_span(group.span());
                replaced.into()
            }
            TokenTree::Literal(literal) => match literal.to_string().strip_prefix("\"::restwright") {
                Some(rest) if rest.starts_with([':', '"']) => {
                    let text = format!("{}{}", self.literal.value(), rest.trim_end_matches('"'));
                    let mut replaced = Literal::string(&text);
                    replaced.set_span(self.literal.span());
                    replaced.into()
                }
                _ => token.clone(),
            },
            _ => token.clone(),
        }
    }
}

fn is_colon(token: &TokenTree) -> bool {
    matches!(token, TokenTree::Punct(colon) if colon.as_char() == ':')
}

/// Returns whether a name may precede `::` in a path. Keywords such as `as` and `impl` may not precede it.
fn is_segment(name: &Ident) -> bool {
    ["crate", "self", "super", "Self"].iter().any(|keyword| name == keyword)
        || syn::parse2::<Ident>(name.to_token_stream()).is_ok()
}
