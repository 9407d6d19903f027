//! Defines [`SortBag`], the sort order of a request.

use std::cmp::Ordering;
use std::fmt;

use restwright_core::operation::Operation;
use restwright_core::problem::RequestViolations;
use restwright_core::{BuildContext, BuildErrors, Part, RequestHead, Route};

use super::plan;
use super::{Direction, FieldName, Sort, SortFields, SortPlan};
use crate::record::Record;

/// The sort order of a list, parsed from a query parameter such as `order_by=name,-born`.
///
/// The order contains the requested fields, or else the declared defaults. Unless the identifier is already included,
/// it follows in the direction of the last field. Two items therefore never compare as equal.
#[derive(Clone, Debug)]
pub struct SortBag<F = FieldName> {
    entries: Vec<SortEntry<F>>,
    /// The index of the identifier in `entries`.
    identifier: usize,
}

/// One field of a sort order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SortEntry<F = FieldName> {
    /// The field to sort by.
    pub field: F,
    /// The sort direction of the field.
    pub direction: Direction,
    /// `true` if the client requested the field.
    pub requested: bool,
}

impl<F: Sort> SortEntry<F> {
    /// Returns the name of the field.
    #[must_use]
    pub fn name(&self) -> &str {
        self.field.name()
    }
}

impl<F: Sort> SortBag<F> {
    pub(super) fn new(entries: Vec<SortEntry<F>>, identifier: usize) -> Self {
        Self { entries, identifier }
    }

    /// Creates a sort order from the requested fields. Uses the default order if `requested` is empty. Returns `None`
    /// if no request can have this order, for example because a field is repeated.
    ///
    /// For fields that a route declares at run time, use [`among`](SortBag::among).
    ///
    /// ```
    /// # use restwright_core::{Route, BuildErrors};
    /// # use restwright_list::{Sort, SortFields};
    /// use restwright_list::{Direction, SortBag};
    ///
    /// # #[derive(Clone, Copy)]
    /// # enum PetSort { Name, Id }
    /// # impl Sort for PetSort {
    /// #     fn declare(_: &Route) -> Result<SortFields, BuildErrors> {
    /// #         Ok(SortFields::with_identifier_at(["name", "id"], 1))
    /// #     }
    /// #     fn at(_: &SortFields, index: usize) -> Option<Self> { [Self::Name, Self::Id].get(index).copied() }
    /// #     fn name(&self) -> &str { match self { Self::Name => "name", Self::Id => "id" } }
    /// # }
    /// let sort = SortBag::by([(PetSort::Name, Direction::Descending)]).unwrap();
    /// // The identifier is appended, as in a request.
    /// assert_eq!(sort.to_string(), "-name,-id");
    /// ```
    #[must_use]
    pub fn by(requested: impl IntoIterator<Item = (F, Direction)>) -> Option<Self> {
        let fields = F::declare(&Route::get("/")).ok()?;
        let requested: Vec<_> = requested.into_iter().collect();
        plan::bag(&fields, requested.iter().map(|(field, direction)| (field.name(), *direction)))
    }

    /// Returns the sort fields, starting with the most significant field.
    pub fn iter(&self) -> std::slice::Iter<'_, SortEntry<F>> {
        self.entries.iter()
    }

    /// Returns the name of the identifier field, which makes the order unique.
    #[must_use]
    pub fn identifier(&self) -> &str {
        self.entries.get(self.identifier).map_or("", SortEntry::name)
    }

    /// Returns `true` if the client requested an order.
    #[must_use]
    pub fn is_requested(&self) -> bool {
        self.entries.iter().any(|entry| entry.requested)
    }

    /// Returns the same sort order with the field type [`FieldName`] instead of `F`, for stores that are not generic
    /// over `F`.
    ///
    /// ```
    /// use restwright_list::{FieldName, Sort, SortBag};
    ///
    /// fn by_name<F: Sort>(sort: &SortBag<F>) -> SortBag<FieldName> {
    ///     sort.by_name()
    /// }
    /// ```
    #[must_use]
    pub fn by_name(&self) -> SortBag {
        let mut entries = Vec::with_capacity(self.entries.len());
        for entry in &self.entries {
            let field = FieldName(entry.name().to_owned().into());
            entries.push(SortEntry { field, direction: entry.direction, requested: entry.requested });
        }
        SortBag { entries, identifier: self.identifier }
    }

    /// Converts each field of the sort order, for example from a run-time name to an enum.
    ///
    /// ```
    /// use restwright_list::{Direction, SortBag, SortFields};
    /// # use restwright_core::{Route, BuildErrors};
    /// # use restwright_list::{FieldName, Sort};
    /// # #[derive(Clone, Copy, Debug, PartialEq)]
    /// # enum PetSort { Name, Id }
    /// # impl Sort for PetSort {
    /// #     fn declare(route: &Route) -> Result<SortFields, BuildErrors> { FieldName::declare(route) }
    /// #     fn at(fields: &SortFields, index: usize) -> Option<Self> { [Self::Name, Self::Id].get(index).copied() }
    /// #     fn name(&self) -> &str { match self { Self::Name => "name", Self::Id => "id" } }
    /// # }
    ///
    /// let fields = SortFields::by_identifier("id").field("name");
    /// let sort = SortBag::among(&fields, [("name", Direction::Descending)]).unwrap();
    /// let sort = sort.try_map(|field| match field.name() {
    ///     "name" => Ok(PetSort::Name),
    ///     "id" => Ok(PetSort::Id),
    ///     other => Err(format!("there is no `{other}`")),
    /// });
    /// assert_eq!(sort.unwrap().iter().next().unwrap().field, PetSort::Name);
    /// ```
    ///
    /// # Errors
    /// Returns the first error of `map`.
    pub fn try_map<G: Sort, E>(self, mut map: impl FnMut(F) -> Result<G, E>) -> Result<SortBag<G>, E> {
        let entries = self.entries.into_iter().map(|SortEntry { field, direction, requested }| {
            Ok(SortEntry { field: map(field)?, direction, requested })
        });
        Ok(SortBag { entries: entries.collect::<Result<_, E>>()?, identifier: self.identifier })
    }

    /// Compares two items by this sort order.
    #[must_use]
    pub fn compare(&self, left: &(impl Record + ?Sized), right: &(impl Record + ?Sized)) -> Ordering {
        let orders = self.entries.iter().map(|entry| {
            let name = entry.name();
            entry.direction.apply(left.value(name).cmp(&right.value(name)))
        });
        orders.into_iter().find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
    }
}

