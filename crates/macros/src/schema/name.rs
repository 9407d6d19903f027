//! Defines [`SchemaName`], the name of a schema, which includes the names of its type arguments.

use proc_macro2::{Span, TokenStream};
use syn::ext::IdentExt;
use syn::{DeriveInput, GenericParam, Ident};

use crate::types;

/// The name of a schema, such as `Pet`, or `PagePet` for the type `Page<Pet>`.
pub(crate) struct SchemaName {
    base: String,
    /// The expressions for the suffixes of the name, one for each type or const parameter.
    arguments: Vec<TokenStream>,
}

impl SchemaName {
    pub(crate) fn new(input: &DeriveInput, given: Option<&str>) -> Self {
        let base = given.map_or_else(|| input.ident.unraw().to_string(), str::to_owned);
        let arguments = input.generics.params.iter().filter_map(|parameter| match parameter {
            GenericParam::Type(parameter) => {
                let ident = &parameter.ident;
                let schema = emit!(::restwright::derived::schema::typed_schema::<#ident>(registry));
                Some(emit!(::restwright::derived::schema::SchemaObject::from(#schema).label()))
            }
            GenericParam::Const(parameter) => {
                let ident = &parameter.ident;
                Some(emit!(#ident))
            }
            GenericParam::Lifetime(_) => None,
        });
        Self { base, arguments: arguments.collect() }
    }

    /// Returns the expression for the name of the schema.
    pub(crate) fn tokens(&self) -> TokenStream {
        let base = &self.base;
        if self.arguments.is_empty() { emit!(#base) } else { emit!(name.clone()) }
    }

    /// Returns the generated call that registers the definition of the schema under this name.
    pub(crate) fn define(&self, definition: &TokenStream) -> TokenStream {
        let registry = Ident::new("registry", Span::mixed_site());
        let takes = if types::contains(definition.clone(), &[&registry]) { emit!(registry) } else { emit!(_) };
        let name = self.tokens();
        let define = emit!(registry.define::<Self, _>(#name, |#takes| #definition));
        if self.arguments.is_empty() {
            return define;
        }
        let format = format!("{}{}", self.base.replace('{', "{{"), "{}".repeat(self.arguments.len()));
        let arguments = &self.arguments;
        emit! {
            let name = ::std::format!(#format, #(#arguments),*);
            #define
        }
    }
}
