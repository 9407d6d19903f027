//! Reads the query parameter `include`, which selects the relations to embed.

use std::sync::Arc;

use restwright_core::operation::{Operation, ParameterLocation, ParameterObject, ParameterStyle, SchemaUse};
use restwright_core::problem::{RequestViolations, ViolationLocation};
use restwright_core::schema::{Code, SchemaObject, Violation};
use restwright_core::{RequestHead, Result};

use super::access;
use super::resolved::Resolved;
use crate::endpoints::caller::call::{Call, Head};
use crate::endpoints::caller::field_rights::FieldRights;

pub(super) const INCLUDE: &str = "include";

/// The relations that a request selects. Each relation contains the call that reads its entities.
#[derive(Default)]
pub(in crate::endpoints) struct Includes {
    pub(super) selected: Vec<Selected>,
}

pub(super) struct Selected {
    pub(super) relation: Arc<Resolved>,
    pub(super) call: Call,
    pub(super) nested: Vec<Self>,
}

impl Includes {
    /// Returns the names of the relations of the listed entities.
    pub(in crate::endpoints) fn names(&self) -> impl Iterator<Item = &str> {
        self.selected.iter().map(|selected| selected.relation.name.as_str())
    }
}

/// Adds the query parameter `include` to the OpenAPI operation.
pub(super) fn describe(relations: &[Arc<Resolved>], operation: &mut Operation) {
    let values = paths(relations, &mut |_, _| true);
    let count = values.len();
    let schema = SchemaObject::array(SchemaObject::enumeration(values)).min_items(1).max_items(count).unique_items();
    let mut parameter = ParameterObject::new(ParameterLocation::Query, INCLUDE, SchemaUse::input(schema));
    parameter.description = Some(
        "The related entities to embed, separated by commas or as repeated parameters. You need the access to read them at their own path.".to_owned(),
    );
    parameter.required = false;
    parameter.style = ParameterStyle::Comma;
    operation.parameters.push(parameter);
}

/// Returns the include paths of the relations that the function `exists` accepts, such as `comments` and `comments.author`. The function
/// receives the relation, and for a nested relation also the relation that contains it.
fn paths<'r>(
    relations: &'r [Arc<Resolved>],
    exists: &mut dyn FnMut(Option<&'r Resolved>, &'r Resolved) -> bool,
) -> Vec<String> {
    let mut paths = Vec::new();
    for relation in relations {
        if exists(None, relation) {
            paths.push(relation.name.clone());
            let nested = relation.nested.iter().filter(|nested| exists(Some(relation), nested));
            paths.extend(nested.map(|nested| format!("{}.{}", relation.name, nested.name)));
        }
    }
    paths
}

/// Reads the query parameter `include` of one request.
struct Reading<'r> {
    relations: &'r [Arc<Resolved>],
    call: &'r Call,
    head: Option<Head>,
}

/// Reads the selected relations from the query parameter `include`. Returns `None` if the parameter has violations. Fails if the caller
/// may not read the entities of a selected relation.
pub(super) fn read(
    relations: &[Arc<Resolved>],
    call: &Call,
    head: &RequestHead<'_>,
    violations: &mut RequestViolations,
) -> Result<Option<Option<Box<Includes>>>> {
    let parameters = head;
    let mut texts = head.query().values(INCLUDE).peekable();
    if texts.peek().is_none() {
        return Ok(Some(None));
    }
    let is_hooked = |relation: &Arc<Resolved>| {
        relation.source.is_hooked || relation.nested.iter().any(|nested| nested.source.is_hooked)
    };
    let head = relations.iter().any(is_hooked).then(|| Head::new(head.request()));
    let reading = Reading { relations, call, head };
    let mut includes = Includes::default();
    let (mut seen, mut is_valid) = (Vec::new(), true);
    // In a body, each item of the array is one path.
    let is_array = parameters.has_body_parameters();
    let split = |text| if is_array { vec![text] } else { str::split(text, ',').collect() };
    for (index, path) in texts.flat_map(split).enumerate() {
        let is_repeated = seen.contains(&path);
        if !is_repeated && reading.select(path, &mut includes)? {
            seen.push(path);
            continue;
        }
        is_valid = false;
        violations.push_with(ViolationLocation::Query, || {
            let mut violation = match is_repeated {
                true => violation(path, Code::UNIQUE_ITEMS, format!("contains `{path}` twice")),
                false => reading.unknown(path),
            };
            if is_array {
                violation.pointer.push_str(&format!("/{index}"));
            }
            violation
        });
    }
    Ok(is_valid.then(|| Some(Box::new(includes))))
}

