//! Derives the schema of a struct, which is an object for named fields, or the schema of the inner type for a newtype.

use proc_macro2::{Ident, TokenStream};
use quote::quote_spanned;
use syn::spanned::Spanned;
use syn::{Fields, FieldsNamed, FieldsUnnamed};

use super::field::SchemaField;
use super::{Assertions, DerivedSchema, FieldValueConversion, MapKeyConversion, SchemaDeclaration, validator};
use crate::errors::Errors;
use crate::property;
use crate::serde_attributes::Cases;

pub(crate) fn named(declared: &SchemaDeclaration<'_>, fields: &FieldsNamed, errors: &mut Errors) -> DerivedSchema {
    declared.refuse_as(errors);
    if let Some(tag) = &declared.serde.tag {
        let message =
            "serde writes this tag but never reads it; declare a field with `#[property(constant = \"..\")]` instead";
        errors.push(tag.span(), message);
    }
    let mut schema = DerivedSchema::default();
    let fields = parse(fields, errors);
    let rule = declared.serde.rename_all;
    let properties = properties(&fields, declared, rule, &mut schema.assertions, errors);
    let closed = declared.own.closed_recursively.then(|| emit!(.closed_recursively()));
    let name = declared.name.tokens();
    let documentation = declared.own.documentation("");
    let response_only = declared.own.response_only.iter();
    schema.definition = emit! {
        ::restwright::derived::schema::PropertyCollection::new(#name) #documentation #properties #closed #(.response_only([#response_only]))*
    };
    for field in &fields {
        let member = &field.member;
        let check = field.check(&emit!(&self.#member), rule);
        schema.checks.extend(check.map(|check| validator::walked(field, declared, check)));
    }
    schema.refuse_failures = validator::refuse(&fields, rule, false);
    schema
}

pub(crate) fn parse<'f>(fields: &'f FieldsNamed, errors: &mut Errors) -> Vec<SchemaField<'f>> {
    fields.named.iter().enumerate().map(|(index, field)| SchemaField::parse(index, field, errors)).collect()
}

/// Returns the generated calls that add the fields of a struct or variant to a property collection.
pub(crate) fn properties(
    fields: &[SchemaField<'_>],
    declared: &SchemaDeclaration<'_>,
    rule: Cases,
    assertions: &mut Assertions,
    errors: &mut Errors,
) -> TokenStream {
    let closed = declared.serde.deny_unknown_fields;
    let is_default = declared.serde.default;
    let mut properties = closed.map(|_| emit!(.closed())).unwrap_or_default();
    for field in fields {
        if let (Some(flatten), Some(_)) = (field.serde.flatten, closed) {
            errors.push(
                flatten,
                "serde does not support `flatten` together with `deny_unknown_fields`; remove one of them",
            );
        }
        field.assert(is_default, &declared.input.generics, assertions);
        properties.extend(field.declare(rule, is_default));
    }
    properties
}

/// Derives the schema of a tuple struct with several fields, which is an array with one schema for each item.
pub(crate) fn tuple(declared: &SchemaDeclaration<'_>, fields: &FieldsUnnamed, errors: &mut Errors) -> DerivedSchema {
    declared.refuse_as(errors);
    let mut schema = DerivedSchema::default();
    let fields: Vec<_> =
        fields.unnamed.iter().enumerate().map(|(index, field)| SchemaField::parse(index, field, errors)).collect();
    let (definition, pattern, checks) = items(declared, &fields, &mut schema, errors);
    let documentation = declared.own.documentation("");
    schema.definition = emit!(#definition #documentation);
    if !checks.is_empty() {
        schema.checks = emit!(let Self #pattern = self; #checks);
    }
    schema
}

/// Returns the schema of an array with one item for each field, the pattern that binds the items, and their checks.
pub(super) fn items(
    declared: &SchemaDeclaration<'_>,
    fields: &[SchemaField<'_>],
    schema: &mut DerivedSchema,
    errors: &mut Errors,
) -> (TokenStream, TokenStream, TokenStream) {
    let (mut schemas, mut names, mut checks) = (Vec::new(), Vec::new(), TokenStream::new());
    for (index, field) in fields.iter().enumerate() {
        if field.serde.skip || field.serde.skip_serializing || field.serde.skip_deserializing {
            errors.push(
                field.ty.span(),
                "an item of an array cannot be skipped, because the others would move; name the fields",
            );
        }
        field.assert(false, &declared.input.generics, &mut schema.assertions);
        let typed = field.typed_schema(errors);
        schemas.push(emit!(::restwright::derived::schema::SchemaObject::from(#typed)));
        let inner = (!crate::types::is_plain(field.ty)).then(|| field.run_checks(&emit!(value)));
        let own = field.own_checks(&emit!(value));
        if inner.is_none() && own.is_none() {
            names.push(emit!(_));
            continue;
        }
        let name = Ident::new(&format!("item{index}"), proc_macro2::Span::mixed_site());
        checks.extend(emit!(checks.at_index(#index, |checks| { let value = #name; #inner #own });));
        names.push(emit!(#name));
    }
    (emit!(::restwright::derived::schema::SchemaObject::tuple([#(#schemas),*])), emit!((#(#names),*)), checks)
}

/// Derives the schema of a newtype, whose JSON is the JSON of its inner value.
pub(crate) fn newtype(declared: &SchemaDeclaration<'_>, fields: &Fields, errors: &mut Errors) -> Option<DerivedSchema> {
    let transparent = declared.serde.transparent;
    let parsed = fields.iter().enumerate().map(|(index, field)| match &declared.own.as_type {
        Some(ty) => SchemaField::parse_as(ty, index, field, errors),
        None => SchemaField::parse(index, field, errors),
    });
    let (skipped, fields_left): (Vec<_>, Vec<_>) = parsed.partition(|field| transparent && field.serde.skip);
    let mut fields_left = fields_left.into_iter();
    let (Some(field), None) = (fields_left.next(), fields_left.next()) else {
        let span = declared.input.ident.span();
        errors.push(
            span,
            match fields {
                Fields::Unit => "serde writes a unit struct as null; for an empty object write `struct Name {}`",
                Fields::Named(_) => "`#[serde(transparent)]` is for a struct with one field",
                Fields::Unnamed(_) => {
                    "a struct without fields has no schema; for an empty object write `struct Name {}`"
                }
            },
        );
        return None;
    };
    if let Some(flatten) = field.serde.flatten {
        errors.push(flatten, "this field has no surrounding object to be flattened into");
    }
    let (ty, member) = (field.ty, &field.member);
    let mut schema = DerivedSchema::default();
    field.assert(false, &declared.input.generics, &mut schema.assertions);
    let typed = field.typed_schema(errors);
    let documentation = declared.own.documentation("");
    schema.definition = emit!(#typed #documentation);
    let inner = property::schema_of(ty);
    let [optional, nullable] = ["OPTIONAL", "NULLABLE"].map(|name| {
        let name = Ident::new(name, ty.span());
        quote_spanned!(ty.span()=> #inner::#name)
    });
    let absent = transparent.then(|| emit!(const OPTIONAL: bool = #optional;));
    schema.constants = emit! {
        #absent
        const NULLABLE: bool = #nullable;
    };
    let own = field.own_checks(&emit!(&self.#member));
    let is_foreign = declared.own.as_type.is_some();
    if !is_foreign && !crate::types::is_plain(ty) {
        schema.checks.extend(validator::walked(&field, declared, field.run_checks(&emit!(&self.#member))));
    }
    if !is_foreign {
        schema.refuse_failures = validator::refuse(std::slice::from_ref(&field), Cases::default(), true);
    }
    schema.checks.extend(own);
    // A type that contains itself is not a single value. rustc also rejects a bound that depends on itself.
    if !is_foreign && !crate::types::names_itself(ty, &declared.input.ident) {
        let to_value = emit!(::restwright::derived::list::FieldValue::to_value(&self.#member));
        let skipped =
            skipped.iter().map(|SchemaField { member, .. }| emit!(#member: ::core::default::Default::default(),));
        let from_value = emit! {
            <#ty as ::restwright::derived::list::FieldValue>::from_value(value).map(|value| Self { #member: value, #(#skipped)* })
        };
        schema.value = Some(FieldValueConversion { of: Some(ty.clone()), to_value, from_value });
        let name = emit!(::restwright::derived::schema::MapKey::property_name(&self.#member));
        schema.key = Some(MapKeyConversion { of: Some(ty.clone()), name });
    }
    Some(schema)
}
