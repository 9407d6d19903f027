//! Implements `#[derive(Sort)]` for an enum with one variant per sort field.

use proc_macro2::{Ident, Span, TokenStream};
use syn::ext::IdentExt;
use syn::spanned::Spanned;
use syn::{Data, DeriveInput, Fields, Variant};

use crate::case::Case;
use crate::errors::Errors;
use crate::settings::Setting;
use crate::{case, settings, suggest};

pub(crate) fn derive(input: &DeriveInput) -> TokenStream {
    let mut errors = Errors::default();
    let fields = parse(input, &mut errors);
    let output = emit(input, &fields);
    errors.finish(output, || stub(input))
}

struct SortableField<'f> {
    ident: &'f Ident,
    name: String,
    is_identifier: bool,
    /// The direction of the field in the default sort order, or `None` if the default order does not use the field.
    default: Option<Ident>,
    is_computed: bool,
}

fn parse<'i>(input: &'i DeriveInput, errors: &mut Errors) -> Vec<SortableField<'i>> {
    let Data::Enum(data) = &input.data else {
        errors.push(input.ident.span(), "sort fields must be an enum with one variant per field");
        return Vec::new();
    };
    if !input.generics.params.is_empty() {
        errors.push(input.generics.span(), "sort fields cannot be generic");
    }
    let rule = Case::of_type(&input.attrs, "sort", errors);
    let fields: Vec<_> = data.variants.iter().map(|variant| SortableField::parse(variant, rule, errors)).collect();
    let mut identifiers = fields.iter().filter(|field| field.is_identifier);
    if identifiers.next().is_none() {
        errors.push(
            input.ident.span(),
            "every order must end with the identifier of the items; mark its variant with `#[sort(id)]`",
        );
    }
    for second in identifiers {
        errors.push(
            second.ident.span(),
            "a list must have only one identifier; mark only one variant with `#[sort(id)]`",
        );
    }
    fields
}

impl<'f> SortableField<'f> {
    fn parse(variant: &'f Variant, rule: Option<Case>, errors: &mut Errors) -> Self {
        if !matches!(variant.fields, Fields::Unit) {
            errors.push(variant.fields.span(), "a sort field must be a variant without values");
        }
        let ident = &variant.ident;
        // Converts to snake case, so `rename_all` has the same effect as on the fields of the record.
        let name = case::snake(&ident.unraw().to_string());
        let name = rule.map_or_else(|| name.clone(), |rule| rule.field(&name));
        let mut field = Self { ident, name, is_identifier: false, default: None, is_computed: false };
        for setting in settings::of(&variant.attrs, "sort", errors) {
            match setting.name.to_string().as_str() {
                "id" => field.is_identifier = setting.flag(errors),
                "default" => field.default = direction(&setting, errors),
                "computed" => field.is_computed = setting.flag(errors),
                "rename" => field.name = setting.text(errors).map(|text| text.value()).unwrap_or_default(),
                other => {
                    let message = suggest::unknown("sort attribute", other, &["id", "default", "rename", "computed"]);
                    errors.push(setting.span(), message);
                }
            }
        }
        field
    }
}

/// Parses the setting `default`, `default = asc` or `default = desc`.
fn direction(setting: &Setting, errors: &mut Errors) -> Option<Ident> {
    let given = if setting.is_flag() { "asc".to_owned() } else { setting.value(errors)?.to_string() };
    let direction = match given.as_str() {
        "asc" => "Ascending",
        "desc" => "Descending",
        _ => {
            errors.push(setting.span(), "a default direction must be `asc` or `desc`: write `default = desc`");
            return None;
        }
    };
    Some(Ident::new(direction, Span::mixed_site()))
}

fn emit(input: &DeriveInput, fields: &[SortableField<'_>]) -> TokenStream {
    let ident = &input.ident;
    let variants: Vec<_> = fields.iter().map(|field| field.ident).collect();
    let names: Vec<_> = fields.iter().map(|field| &field.name).collect();
    let identifier = fields.iter().position(|field| field.is_identifier).unwrap_or_default();
    let positions = 0..fields.len();
    let defaults = fields.iter().filter_map(|field| {
        let (name, direction) = (&field.name, field.default.as_ref()?);
        Some(emit!(.default(#name, ::restwright::derived::list::Direction::#direction)))
    });
    let computed = fields.iter().filter(|field| field.is_computed).map(|field| &field.name);
    let name = if fields.is_empty() { emit!("") } else { emit!(match self { #(Self::#variants => #names),* }) };
    emit! {
        #[automatically_derived]
        impl ::restwright::derived::list::Sort for #ident {
            fn declare(
                _: &::restwright::derived::core::Route,
            ) -> ::core::result::Result<::restwright::derived::list::SortFields, ::restwright::derived::core::BuildErrors> {
                ::core::result::Result::Ok(
                    ::restwright::derived::list::SortFields::with_identifier_at([#(#names),*], #identifier)
                        #(#defaults)*
                        #(.computed(#computed))*,
                )
            }

            fn at(_: &::restwright::derived::list::SortFields, index: usize) -> ::core::option::Option<Self> {
                match index {
                    #(#positions => ::core::option::Option::Some(Self::#variants),)*
                    _ => ::core::option::Option::None,
                }
            }

            fn name(&self) -> &str {
                #name
            }
        }
    }
}

/// Returns a placeholder impl without sort fields for a type whose derive failed.
fn stub(input: &DeriveInput) -> TokenStream {
    let ident = &input.ident;
    let (impl_generics, type_generics, where_clause) = input.generics.split_for_impl();
    emit! {
        impl #impl_generics ::restwright::derived::list::Sort for #ident #type_generics #where_clause {
            fn declare(
                _: &::restwright::derived::core::Route,
            ) -> ::core::result::Result<::restwright::derived::list::SortFields, ::restwright::derived::core::BuildErrors> {
                ::core::unreachable!()
            }

            fn at(_: &::restwright::derived::list::SortFields, _: usize) -> ::core::option::Option<Self> {
                ::core::option::Option::None
            }

            fn name(&self) -> &str {
                ""
            }
        }
    }
}
