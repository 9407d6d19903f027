//! Defines [`SortPlan`], the compiled sort fields of a route.

use std::borrow::Cow;
use std::sync::Arc;

use restwright_core::operation::{Operation, ParameterLocation, ParameterObject, ParameterStyle, SchemaUse};
use restwright_core::problem::{RequestViolations, ViolationLocation};
use restwright_core::schema::{SchemaObject, Violation};
use restwright_core::{BuildContext, BuildErrors, RequestHead};

use super::{Direction, Sort, SortBag, SortEntry, SortFields};
use crate::codes;
use crate::hidden_fields::{Hidden, HiddenFields};
use crate::shared_plan::SharedPlan;
use crate::shown::shown;

const ORDER_BY: &str = "order_by";

/// The compiled sort fields of one route. The plan is created when the Api is built. It parses the parameter
/// `order_by`, and adds the parameter to the OpenAPI document. Clones share it.
#[derive(Clone, Debug)]
pub struct SortPlan {
    spec: Arc<SortSpec>,
    shared: SharedSort,
    /// `true` if the route declares the fields at run time.
    is_run_time: bool,
}

/// The sort fields of an operation that its request does not declare.
#[derive(Default)]
pub(crate) struct AddedSortFields(pub(crate) Vec<Cow<'static, str>>);

/// The compiled sort fields of a route. Its request parts and its response share them.
pub(crate) type SharedSort = SharedPlan<Arc<SortSpec>>;

/// The compiled sort fields of one route.
#[derive(Debug)]
pub(crate) struct SortSpec {
    fields: SortFields,
    /// The number of fields that the request declares. The other fields are [`AddedSortFields`].
    declared: usize,
    /// The default sort order, including the identifier.
    defaults: Vec<NumberedEntry>,
    hidden: Option<HiddenFields>,
}

/// One field of a sort order, given by its index in the declared fields.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NumberedEntry {
    pub(crate) field: usize,
    pub(crate) direction: Direction,
    requested: bool,
}

impl SortPlan {
    /// Checks and compiles the declared fields.
    ///
    /// # Errors
    /// Fails in these cases:
    /// - a name is declared twice, or is not valid in a list;
    /// - a default, a computed field or the identifier is not a declared field;
    /// - the request has a second order.
    pub fn new(mut fields: SortFields, context: &mut BuildContext<'_>) -> Result<Self, BuildErrors> {
        let mut errors = BuildErrors::new();
        let declared = fields.fields.len();
        fields.fields.extend(context.operation_state::<AddedSortFields>().0.iter().cloned());
        for (index, name) in fields.fields.iter().enumerate() {
            if fields.fields.iter().take(index).any(|other| other == name) {
                errors.push(format!("the order declares the field `{name}` twice; remove one"));
            }
            if name.is_empty() || name.contains([',', ' ']) || name.starts_with(['+', '-']) {
                errors.push(format!("`{name}` is not a valid name of a sort field; use letters, digits and `_`"));
            }
        }
        if fields.identifier >= fields.fields.len() {
            errors.push(format!(
                "the identifier of the order is the field at {}, counted from 0, but there are only {} fields; choose one of them",
                fields.identifier,
                fields.fields.len()
            ));
        }
        for (name, _) in fields.defaults.iter().filter(|(name, _)| position(&fields, name).is_none()) {
            errors.push(format!("the default order contains `{name}`, which is not a sort field; declare it"));
        }
        for (index, (name, _)) in fields.defaults.iter().enumerate() {
            if fields.defaults.iter().take(index).any(|(other, _)| other == name) {
                errors.push(format!("the default order contains `{name}` twice; remove one"));
            }
        }
        for name in fields.computed.iter().filter(|name| position(&fields, name).is_none()) {
            errors.push(format!("`computed` names `{name}`, which is not a sort field; declare it"));
        }
        let defaults = defaults(&fields, &Hidden::default());
        let hidden = context.route().setting::<HiddenFields>().cloned();
        let spec = Arc::new(SortSpec { fields, declared, defaults, hidden });
        let shared = context.operation_state::<SharedSort>().clone();
        if !shared.set(spec.clone()) {
            errors.push("the request has two orders; keep one `SortBag`");
        }
        let is_run_time = context.route().setting::<SortFields>().is_some();
        errors.finish(Some(Self { spec, shared, is_run_time }))
    }