impl Reading<'_> {
    /// Selects the relations in an include path, such as `comments.author`. Returns `false` if the path does not exist for the caller.
    fn select(&self, path: &str, includes: &mut Includes) -> Result<bool> {
        let (name, nested) = path.split_once('.').map_or((path, None), |(name, nested)| (name, Some(nested)));
        let Some(first) = self.find(self.relations, name, &self.call.rights) else { return Ok(false) };
        let second = match nested {
            None => None,
            Some(nested) => {
                let rights = first.source.rights(&self.call.identity);
                let Some(second) = self.find(&first.nested, nested, &rights) else { return Ok(false) };
                Some(second)
            }
        };
        let selected = self.selected(&mut includes.selected, first, name)?;
        if let Some(second) = second {
            self.selected(&mut selected.nested, second, path)?;
        }
        Ok(true)
    }

    /// Returns the relation with the given name, if the relation is visible to the caller.
    fn find<'p>(&self, relations: &'p [Arc<Resolved>], name: &str, own: &FieldRights) -> Option<&'p Arc<Resolved>> {
        let relation = relations.iter().find(|relation| relation.name == name)?;
        relation.is_visible(own, &relation.source.rights(&self.call.identity)).then_some(relation)
    }

    /// Selects a relation, unless it is already selected. Returns the selected relation.
    fn selected<'s>(
        &self,
        all: &'s mut Vec<Selected>,
        relation: &Arc<Resolved>,
        path: &str,
    ) -> Result<&'s mut Selected> {
        let index = match all.iter().position(|selected| Arc::ptr_eq(&selected.relation, relation)) {
            Some(index) => index,
            None => {
                access::check(&relation.source, relation.modes(), path, &self.call.identity)?;
                let call =
                    relation.source.call(relation.modes(), &self.call.identity, self.head.as_ref(), self.call.now)?;
                all.push(Selected { relation: Arc::clone(relation), call, nested: Vec::new() });
                all.len() - 1
            }
        };
        all.get_mut(index).ok_or_else(|| restwright_core::Problem::internal("an include was not selected"))
    }

    fn unknown(&self, path: &str) -> Violation {
        let identity = &self.call.identity;
        let known = paths(self.relations, &mut |owner, relation| {
            let related = relation.source.rights(identity);
            match owner {
                None => relation.is_visible(&self.call.rights, &related),
                Some(owner) => relation.is_visible(&owner.source.rights(identity), &related),
            }
        });
        let what = match path.split('.').count() {
            _ if path.is_empty() => "contains an empty name".to_owned(),
            0..=2 => format!("cannot include `{}`", shown(path)),
            _ => format!("cannot include `{}`, because includes have at most two levels", shown(path)),
        };
        let known_values = if known.is_empty() {
            "there are no values".to_owned()
        } else {
            format!("known values are {}", known.join(", "))
        };
        violation(path, Code::ENUM, format!("{what}; {known_values}")).param("allowed", known)
    }
}

fn violation(path: &str, code: Code, message: String) -> Violation {
    Violation::new(format!("/{INCLUDE}"), code, message).param("value", shown(path))
}

/// Shortens client input to 128 characters for a message.
fn shown(text: &str) -> &str {
    text.char_indices().nth(128).and_then(|(end, _)| text.get(..end)).unwrap_or(text)
}
