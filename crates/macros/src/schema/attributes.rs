//! Parses `#[schema(..)]` on a type.

use proc_macro2::TokenStream;
use syn::{Attribute, Ident, LitStr, Type};

use super::validator;
use crate::errors::Errors;
use crate::generated_type::GeneratedType;
use crate::{docs, settings, suggest};

/// The settings of `#[schema(..)]`.
#[derive(Default)]
pub(crate) struct SchemaAttributes {
    pub(crate) name: Option<LitStr>,
    /// The type in the setting `as` on a newtype. Its schema replaces the schema of the inner type.
    pub(crate) as_type: Option<Type>,
    /// The setting `changes`, which generates a partial update.
    pub(super) changes: Option<GeneratedType>,
    /// `true` if requests with unknown properties are rejected, also in nested objects.
    pub(super) closed_recursively: bool,
    title: Option<TokenStream>,
    description: Option<TokenStream>,
    /// The custom functions that check a whole value of the type.
    pub(crate) checks: Vec<TokenStream>,
    /// The names in the setting `response_only`, which `#[derive(Resource)]` emits.
    pub(super) response_only: Option<TokenStream>,
    /// The `validator` setting, which runs the checks of the crate `validator`.
    pub(super) validator: Option<Ident>,
}

impl SchemaAttributes {
    pub(crate) fn parse(attributes: &[Attribute], errors: &mut Errors) -> Self {
        let mut found = Self::default();
        for setting in settings::of(attributes, "schema", errors) {
            match setting.name.to_string().as_str() {
                "name" => found.name = setting.text(errors),
                "as" => {
                    found.as_type = setting.value(errors).and_then(|written| errors.take(syn::parse2(written)));
                }
                "changes" => found.changes = Some(GeneratedType::parse(&setting, errors)),
                "closed_recursively" => found.closed_recursively = setting.flag(errors),
                "title" => found.title = setting.value(errors),
                "description" => found.description = setting.value(errors),
                "response_only" => found.response_only = Some(setting.tokens()),
                "validate" => found.checks.extend(setting.value(errors)),
                "validator" => found.validator = setting.flag(errors).then_some(setting.name),
                other => errors.push(setting.span(), suggest::unknown("schema attribute", other, &KNOWN)),
            }
        }
        if let Some(name) = &found.name
            && !is_component_name(&name.value())
        {
            errors.push(
                name.span(),
                "the name of a schema must contain only letters, digits, `.`, `-` and `_`, and at least one character",
            );
        }
        if found.description.is_none() {
            found.description = docs::description(attributes).map(|text| emit!(#text));
        }
        validator::check(&found, attributes, errors);
        found
    }

    /// Returns the builder calls that set the title and the description of the schema. `more` is appended to the
    /// description.
    pub(crate) fn documentation(&self, more: &str) -> TokenStream {
        let title = self.title.iter();
        let description = match (&self.description, more) {
            (Some(description), "") => Some(emit!(.description(#description))),
            (Some(description), more) => Some(emit!(.description(::std::format!("{}\n\n{}", #description, #more)))),
            (None, "") => None,
            (None, more) => Some(emit!(.description(#more))),
        };
        emit!(#(.title(#title))* #description)
    }
}

/// Returns whether a string is a valid component name in OpenAPI.
fn is_component_name(name: &str) -> bool {
    !name.is_empty() && name.chars().all(|character| character.is_ascii_alphanumeric() || ".-_".contains(character))
}

const KNOWN: [&str; 8] =
    ["name", "as", "changes", "closed_recursively", "title", "description", "validate", "validator"];