    /// Adds the parameter `order_by` to the operation.
    pub fn describe(&self, operation: &mut Operation) {
        operation.is_list = true;
        let SortSpec { fields, defaults, .. } = &*self.spec;
        let values = fields.fields.iter().flat_map(|name| [name.to_string(), format!("-{name}")]);
        let default = defaults.iter().map(|entry| format!("{}{}", entry.direction.sign(), self.spec.name(entry.field)));
        let count = fields.fields.len();
        let schema =
            SchemaObject::array(SchemaObject::enumeration(values)).min_items(1).max_items(count).unique_items();
        let schema = schema.default_value(default.collect::<Vec<_>>());
        let mut parameter = ParameterObject::new(ParameterLocation::Query, ORDER_BY, SchemaUse::input(schema));
        let identifier = self.spec.identifier();
        parameter.description = Some(format!(
            "The order of the items: fields by precedence, separated by commas or as repeated parameters. A `-` before a field sorts it in descending order. `{identifier}` is always added last, in the direction of the last field. Null is the smallest value."
        ));
        parameter.required = false;
        parameter.style = ParameterStyle::Comma;
        operation.parameters.push(parameter);
        if self.is_run_time {
            operation.run_time.sort_fields.extend(self.spec.declared_fields().map(str::to_owned));
        }
    }

    /// Parses the sort order of a request. Reports each violation, and returns `None` if there is a violation.
    pub fn read<F: Sort>(&self, head: &RequestHead<'_>, violations: &mut RequestViolations) -> Option<SortBag<F>> {
        let entries = self.shared.read(head, || self.spec.read(head, violations))?;
        resolve(&self.spec.fields, entries)
    }
}

impl SortSpec {
    /// Parses the sort order of a request. Reports each violation, and returns `None` if there is a violation.
    pub(crate) fn read(
        &self,
        head: &RequestHead<'_>,
        violations: &mut RequestViolations,
    ) -> Option<Vec<NumberedEntry>> {
        let mut texts = head.query().values(ORDER_BY).peekable();
        let hidden = Hidden::of(self.hidden.as_ref(), head);
        if texts.peek().is_none() {
            return Some(if hidden.is_empty() { self.defaults.clone() } else { defaults(&self.fields, &hidden) });
        }
        // In a body, each item of the array is one field.
        let is_array = head.has_body_parameters();
        let mut refuse = |index: usize, make: &dyn Fn(String) -> Violation| {
            let pointer = if is_array { format!("/{ORDER_BY}/{index}") } else { format!("/{ORDER_BY}") };
            violations.push_with(ViolationLocation::Query, || make(pointer));
        };
        let split = |text| if is_array { vec![text] } else { str::split(text, ',').collect() };
        let mut entries: Vec<NumberedEntry> = Vec::new();
        let mut refused = false;
        for (index, item) in texts.flat_map(split).enumerate() {
            let (name, direction) = match item.strip_prefix('-') {
                Some(name) => (name, Direction::Descending),
                // The `+` for ascending is decoded as a space.
                None if is_array => (item, Direction::Ascending),
                None => (item.strip_prefix(['+', ' ']).unwrap_or(item), Direction::Ascending),
            };
            match position(&self.fields, name).filter(|_| !hidden.contains(name)) {
                Some(field) if request(&mut entries, field, direction) => {}
                Some(_) => {
                    refused = true;
                    let message = || format!("sorts by `{name}` twice");
                    refuse(index, &|pointer| {
                        Violation::new(pointer, codes::DUPLICATE_SORT_FIELD, message()).param("value", name)
                    });
                }
                None => {
                    refused = true;
                    refuse(index, &|pointer| self.unknown(pointer, name, &hidden));
                }
            }
        }
        complete(&mut entries, self.fields.identifier);
        if refused { None } else { Some(entries) }
    }

