//! Emits the code that prepares, documents and writes a response with one status.

use proc_macro2::{Span, TokenStream};
use syn::Member;
use syn::ext::IdentExt;
use syn::spanned::Spanned;

use super::{BodySource, ResponseHeader, StatusResponse};
use crate::emit::moved;
use crate::plan::PlanValue;

impl StatusResponse<'_> {
    /// Returns the values in the associated type `Plan`. The values for the headers precede the value for the body.
    pub(super) fn plan_values(&self) -> Vec<PlanValue> {
        let mut values: Vec<_> = self.headers.iter().map(ResponseHeader::plan_value).collect();
        values.extend(self.body.ty().map(|ty| {
            let implemented = emit_at!(ty.span()=> <#ty as ::restwright::derived::core::body::WriteBody>);
            let make = match &self.content_type {
                Some(content_type) => emit_at!(ty.span()=> #implemented::plan_as(#content_type, context)),
                None => emit_at!(ty.span()=> #implemented::plan(context)),
            };
            PlanValue { ty: emit_at!(ty.span()=> #implemented::Plan), make }
        }));
        values
    }

    /// Returns the code that adds the response to the OpenAPI operation. `plans` contains the expressions for the
    /// values of the plan.
    pub(super) fn describe(&self, plans: &[TokenStream]) -> TokenStream {
        let status = self.status.tokens();
        let description = self.description.iter();
        let headers = self.headers.iter().zip(plans).map(|(header, plan)| {
            let description = match &header.description {
                Some(text) => emit!(::core::option::Option::Some(#text)),
                None => emit!(::core::option::Option::None),
            };
            emit!(::restwright::derived::core::HeaderPlan::describe(#plan, #description, response);)
        });
        let body = self.body.ty().zip(plans.last()).map(
            |(ty, plan)| emit_at!(ty.span()=> <#ty as ::restwright::derived::core::body::WriteBody>::describe(#plan, response);),
        );
        let content_type = self.content_type.iter();
        let described = emit! {
            #(response.description = ::core::option::Option::Some(#description.to_owned());)*
            #(#headers)*
            #body
            #(if let ::core::option::Option::Some(content) = response.content.last_mut() {
                content.name = #content_type.to_owned();
            })*
        };
        if described.is_empty() {
            return emit!(operation.response(#status););
        }
        emit! {
            let response = operation.response(#status);
            #described
        }
    }

    /// Returns the code that writes the response. `plans` contains the expressions for the values of the plan.
    pub(super) fn respond(&self, plans: &[TokenStream]) -> TokenStream {
        let status = self.status.tokens();
        let is_variant = self.variant.is_some();
        let headers = self.headers.iter().zip(plans).map(|(header, plan)| {
            let value = value_of(&header.member, is_variant);
            let value = moved(emit!(&#value), header.ty.span());
            emit_at!(header.ty.span()=> ::restwright::derived::core::HeaderPlan::write(#plan, #value, &mut response)?;)
        });
        let body = self.body.ty().zip(plans.last()).map(|(ty, plan)| {
            let value = match &self.body {
                BodySource::Field(member, _) => value_of(member, is_variant),
                _ => emit!(self),
            };
            emit_at!(ty.span()=> <#ty as ::restwright::derived::core::body::WriteBody>::write(#value, #plan, &mut response)?;)
        });
        let content_type = self.content_type.iter();
        emit! {
            let mut response = ::restwright::derived::core::http::HttpResponse::new(#status);
            #(#headers)*
            #body
            #(response.headers_mut().insert(
                ::restwright::derived::core::http::header::CONTENT_TYPE,
                ::restwright::derived::core::http::HeaderValue::from_static(#content_type),
            );)*
            ::core::result::Result::Ok(response)
        }
    }

    /// Returns the match pattern that binds the fields of the variant.
    pub(super) fn pattern(&self) -> TokenStream {
        let body = match &self.body {
            BodySource::Field(member, _) => Some(member),
            _ => None,
        };
        let members: Vec<_> = self.headers.iter().map(|header| &header.member).chain(body).collect();
        let names = members.iter().map(|member| value_of(member, true));
        let ident = self.variant;
        emit!(Self::#ident { #(#members: #names),* })
    }
}

impl ResponseHeader<'_> {
    fn plan_value(&self) -> PlanValue {
        let Self { ty, name, .. } = self;
        let plan = emit_at!(ty.span()=> ::restwright::derived::core::HeaderPlan::<#ty>);
        PlanValue { make: emit_at!(ty.span()=> #plan::new(#name, context)), ty: plan }
    }
}

impl BodySource<'_> {
    /// Returns the type of the body.
    pub(super) fn ty(&self) -> Option<TokenStream> {
        match self {
            Self::None => None,
            Self::Itself => Some(emit!(Self)),
            Self::Field(_, ty) => Some(emit!(#ty)),
        }
    }
}

/// Returns the expression for the value of a field. It is `self.field` in a struct, or the bound variable in a variant.
fn value_of(member: &Member, is_variant: bool) -> TokenStream {
    if !is_variant {
        return emit!(self.#member);
    }
    let name = match member {
        Member::Named(ident) => quote::format_ident!("value_{}", ident.unraw(), span = Span::mixed_site()),
        Member::Unnamed(index) => quote::format_ident!("value_{}", index.index, span = Span::mixed_site()),
    };
    emit!(#name)
}
