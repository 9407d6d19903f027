//! Derives the schema of an internally or adjacently tagged enum, which is a `oneOf` of objects.

use proc_macro2::TokenStream;
use syn::{Fields, LitStr};

use super::enums::EnumVariant;
use super::field::SchemaField;
use super::{DerivedSchema, SchemaDeclaration, structs};
use crate::errors::Errors;

/// Derives a `oneOf` schema from the variants of an enum. `is_partial` is `true` if the enum has further variants.
pub(super) fn derive(
    declared: &SchemaDeclaration<'_>,
    tag: &LitStr,
    variants: &[EnumVariant<'_>],
    is_partial: bool,
    errors: &mut Errors,
) -> DerivedSchema {
    let mut schema = DerivedSchema::default();
    let (mut added, mut arms) = (TokenStream::new(), TokenStream::new());
    let mut is_partial = is_partial;
    for variant in variants {
        let EnumVariant { names, .. } = variant;
        let (object, arm) = match &declared.serde.content {
            None => internally_tagged(declared, variant, &mut schema, errors),
            Some(content) => adjacently_tagged(declared, &content.value(), variant, &mut schema, errors),
        };
        added.extend(emit!(#(.variant(#names, #object))*));
        is_partial |= arm.is_none();
        arms.extend(arm);
    }
    let name = declared.name.tokens();
    let documentation = declared.own.documentation("");
    schema.definition = emit!(::restwright::derived::schema::OneOf::new(#name, #tag) #documentation #added);
    if !arms.is_empty() {
        let others = is_partial.then(|| emit!(_ => {}));
        schema.checks = emit!(match self { #arms #others });
    }
    schema
}

/// Returns the schema of an internally tagged variant, excluding its tag property. Also returns the match arm that
/// checks the variant's value.
fn internally_tagged(
    declared: &SchemaDeclaration<'_>,
    variant: &EnumVariant<'_>,
    schema: &mut DerivedSchema,
    errors: &mut Errors,
) -> (TokenStream, Option<TokenStream>) {
    let ident = &variant.syntax.ident;
    match &variant.syntax.fields {
        Fields::Unit => (unnamed(declared, variant, &TokenStream::new()), None),
        Fields::Named(fields) => {
            let (properties, pattern, checks) = fields_of(declared, variant, fields, schema, errors);
            let arm = (!checks.is_empty()).then(|| emit!(Self::#ident { #pattern } => { #checks }));
            (unnamed(declared, variant, &properties), arm)
        }
        fields => match only_field(variant, fields, errors) {
            Some(field) if field.property.is_empty() => {
                let ty = field.ty;
                let kind = emit!(<#ty as ::restwright::derived::schema::Schema>::schema_type(registry));
                (
                    kind,
                    Some(
                        emit!(Self::#ident(value) => ::restwright::derived::schema::Schema::run_checks(value, checks),),
                    ),
                )
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

/// Returns the schema of an object that contains the variant's value under `content`. Also returns the match arm that
/// checks the value.
fn adjacently_tagged(
    declared: &SchemaDeclaration<'_>,
    content: &str,
    variant: &EnumVariant<'_>,
    schema: &mut DerivedSchema,
    errors: &mut Errors,
) -> (TokenStream, Option<TokenStream>) {
    let ident = &variant.syntax.ident;
    let closed = declared.serde.deny_unknown_fields.map(|_| emit!(.closed()));
    match &variant.syntax.fields {
        Fields::Unit => {
            let nothing = emit!(.property(::restwright::derived::schema::any(#content).constant(()).optional()));
            (unnamed(declared, variant, &nothing), None)
        }
        Fields::Named(fields) => {
            let (properties, pattern, checks) = fields_of(declared, variant, fields, schema, errors);
            let inner = emit!(::restwright::derived::schema::PropertyCollection::new("") #properties);
            let property = emit!(#closed .property(::restwright::derived::schema::object(#content, #inner)));
            let arm = (!checks.is_empty())
                .then(|| emit!(Self::#ident { #pattern } => checks.at(#content, |checks| { #checks }),));
            (unnamed(declared, variant, &property), arm)
        }
        Fields::Unnamed(fields) if fields.unnamed.len() > 1 => {
            let fields: Vec<_> = fields
                .unnamed
                .iter()
                .enumerate()
                .map(|(index, field)| SchemaField::parse(index, field, errors))
                .collect();
            let (items, pattern, checks) = structs::items(declared, &fields, schema, errors);
            let property = emit!(::restwright::derived::schema::Property::new(#content, #items));
            let arm = emit!(Self::#ident #pattern => checks.at(#content, |checks| { #checks }),);
            (unnamed(declared, variant, &emit!(#closed .property(#property))), Some(arm))
        }
        fields => match only_field(variant, fields, errors) {
            Some(field) => {
                field.assert(false, &declared.input.generics, &mut schema.assertions);
                let typed = field.typed(content);
                let own = field.own_checks(&emit!(value));
                let own = own.map(|own| emit!(checks.at(#content, |checks| { #own });));
                let inner = field.run_checks(&emit!(value));
                let arm = emit!(Self::#ident(value) => { checks.at(#content, |checks| { #inner }); #own });
                (unnamed(declared, variant, &emit!(#closed .property(#typed))), Some(arm))
            }
            None => (TokenStream::new(), None),
        },
    }
}

/// Returns the property collection of a variant. It has no name, because it is published inside the `oneOf`.
fn unnamed(declared: &SchemaDeclaration<'_>, variant: &EnumVariant<'_>, properties: &TokenStream) -> TokenStream {
    collection(declared, variant, &emit!(""), properties)
}

/// Returns the property collection of a variant.
pub(super) fn collection(
    declared: &SchemaDeclaration<'_>,
    variant: &EnumVariant<'_>,
    name: &TokenStream,
    properties: &TokenStream,
) -> TokenStream {
    let description = variant.description.iter();
    let closed = match &variant.syntax.fields {
        Fields::Unit => declared.serde.deny_unknown_fields.map(|_| emit!(.closed())),
        _ => None,
    };
    emit!(::restwright::derived::schema::PropertyCollection::new(#name) #(.description(#description))* #closed #properties)
}

/// Returns the code for a variant's fields. It consists of the properties, the pattern that binds checked fields, and
/// the checks.
pub(super) fn fields_of(
    declared: &SchemaDeclaration<'_>,
    variant: &EnumVariant<'_>,
    fields: &syn::FieldsNamed,
    schema: &mut DerivedSchema,
    errors: &mut Errors,
) -> (TokenStream, TokenStream, TokenStream) {
    let fields = structs::parse(fields, errors);
    let properties = structs::properties(&fields, declared, variant.rule, &mut schema.assertions, errors);
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

fn only_field<'v>(variant: &EnumVariant<'v>, fields: &'v Fields, errors: &mut Errors) -> Option<SchemaField<'v>> {
    let mut fields = fields.iter();
    let (Some(field), None) = (fields.next(), fields.next()) else {
        errors.push(
            variant.syntax.ident.span(),
            "serde cannot write a tag into an array; name the fields of the variant, or set `content` next to `tag`",
        );
        return None;
    };
    Some(SchemaField::parse(0, field, errors))
}