    fn unknown(&self, pointer: String, name: &str, hidden: &Hidden) -> Violation {
        let fields: Vec<_> = self.fields().filter(|name| !hidden.contains(name)).collect();
        let what = if name.is_empty() {
            "contains an empty field name".to_owned()
        } else {
            format!("cannot sort by `{}`", shown(name))
        };
        let message = format!("{what}; known fields are {}", fields.join(", "));
        let violation = Violation::new(pointer, codes::UNKNOWN_SORT_FIELD, message);
        violation.param("value", shown(name)).param("allowed", fields)
    }

    /// Returns the names of all fields.
    pub(crate) fn fields(&self) -> impl Iterator<Item = &str> {
        self.fields.fields.iter().map(|name| &**name)
    }

    /// Returns the names of the fields that the request declares.
    pub(crate) fn declared_fields(&self) -> impl Iterator<Item = &str> {
        self.fields().take(self.declared)
    }

    /// Returns the names of the declared fields that are not computed.
    pub(crate) fn item_fields(&self) -> impl Iterator<Item = &str> {
        let SortFields { fields, computed, .. } = &self.fields;
        fields.iter().take(self.declared).filter(|name| !computed.contains(name)).map(|name| &**name)
    }

    /// Returns the name of the identifier field.
    pub(crate) fn identifier(&self) -> &str {
        self.name(self.fields.identifier)
    }

    /// Returns the name of the field at this index.
    pub(crate) fn name(&self, field: usize) -> &str {
        self.fields.fields.get(field).map_or("", |name| name)
    }
}

/// Creates a sort order from the requested fields. Returns `None` if a field is repeated or not declared.
pub(super) fn bag<'n, F: Sort>(
    fields: &SortFields,
    requested: impl IntoIterator<Item = (&'n str, Direction)>,
) -> Option<SortBag<F>> {
    let mut entries = Vec::new();
    for (name, direction) in requested {
        request(&mut entries, position(fields, name)?, direction).then_some(())?;
    }
    if entries.is_empty() {
        return resolve(fields, defaults(fields, &Hidden::default()));
    }
    complete(&mut entries, fields.identifier);
    resolve(fields, entries)
}

/// Returns the default sort order without hidden fields.
fn defaults(fields: &SortFields, hidden: &Hidden) -> Vec<NumberedEntry> {
    let declared = fields.defaults.iter().filter(|(name, _)| !hidden.contains(name)).filter_map(|(name, direction)| {
        Some(NumberedEntry { field: position(fields, name)?, direction: *direction, requested: false })
    });
    let mut entries = declared.collect();
    complete(&mut entries, fields.identifier);
    entries
}

fn position(fields: &SortFields, name: &str) -> Option<usize> {
    fields.fields.iter().position(|field| field == name)
}

/// Adds a requested field to the sort order. Returns `false` if the field is already included.
fn request(entries: &mut Vec<NumberedEntry>, field: usize, direction: Direction) -> bool {
    let is_new = entries.iter().all(|entry| entry.field != field);
    if is_new {
        entries.push(NumberedEntry { field, direction, requested: true });
    }
    is_new
}

fn resolve<F: Sort>(fields: &SortFields, entries: Vec<NumberedEntry>) -> Option<SortBag<F>> {
    let identifier = entries.iter().position(|entry| entry.field == fields.identifier)?;
    let mut sorted = Vec::with_capacity(entries.len());
    // A loop compiles to one function per field type; iterator adapters compile to many.
    for NumberedEntry { field, direction, requested } in entries {
        sorted.push(SortEntry { field: F::at(fields, field)?, direction, requested });
    }
    Some(SortBag::new(sorted, identifier))
}

/// Appends the identifier field in the direction of the last field, unless the order already contains it.
fn complete(entries: &mut Vec<NumberedEntry>, identifier: usize) {
    if entries.iter().all(|entry| entry.field != identifier) {
        let direction = entries.last().map_or(Direction::Ascending, |entry| entry.direction);
        entries.push(NumberedEntry { field: identifier, direction, requested: false });
    }
}
