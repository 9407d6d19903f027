//! Derives the schema of an enum, which is an enumeration of strings, or a `oneOf` of objects if the enum has a tag.

use syn::ext::IdentExt;
use syn::{DataEnum, Fields, LitStr};

use super::{DerivedSchema, FieldValueConversion, MapKeyConversion, SchemaDeclaration, one_of, untagged};
use crate::docs;
use crate::errors::Errors;
use crate::serde_attributes::{self, Cases};

pub(super) struct EnumVariant<'v> {
    pub(super) syntax: &'v syn::Variant,
    /// The name of the variant in JSON, followed by its aliases.
    pub(super) names: Vec<String>,
    pub(super) description: Option<String>,
    /// The letter cases that `rename_all` sets for the variant's field names.
    pub(super) rule: Cases,
}

pub(crate) fn parse(declared: &SchemaDeclaration<'_>, data: &DataEnum, errors: &mut Errors) -> Option<DerivedSchema> {
    declared.refuse_as(errors);
    let variants: Vec<_> =
        data.variants.iter().filter_map(|variant| EnumVariant::parse(variant, declared, errors)).collect();
    let with_data = variants.iter().find(|variant| !matches!(variant.syntax.fields, Fields::Unit));
    let is_partial = variants.len() < data.variants.len();
    match (&declared.serde.tag, with_data) {
        _ if variants.is_empty() => {
            errors.push(declared.input.ident.span(), "an enum without variants has no value; add a variant");
            None
        }
        (None, _) if declared.serde.untagged => Some(untagged::derive(declared, &variants, is_partial, errors)),
        (Some(tag), _) => Some(one_of::derive(declared, tag, &variants, is_partial, errors)),
        (None, None) => Some(enumeration(declared, &variants, is_partial)),
        (None, Some(variant)) => {
            let message = "an enum with data requires a tag to distinguish its variants: write `#[serde(tag = \"type\")]` on the enum; \
                           without a tag, `#[serde(untagged)]` reads the first variant that fits";
            errors.push(variant.syntax.ident.span(), message);
            None
        }
    }
}

impl<'v> EnumVariant<'v> {
    /// Parses a variant. Returns `None` if the variant is skipped.
    fn parse(syntax: &'v syn::Variant, declared: &SchemaDeclaration<'_>, errors: &mut Errors) -> Option<Self> {
        let serde = serde_attributes::SerdeVariant::parse(&syntax.attrs, errors);
        if serde.skip {
            return None;
        }
        let ident = syntax.ident.unraw().to_string();
        let name = serde.name(&ident, declared.serde.rename_all, syntax.ident.span(), errors);
        let names = std::iter::once(name).chain(serde.aliases.iter().map(LitStr::value)).collect();
        let rule = serde.rename_all.or(declared.serde.rename_all_fields);
        Some(Self { syntax, names, description: docs::description(&syntax.attrs), rule })
    }
}

fn enumeration(declared: &SchemaDeclaration<'_>, variants: &[EnumVariant<'_>], is_partial: bool) -> DerivedSchema {
    let values = variants.iter().flat_map(|variant| &variant.names);
    let documentation = declared.own.documentation(&described(variants));
    let written = variants.iter().filter_map(|variant| {
        let (ident, name) = (&variant.syntax.ident, variant.names.first()?);
        Some(emit!(Self::#ident => ::restwright::derived::list::Value::from(#name),))
    });
    // A skipped variant is never written.
    let rest = is_partial.then(|| emit!(_ => ::restwright::derived::list::Value::Null,));
    let to_value = emit!(match self { #(#written)* #rest });
    let read = variants.iter().map(|variant| {
        let (ident, names) = (&variant.syntax.ident, &variant.names);
        emit!(#(#names)|* => ::core::option::Option::Some(Self::#ident),)
    });
    let from_value = emit!(match value.as_text()? { #(#read)* _ => ::core::option::Option::None });
    // With an alias, two names would be the same key.
    let has_aliases = variants.iter().any(|variant| variant.names.len() > 1);
    let names = variants.iter().filter_map(|variant| {
        let (ident, name) = (&variant.syntax.ident, variant.names.first()?);
        Some(emit!(Self::#ident => #name,))
    });
    let rest = is_partial.then(|| emit!(_ => "",));
    let name = emit!(::std::borrow::Cow::Borrowed(match self { #(#names)* #rest }));
    DerivedSchema {
        key: (!has_aliases).then_some(MapKeyConversion { of: None, name }),
        definition: emit!(::restwright::derived::schema::SchemaObject::enumeration([#(#values),*]) #documentation),
        value: Some(FieldValueConversion { of: None, to_value, from_value }),
        ..DerivedSchema::default()
    }
}

/// Returns a list of the enum's values with their doc comments, for the description. JSON Schema has no keyword for
/// descriptions of values. The list is empty if no variant has a doc comment.
fn described(variants: &[EnumVariant<'_>]) -> String {
    let lines = variants.iter().filter_map(|variant| {
        let description = variant.description.as_ref()?.replace('\n', " ");
        Some(format!("- `{}`: {description}", variant.names.first()?))
    });
    lines.collect::<Vec<_>>().join("\n")
}
