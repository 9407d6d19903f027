//! Derives the schema of an untagged enum, which is an `anyOf` of the schemas of its variants.

use proc_macro2::TokenStream;
use syn::Fields;
use syn::ext::IdentExt;

use super::enums::EnumVariant;
use super::field::SchemaField;
use super::{DerivedSchema, SchemaDeclaration, one_of, structs};
use crate::errors::Errors;

/// Derives an untagged union from the variants of an enum. `is_partial` is `true` if the enum has further variants.
pub(super) fn derive(
    declared: &SchemaDeclaration<'_>,
    variants: &[EnumVariant<'_>],
    is_partial: bool,
    errors: &mut Errors,
) -> DerivedSchema {
    let mut schema = DerivedSchema::default();
    let (mut schemas, mut arms) = (Vec::new(), TokenStream::new());
    for (index, variant) in variants.iter().enumerate() {
        let ident = &variant.syntax.ident;
        let (content, pattern, checks) = content(declared, variant, &mut schema, errors);
        schemas.push(content);
        arms.extend(emit!(Self::#ident #pattern => { checks.variant::<Self>(#index); #checks }));
    }
    let documentation = declared.own.documentation("");
    let each = schemas.iter().map(|content| emit!(::restwright::derived::schema::SchemaObject::from(#content)));
    schema.definition = emit!(::restwright::derived::schema::SchemaObject::any_of([#(#each),*]) #documentation);
    let others = is_partial.then(|| emit!(_ => {}));
    schema.checks = emit!(match self { #arms #others });
    schema
}

/// Returns the schema of a variant, the pattern that binds its checked values, and their checks.
fn content(
    declared: &SchemaDeclaration<'_>,
    variant: &EnumVariant<'_>,
    schema: &mut DerivedSchema,
    errors: &mut Errors,
) -> (TokenStream, TokenStream, TokenStream) {
    let nothing = TokenStream::new;
    match &variant.syntax.fields {
        // serde writes null.
        Fields::Unit => (emit!(::restwright::derived::schema::SchemaObject::any().constant(())), nothing(), nothing()),
        Fields::Named(fields) => {
            let (properties, pattern, checks) = one_of::fields_of(declared, variant, fields, schema, errors);
            let (name, suffix) = (declared.name.tokens(), variant.syntax.ident.unraw().to_string());
            let name = emit!(::std::format!("{}{}", #name, #suffix));
            (one_of::collection(declared, variant, &name, &properties), emit!({ #pattern }), checks)
        }
        Fields::Unnamed(fields) => {
            let fields: Vec<_> = fields
                .unnamed
                .iter()
                .enumerate()
                .map(|(index, field)| SchemaField::parse(index, field, errors))
                .collect();
            let [field] = &fields[..] else { return structs::items(declared, &fields, schema, errors) };
            field.assert(false, &declared.input.generics, &mut schema.assertions);
            let (inner, own) = (field.run_checks(&emit!(value)), field.own_checks(&emit!(value)));
            (field.typed_schema(errors), emit!((value)), emit!(#inner #own))
        }
    }
}
