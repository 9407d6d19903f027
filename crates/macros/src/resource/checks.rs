//! Checks a parsed `#[derive(Resource)]` for settings that contradict each other.

use proc_macro2::Span;
use syn::Type;

use super::field::{ResourceField, Role};
use super::path;
use super::{Declaration, access, search, unique};
use crate::errors::Errors;
use crate::settings::Setting;
use crate::{settings, types};

pub(super) fn run(declared: &Declaration<'_>, errors: &mut Errors) {
    let settings = settings::of(&declared.input.attrs, "schema", &mut Errors::default());
    if let Some(changes) = settings.iter().find(|setting| setting.name == "changes") {
        let message = "the derive generates the type of the changes; configure it with `#[resource(changes(..))]`";
        errors.push(changes.span(), message);
    }
    identifiers(declared, errors);
    for stamp in ["created_at", "updated_at", "version"] {
        let stamped = declared.fields.iter().filter(|field| matches!(field.role, Role::Stamp(role) if role == stamp));
        for second in stamped.skip(1) {
            errors.push(second.role_span, format!("a resource must have only one `{stamp}`; remove one"));
        }
    }
    let deleted = declared.fields.iter().filter(|field| matches!(field.role, Role::DeletedAt));
    for second in deleted.skip(1) {
        errors.push(second.role_span, "a resource must have only one `deleted_at`; remove one");
    }
    for field in &declared.fields {
        role(field, declared, errors);
        access::check(field, errors);
        uses(field, errors);
        if declared.own.has_put && field.shapes.create && !field.is_replaced() {
            let message = "a replacement would ignore this property, because updates exclude it; include it in updates, or remove `put`";
            errors.push(field.ident.span(), message);
        }
    }
    indexes(declared, errors);
    unique::check(declared, errors);
    search::check(declared, errors);
    path::check_parents(declared, errors);
}

fn identifiers(declared: &Declaration<'_>, errors: &mut Errors) {
    let is_identifier = |field: &&ResourceField<'_>| matches!(field.role, Role::Identifier { .. });
    let mut identifiers = declared.fields.iter().filter(is_identifier);
    match identifiers.next() {
        None => {
            let message = "a resource requires an identifier; write `#[property(id)]` on its field";
            errors.push(declared.input.ident.span(), message);
        }
        Some(field) if !field.shapes.view || !field.shapes.list => {
            errors.push(field.role_span, "every response must contain the identifier; do not exclude it");
        }
        Some(_) => {}
    }
    for second in identifiers {
        errors.push(second.role_span, "a resource must have only one identifier; remove one `id`");
    }
}

/// Rejects fields in `index(..)` that are not stored, or that an index cannot contain.
fn indexes(declared: &Declaration<'_>, errors: &mut Errors) {
    for name in declared.own.indexes.iter().flatten() {
        match declared.field_of_index(name) {
            Some(field) if matches!(field.role, Role::Scope { .. } | Role::Parent(_)) => {
                errors.push(name.span(), "every index already starts with the scope and the parent; remove this field");
            }
            Some(_) => {}
            None => errors.push(name.span(), declared.unknown_field(name)),
        }
    }
    for field in &declared.fields {
        let Some(index) = field.index else { continue };
        if matches!(field.role, Role::Scope { .. } | Role::Parent(_)) {
            errors.push(index, "every index already starts with the scope and the parent; remove `index`");
        } else if !field.is_filtered_by_values() {
            errors.push(
                index,
                "an index supports `eq`, `in`, `is_null`, `has` and ranges; add one of them, or remove `index`",
            );
        }
    }
}

