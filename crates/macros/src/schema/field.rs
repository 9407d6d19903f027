//! Parses a field of a struct or variant, and emits the property and the checks of the field.

use proc_macro2::TokenStream;
use quote::quote_spanned;
use syn::ext::IdentExt;
use syn::spanned::Spanned;
use syn::{Attribute, Generics, Member, Type};

use super::Assertions;
use crate::emit::moved;
use crate::errors::Errors;
use crate::property::{self, PropertySettings};
use crate::serde_attributes::{self, Cases, JsonNames};
use crate::{docs, types};

pub(crate) struct SchemaField<'f> {
    pub(crate) member: Member,
    pub(crate) ty: &'f Type,
    pub(crate) serde: serde_attributes::SerdeField,
    pub(crate) property: PropertySettings,
    /// The attributes of the field.
    pub(super) attributes: &'f [Attribute],
    description: Option<String>,
    is_deprecated: bool,
}

impl<'f> SchemaField<'f> {
    pub(crate) fn parse(index: usize, field: &'f syn::Field, errors: &mut Errors) -> Self {
        let serde = serde_attributes::SerdeField::parse(&field.attrs, errors);
        Self::new(&field.ty, serde, index, field, errors)
    }

    /// Parses a field whose JSON type is set by `as`. serde functions such as `with` are allowed on the field.
    pub(crate) fn parse_as(ty: &'f Type, index: usize, field: &'f syn::Field, errors: &mut Errors) -> Self {
        let serde = serde_attributes::SerdeField::parse_with_functions(&field.attrs, errors);
        Self::new(ty, serde, index, field, errors)
    }

    fn new(
        ty: &'f Type,
        serde: serde_attributes::SerdeField,
        index: usize,
        field: &'f syn::Field,
        errors: &mut Errors,
    ) -> Self {
        let parsed = Self {
            member: field.ident.clone().map_or_else(|| Member::from(index), Member::Named),
            ty,
            serde,
            property: PropertySettings::parse(&field.attrs, errors),
            attributes: &field.attrs,
            description: docs::description(&field.attrs),
            is_deprecated: docs::is_deprecated(&field.attrs),
        };
        if let (Some(flatten), false) = (parsed.serde.flatten, parsed.property.is_empty()) {
            errors
                .push(flatten, "a flattened field is not a property; put `#[property(..)]` on the fields of its type");
        }
        types::check_options(ty, errors);
        parsed
    }

