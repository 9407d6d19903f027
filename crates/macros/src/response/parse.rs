//! Parses the responses of a type from its fields and attributes.

use proc_macro2::{Ident, Span};
use syn::ext::IdentExt;
use syn::spanned::Spanned;
use syn::{Attribute, Data, DeriveInput, Fields, LitStr, Member};

use super::{BodySource, ResponseHeader, StatusResponse};
use crate::errors::Errors;
use crate::status::StatusSetting;
use crate::{case, docs, marker, settings, suggest};

pub(super) fn responses<'i>(input: &'i DeriveInput, errors: &mut Errors) -> Vec<StatusResponse<'i>> {
    let responses: Vec<_> = match &input.data {
        Data::Struct(data) => {
            StatusResponse::parse(None, &input.ident, &input.attrs, &data.fields, errors).into_iter().collect()
        }
        Data::Enum(data) => {
            for attribute in input.attrs.iter().filter(|attribute| attribute.path().is_ident("response")) {
                errors.push(
                    attribute.path().span(),
                    "each variant has a separate status; put `#[response(..)]` on the variants",
                );
            }
            if data.variants.is_empty() {
                errors.push(input.ident.span(), "an enum without variants has no responses; add a variant");
            }
            let variants = data.variants.iter().filter_map(|variant| {
                StatusResponse::parse(Some(&variant.ident), &variant.ident, &variant.attrs, &variant.fields, errors)
            });
            variants.collect()
        }
        Data::Union(data) => {
            errors.push(data.union_token.span, "a response must be a struct, or an enum with one status per variant");
            Vec::new()
        }
    };
    check_statuses(&responses, errors);
    responses
}

/// Checks that all responses differ in status or media type, because the document has one entry for each combination.
fn check_statuses(responses: &[StatusResponse<'_>], errors: &mut Errors) {
    for (index, response) in responses.iter().enumerate() {
        let media_type = response.content_type.as_ref().map(LitStr::value);
        let is_same = |other: &StatusResponse<'_>| {
            other.status.code == response.status.code && other.content_type.as_ref().map(LitStr::value) == media_type
        };
        if responses.iter().take(index).any(is_same) {
            let code = response.status.code;
            let message = format!("another variant already has the status {code}; combine both into one body");
            errors.push(response.status.span, message);
        }
    }
}

impl<'a> StatusResponse<'a> {
    fn parse(
        variant: Option<&'a Ident>,
        ident: &'a Ident,
        attributes: &[Attribute],
        fields: &'a Fields,
        errors: &mut Errors,
    ) -> Option<Self> {
        let (mut status, mut content_type, mut may_have_status) = (None, None, false);
        for setting in settings::of(attributes, "response", errors) {
            match setting.name.to_string().as_str() {
                "status" => {
                    may_have_status = true;
                    status = StatusSetting::parse(&setting, errors);
                }
                "content_type" => content_type = setting.text(errors),
                other => {
                    // It may be a misspelt `status`, so the missing status is not reported.
                    may_have_status = true;
                    let known = ["status", "content_type"];
                    errors.push(setting.span(), suggest::unknown("response attribute", other, &known));
                }
            }
        }
        if !may_have_status {
            errors.push(ident.span(), "the status is missing: write `#[response(status = 200)]`");
        }
        let (headers, body) = parse_fields(variant.is_some(), fields, errors);
        let response =
            Self { variant, status: status?, content_type, description: docs::description(attributes), headers, body };
        response.check(ident.span(), errors);
        Some(response)
    }

    fn check(&self, span: Span, errors: &mut Errors) {
        let StatusSetting { code, span: at, .. } = self.status;
        let has_body = !matches!(self.body, BodySource::None);
        if code >= 400 {
            let message = format!(
                "{code} is the status of a failure; return a `Problem`, and derive `Problem` for your own errors"
            );
            errors.push(at, message);
        } else if has_body && self.status.is_without_body() {
            let message = format!(
                "a response with {code} must not have a body (RFC 9110, section 15); remove the fields, or use 200"
            );
            errors.push(at, message);
        }
        if let Some(content_type) = &self.content_type {
            if !is_media_type(&content_type.value()) {
                errors.push(
                    content_type.span(),
                    "not a media type (RFC 9110, section 8.3.1); write one such as \"text/csv\"",
                );
            } else if !has_body {
                errors.push(span, "the response has no body for this media type; remove `content_type`");
            }
        }
    }
}

/// Parses the fields into headers and the body.
fn parse_fields<'a>(
    is_variant: bool,
    fields: &'a Fields,
    errors: &mut Errors,
) -> (Vec<ResponseHeader<'a>>, BodySource<'a>) {
    let (mut headers, mut body) = (Vec::new(), BodySource::None);
    let is_marker = |attribute: &&Attribute| attribute.path().is_ident("header") || attribute.path().is_ident("body");
    let is_marked = |field: &syn::Field| field.attrs.iter().any(|attribute| is_marker(&attribute));
    if !is_variant && !fields.is_empty() && !fields.iter().any(is_marked) {
        return (headers, BodySource::Itself);
    }
    // A variant such as `Pet(PetResponse)` contains its whole body in one field.
    let is_wrapper = is_variant && matches!(fields, Fields::Unnamed(_)) && fields.len() == 1;
    for (index, field) in fields.iter().enumerate() {
        let member = field.ident.clone().map_or_else(|| Member::from(index), Member::Named);
        let mut markers = field.attrs.iter().filter(is_marker);
        let marker = markers.next();
        if let Some(second) = markers.next() {
            errors.push(
                second.path().span(),
                "a field must be either a header or the body; keep one of these attributes",
            );
        }
        match marker {
            Some(marker) if marker.path().is_ident("header") => headers.push(header(member, field, marker, errors)),
            None if !is_wrapper => {
                errors.push(
                    member.span(),
                    "a field must be a header or the body; write `#[header(\"Name\")]` or `#[body]`",
                );
            }
            _ if matches!(body, BodySource::None) => {
                if let Some(marker) = marker {
                    let instead = "write the media type in `#[response(status = .., content_type = \"text/csv\")]`";
                    marker::takes_nothing(marker, instead, errors);
                }
                body = BodySource::Field(member, &field.ty);
            }
            _ => errors.push(member.span(), "a response must have only one body; put both into one type"),
        }
    }
    (headers, body)
}

/// Parses a field with the attribute `#[header]`.
fn header<'a>(member: Member, field: &'a syn::Field, marker: &Attribute, errors: &mut Errors) -> ResponseHeader<'a> {
    let name = marker::written_name(marker, errors)
        .or_else(|| field.ident.as_ref().map(|ident| case::header(&ident.unraw().to_string())))
        .unwrap_or_else(|| {
            errors.push(
                marker.path().span(),
                "a field without a name requires the name of its header; write `#[header(\"Name\")]`",
            );
            String::new()
        });
    ResponseHeader { member, ty: &field.ty, name, description: docs::description(&field.attrs) }
}

/// Returns whether a string is a media type, with or without parameters.
fn is_media_type(text: &str) -> bool {
    let essence = text.split(';').next().unwrap_or_default().trim_end();
    let is_token = |text: &str| {
        !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric() || "!#$%&'*+-.^_`|~".contains(c))
    };
    text.chars().all(|character| matches!(character, ' '..='~'))
        && essence.split_once('/').is_some_and(|(kind, subtype)| is_token(kind) && is_token(subtype))
}
