//! Emits the struct for the request body of the create operation, with only the fields that clients send.

use proc_macro2::TokenStream;

use super::Declaration;
use crate::settings;

pub(super) fn emit(declared: &Declaration<'_>) -> TokenStream {
    let name = &declared.names.new;
    let (visibility, ident) = (&declared.input.vis, &declared.input.ident);
    let doc = format!("The properties of a new `{ident}`.");
    let derives = declared.own.types.new.derives_beside(&["Clone"]);
    let schema = declared.schema_name_of_new();
    let serde = settings::kept(&declared.input.attrs, "serde", |name| ["rename_all", "crate"].contains(&name));
    let fields: Vec<_> = declared.fields.iter().filter(|field| field.shapes.create).collect();
    let members = fields.iter().map(|field| {
        let (ident, ty, visibility, docs) = (field.ident, field.ty, &field.syntax.vis, field.docs());
        let kept = settings::kept(&field.syntax.attrs, "serde", |name| {
            ["rename", "alias", "default", "bound"].contains(&name)
        });
        // Omits `validate`, because custom checks run on the created entity.
        let property = field.property(&["validate"], false);
        emit! {
            #(#docs)*
            #(#[serde(#kept)])*
            #property
            #visibility #ident: #ty,
        }
    });
    let default = declared.default.as_ref().map(|default| {
        let idents = fields.iter().map(|field| field.ident);
        emit! {
            #[automatically_derived]
            #[allow(deprecated, reason = "the schema says so")]
            impl ::core::default::Default for #name {
                fn default() -> Self {
                    let whole: #ident = #default;
                    Self { #(#idents: whole.#idents),* }
                }
            }
        }
    });
    let closed =
        (!declared.own.ignores_unknown).then(|| emit!(#[serde(deny_unknown_fields)] #[schema(closed_recursively)]));
    let unsent = declared.fields.iter().filter(|field| !field.shapes.create && field.shapes.is_read());
    let response_only: Vec<_> = unsent.map(|field| &field.name).chain(&declared.own.added).collect();
    let response_only = (!response_only.is_empty()).then(|| emit!(#[schema(response_only(#(#response_only),*))]));
    let serde_default = default.is_some().then(|| emit!(#[serde(default)]));
    emit! {
        #[doc = #doc]
        #[derive(::core::clone::Clone, ::serde::Deserialize, ::restwright::Schema #(, #derives)*)]
        #[schema(crate = "::restwright")]
        #(#[serde(#serde)])*
        #closed
        #serde_default
        #response_only
        #schema
        #visibility struct #name {
            #(#members)*
        }

        #default
    }
}
