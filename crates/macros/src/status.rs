//! Parses the HTTP status codes that the derives accept.

use proc_macro2::{Span, TokenStream};
use quote::{format_ident, quote};
use syn::LitInt;

use crate::errors::Errors;
use crate::settings::Setting;

/// The status code in a `status = ..` setting.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StatusSetting {
    pub(crate) code: u16,
    name: &'static str,
    pub(crate) span: Span,
}

impl StatusSetting {
    /// Parses a setting such as `status = 404`.
    pub(crate) fn parse(setting: &Setting, errors: &mut Errors) -> Option<Self> {
        let value = setting.value(errors)?;
        let code = syn::parse2::<LitInt>(value.clone()).and_then(|literal| literal.base10_parse::<u16>());
        let Ok(code) = code else {
            let message = "`status` requires a status code as a number: write `status = 200`";
            errors.add(syn::Error::new_spanned(value, message));
            return None;
        };
        let span = syn::Error::new_spanned(&value, "").span();
        match REGISTERED.iter().find(|(registered, _)| *registered == code) {
            Some((code, name)) => Some(Self { code: *code, name, span }),
            None => {
                errors.push(span, format!("{code} is not a status code of a final response (RFC 9110, section 15)"));
                None
            }
        }
    }

    /// Returns the expression for the status, such as `StatusCode::NOT_FOUND`.
    pub(crate) fn tokens(self) -> TokenStream {
        let name = format_ident!("{}", self.name);
        quote!(::restwright::derived::core::http::StatusCode::#name)
    }

    /// Returns whether a response with this status has no body (RFC 9110, sections 15.3.5, 15.3.6 and 15.4.5).
    pub(crate) fn is_without_body(self) -> bool {
        matches!(self.code, 204 | 205 | 304)
    }
}

/// The registered status codes except 1xx, with their constants in `http::StatusCode`.
const REGISTERED: &[(u16, &str)] = &[
    (200, "OK"),
    (201, "CREATED"),
    (202, "ACCEPTED"),
    (203, "NON_AUTHORITATIVE_INFORMATION"),
    (204, "NO_CONTENT"),
    (205, "RESET_CONTENT"),
    (206, "PARTIAL_CONTENT"),
    (207, "MULTI_STATUS"),
    (208, "ALREADY_REPORTED"),
    (226, "IM_USED"),
    (300, "MULTIPLE_CHOICES"),
    (301, "MOVED_PERMANENTLY"),
    (302, "FOUND"),
    (303, "SEE_OTHER"),
    (304, "NOT_MODIFIED"),
    (305, "USE_PROXY"),
    (307, "TEMPORARY_REDIRECT"),
    (308, "PERMANENT_REDIRECT"),
    (400, "BAD_REQUEST"),
    (401, "UNAUTHORIZED"),
    (402, "PAYMENT_REQUIRED"),
    (403, "FORBIDDEN"),
    (404, "NOT_FOUND"),
    (405, "METHOD_NOT_ALLOWED"),
    (406, "NOT_ACCEPTABLE"),
    (407, "PROXY_AUTHENTICATION_REQUIRED"),
    (408, "REQUEST_TIMEOUT"),
    (409, "CONFLICT"),
    (410, "GONE"),
    (411, "LENGTH_REQUIRED"),
    (412, "PRECONDITION_FAILED"),
    (413, "PAYLOAD_TOO_LARGE"),
    (414, "URI_TOO_LONG"),
    (415, "UNSUPPORTED_MEDIA_TYPE"),
    (416, "RANGE_NOT_SATISFIABLE"),
    (417, "EXPECTATION_FAILED"),
    (418, "IM_A_TEAPOT"),
    (421, "MISDIRECTED_REQUEST"),
    (422, "UNPROCESSABLE_ENTITY"),
    (423, "LOCKED"),
    (424, "FAILED_DEPENDENCY"),
    (425, "TOO_EARLY"),
    (426, "UPGRADE_REQUIRED"),
    (428, "PRECONDITION_REQUIRED"),
    (429, "TOO_MANY_REQUESTS"),
    (431, "REQUEST_HEADER_FIELDS_TOO_LARGE"),
    (451, "UNAVAILABLE_FOR_LEGAL_REASONS"),
    (500, "INTERNAL_SERVER_ERROR"),
    (501, "NOT_IMPLEMENTED"),
    (502, "BAD_GATEWAY"),
    (503, "SERVICE_UNAVAILABLE"),
    (504, "GATEWAY_TIMEOUT"),
    (505, "HTTP_VERSION_NOT_SUPPORTED"),
    (506, "VARIANT_ALSO_NEGOTIATES"),
    (507, "INSUFFICIENT_STORAGE"),
    (508, "LOOP_DETECTED"),
    (510, "NOT_EXTENDED"),
    (511, "NETWORK_AUTHENTICATION_REQUIRED"),
];
