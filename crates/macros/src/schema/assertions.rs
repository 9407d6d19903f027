//! Emits compile-time assertions on field types. The assertions use traits, because a macro cannot resolve type
//! aliases.

use proc_macro2::TokenStream;
use quote::quote_spanned;
use syn::spanned::Spanned;
use syn::{Generics, Type};

use crate::types;

/// Compile-time assertions on the fields of a type.
#[derive(Default)]
pub(crate) struct Assertions {
    /// Assertions to emit outside of the impl.
    pub(crate) outside: Vec<TokenStream>,
    /// Assertions to emit inside the impl, where the generic parameters are in scope.
    pub(crate) inside: Vec<TokenStream>,
}

impl Assertions {
    /// Rejects a type such as `Patch` in a field without `#[serde(default)]`. Without the attribute, serde would reject
    /// a missing property.
    pub(crate) fn has_default(&mut self, ty: &Type, generics: &Generics) {
        let holds_others = ["Option", "Vec"].iter().any(|name| types::argument_of(ty, name).is_some());
        let is_patch = types::argument_of(ty, "Patch").is_some();
        if holds_others || (types::is_plain(ty) && !is_patch) {
            return;
        }
        self.add(ty, generics, &quote_spanned!(ty.span()=> REQUIRES_DEFAULT), NEEDS_DEFAULT);
    }

    /// Rejects an optional type in a flattened field. A schema cannot express properties that are present only
    /// together.
    pub(crate) fn is_flat(&mut self, ty: &Type, generics: &Generics) {
        self.add(ty, generics, &quote_spanned!(ty.span()=> OPTIONAL), FLATTENS_OPTION);
    }

    fn add(&mut self, ty: &Type, generics: &Generics, constant: &TokenStream, message: &str) {
        let assertion = quote_spanned! {ty.span()=>
            ::core::assert!(!<#ty as ::restwright::derived::schema::Schema>::#constant, #message)
        };
        let list = if types::mentions(ty, generics) { &mut self.inside } else { &mut self.outside };
        list.push(assertion);
    }
}

const NEEDS_DEFAULT: &str = "serde rejects an absent `Patch`; write `#[serde(default)]` on this field";
const FLATTENS_OPTION: &str =
    "an optional value cannot be flattened; flatten it without `Option`, or remove `flatten` to nest it";
