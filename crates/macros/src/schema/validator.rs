//! Emits the code for `#[schema(validator)]`, which runs the checks of the crate `validator` and reports its errors.

use proc_macro2::TokenStream;
use quote::quote_spanned;
use syn::Attribute;
use syn::spanned::Spanned;

use super::SchemaDeclaration;
use super::attributes::SchemaAttributes;
use super::field::SchemaField;
use crate::errors::{self, Errors};
use crate::serde_attributes::Cases;
use crate::settings::{self, Setting};
use crate::{property, types};

/// Returns whether a field has `#[validate(nested)]`. The crate `validator` then checks the fields inside its value.
fn is_nested(field: &SchemaField<'_>, declared: &SchemaDeclaration<'_>) -> bool {
    let is_nested = has(field.attributes, "nested") || has(&declared.input.attrs, "nest_all_fields");
    is_nested && !has(field.attributes, "skip")
}

/// Returns whether `#[validate(..)]` contains the flag `name`.
fn has(attributes: &[Attribute], name: &str) -> bool {
    let is_set = |setting: &Setting| {
        let value = setting.value(&mut Errors::default());
        setting.is_flag() || value.is_some_and(|value| value.to_string() == "true")
    };
    // The derive of validator reports the errors of these attributes.
    settings::of(attributes, "validate", &mut Errors::default())
        .iter()
        .any(|setting| setting.name == name && is_set(setting))
}

/// Reports an error if the feature `validator` is off, or if `#[validate(context = ..)]` requires a context.
pub(super) fn check(own: &SchemaAttributes, attributes: &[Attribute], errors: &mut Errors) {
    let Some(validator) = &own.validator else { return };
    if !cfg!(feature = "validator") {
        errors.push(validator.span(), errors::needs_feature("#[schema(validator)]", "validator"));
    }
    let settings = settings::of(attributes, "validate", &mut Errors::default());
    if let Some(context) = settings.iter().find(|setting| setting.name == "context") {
        errors.push(context.span(), WITH_CONTEXT);
    }
}

const WITH_CONTEXT: &str = "`#[schema(validator)]` cannot provide a context, because it checks a value while the value is read; remove `context`, and run the checks that need it in the controller";

/// Returns the statement that runs `Validate::validate` on the whole value.
pub(super) fn run(own: &SchemaAttributes) -> Option<TokenStream> {
    // Uses the span of the attribute, so rustc reports there that the type is not `Validate`.
    own.validator.as_ref().map(|validator| emit_at!(validator.span()=> checks.validator(self);))
}

/// Wraps the checks of a field's value, so a nested `Validate` does not run twice. The outer `Validate` has already run
/// it.
pub(super) fn walked(field: &SchemaField<'_>, declared: &SchemaDeclaration<'_>, checks: TokenStream) -> TokenStream {
    if !cfg!(feature = "validator") || types::is_plain(field.ty) {
        return checks;
    }
    match (is_nested(field, declared), &declared.own.validator) {
        (true, None) => checks,
        (is_nested, _) => emit!(checks.walked(#is_nested, |checks| { #checks });),
    }
}

/// Returns the function `refuse_failures`, which reports the failed `validator` checks in the order of the fields.
pub(super) fn refuse(fields: &[SchemaField<'_>], rule: Cases, is_transparent: bool) -> Option<TokenStream> {
    let reports = fields.iter().map(|field| {
        let member = &field.member;
        let key = field.key();
        if field.is_not_read() {
            return emit!(let _ = failures.take(#key););
        }
        // Uses the span of the type, where rustc reports a missing schema.
        let schema = property::schema_of(field.ty);
        let refuse = quote_spanned!(field.ty.span()=> #schema::refuse_failures);
        let refuse = emit!(#refuse(&self.#member, failures, checks));
        let is_at_once = is_transparent || field.serde.flatten.is_some();
        let name = field.names(rule).read;
        let refuse = if is_at_once { refuse } else { emit!(checks.at(#name, |checks| #refuse)) };
        emit! {
            if let ::core::option::Option::Some(failures) = failures.take(#key) {
                #refuse;
            }
        }
    });
    cfg!(feature = "validator").then(|| {
        emit! {
            fn refuse_failures(
                &self,
                failures: ::restwright::derived::schema::Failures,
                checks: &mut ::restwright::derived::schema::Checks<'_>,
            ) {
                let mut failures = failures.by_field(checks);
                #(#reports)*
                failures.refuse(checks);
            }
        }
    })
}
