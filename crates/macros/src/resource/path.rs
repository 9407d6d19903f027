//! Checks the setting `path` of a resource. Each path parameter must have a parent field with the same name, and each
//! parent field a path parameter.

use syn::LitStr;

use super::Declaration;
use super::field::{ResourceField, Role};
use crate::errors::Errors;

/// Checks that a path starts with a slash.
pub(super) fn check(path: &LitStr, errors: &mut Errors) -> bool {
    let starts = path.value().starts_with('/');
    if !starts {
        errors.push(path.span(), format!("a path must start with a slash: write `path = \"/{}\"`", path.value()));
    }
    starts
}

/// Reports parent fields without a path parameter, and path parameters without a parent field.
pub(super) fn check_parents(declared: &Declaration<'_>, errors: &mut Errors) {
    let (text, fields) = (declared.path(), &declared.fields);
    let span = declared.own.path.as_ref().map_or_else(|| declared.input.ident.span(), LitStr::span);
    let parameters: Vec<&str> = text
        .split('/')
        .filter_map(|segment| segment.strip_prefix('{').and_then(|segment| segment.strip_suffix('}')))
        .collect();
    let is_parent = |field: &&ResourceField<'_>| matches!(field.role, Role::Parent(_));
    for field in fields.iter().filter(is_parent) {
        if !parameters.contains(&field.name.as_str()) {
            let message = format!(
                "the path has no parameter for this parent: write `path = \"/parents/{{{}}}{text}\"` with the path of the parents",
                field.name
            );
            errors.push(field.role_span, message);
        }
    }
    for parameter in parameters {
        if !fields.iter().filter(is_parent).any(|field| field.name == parameter) {
            let message = format!(
                "no field holds the path parameter `{parameter}`: write `#[property(parent = ..)]` on a field `{parameter}`"
            );
            errors.push(span, message);
        }
    }
}