    /// Returns the generated call that adds the field to the property collection. A flattened field adds the properties
    /// of its type. Returns `None` if the field is skipped.
    pub(crate) fn declare(&self, rule: Cases, is_default: bool) -> Option<TokenStream> {
        if self.serde.skip {
            return None;
        }
        if self.serde.flatten.is_some() {
            let ty = self.ty;
            let flattened = property::of_schema(ty, &emit!(registry.flatten::<#ty>()));
            return Some(emit!(.merge(&#flattened)));
        }
        let JsonNames { written, read } = self.names(rule);
        let mut property = self.typed(&written);
        if read != written {
            property.extend(emit!(.input_name(#read)));
        }
        let aliases = &self.serde.aliases;
        property.extend(emit!(#(.alias(#aliases))*));
        if (self.serde.default || is_default) && types::argument_of(self.ty, "Option").is_none() {
            property.extend(emit!(.input_optional()));
        }
        if self.serde.skip_serializing_if {
            property.extend(emit!(.output_optional()));
        }
        if self.serde.skip_serializing {
            property.extend(emit!(.write_only()));
        }
        if self.serde.skip_deserializing {
            property.extend(emit!(.read_only()));
        }
        Some(emit!(.property(#property.into_property())))
    }

    /// Returns the expression that builds the property of the field, with its `#[property(..)]` settings and doc
    /// comment.
    pub(crate) fn typed(&self, name: &str) -> TokenStream {
        self.documented(&property::typed(self.ty, &emit!(registry), name))
    }

    /// Returns the expression for the schema of a newtype, which is the schema of its field's type.
    pub(crate) fn typed_schema(&self, errors: &mut Errors) -> TokenStream {
        if let Some(setting) = &self.property.of_properties {
            let message = format!("`{setting}` is for properties; put it on the fields that have this type");
            errors.push(setting.span(), message);
        }
        self.documented(&property::typed_schema(self.ty, &emit!(registry)))
    }

    fn documented(&self, typed: &TokenStream) -> TokenStream {
        let calls = &self.property.calls;
        let description = self.description.as_ref().filter(|_| !self.property.is_described).into_iter();
        let deprecated = self.is_deprecated.then(|| emit!(.deprecated()));
        emit!(#typed #calls #(.description(#description))* #deprecated)
    }

    /// Returns the code that checks the field's value, or `None` if there are no checks. `value` is an expression for
    /// the value.
    pub(crate) fn check(&self, value: &TokenStream, rule: Cases) -> Option<TokenStream> {
        if self.is_not_read() {
            return None;
        }
        if self.serde.flatten.is_some() {
            return Some(self.run_checks(value));
        }
        let name = self.names(rule).read;
        let inner = (!types::is_plain(self.ty)).then(|| self.run_checks(value));
        let inner = inner.map(|inner| emit!(checks.at(#name, |checks| { #inner });));
        let own = self.own_checks(value).map(|own| emit!(checks.at(#name, |checks| { #own });));
        (inner.is_some() || own.is_some()).then(|| emit!(#inner #own))
    }

    /// Returns the code that runs the checks of the field's type.
    pub(crate) fn run_checks(&self, value: &TokenStream) -> TokenStream {
        let schema = property::schema_of(self.ty);
        let run_checks = quote_spanned!(self.ty.span()=> #schema::run_checks);
        emit!(#run_checks(#value, checks);)
    }

    /// Returns the code that runs the checks of `#[property(validate = ..)]`. They run on the value inside `Option` and
    /// `Patch`, if there is one.
    pub(crate) fn own_checks(&self, value: &TokenStream) -> Option<TokenStream> {
        if self.property.checks.is_empty() {
            return None;
        }
        let checks = &self.property.checks;
        Some(present(self.ty, value, &|value| checks.iter().map(|check| check_of(check, value)).collect()))
    }

    pub(crate) fn assert(&self, is_default: bool, generics: &Generics, assertions: &mut Assertions) {
        if self.serde.skip {
        } else if self.serde.flatten.is_some() {
            assertions.is_flat(self.ty, generics);
        } else if !self.serde.default && !is_default && !self.serde.skip_deserializing {
            assertions.has_default(self.ty, generics);
        }
    }

    pub(crate) fn names(&self, rule: Cases) -> JsonNames {
        match &self.member {
            Member::Named(ident) => self.serde.names(&ident.unraw().to_string(), rule),
            Member::Unnamed(index) => self.serde.names(&index.index.to_string(), rule),
        }
    }

    /// Returns the name of the field in Rust. A raw name includes `r#`.
    pub(super) fn key(&self) -> String {
        match &self.member {
            Member::Named(ident) => ident.to_string(),
            Member::Unnamed(index) => index.index.to_string(),
        }
    }

    pub(super) fn is_not_read(&self) -> bool {
        self.serde.skip || self.serde.skip_deserializing || self.property.is_read_only
    }
}

/// Returns the generated call to a custom check function. rustc reports an error at the function if it accepts a
/// different type.
pub(crate) fn check_of(check: &TokenStream, value: &TokenStream) -> TokenStream {
    let span = check.span();
    let value = moved(value.clone(), span);
    emit_at!(span=> checks.check(#check(#value));)
}

/// Returns code that unwraps an `Option` or `Patch`, and runs the code that the function `then` returns for the inner
/// value. Without an inner value, the code does nothing.
fn present(ty: &Type, value: &TokenStream, then: &dyn Fn(&TokenStream) -> TokenStream) -> TokenStream {
    let inner = emit!(value);
    if let Some(ty) = types::argument_of(ty, "Option") {
        let then = present(ty, &inner, then);
        return emit!(if let ::core::option::Option::Some(value) = #value { #then });
    }
    if let Some(ty) = types::argument_of(ty, "Patch") {
        let then = present(ty, &inner, then);
        return emit!(if let ::restwright::derived::schema::Patch::Value(value) = #value { #then });
    }
    then(value)
}
