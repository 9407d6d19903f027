//! Parses unique constraints with fields or settings, such as `unique(project_id)` on a field and `unique(project_id,
//! number, nulls = equal)` on the struct.

use proc_macro2::TokenStream;
use syn::Ident;

use super::Declaration;
use super::field::{ResourceField, Role};
use crate::errors::Errors;
use crate::settings::Setting;

/// The field names and the settings in `unique(..)`.
pub(super) struct Unique {
    pub(super) fields: Vec<Ident>,
    /// `true` for `nulls = equal`.
    are_nulls_equal: bool,
    ignores_case: bool,
}

impl Unique {
    /// Parses the content of `unique(..)`.
    pub(super) fn parse(setting: &Setting, errors: &mut Errors) -> Self {
        let mut unique = Self { fields: Vec::new(), are_nulls_equal: false, ignores_case: false };
        let listed = setting.list(errors);
        if listed.is_empty() && setting.is_list() {
            errors.push(setting.span(), "`unique(..)` requires fields: write `unique(project_id, number)` on the struct, or `unique(project_id)` on the field `number`");
        }
        for inner in listed {
            if inner.name == "nulls" && !inner.is_flag() {
                let value = inner.value(errors).map(|value| value.to_string());
                unique.are_nulls_equal = true;
                if value.is_some_and(|value| value != "equal") {
                    errors.push(inner.span(), "`nulls` accepts only `equal`: write `nulls = equal`, or remove it, because null is not equal to null by default");
                }
                continue;
            }
            inner.flag(errors);
            if inner.name == "ignore_case" {
                unique.ignores_case = true;
                continue;
            }
            unique.fields.push(inner.name);
        }
        unique
    }

    fn has_settings(&self) -> bool {
        self.are_nulls_equal || self.ignores_case
    }
}

/// A unique constraint with all its fields.
struct UniqueFields<'d> {
    fields: Vec<&'d Ident>,
    unique: &'d Unique,
}

/// Returns the unique constraints. The constraints of fields come first.
fn constraints<'d>(declared: &'d Declaration<'_>) -> impl Iterator<Item = UniqueFields<'d>> {
    let of_field = |field: &'d ResourceField<'_>| {
        let unique = field.unique_within.as_ref()?;
        Some(UniqueFields { fields: unique.fields.iter().chain([field.ident]).collect(), unique })
    };
    let of_struct =
        declared.own.unique.iter().map(|unique| UniqueFields { fields: unique.fields.iter().collect(), unique });
    declared.fields.iter().filter_map(of_field).chain(of_struct)
}

/// Rejects field names that a unique constraint cannot contain.
pub(super) fn check(declared: &Declaration<'_>, errors: &mut Errors) {
    for unique in &declared.own.unique {
        if let [name] = unique.fields.as_slice() {
            let written = if unique.has_settings() { "unique(..)" } else { "unique" };
            errors.push(name.span(), format!("for one field write `#[property({written})]` on `{name}`"));
        }
    }
    for UniqueFields { fields: names, unique } in constraints(declared) {
        for (place, name) in names.iter().enumerate() {
            if names.iter().take(place).any(|before| before == name) {
                errors.push(name.span(), format!("`{name}` occurs twice in a unique constraint; remove one"));
                continue;
            }
            let mistake = match declared.field_of_index(name) {
                None => declared.unknown_field(name),
                Some(field) => match field.role {
                    Role::Plain if field.unique.is_some() && !unique.has_settings() => {
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
    let constraints = constraints(declared).map(|UniqueFields { fields, unique }| {
        let fields = fields.iter().filter_map(|name| declared.field_of_index(name)).map(|field| &field.name);
        if !unique.has_settings() {
            return emit!(.unique([#(#fields),*]));
        }
        let nulls_equal = unique.are_nulls_equal.then(|| emit!(.nulls_equal()));
        let ignore_case = unique.ignores_case.then(|| emit!(.ignore_case()));
        emit!(.unique(::restwright::derived::resource::UniqueConstraint::new([#(#fields),*]) #nulls_equal #ignore_case))
    });
    constraints.collect()
}
