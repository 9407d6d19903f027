//! Defines [`Failures`], which converts the errors of the crate `validator` to violations with JSON property names.

use std::borrow::Cow;
use std::collections::HashMap;

use validator::{ValidationErrors, ValidationErrorsKind};

use crate::code::Code;
use crate::shape::checks::{Checks, Invalid};
use crate::shape::map_key::MapKey;
use crate::shape::schema::Schema;

mod translate;

/// The errors of the crate `validator` for one value. They identify fields by their Rust names.
///
/// [`Schema::refuse_failures`] reports them. `#[derive(Schema)]` generates the code that this example contains:
///
/// ```
/// use restwright_schema::{Checks, Failures, PropertyCollection, Registry, Schema, SchemaSide, SchemaType, typed};
/// use serde::Deserialize;
/// use validator::Validate;
///
/// #[derive(Deserialize, Validate)]
/// struct Pet {
///     #[serde(rename = "petName")]
///     #[validate(length(min = 2))]
///     name: String,
/// }
///
/// impl Schema for Pet {
///     type Changes = Self;
///
///     fn schema_type(registry: &mut Registry) -> SchemaType {
///         registry.define::<Self, _>("Pet", |registry| {
///             PropertyCollection::new("Pet").property(typed::<String>(registry, "petName"))
///         })
///     }
///
///     fn run_checks(&self, checks: &mut Checks<'_>) {
///         checks.validator(self);
///     }
///
///     fn refuse_failures(&self, failures: Failures, checks: &mut Checks<'_>) {
///         let mut failures = failures.by_field(checks);
///         if let Some(failures) = failures.take("name") {
///             checks.at("petName", |checks| self.name.refuse_failures(failures, checks));
///         }
///         failures.refuse(checks);
///     }
/// }
///
/// let mut registry = Registry::new();
/// let schema_type = Pet::schema_type(&mut registry);
/// let schema = registry.compile(&schema_type, SchemaSide::Input, None);
/// let refused = schema.read::<Pet>(br#"{"petName": "B"}"#, 100).err().unwrap();
/// assert_eq!(refused.to_string(), "/petName: must have at least 2 characters (min_length)");
/// ```
#[derive(Debug)]
pub struct Failures(ValidationErrorsKind);

/// A type that `#[schema(validator)]` can validate. Every type that implements `validator::Validate` implements this
/// trait.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not implement `validator::Validate` of validator 0.21",
    label = "`#[schema(validator)]` requires an implementation of `Validate`",
    note = "write `#[derive(Validate)]`, with `validator = {{ version = \"0.21\", features = [\"derive\"] }}` in Cargo.toml",
    note = "each version of validator has a different trait"
)]
pub trait HasFailures {
    /// Validates the value, and returns its errors. Returns `None` if the value is valid.
    fn failures(&self) -> Option<Failures>;
}

#[diagnostic::do_not_recommend]
impl<T: validator::Validate> HasFailures for T {
    fn failures(&self) -> Option<Failures> {
        self.validate().err().map(Failures::new)
    }
}

/// The key under which the crate `validator` stores the errors of a whole struct.
const WHOLE: &str = "__all__";

/// The key under which the crate `validator` stores the errors of list items.
const ITEMS: &str = "_tmp_validator";

impl Failures {
    fn new(mut errors: ValidationErrors) -> Self {
        let items = errors.errors_mut().remove(ITEMS);
        Self(items.unwrap_or_else(|| ValidationErrorsKind::Struct(Box::new(errors))))
    }

    /// Reports the errors as violations. The keys of the errors must be the JSON property names.
    pub fn refuse(self, checks: &mut Checks<'_>) {
        match self.0 {
            ValidationErrorsKind::Field(errors) => {
                errors.into_iter().for_each(|error| checks.report(translate::translate(error)));
            }
            ValidationErrorsKind::Struct(errors) => {
                // Sorted, because validator uses a hash map.
                let mut errors: Vec<_> = errors.into_errors().into_iter().collect();
                errors.sort_by(|(left, _), (right, _)| (left == WHOLE, left).cmp(&(right == WHOLE, right)));
                for (key, errors) in errors {
                    match &*key {
                        WHOLE => Self(errors).refuse(checks),
                        key => checks.at(key, |checks| Self(errors).refuse(checks)),
                    }
                }
            }
            ValidationErrorsKind::List(errors) => {
                for (index, errors) in errors {
                    checks.at_index(index, |checks| Self::new(*errors).refuse(checks));
                }
            }
        }
    }

    /// Groups the errors of a struct by field. If the value is not a struct, reports its errors to `checks` instead.
    pub fn by_field(self, checks: &mut Checks<'_>) -> FieldFailures {
        match self.0 {
            ValidationErrorsKind::Struct(errors) => FieldFailures(errors.into_errors()),
            other => {
                Self(other).refuse(checks);
                FieldFailures(HashMap::new())
            }
        }
    }

    /// Reports the errors of array items.
    pub(crate) fn refuse_items<'t, T: Schema + 't>(
        self,
        items: impl IntoIterator<Item = &'t T>,
        checks: &mut Checks<'_>,
    ) {
        let mut errors = match self.0 {
            ValidationErrorsKind::List(errors) => errors,
            other => return Self(other).refuse(checks),
        };
        for (index, item) in items.into_iter().enumerate() {
            if let Some(errors) = errors.remove(&index) {
                checks.at_index(index, |checks| item.refuse_failures(Self::new(*errors), checks));
            }
        }
    }

    /// Reports one error for all invalid items of a set, because the order in which the client sent the items is lost.
    pub(crate) fn refuse_set(self, checks: &mut Checks<'_>) {
        match self.0 {
            ValidationErrorsKind::List(_) => checks.refuse(Invalid::new(Code::INVALID, "contains an invalid item")),
            other => Self(other).refuse(checks),
        }
    }

    /// Reports the errors of map values. validator numbers the values in iteration order.
    pub(crate) fn refuse_values<'t, K: MapKey + 't, T: Schema + 't>(
        self,
        entries: impl IntoIterator<Item = (&'t K, &'t T)>,
        checks: &mut Checks<'_>,
    ) {
        let mut errors = match self.0 {
            ValidationErrorsKind::List(errors) => errors,
            other => return Self(other).refuse(checks),
        };
        let failed = entries.into_iter().enumerate();
        let failed =
            failed.filter_map(|(index, (key, value))| Some((key.property_name(), value, errors.remove(&index)?)));
        let mut failed: Vec<_> = failed.collect();
        failed.sort_by(|(left, ..), (right, ..)| left.cmp(right));
        for (name, value, errors) in failed {
            checks.at(&name, |checks| value.refuse_failures(Self::new(*errors), checks));
        }
    }
}

/// The unreported errors of a struct, by the Rust name of the field.
#[derive(Debug)]
#[must_use = "failures are lost unless they are reported"]
pub struct FieldFailures(HashMap<Cow<'static, str>, ValidationErrorsKind>);

impl FieldFailures {
    /// Removes and returns the errors of a field. Drop the errors of fields that clients do not send, because clients
    /// cannot fix them.
    #[must_use]
    pub fn take(&mut self, field: &str) -> Option<Failures> {
        self.0.remove(field).map(Failures)
    }

    /// Reports the remaining errors. They belong to the whole struct, or have a key that is not a field.
    pub fn refuse(self, checks: &mut Checks<'_>) {
        if !self.0.is_empty() {
            Failures(ValidationErrorsKind::Struct(Box::new(ValidationErrors(self.0)))).refuse(checks);
        }
    }
}
