//! Emits the response types of a resource, one for the view operation and one for list items.
//!
//! A response type is the struct itself, or a generated struct with fewer fields.

use proc_macro2::TokenStream;
use quote::ToTokens;
use syn::Ident;

use super::Declaration;
use super::field::ResourceField;
use super::shapes::ShapeSet;
use crate::generated_type::GeneratedType;
use crate::{docs, settings};

/// The response types of a resource, one for the view operation and one for list items.
pub(super) struct Outputs {
    pub(super) view: TokenStream,
    pub(super) item: TokenStream,
    /// The code of the generated response structs, if any.
    pub(super) structs: TokenStream,
}

impl Outputs {
    pub(super) fn new(declared: &Declaration<'_>) -> Self {
        let shows_all = |shows: fn(ShapeSet) -> bool| declared.fields.iter().all(|field| is_whole(field, shows));
        let types = &declared.own.types;
        let mut structs = TokenStream::new();
        let mut shape = |name: &Ident, suffix, setting, shows| {
            if shows_all(shows) {
                return emit!(Self);
            }
            structs.extend(emit(declared, name, suffix, setting, shows));
            name.to_token_stream()
        };
        let view = shape(&declared.names.view, "View", &types.view, |shapes| shapes.view);
        let is_same = declared.fields.iter().all(|field| field.shapes.view == field.shapes.list);
        let item = match is_same && types.item.name.is_none() {
            true => view.clone(),
            false => shape(&declared.names.item, "Item", &types.item, |shapes| shapes.list),
        };
        Self { view, item, structs }
    }
}

/// Returns whether a response type contains a field. `shows` selects the view or the list items.
fn is_whole(field: &ResourceField<'_>, shows: fn(ShapeSet) -> bool) -> bool {
    shows(field.shapes)
}

fn emit(
    declared: &Declaration<'_>,
    name: &Ident,
    suffix: &str,
    setting: &GeneratedType,
    shows: fn(ShapeSet) -> bool,
) -> TokenStream {
    let (visibility, ident) = (&declared.input.vis, &declared.input.ident);
    let doc = docs::description(&declared.input.attrs)
        .unwrap_or_else(|| format!("The properties of `{ident}` that a response shows."));
    let doc = doc.lines().map(|line| format!(" {line}"));
    let derives = setting.derives_beside(&[]);
    let schema = declared.schema_name("", suffix);
    let serde = settings::kept(&declared.input.attrs, "serde", |name| ["rename_all", "crate"].contains(&name));
    let fields: Vec<_> = declared.fields.iter().filter(|field| shows(field.shapes)).collect();
    let idents: Vec<_> = fields.iter().map(|field| field.ident).collect();
    let members = fields.iter().map(|field| {
        let (ident, ty, visibility, docs) = (field.ident, field.ty, &field.syntax.vis, field.docs());
        let kept = settings::kept(&field.syntax.attrs, "serde", |name| {
            ["rename", "skip_serializing_if", "bound"].contains(&name)
        });
        let property = field.property(&["validate"], !field.shapes.is_written());
        emit! {
            #(#docs)*
            #(#[serde(#kept)])*
            #property
            #visibility #ident: #ty,
        }
    });
    emit! {
        #(#[doc = #doc])*
        #[derive(::serde::Serialize, ::restwright::Schema #(, #derives)*)]
        #[schema(crate = "::restwright")]
        #(#[serde(#serde)])*
        #schema
        #visibility struct #name {
            #(#members)*
        }

        #[automatically_derived]
        #[allow(deprecated, reason = "the schema says so")]
        impl ::core::convert::From<#ident> for #name {
            fn from(entity: #ident) -> Self {
                Self { #(#idents: entity.#idents),* }
            }
        }
    }
}
