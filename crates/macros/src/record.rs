//! Implements `#[derive(Record)]` for a struct with fields that lists can filter and sort by.

use proc_macro2::{Ident, TokenStream};
use syn::ext::IdentExt;
use syn::spanned::Spanned;
use syn::{Data, DeriveInput, Fields, Generics, Type, Visibility, parse_quote};

use crate::errors::Errors;
use crate::serde_attributes::{self, Cases};
use crate::{settings, suggest, types};

pub(crate) fn derive(input: &DeriveInput) -> TokenStream {
    let mut errors = Errors::default();
    let fields = parse(input, &mut errors);
    let output = emit(input, &fields);
    errors.finish(output, || stub(input))
}

/// Returns the `Record` impl of a resource. Omits a field whose type is not a single value, unless `values` contains
/// the field.
pub(crate) fn of_resource(input: &DeriveInput, values: &[&Ident], errors: &mut Errors) -> TokenStream {
    let mut fields = parse(input, errors);
    for field in &mut fields {
        field.may_have_no_value = !values.contains(&field.ident);
    }
    emit(input, &fields)
}

struct RecordField<'f> {
    ident: &'f Ident,
    vis: &'f Visibility,
    ty: &'f Type,
    /// The name of the field in JSON, or `None` for a flattened field.
    name: Option<String>,
    /// `true` if the type of the field need not be a single value. The record omits a field whose type is not a single
    /// value.
    may_have_no_value: bool,
}

fn parse<'i>(input: &'i DeriveInput, errors: &mut Errors) -> Vec<RecordField<'i>> {
    // The derives of serde and `Schema` report the errors of these attributes.
    let rule = serde_attributes::Container::parse(&input.attrs, &mut Errors::default()).rename_all;
    match &input.data {
        Data::Struct(data) if matches!(data.fields, Fields::Named(_)) => {
            data.fields.iter().filter_map(|field| RecordField::parse(field, rule, errors)).collect()
        }
        _ => {
            let message = "a record must be a struct with named fields; for other types write `impl Record` manually";
            errors.push(input.ident.span(), message);
            Vec::new()
        }
    }
}

impl<'f> RecordField<'f> {
    /// Parses a field of a record. Returns `None` if the field is skipped.
    fn parse(field: &'f syn::Field, rule: Cases, errors: &mut Errors) -> Option<Self> {
        let ident = field.ident.as_ref()?;
        let serde = serde_attributes::SerdeField::parse(&field.attrs, &mut Errors::default());
        let mut skip = serde.skip;
        for setting in settings::of(&field.attrs, "record", errors) {
            match setting.name.to_string().as_str() {
                "skip" => skip = setting.flag(errors),
                other => errors.push(setting.span(), suggest::unknown("record attribute", other, &["skip"])),
            }
        }
        let name = || serde.names(&ident.unraw().to_string(), rule).written;
        let name = serde.flatten.is_none().then(name);
        (!skip).then_some(Self { ident, vis: &field.vis, ty: &field.ty, name, may_have_no_value: false })
    }

    fn of_trait(&self) -> TokenStream {
        match self.name {
            Some(_) => emit!(::restwright::derived::list::FieldValue),
            None => emit!(::restwright::derived::list::Record),
        }
    }
}

