//! Parses the access settings of a field, such as `read = "hr"` and `read(role = "hr", claim = "roles")`.

use proc_macro2::{Span, TokenStream};
use syn::LitStr;

use super::field::{ResourceField, Role};
use crate::errors::Errors;
use crate::settings::Setting;
use crate::suggest;

/// A permission, scope or role that a caller must have to read or write a field.
pub(super) struct FieldRequirement {
    pub(super) span: Span,
    kind: RequirementKind,
}

enum RequirementKind {
    Permission(LitStr),
    Scope(LitStr),
    Role { role: LitStr, claim: LitStr },
}

impl FieldRequirement {
    pub(super) fn parse(setting: &Setting, errors: &mut Errors) -> Option<Self> {
        let kind = if setting.is_list() { Self::parse_list(setting, errors)? } else { permission(setting, errors)? };
        let names = match &kind {
            RequirementKind::Permission(name) | RequirementKind::Scope(name) => vec![name],
            RequirementKind::Role { role, claim } => vec![role, claim],
        };
        if let Some(empty) = names.iter().find(|name| name.value().is_empty()) {
            errors.push(
                empty.span(),
                format!("no caller has an empty permission; write `{} = \"..\"` with its name", setting.name),
            );
            return None;
        }
        Some(Self { span: setting.span(), kind })
    }

    fn parse_list(setting: &Setting, errors: &mut Errors) -> Option<RequirementKind> {
        let (mut scope, mut role, mut claim) = (None, None, None);
        for inner in setting.list(errors) {
            let name = inner.name.to_string();
            let value = match name.as_str() {
                "scope" => &mut scope,
                "role" => &mut role,
                "claim" => &mut claim,
                other => {
                    errors
                        .push(inner.span(), suggest::unknown("access to a field", other, &["scope", "role", "claim"]));
                    return None;
                }
            };
            *value = inner.text(errors);
            value.as_ref()?;
        }
        match (scope, role, claim) {
            (Some(scope), None, None) => Some(RequirementKind::Scope(scope)),
            (None, Some(role), Some(claim)) => Some(RequirementKind::Role { role, claim }),
            _ => {
                let message = format!(
                    "write `{0} = \"..\"` for a permission, `{0}(scope = \"..\")` or `{0}(role = \"..\", claim = \"..\")`",
                    setting.name
                );
                errors.push(setting.span(), message);
                None
            }
        }
    }

    pub(super) fn emit(&self) -> TokenStream {
        match &self.kind {
            RequirementKind::Permission(name) => emit!(::restwright::derived::resource::FieldAccess::permission(#name)),
            RequirementKind::Scope(name) => emit!(::restwright::derived::resource::FieldAccess::scope(#name)),
            RequirementKind::Role { role, claim } => {
                emit!(::restwright::derived::resource::FieldAccess::role(#claim, #role))
            }
        }
    }
}

fn permission(setting: &Setting, errors: &mut Errors) -> Option<RequirementKind> {
    setting.text(errors).map(RequirementKind::Permission)
}

/// Rejects access settings that have no effect, and access settings on fields that every caller needs.
pub(super) fn check(field: &ResourceField<'_>, errors: &mut Errors) {
    for (access, setting) in [(&field.read, "read"), (&field.write, "write")] {
        let Some(access) = access else { continue };
        let role = match &field.role {
            Role::Identifier { .. } => Some("the identifier"),
            Role::Stamp("version") => Some("the version"),
            Role::Scope { .. } => Some("the scope"),
            Role::Parent(_) => Some("the parent"),
            _ => None,
        };
        if let Some(role) = role {
            errors.push(access.span, format!("every caller needs {role}; remove `{setting}`"));
        } else if !field.is_recorded {
            errors.push(access.span, format!("stores do not store a skipped field; remove `{setting}`"));
        } else if setting == "write" && !field.shapes.is_written() && !matches!(field.role, Role::File) {
            errors.push(access.span, "no caller can send this field; remove `write`");
        } else if setting == "read" && !field.shapes.is_read() {
            errors.push(access.span, "no response contains this field; remove `read`");
        }
    }
}

/// Returns the generated calls to `FieldDefinition::read` and `FieldDefinition::write`.
pub(super) fn calls(field: &ResourceField<'_>) -> TokenStream {
    let read = field.read.as_ref().map(|access| {
        let access = access.emit();
        emit!(.read(#access))
    });
    let write = field.write.as_ref().map(|access| {
        let access = access.emit();
        emit!(.write(#access))
    });
    emit!(#read #write)
}

/// Returns the method `copy_field`, which copies a field from another entity. Replacements use it to keep fields that
/// the caller may not write. Returns `None` if every caller may read and write all fields.
pub(super) fn copy_field(fields: &[ResourceField<'_>]) -> Option<TokenStream> {
    let arms: Vec<_> = fields
        .iter()
        .filter(|field| field.read.is_some() || field.write.is_some())
        .map(|field| {
            let (ident, name) = (field.ident, &field.name);
            emit!(#name => ::core::clone::Clone::clone_from(&mut self.#ident, &from.#ident),)
        })
        .collect();
    (!arms.is_empty()).then(|| {
        emit! {
            fn copy_field(&mut self, from: &Self, field: &str) -> bool {
                match field {
                    #(#arms)*
                    _ => return false,
                }
                true
            }
        }
    })
}
