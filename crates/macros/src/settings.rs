//! Parses the settings of attributes such as `#[property(min_length = 1, unique_items, items(..))]`.

use proc_macro2::{Span, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::ext::IdentExt;
use syn::parse::{Parse, ParseStream};
use syn::{Attribute, Ident, LitStr, Meta, Token, parenthesized, token};

use crate::errors::Errors;

/// One setting of an attribute, such as `min_length = 1`.
#[derive(Debug)]
pub(crate) struct Setting {
    pub(crate) name: Ident,
    argument: Argument,
}

#[derive(Debug)]
enum Argument {
    Nothing,
    Value(TokenStream),
    List(TokenStream),
}

/// Returns the settings of all attributes with this name, in order.
pub(crate) fn of(attributes: &[Attribute], name: &str, errors: &mut Errors) -> Vec<Setting> {
    let mut settings = Vec::new();
    for attribute in attributes.iter().filter(|attribute| attribute.path().is_ident(name)) {
        match &attribute.meta {
            Meta::List(list) => settings.extend(parse(list.tokens.clone(), errors)),
            meta => {
                let message = format!("`{name}` requires settings: write `#[{name}(..)]`");
                errors.add(syn::Error::new_spanned(meta, message));
            }
        }
    }
    settings
}

/// Returns the settings of the attribute `name` that pass the filter `keep`, as tokens for a generated type.
pub(crate) fn kept(attributes: &[Attribute], name: &str, keep: impl Fn(&str) -> bool) -> Vec<TokenStream> {
    let settings = of(attributes, name, &mut Errors::default());
    settings.into_iter().filter(|setting| keep(&setting.name.to_string())).map(ToTokens::into_token_stream).collect()
}

fn parse(tokens: TokenStream, errors: &mut Errors) -> Vec<Setting> {
    errors.take(syn::parse2::<Settings>(tokens)).map_or_else(Vec::new, |settings| settings.0)
}

impl Setting {
    pub(crate) fn span(&self) -> Span {
        self.name.span()
    }

    /// Reports an error if a flag has a value. Returns `true` if the flag has no value.
    pub(crate) fn flag(&self, errors: &mut Errors) -> bool {
        let nothing = matches!(self.argument, Argument::Nothing);
        if !nothing {
            errors.push(self.span(), format!("`{0}` accepts no value: write `{0}`", self.name));
        }
        nothing
    }

    /// Returns whether the setting has no value.
    pub(crate) fn is_flag(&self) -> bool {
        matches!(self.argument, Argument::Nothing)
    }

    /// Returns whether the setting has a list in parentheses.
    pub(crate) fn is_list(&self) -> bool {
        matches!(self.argument, Argument::List(_))
    }

    /// Returns the value of a setting `name = value`.
    pub(crate) fn value(&self, errors: &mut Errors) -> Option<TokenStream> {
        match &self.argument {
            Argument::Value(value) => Some(value.clone()),
            _ => {
                errors.push(self.span(), format!("`{0}` requires a value: write `{0} = ..`", self.name));
                None
            }
        }
    }

    /// Returns the tokens inside the parentheses of a setting `name(..)`, or after the `=` of a setting `name = value`.
    pub(crate) fn tokens(&self) -> TokenStream {
        match &self.argument {
            Argument::Nothing => TokenStream::new(),
            Argument::Value(tokens) | Argument::List(tokens) => tokens.clone(),
        }
    }

    /// Parses the value of a setting as another setting, such as `page(max = 100)` in `pagination = page(max = 100)`.
    pub(crate) fn inner(&self, errors: &mut Errors) -> Option<Self> {
        let mut inner = parse(self.value(errors)?, errors).into_iter();
        inner.next()
    }

    /// Returns the string of a setting `name = "text"`.
    pub(crate) fn text(&self, errors: &mut Errors) -> Option<LitStr> {
        match &self.argument {
            Argument::Value(value) => match syn::parse2(value.clone()) {
                Ok(text) => Some(text),
                Err(_) => {
                    let message = format!("`{0}` requires a string in quotes: write `{0} = \"..\"`", self.name);
                    errors.add(syn::Error::new_spanned(value, message));
                    None
                }
            },
            _ => {
                errors.push(self.span(), format!("`{0}` requires a string: write `{0} = \"..\"`", self.name));
                None
            }
        }
    }

    /// Returns the settings inside the parentheses of a setting `name(..)`.
    pub(crate) fn list(&self, errors: &mut Errors) -> Vec<Self> {
        match &self.argument {
            Argument::List(tokens) => parse(tokens.clone(), errors),
            _ => {
                errors.push(self.span(), format!("`{0}` requires a list: write `{0}(..)`", self.name));
                Vec::new()
            }
        }
    }
}

impl ToTokens for Setting {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        self.name.to_tokens(tokens);
        match &self.argument {
            Argument::Nothing => {}
            Argument::Value(value) => tokens.extend(quote!(= #value)),
            Argument::List(list) => tokens.extend(quote!((#list))),
        }
    }
}

struct Settings(Vec<Setting>);

impl Parse for Settings {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let mut settings = Vec::new();
        while !input.is_empty() {
            let name = input.call(Ident::parse_any)?;
            settings.push(Setting { name, argument: input.parse()? });
            if !input.is_empty() {
                input.parse::<Token![,]>()?;
            }
        }
        Ok(Self(settings))
    }
}

impl Parse for Argument {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        if input.peek(Token![=]) {
            let equals = input.parse::<Token![=]>()?;
            let mut value = TokenStream::new();
            while !input.is_empty() && !input.peek(Token![,]) {
                input.parse::<TokenTree>()?.to_tokens(&mut value);
            }
            if value.is_empty() {
                return Err(syn::Error::new_spanned(equals, "a value is missing after `=`"));
            }
            return Ok(Self::Value(value));
        }
        if input.peek(token::Paren) {
            let list;
            parenthesized!(list in input);
            return Ok(Self::List(list.parse()?));
        }
        Ok(Self::Nothing)
    }
}
