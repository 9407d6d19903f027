//! Enums: of units an enumeration, with a tag one of several objects.

use proc_macro2::TokenStream;
use syn::ext::IdentExt;
use syn::{DataEnum, Fields, LitStr};

use super::field::Field;
use super::{Declared, Shape, structs};
use crate::docs;
use crate::errors::Errors;
use crate::serde_attributes::{self, Cases};

struct Variant<'v> {
    syntax: &'v syn::Variant,
    /// Its name in JSON, and those under which it is read, too.
    names: Vec<String>,
    description: Option<String>,
    /// The rule for the names of its fields.
    rule: Cases,
}

pub(crate) fn parse(declared: &Declared<'_>, data: &DataEnum, errors: &mut Errors) -> Option<Shape> {
    let variants: Vec<_> =
        data.variants.iter().filter_map(|variant| Variant::parse(variant, declared, errors)).collect();
    let with_data = variants.iter().find(|variant| !matches!(variant.syntax.fields, Fields::Unit));
    match (&declared.serde.tag, with_data) {
        _ if variants.is_empty() => {
            errors.push(declared.input.ident.span(), "an enum without variants has no value; add a variant");
            None
        }
        (Some(tag), _) => Some(one_of(declared, tag, &variants, errors)),
        (None, None) => Some(enumeration(declared, &variants)),
        (None, Some(variant)) => {
            let message =
                "a variant with data is told from the others by a tag: write `#[serde(tag = \"type\")]` on the enum";
            errors.push(variant.syntax.ident.span(), message);
            None
        }
    }
}

