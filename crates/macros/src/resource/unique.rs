//! Parses unique constraints over several fields, such as `unique(project_id)` on a field and `unique(project_id,
//! number)` on the struct.

use proc_macro2::TokenStream;
use syn::Ident;

use super::Declaration;
use super::field::{Field, Role};
use crate::errors::Errors;
use crate::settings::Setting;

/// Parses the field names in `unique(..)`.
pub(super) fn parse(setting: &Setting, errors: &mut Errors) -> Vec<Ident> {
    let names = setting.list(errors);
    for name in &names {
        name.flag(errors);
    }
    if names.is_empty() && setting.is_list() {
        errors.push(setting.span(), "`unique(..)` requires fields: write `unique(project_id, number)` on the struct, or `unique(project_id)` on the field `number`");
    }
    names.into_iter().map(|name| name.name).collect()
}

/// Returns the fields of each unique constraint. The constraints of fields come first.
fn constraints<'d>(declared: &'d Declaration<'_>) -> impl Iterator<Item = Vec<&'d Ident>> {
    let of_field = |field: &'d Field<'_>| {
        let within = field.unique_within.as_ref()?;
        Some(within.iter().chain([field.ident]).collect())
    };
    let of_struct = declared.own.unique.iter().map(|names| names.iter().collect());
    declared.fields.iter().filter_map(of_field).chain(of_struct)
}

/// Rejects field names that a unique constraint cannot contain.
pub(super) fn check(declared: &Declaration<'_>, errors: &mut Errors) {
    for names in &declared.own.unique {
        if let [name] = names.as_slice() {
            errors.push(name.span(), format!("for one field write `#[property(unique)]` on `{name}`"));
        }
    }
    for names in constraints(declared) {
        for (place, name) in names.iter().enumerate() {
            if names.iter().take(place).any(|before| before == name) {
                errors.push(name.span(), format!("`{name}` occurs twice in a unique constraint; remove one"));
                continue;
            }
            let mistake = match declared.field_of_index(name) {
                None => declared.unknown_field(name),
                Some(field) => match field.role {
                    Role::Plain if field.unique.is_some() => {
                        format!(
                            "`{name}` is already unique without other fields; remove `unique` from it, or remove this name"
                        )
                    }
                    Role::Plain => continue,
                    Role::Scope { .. } | Role::Parent(_) => {
                        "unique values already apply within the scope and the parent; remove this field".to_owned()
                    }
                    Role::Identifier { .. } => "an identifier is always unique; remove this field".to_owned(),
                    Role::Stamp(_) | Role::DeletedAt | Role::File => {
                        "the service sets this field; remove it from the unique constraint".to_owned()
                    }
                },
            };
            errors.push(name.span(), mistake);
        }
    }
}

/// Returns the generated calls to `EntityDefinition::unique`, one for each constraint.
pub(super) fn calls(declared: &Declaration<'_>) -> TokenStream {
    let constraints = constraints(declared).map(|names| {
        let fields = names.iter().filter_map(|name| declared.field_of_index(name)).map(|field| &field.name);
        emit!(.unique([#(#fields),*]))
    });
    constraints.collect()
}