impl SortBag {
    /// Creates a sort order from fields that a route declares at run time. Uses the default order if `requested` is
    /// empty. Returns `None` if a field is repeated or not declared.
    ///
    /// ```
    /// use restwright_list::{Direction, SortBag, SortFields};
    ///
    /// let fields = SortFields::by_identifier("id").field("name").default("name", Direction::Ascending);
    /// assert_eq!(SortBag::among(&fields, [("name", Direction::Descending)]).unwrap().to_string(), "-name,-id");
    /// assert_eq!(SortBag::among(&fields, []).unwrap().to_string(), "name,id");
    /// ```
    #[must_use]
    pub fn among<'n>(fields: &SortFields, requested: impl IntoIterator<Item = (&'n str, Direction)>) -> Option<Self> {
        plan::bag(fields, requested)
    }
}

impl SortFields {
    /// Checks that a type returns the same field for each index.
    fn check<F: Sort>(&self) -> Result<(), BuildErrors> {
        let mut errors = BuildErrors::new();
        // A loop compiles to one function per field type; iterator adapters compile to many.
        for (index, name) in self.fields.iter().enumerate() {
            let found = F::at(self, index);
            check_field((index, name), found.as_ref().map(F::name), std::any::type_name::<F>(), &mut errors);
        }
        errors.finish(Some(()))
    }
}

/// Reports a field that a type declares at an index, but does not return for this index.
fn check_field((index, name): (usize, &str), found: Option<&str>, type_name: &str, errors: &mut BuildErrors) {
    if found != Some(name) {
        let found = found.map_or("returns `None`".to_owned(), |found| format!("returns `{found}`"));
        errors.push(format!(
            "the order declares `{name}` as the field at {index}, but `at` of `{type_name}` {found}; make both agree"
        ));
    }
}

/// Formats the sort order as a client sends it, such as `name,-born,-id`.
impl<F: Sort> fmt::Display for SortBag<F> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, entry) in self.entries.iter().enumerate() {
            let comma = if index > 0 { "," } else { "" };
            write!(formatter, "{comma}{}{}", entry.direction.sign(), entry.name())?;
        }
        Ok(())
    }
}

impl<'b, F: Sort> IntoIterator for &'b SortBag<F> {
    type Item = &'b SortEntry<F>;
    type IntoIter = std::slice::Iter<'b, SortEntry<F>>;

    fn into_iter(self) -> Self::IntoIter {
        self.entries.iter()
    }
}

impl<F: Sort> Part for SortBag<F> {
    type Plan = SortPlan;

    fn plan(context: &mut BuildContext<'_>) -> Result<SortPlan, BuildErrors> {
        let fields = F::declare(context.route())?;
        let mut errors = BuildErrors::new();
        errors.take(fields.check::<F>());
        let plan = errors.take(SortPlan::new(fields, context));
        errors.finish(plan)
    }

    fn describe(plan: &SortPlan, operation: &mut Operation) {
        plan.describe(operation);
    }

    fn read(plan: &SortPlan, head: &RequestHead<'_>, violations: &mut RequestViolations) -> Option<Self> {
        plan.read(head, violations)
    }
}
