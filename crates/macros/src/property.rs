//! Parses `#[property(..)]`, and emits each setting as a call on the property's builder.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Attribute, Ident, LitStr, Type};

use crate::errors::Errors;
use crate::settings::{self, Setting};
use crate::{suggest, types, value};

/// The settings of one property.
#[derive(Default)]
pub(crate) struct PropertySettings {
    /// The calls on the property's builder, each with the span of its setting.
    pub(crate) calls: TokenStream,
    /// The custom functions that check the property's value.
    pub(crate) checks: Vec<TokenStream>,
    /// The settings that are allowed only on properties of bodies.
    pub(crate) of_bodies: Vec<Ident>,
    /// The first setting that only named properties accept, if there is one. A schema without a name rejects this
    /// setting.
    pub(crate) of_properties: Option<Ident>,
    pub(crate) is_read_only: bool,
    pub(crate) is_described: bool,
}

/// Returns the default value that the `#[property(..)]` attributes declare, as a JSON value.
pub(crate) fn default_of(attributes: &[Attribute]) -> Option<TokenStream> {
    let settings = settings::of(attributes, "property", &mut Errors::default());
    let default = settings.iter().find(|setting| setting.name == "default")?;
    let value = value::json(default.value(&mut Errors::default())?);
    Some(quote_spanned!(default.span()=> ::core::convert::Into::into(#value)))
}

impl PropertySettings {
    pub(crate) fn parse(attributes: &[Attribute], errors: &mut Errors) -> Self {
        let mut property = Self::default();
        for setting in settings::of(attributes, "property", errors) {
            property.add(&setting, errors);
        }
        property
    }

    /// Returns whether the property has no settings.
    pub(crate) fn is_empty(&self) -> bool {
        self.calls.is_empty() && self.checks.is_empty()
    }

    fn add(&mut self, setting: &Setting, errors: &mut Errors) {
        let name = setting.name.to_string();
        match name.as_str() {
            "validate" => {
                self.of_bodies.push(setting.name.clone());
                self.checks.extend(setting.value(errors));
            }
            "read_only" | "write_only" => {
                self.of_bodies.push(setting.name.clone());
                self.of_properties.get_or_insert(setting.name.clone());
                self.is_read_only |= name == "read_only";
                self.calls.extend(call(setting, errors));
            }
            "description" => {
                self.is_described = true;
                self.calls.extend(call(setting, errors));
            }
            _ => self.calls.extend(call(setting, errors)),
        }
    }
}

/// Returns the expression that creates a property builder, with the span of the property's type. rustc reports a call
/// that does not fit the type at this span.
pub(crate) fn typed(ty: &Type, registry: &TokenStream, name: &str) -> TokenStream {
    of_schema(ty, &quote_spanned!(ty.span()=> ::restwright::derived::schema::typed::<#ty>(#registry, #name)))
}

/// Returns the expression that creates the builder of a schema without a name.
pub(crate) fn typed_schema(ty: &Type, registry: &TokenStream) -> TokenStream {
    of_schema(ty, &quote_spanned!(ty.span()=> ::restwright::derived::schema::typed_schema::<#ty>(#registry)))
}

/// Returns the path `<T as Schema>`, with the span of the type.
///
/// Code that uses the schema of a field starts with this path. If the type has no schema, rustc finds the same error at
/// the same span in every function, and prints it once.
pub(crate) fn schema_of(ty: &Type) -> TokenStream {
    quote_spanned!(ty.span()=> <#ty as ::restwright::derived::schema::Schema>)
}

/// Wraps an expression that uses the schema of a type, so rustc reports a missing schema before all other errors.
pub(crate) fn of_schema(ty: &Type, expression: &TokenStream) -> TokenStream {
    if types::is_plain(ty) {
        return expression.clone();
    }
    let schema = schema_of(ty);
    let named = quote_spanned!(ty.span()=> #schema::schema_type);
    emit!({ let _ = #named; #expression })
}

/// Returns the builder call for a setting, with the span of the setting. rustc reports a call that does not fit the
/// type at this span.
pub(crate) fn call(setting: &Setting, errors: &mut Errors) -> Option<TokenStream> {
    let name = &setting.name;
    let argument = match name.to_string().as_str() {
        "min_length" | "max_length" | "pattern" | "min_items" | "max_items" | "min_properties" | "max_properties"
        | "scale" | "max_size" | "accept" => setting.value(errors)?,
        "minimum" | "maximum" | "exclusive_minimum" | "exclusive_maximum" | "multiple_of" => {
            value::number(setting.value(errors)?)
        }
        "constant" | "example" => value::json(setting.value(errors)?),
        "default" => {
            let value = value::json(setting.value(errors)?);
            return Some(quote_spanned!(name.span()=> .default_value(#value)));
        }
        "title" | "description" => setting.value(errors)?,
        "unique_items" | "check_content" | "read_only" | "write_only" | "deprecated" => {
            setting.flag(errors);
            TokenStream::new()
        }
        "format" => format(setting, errors)?,
        "items" | "values" => nested(setting, errors),
        other if OF_RESOURCES.contains(&other) => {
            let message = match other {
                "exclude" | "modes" => "which makes a type for each mode; derive that, or declare a type for each",
                _ => "which declares the fields of an entity; derive that, or remove the setting",
            };
            errors.push(setting.span(), format!("`{other}` is a setting of `#[derive(Resource)]`, {message}"));
            return None;
        }
        other => {
            errors.push(setting.span(), suggest::unknown("property attribute", other, &KNOWN));
            return None;
        }
    };
    Some(quote_spanned!(name.span()=> .#name(#argument)))
}

/// Parses the setting `format`, which is a name such as `format = "email"` or the path of a custom format.
fn format(setting: &Setting, errors: &mut Errors) -> Option<TokenStream> {
    let value = setting.value(errors)?;
    let Ok(name) = syn::parse2::<LitStr>(value.clone()) else { return Some(value) };
    let constant = match name.value().as_str() {
        "email" => quote!(EMAIL),
        "uri" => quote!(URI),
        "base64" => quote!(BASE64),
        "hostname" => quote!(HOSTNAME),
        "ipv4" => quote!(IPV4),
        "ipv6" => quote!(IPV6),
        other => {
            let message = suggest::unknown("format", other, &FORMATS);
            errors.push(name.span(), format!("{message}; for a custom format write its path: `format = IBAN`"));
            return None;
        }
    };
    Some(quote!(::restwright::derived::schema::Format::#constant))
}

/// Parses settings for the items of a list or the values of a map, such as `items(min_length = 1)`.
fn nested(setting: &Setting, errors: &mut Errors) -> TokenStream {
    let mut calls = TokenStream::new();
    for setting in setting.list(errors) {
        if ["validate", "read_only", "write_only", "default"].iter().any(|name| setting.name == name) {
            let message =
                format!("`{}` is for properties; use a separate type with this setting for the items", setting.name);
            errors.push(setting.span(), message);
        } else {
            calls.extend(call(&setting, errors));
        }
    }
    quote_spanned!(setting.span()=> |item| item #calls)
}

/// The names of the settings that every property accepts.
pub(crate) const KNOWN: [&str; 29] = [
    "min_length",
    "max_length",
    "pattern",
    "format",
    "minimum",
    "maximum",
    "exclusive_minimum",
    "exclusive_maximum",
    "multiple_of",
    "scale",
    "min_items",
    "max_items",
    "unique_items",
    "items",
    "min_properties",
    "max_properties",
    "values",
    "max_size",
    "accept",
    "check_content",
    "constant",
    "default",
    "read_only",
    "write_only",
    "title",
    "description",
    "example",
    "deprecated",
    "validate",
];
const FORMATS: [&str; 6] = ["email", "uri", "hostname", "ipv4", "ipv6", "base64"];

/// The names of the additional settings that properties of a resource accept.
pub(crate) const OF_RESOURCES: [&str; 17] = [
    "id",
    "created_at",
    "updated_at",
    "version",
    "deleted_at",
    "file",
    "scope",
    "parent",
    "references",
    "unique",
    "renamed_from",
    "filter",
    "sort",
    "exclude",
    "modes",
    "read",
    "write",
];