fn emit(input: &DeriveInput, fields: &[RecordField<'_>]) -> TokenStream {
    let ident = &input.ident;
    let generics = bounded(&input.generics, fields);
    let (impl_generics, type_generics, where_clause) = generics.split_for_impl();
    let values = fields.iter().filter_map(|RecordField { ident, ty, name, may_have_no_value, .. }| {
        let name = name.as_ref()?;
        let value = match may_have_no_value {
            true => emit_at!(ty.span()=> <::restwright::derived::list::MaybeValue<#ty>>::value(&self.#ident)),
            false => emit_at!(ty.span()=> <#ty as ::restwright::derived::list::FieldValue>::to_value(&self.#ident)),
        };
        Some(emit!(#name => #value,))
    });
    // Returns the value of the first flattened record that has the field. Flattened records share no field.
    let rest =
        fields.iter().rev().filter(|field| field.name.is_none()).fold(None, |rest, RecordField { ident, ty, .. }| {
            let value = emit_at!(ty.span()=> <#ty as ::restwright::derived::list::Record>::value(&self.#ident, field));
            Some(match rest {
                None => value,
                Some(rest) => emit! {
                    match #value {
                        ::restwright::derived::list::Value::Null => #rest,
                        value => value,
                    }
                },
            })
        });
    let others = fields.iter().filter(|field| field.name.is_none()).map(|field| field.ty);
    let has_names = fields.iter().filter_map(|RecordField { ty, name, may_have_no_value, .. }| {
        let name = name.as_ref()?;
        Some(match may_have_no_value {
            true => emit!(#name => <::restwright::derived::list::MaybeValue<#ty>>::IS_FIELD,),
            false => emit!(#name => true,),
        })
    });
    let no_value = fields.iter().any(|field| field.may_have_no_value).then(|| {
        emit!(
            #[allow(unused_imports, reason = "for types without a value")]
            use ::restwright::derived::list::NoValue as _;
        )
    });
    let known = known_fields(input, fields);
    let rest = rest.unwrap_or_else(|| emit!(::restwright::derived::list::Value::Null));
    emit! {
        #[automatically_derived]
        #[allow(deprecated, reason = "a record has all its fields")]
        impl #impl_generics ::restwright::derived::list::Record for #ident #type_generics #where_clause {
            fn has_field(field: &str) -> bool {
                #no_value
                match field {
                    #(#has_names)*
                    _ => false #(|| <#others as ::restwright::derived::list::Record>::has_field(field))*,
                }
            }

            fn value(&self, field: &str) -> ::restwright::derived::list::Value<'_> {
                #no_value
                match field {
                    #(#values)*
                    _ => #rest,
                }
            }
        }

        #known
    }
}

/// Returns the `RecordFields` impl, which provides constants for conditions such as `Pet::FIELDS.id.eq(7)`. Returns
/// `None` for a generic record. A flattened struct contributes its own `FIELDS`.
fn known_fields(input: &DeriveInput, fields: &[RecordField<'_>]) -> Option<TokenStream> {
    let ident = &input.ident;
    let named = || fields.iter().filter_map(|field| Some((field, field.name.as_ref()?)));
    let declared = named()
        .map(|(RecordField { ident, ty, vis, .. }, _)| emit!(#vis #ident: ::restwright::derived::list::Field<#ty>));
    let made =
        named().map(|(RecordField { ident, .. }, name)| emit!(#ident: ::restwright::derived::list::Field::new(#name)));
    input.generics.params.is_empty().then(|| {
        emit! {
            const _: () = {
                #[doc(hidden)]
                #[allow(dead_code, deprecated, missing_docs, missing_debug_implementations, private_interfaces, unreachable_pub, reason = "the record has the same fields")]
                pub struct __Fields { #(#declared),* }

                #[automatically_derived]
                #[allow(deprecated, reason = "a record has all its fields")]
                impl ::restwright::derived::list::RecordFields for #ident {
                    type Fields = __Fields;
                    const FIELDS: __Fields = __Fields { #(#made),* };
                }
            };
        }
    })
}

/// Adds a bound for each field type of a generic record, so the emitted code can return the field's value.
fn bounded(generics: &Generics, fields: &[RecordField<'_>]) -> Generics {
    let mut bounded = generics.clone();
    for field in fields.iter().filter(|field| types::mentions(field.ty, generics)) {
        let (ty, of_trait) = (field.ty, field.of_trait());
        bounded.make_where_clause().predicates.push(parse_quote!(#ty: #of_trait));
    }
    bounded
}

/// Returns a placeholder impl for a type whose derive failed. The impl accepts every field name, so filters and sort
/// fields cause no errors.
pub(crate) fn stub(input: &DeriveInput) -> TokenStream {
    let ident = &input.ident;
    let (impl_generics, type_generics, where_clause) = input.generics.split_for_impl();
    emit! {
        impl #impl_generics ::restwright::derived::list::Record for #ident #type_generics #where_clause {
            fn has_field(_: &str) -> bool {
                true
            }

            fn value(&self, _: &str) -> ::restwright::derived::list::Value<'_> {
                ::restwright::derived::list::Value::Null
            }
        }
    }
}
