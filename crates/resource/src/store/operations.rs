//! Defines [`Read`] and [`Change`], the operations of a store, and [`ReadResult`], the result of a read.

use restwright_list::{Expression, ListSlice, Uncounted, Value, Window};

use super::ListQuery;
use crate::entity::{Version, Versioned};
use crate::row::Row;

/// Selects what a statement reads. The [`Statement`](crate::Statement) contains the scope, and whether deleted entities count.
///
/// A store returns [`StoreError::unsupported`](crate::StoreError::unsupported) for the reads that it does not implement.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Read<'r> {
    /// Reads the entity with this identifier. The result contains at most one row.
    Find(&'r Value<'r>),
    /// Reads the page of a query. The rows must equal the result of [`apply`](restwright_list::apply).
    List {
        /// The filter, the order and the window.
        query: &'r ListQuery<'r>,
        /// `true` if the result must contain the number of all entities that match the filter.
        is_counted: bool,
    },
    /// Reads the first matching entities of a query, separately for each key. The rows may be in any order.
    ///
    /// A key contains one value for each of the fields. The values are not null, and no key occurs twice. The window of the query skips nothing.
    /// For each key, the result contains the first [`read`](restwright_list::Window::read) entities with the values of the key, in the order of the
    /// query.
    ///
    /// Endpoints use it for [relations](crate::Relation) to many entities. A store may run the query of [`ListQuery::for_key`] for each key.
    ListPerKey {
        /// The filter and the order of each list. The window limits the rows of each key.
        query: &'r ListQuery<'r>,
        /// The fields of a key.
        fields: &'r [&'r str],
        /// The values of the fields.
        keys: &'r [Vec<Value<'static>>],
    },
    /// Counts the entities that match a filter.
    Count(&'r Expression),
    /// Checks whether the scope contains an entity that has the identifier and matches the condition. The total is 1 or 0.
    ///
    /// Endpoints use it to check parents, and references to entities with a policy.
    Exists {
        /// The identifier of the entity.
        identifier: &'r Value<'r>,
        /// The condition that the entity must match.
        condition: &'r Expression,
    },
    /// Checks whether any entity matches a condition. The total is 1 or 0.
    ///
    /// Endpoints use it for policies that read [related](crate::RowPolicy::related) entities.
    Any(&'r Expression),
}

impl Read<'_> {
    pub(super) fn name(&self) -> &'static str {
        match self {
            Self::Find(_) => "Find",
            Self::List { .. } => "List",
            Self::ListPerKey { .. } => "ListPerKey",
            Self::Count(_) => "Count",
            Self::Exists { .. } => "Exists",
            Self::Any(_) => "Any",
        }
    }
}

/// The result of a [`Read`].
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ReadResult {
    /// The rows with their versions. It is empty for counts and checks.
    pub rows: ListSlice<Versioned<Row>, Uncounted>,
    /// The number of matching entities, if the read counts them. A check returns 1 or 0.
    pub total: u64,
}

impl ReadResult {
    /// Creates the result of [`Read::Find`] or [`Read::ListPerKey`].
    #[must_use]
    pub fn rows(rows: impl IntoIterator<Item = Versioned<Row>>) -> Self {
        Self::list(ListSlice::new(&Window::skip(0, u32::MAX), rows), 0)
    }

    /// Creates the result of [`Read::List`]. The total is not used if the read does not count.
    #[must_use]
    pub fn list(rows: ListSlice<Versioned<Row>, Uncounted>, total: u64) -> Self {
        Self { rows, total }
    }

    /// Creates the result of [`Read::Count`]. For a check, `total` is 1 or 0: write `exists.into()`.
    #[must_use]
    pub fn total(total: u64) -> Self {
        Self { total, ..Self::rows([]) }
    }
}

/// Creates the result of [`Read::List`] from a list with its total.
impl From<ListSlice<Versioned<Row>>> for ReadResult {
    fn from(listed: ListSlice<Versioned<Row>>) -> Self {
        let total = listed.totals.0;
        Self::list(listed.without_total(), total)
    }
}

/// A change of one entity. It takes effect wholly or not at all.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Change {
    /// Inserts an entity into the scope of the statement. The result contains the row with its identifier.
    ///
    /// [`Statement::prepare_insert`](crate::Statement::prepare_insert) decides whether the store generates the identifier. If an entity keeps its
    /// own integer, the store must never generate this integer later.
    ///
    /// Errors: [`Conflict`](crate::StoreError::Conflict), [`MissingReference`](crate::StoreError::MissingReference) or
    /// [`InvalidValue`](crate::StoreError::InvalidValue), each with the field; or [`Rejected`](crate::StoreError::Rejected).
    Insert(Row),
    /// Replaces the stored entity that has the same identifier. An entity never moves to another scope.
    ///
    /// Errors: [`NotFound`](crate::StoreError::NotFound), [`StaleVersion`](crate::StoreError::StaleVersion), and the errors of an insert.
    Update {
        /// The new values.
        row: Row,
        /// The version that the stored entity must have.
        expected: Option<Version>,
    },
    /// Deletes the entity, and all entities that refer to it with [`OnDelete::Cascade`](crate::OnDelete::Cascade). The result is `None`.
    ///
    /// Errors: [`NotFound`](crate::StoreError::NotFound), [`StaleVersion`](crate::StoreError::StaleVersion), or [`Referenced`](crate::StoreError::Referenced) if a
    /// remaining entity refers to a deleted entity.
    Delete {
        /// The identifier of the entity.
        identifier: Value<'static>,
        /// The version that the stored entity must have.
        expected: Option<Version>,
    },
}
