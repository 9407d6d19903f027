//! Sort orders of the items in a list.
//!
//! Derive [`Sort`] for an enum with one variant per field. For fields that are declared at run time, use [`FieldName`].
//! Both are parsed into a [`SortBag`], which always contains at least one field.

mod bag;
mod direction;
mod fields;
mod plan;

use std::borrow::Cow;
use std::fmt;

pub use bag::{SortBag, SortEntry};
pub use direction::Direction;
pub use fields::SortFields;
pub use plan::SortPlan;
pub(crate) use plan::{AddedSortFields, SharedSort, SortSpec};
use restwright_core::{BuildErrors, Route};

/// A field to sort by, usually a derived enum with one variant per field.
///
/// With `Cursor` pagination, cursors contain the values of the sort fields in readable form. Do not declare a field
/// that clients may not see.
///
/// ```
/// use restwright_core::{BuildErrors, Route};
/// use restwright_list::{Direction, Sort, SortFields};
///
/// // What the derive writes:
/// #[derive(Clone, Copy)]
/// enum PetSort {
///     Name,
///     Id,
/// }
///
/// impl Sort for PetSort {
///     fn declare(_: &Route) -> Result<SortFields, BuildErrors> {
///         Ok(SortFields::with_identifier_at(["name", "id"], 1).default("name", Direction::Ascending))
///     }
///
///     fn at(_: &SortFields, index: usize) -> Option<Self> {
///         [Self::Name, Self::Id].get(index).copied()
///     }
///
///     fn name(&self) -> &str {
///         match self {
///             Self::Name => "name",
///             Self::Id => "id",
///         }
///     }
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "a list cannot be sorted by `{Self}`",
    label = "not a set of fields to sort by",
    note = "write `#[derive(Sort)]` on an enum with one variant per field"
)]
pub trait Sort: Clone + Send + Sync + 'static {
    /// Returns the sort fields. The framework passes their indexes to [`at`](Self::at).
    ///
    /// # Errors
    /// Fails if the fields are declared at run time, but the route has no [`SortFields`].
    fn declare(route: &Route) -> Result<SortFields, BuildErrors>;

    /// Returns the field at this index, or `None` if there is no such field.
    fn at(fields: &SortFields, index: usize) -> Option<Self>;

    /// Returns the name of the field.
    fn name(&self) -> &str;
}

/// The name of a field that a route declares at run time with [`SortFields`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldName(Cow<'static, str>);

impl FieldName {
    /// Creates a field name.
    #[must_use]
    pub fn new(name: impl Into<Cow<'static, str>>) -> Self {
        Self(name.into())
    }
}

impl Sort for FieldName {
    fn declare(route: &Route) -> Result<SortFields, BuildErrors> {
        route.setting::<SortFields>().cloned().ok_or_else(|| {
            BuildErrors::one(
                "the request has a `SortBag`, but the route declares no order; add `.with(SortFields::by_identifier(..))` to the route, or use an enum: `SortBag<PetSort>`",
            )
        })
    }

    fn at(fields: &SortFields, index: usize) -> Option<Self> {
        fields.fields.get(index).cloned().map(Self)
    }

    fn name(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for FieldName {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}
