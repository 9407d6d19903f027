//! Emits the enum of sort fields, which derives `Sort`.

use proc_macro2::{Span, TokenStream};
use syn::Ident;
use syn::ext::IdentExt;

use super::Declaration;
use super::field::Role;
use crate::case::Case;
use crate::errors::Errors;
use crate::settings::Setting;
use crate::suggest;

/// The parsed setting `sort` or `sort(default = desc)` of a field.
pub(super) struct SortSetting {
    /// The inner setting `default` or `default = desc`, which `#[derive(Sort)]` checks.
    default: Option<Setting>,
    pub(super) span: Span,
}

impl SortSetting {
    pub(super) fn parse(setting: &Setting, errors: &mut Errors) -> Self {
        let mut found = Self { default: None, span: setting.span() };
        if setting.is_flag() {
            return found;
        }
        for inner in setting.list(errors) {
            match inner.name.to_string().as_str() {
                "default" if found.default.is_some() => {
                    errors.push(inner.span(), "`default` occurs twice; remove one");
                }
                "default" => found.default = Some(inner),
                other => errors.push(inner.span(), suggest::unknown("sort attribute", other, &["default"])),
            }
        }
        found
    }
}

pub(super) fn emit(declared: &Declaration<'_>) -> TokenStream {
    let name = &declared.names.sort;
    let (visibility, ident) = (&declared.input.vis, &declared.input.ident);
    let doc = format!("The fields by which a list of `{ident}` is sorted.");
    let derives = declared.own.types.sort.derives_beside(&["Clone", "Copy"]);
    let variants = declared.fields.iter().filter_map(|field| {
        let is_identifier = matches!(field.role, Role::Identifier { .. });
        if field.sort.is_none() && !is_identifier {
            return None;
        }
        let variant = Ident::new(&Case::Pascal.field(&field.ident.unraw().to_string()), field.ident.span());
        let (name, doc) = (&field.name, format!("By `{}`.", field.name));
        let id = is_identifier.then(|| emit!(id,));
        let computed = (!field.shapes.list).then(|| emit!(computed,));
        let default = field.sort.as_ref().and_then(|sort| sort.default.as_ref()).map(|default| emit!(#default,));
        Some(emit! {
            #[doc = #doc]
            #[sort(#id #computed #default rename = #name)]
            #variant,
        })
    });
    emit! {
        #[doc = #doc]
        #[derive(::core::clone::Clone, ::core::marker::Copy, ::restwright::Sort #(, #derives)*)]
        #[sort(crate = "::restwright")]
        #visibility enum #name {
            #(#variants)*
        }
    }
}