impl<'v> Variant<'v> {
    /// `None` for one that is skipped.
    fn parse(syntax: &'v syn::Variant, declared: &Declared<'_>, errors: &mut Errors) -> Option<Self> {
        let serde = serde_attributes::Variant::parse(&syntax.attrs, errors);
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

fn enumeration(declared: &Declared<'_>, variants: &[Variant<'_>]) -> Shape {
    let values = variants.iter().flat_map(|variant| &variant.names);
    let documentation = declared.own.documentation(&described(variants));
    Shape {
        definition: emit!(::restwright::schema::enumeration("", [#(#values),*]) #documentation),
        ..Shape::default()
    }
}

/// A list of the values and what they mean, since JSON Schema has no place for it; empty when no variant has a doc comment.
fn described(variants: &[Variant<'_>]) -> String {
    let lines = variants.iter().filter_map(|variant| {
        let description = variant.description.as_ref()?.replace('\n', " ");
        Some(format!("- `{}`: {description}", variant.names.first()?))
    });
    lines.collect::<Vec<_>>().join("\n")
}

fn one_of(declared: &Declared<'_>, tag: &LitStr, variants: &[Variant<'_>], errors: &mut Errors) -> Shape {
    let mut shape = Shape::default();
    let (mut added, mut arms) = (TokenStream::new(), TokenStream::new());
    let mut unchecked = false;
    for variant in variants {
        let Variant { names, .. } = variant;
        let (object, arm) = match &declared.serde.content {
            None => internally_tagged(declared, variant, &mut shape, errors),
            Some(content) => adjacently_tagged(declared, &content.value(), variant, &mut shape, errors),
        };
        added.extend(emit!(#(.variant(#names, #object))*));
        unchecked |= arm.is_none();
        arms.extend(arm);
    }
    unchecked |= variants.len() < variant_count(declared);
    let name = declared.name.tokens();
    let documentation = declared.own.documentation("");
    shape.definition = emit!(::restwright::schema::OneOf::new(#name, #tag) #documentation #added);
    if !arms.is_empty() {
        let others = unchecked.then(|| emit!(_ => {}));
        shape.checks = emit!(match self { #arms #others });
    }
    shape
}

/// The variant's object beside the tag, and the arm that checks it.
fn internally_tagged(
    declared: &Declared<'_>,
    variant: &Variant<'_>,
    shape: &mut Shape,
    errors: &mut Errors,
) -> (TokenStream, Option<TokenStream>) {
    let ident = &variant.syntax.ident;
    match &variant.syntax.fields {
        Fields::Unit => (collection(declared, variant, &TokenStream::new()), None),
        Fields::Named(fields) => {
            let (properties, pattern, checks) = fields_of(declared, variant, fields, shape, errors);
            let arm = (!checks.is_empty()).then(|| emit!(Self::#ident { #pattern } => { #checks }));
            (collection(declared, variant, &properties), arm)
        }
        fields => match only_field(variant, fields, errors) {
            Some(field) if field.property.is_empty() => {
                let ty = field.ty;
                let kind = emit!(<#ty as ::restwright::schema::Schema>::kind(registry));
                (kind, Some(emit!(Self::#ident(value) => ::restwright::schema::Schema::validate(value, checks),)))
            }
            Some(_) => {
                let message = "the variant is an object of this type; put `#[property(..)]` on the fields of the type";
                errors.push(ident.span(), message);
                (TokenStream::new(), None)
            }
            None => (TokenStream::new(), None),
        },
    }
}

/// The object that has the variant's value under `content`, and the arm that checks it.
fn adjacently_tagged(
    declared: &Declared<'_>,
    content: &str,
    variant: &Variant<'_>,
    shape: &mut Shape,
    errors: &mut Errors,
) -> (TokenStream, Option<TokenStream>) {
    let ident = &variant.syntax.ident;
    let closed = declared.serde.deny_unknown_fields.map(|_| emit!(.closed()));
    match &variant.syntax.fields {
        Fields::Unit => (collection(declared, variant, &TokenStream::new()), None),
        Fields::Named(fields) => {
            let (properties, pattern, checks) = fields_of(declared, variant, fields, shape, errors);
            let inner = emit!(::restwright::schema::PropertyCollection::new("") #properties);
            let property = emit!(#closed .property(::restwright::schema::object(#content, #inner)));
            let arm = (!checks.is_empty())
                .then(|| emit!(Self::#ident { #pattern } => checks.at(#content, |checks| { #checks }),));
            (collection(declared, variant, &property), arm)
        }
        fields => match only_field(variant, fields, errors) {
            Some(field) => {
                field.assert(false, &declared.input.generics, &mut shape.assertions);
                let typed = field.typed(content);
                let own = field.own_checks(&emit!(value));
                let own = own.map(|own| emit!(checks.at(#content, |checks| { #own });));
                let arm = emit!(Self::#ident(value) => { checks.property(#content, value); #own });
                (collection(declared, variant, &emit!(#closed .property(#typed))), Some(arm))
            }
            None => (TokenStream::new(), None),
        },
    }
}

/// A collection that is published as part of the one-of, and needs no name for that.
fn collection(declared: &Declared<'_>, variant: &Variant<'_>, properties: &TokenStream) -> TokenStream {
    let description = variant.description.iter();
    let closed = match &variant.syntax.fields {
        Fields::Unit => declared.serde.deny_unknown_fields.map(|_| emit!(.closed())),
        _ => None,
    };
    emit!(::restwright::schema::PropertyCollection::new("") #(.description(#description))* #closed #properties)
}

/// What the fields of a variant declare, the pattern that binds those that are checked, and the checks.
fn fields_of(
    declared: &Declared<'_>,
    variant: &Variant<'_>,
    fields: &syn::FieldsNamed,
    shape: &mut Shape,
    errors: &mut Errors,
) -> (TokenStream, TokenStream, TokenStream) {
    let fields = structs::parse(fields, errors);
    let properties = structs::properties(&fields, declared, variant.rule, &mut shape.assertions, errors);
    let (mut pattern, mut checks) = (TokenStream::new(), TokenStream::new());
    for field in &fields {
        let member = &field.member;
        if let Some(check) = field.check(&emit!(#member), variant.rule) {
            pattern.extend(emit!(#member,));
            checks.extend(check);
        }
    }
    (properties, emit!(#pattern ..), checks)
}

fn only_field<'v>(variant: &Variant<'v>, fields: &'v Fields, errors: &mut Errors) -> Option<Field<'v>> {
    let mut fields = fields.iter();
    let (Some(field), None) = (fields.next(), fields.next()) else {
        errors.push(
            variant.syntax.ident.span(),
            "a variant with several values and no names has no shape; name its fields",
        );
        return None;
    };
    Some(Field::parse(0, field, errors))
}

fn variant_count(declared: &Declared<'_>) -> usize {
    match &declared.input.data {
        syn::Data::Enum(data) => data.variants.len(),
        _ => 0,
    }
}
