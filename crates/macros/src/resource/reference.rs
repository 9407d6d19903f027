//! Parses the settings `parent = Contract` and `references(Customer, on_delete = cascade)`.

use proc_macro2::TokenStream;
use syn::parse::{Parse, ParseStream};
use syn::{Ident, Token, Type};

use crate::errors::Errors;
use crate::settings::Setting;
use crate::suggest;

/// The resource that a field refers to, and the effect of deleting an entity of that resource.
pub(super) struct FieldReference {
    pub(super) target: Type,
    /// The name of an `OnDelete` variant.
    on_delete: &'static str,
}

impl FieldReference {
    pub(super) fn parse(setting: &Setting, errors: &mut Errors) -> Option<Self> {
        let name = &setting.name;
        if setting.is_flag() {
            errors.push(setting.span(), format!("`{name}` requires a resource: write `{name} = Customer`"));
            return None;
        }
        let Ok(ReferenceAttribute { target, on_delete }) = syn::parse2(setting.tokens()) else {
            let message = format!("write `{name} = Customer` or `{name}(Customer, on_delete = cascade)`");
            errors.push(setting.span(), message);
            return None;
        };
        let variant = match on_delete.as_ref().map(ToString::to_string).as_deref() {
            None | Some("restrict") => "Restrict",
            Some("cascade") => "Cascade",
            Some("keep") if name == "references" => "Keep",
            Some("keep") => {
                let message = "no request finds an entity without its parent: write `on_delete = restrict` or `on_delete = cascade`, or declare a \
                               reference with `references`";
                errors.push(on_delete.as_ref().map_or(setting.span(), Ident::span), message);
                "Restrict"
            }
            Some(other) => {
                let known: &[&str] =
                    if name == "references" { &["restrict", "cascade", "keep"] } else { &["restrict", "cascade"] };
                let message = suggest::unknown("consequence", other, known);
                errors.push(on_delete.as_ref().map_or(setting.span(), Ident::span), message);
                "Restrict"
            }
        };
        Some(Self { target, on_delete: variant })
    }

    pub(super) fn on_delete(&self) -> TokenStream {
        let variant = Ident::new(self.on_delete, proc_macro2::Span::mixed_site());
        emit!(::restwright::derived::resource::OnDelete::#variant)
    }
}

struct ReferenceAttribute {
    target: Type,
    on_delete: Option<Ident>,
}

impl Parse for ReferenceAttribute {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let target = input.parse()?;
        let mut on_delete = None;
        if !input.is_empty() {
            input.parse::<Token![,]>()?;
            let name: Ident = input.parse()?;
            if name != "on_delete" {
                return Err(syn::Error::new(name.span(), "not `on_delete`"));
            }
            input.parse::<Token![=]>()?;
            on_delete = Some(input.parse()?);
        }
        input.is_empty().then_some(Self { target, on_delete }).ok_or_else(|| input.error("more than one consequence"))
    }
}