/// Checks that the type and the other settings of a field fit its role, such as `id` or `parent`.
fn role(field: &ResourceField<'_>, declared: &Declaration<'_>, errors: &mut Errors) {
    let name = match &field.role {
        Role::Plain => return,
        Role::Identifier { .. } => "id",
        Role::Stamp(stamp) => stamp,
        Role::DeletedAt => {
            deleted_at(field, declared, errors);
            return;
        }
        Role::File => {
            file(field, errors);
            return;
        }
        Role::Scope { .. } => "scope",
        Role::Parent(parent) => {
            let is_itself = matches!(&parent.target, Type::Path(path) if path.path.is_ident(&declared.input.ident) || path.path.is_ident("Self"));
            if is_itself {
                let message = "a resource cannot be its own parent; write `references`";
                errors.push(field.role_span, message);
            }
            "parent"
        }
    };
    if types::argument_of(field.ty, "Option").is_some() {
        let message = format!("`{name}` is never null; remove the `Option`");
        errors.push(syn::spanned::Spanned::span(field.ty), message);
    }
    let by_scope = matches!(field.role, Role::Scope { .. } | Role::Parent(_));
    if let Some(unique) = field.unique.filter(|_| by_scope) {
        errors
            .push(unique, format!("with a unique `{name}`, each `{name}` could have only one entity; remove `unique`"));
    }
    if let Some(unique) = field.unique.filter(|_| name == "id") {
        errors.push(unique, "an identifier is always unique; remove `unique`");
    }
    if field.references.is_some() && matches!(field.role, Role::Parent(_)) {
        errors.push(field.role_span, "a parent field already refers to its parent; remove `references`");
    }
}

/// Checks the field with the setting `deleted_at`, which contains the time of the deletion.
fn deleted_at(field: &ResourceField<'_>, declared: &Declaration<'_>, errors: &mut Errors) {
    if types::argument_of(field.ty, "Option").is_none() {
        let message =
            "`deleted_at` is null until the entity is deleted; write an `Option`, such as `Option<jiff::Timestamp>`";
        errors.push(syn::spanned::Spanned::span(field.ty), message);
    }
    if let Some(given) = declared.fields.iter().find(|field| matches!(field.role, Role::Identifier { is_given: true }))
    {
        errors.push(
            given.role_span,
            "a resource with `deleted_at` requires identifiers that the store generates, because a deleted entity keeps its identifier; write `id`",
        );
    }
    if let Some(unique) = field.unique {
        errors.push(unique, "the service sets this field; remove `unique`");
    }
}

/// Checks the field with the setting `file`.
fn file(field: &ResourceField<'_>, errors: &mut Errors) {
    if types::argument_of(field.ty, "Option").is_none() {
        let message = "the field is null until a client uploads the file; write `Option<StoredFile>`";
        errors.push(syn::spanned::Spanned::span(field.ty), message);
    }
    let sort = field.sort.as_ref().map(|sort| sort.span);
    for setting in [field.filter.as_ref().map(Setting::span), sort, field.unique].into_iter().flatten() {
        errors.push(setting, "a file has no value that lists or stores could compare; remove this setting");
    }
}

/// Rejects `renamed_from`, `#[record(skip)]`, `filter` and `sort` on fields that do not support these settings.
fn uses(field: &ResourceField<'_>, errors: &mut Errors) {
    if let Some(former) = &field.renamed_from {
        let message = match field.role {
            Role::Identifier { .. } => {
                "`renamed_from` does not support the identifier; set its column with `TableMapping::column`"
            }
            _ if former.value() == field.name => "the field already has this name; write its previous name",
            _ if !field.is_recorded => "stores do not store a skipped field; remove `renamed_from`",
            _ => "",
        };
        if !message.is_empty() {
            errors.push(former.span(), message);
        }
    }
    if field.is_value() && !field.is_recorded {
        let message = "a skipped field is not part of the record that stores and lists use; to hide it from clients write `#[property(exclude(view, list))]` instead";
        errors.push(field.ident.span(), message);
        return;
    }
    if !field.shapes.is_read() {
        let mut hidden = |span: Option<Span>, what: &str| {
            if let Some(span) = span {
                errors.push(
                    span,
                    format!("a list that is {what} by a field reveals the field, but no response contains it; remove the setting"),
                );
            }
        };
        hidden(field.filter.as_ref().map(|filter| filter.span()), "filtered");
        hidden(field.sort.as_ref().map(|sort| sort.span), "sorted");
    }
}
