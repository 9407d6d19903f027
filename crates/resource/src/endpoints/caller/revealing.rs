//! Checks at build time that responses do not reveal hidden entities, unless the definition allows it.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use restwright_core::runtime::RouteNotes;
use restwright_core::{BuildContext, BuildErrors};

use crate::definition::{EntityDefinition, FieldDefinition, IdentifierKind, OnDelete, UniqueConstraint};
use crate::endpoints::declare::settings::OperationSettings;
use crate::policy::DeclaredPolicy;

/// The definitions of all resources of an Api.
#[derive(Clone, Default)]
struct Definitions(Rc<RefCell<Vec<EntityDefinition>>>);

/// Checks that responses do not reveal hidden entities. The check runs once per definition, after all resources are planned. Also adds
/// notes about the policy and the restricted fields to the route.
pub(super) fn check(settings: &OperationSettings, context: &mut BuildContext<'_>) {
    let definition = settings.resource.definition.clone();
    if let Some(policy) = definition.row_policy() {
        let revealed = match definition.revealed() {
            [] => String::new(),
            names => format!(", reveals {}", names.join(", ")),
        };
        let related = policy.related();
        let looks_for = match &*related.iter().map(EntityDefinition::name).collect::<Vec<_>>() {
            [] => String::new(),
            names => format!(", looks for {}", names.join(", ")),
        };
        let note = format!("policy {policy:?}{looks_for}{revealed}");
        context.kept::<RouteNotes>().add(move || Some(note.clone()));
    }
    for field in definition.fields() {
        let Some(write) = field.write_access() else { continue };
        let read = field.read_access().map(|read| format!("read with {read}, ")).unwrap_or_default();
        let note = format!("field `{}`: {read}write with {write}", field.name());
        context.kept::<RouteNotes>().add(move || Some(note.clone()));
    }
    let mut api = context.api();
    let all = api.build_state::<Definitions>().clone();
    let is_known =
        |other: &EntityDefinition| other.name() == definition.name() && other.row_policy() == definition.row_policy();
    if all.0.borrow().iter().any(is_known) {
        return;
    }
    all.0.borrow_mut().push(definition.clone());
    let store = Arc::clone(&settings.store);
    context.check_last(move |errors| {
        let all = all.0.borrow();
        let mut checks = Checks { definition: &definition, errors };
        checks.fields();
        if definition.has_policy() {
            checks.own();
            checks.related(&|name| store.definition(name));
        }
        for other in all.iter() {
            checks.against(other, &|| store.definition(other.name()));
        }
    });
}

struct Checks<'c> {
    definition: &'c EntityDefinition,
    errors: &'c mut BuildErrors,
}

impl Checks<'_> {
    /// Reports an error for each unique field that only some callers may read, unless the definition reveals the field.
    fn fields(&mut self) {
        let is_unique = |name: &str| {
            self.definition.unique_constraints().flat_map(UniqueConstraint::fields).any(|unique| unique == name)
        };
        let guarded = self.definition.fields().filter(|field| is_unique(field.name()) && field.read_access().is_some());
        for field in guarded.filter(|field| !self.definition.does_reveal(field.name())) {
            self.errors.push(format!(
                "the field `{0}` of `{1}` is unique and only some callers may read it, so a conflict reveals its values to the others; remove \
                 `unique`, or accept this with `reveals({0})`",
                field.name(),
                self.definition.name()
            ));
        }
    }

    /// Reports an error if a unique constraint or the identifier can reveal hidden entities, unless the definition allows it.
    fn own(&mut self) {
        let definition = self.definition;
        let name = definition.name();
        for fields in definition.unique_constraints().map(UniqueConstraint::fields) {
            let what = match fields {
                [field] => {
                    format!("a conflict at the unique field `{field}` reveals that a hidden entity has the value")
                }
                fields => format!(
                    "a conflict at the unique fields `{}` reveals that a hidden entity has the values",
                    fields.join("`, `")
                ),
            };
            self.require(fields, &what, name);
        }
        let what = match definition.identifier_kind() {
            IdentifierKind::Uuid => return,
            IdentifierKind::Integer => "gaps between integer identifiers reveal how many hidden entities were created",
            IdentifierKind::Given(_) => {
                "a conflict at an identifier that clients choose reveals that a hidden entity has this identifier"
            }
        };
        self.require(&[definition.identifier()], what, name);
    }

    /// Checks that the store has the definitions of the related entities on which the policy depends.
    fn related(&mut self, find: &dyn Fn(&str) -> Option<EntityDefinition>) {
        for related in self.definition.row_policy().map(DeclaredPolicy::related).unwrap_or_default() {
            let name = related.name();
            if find(name).is_none() {
                self.errors.push(format!(
                    "the policy of `{}` looks for entities of `{name}`, for which the store has no definition; add the resource of `{name}` to \
                     the Api on the same store, or pass its definition to `declare` of the store",
                    self.definition.name()
                ));
            }
        }
    }

    /// Reports an error if references to or from another definition can reveal hidden entities.
    fn against(&mut self, other: &EntityDefinition, find: &dyn Fn() -> Option<EntityDefinition>) {
        let name = self.definition.name();
        if other.name() == name && other.row_policy() != self.definition.row_policy() {
            self.errors.push(format!(
                "two resources of `{name}` have different policies, so one resource reveals entities that the other hides; both must have the same policy"
            ));
        }
        for field in references(self.definition, other) {
            if !other.has_policy() {
                continue;
            }
            if field.parent_definition().is_none() {
                let what = format!(
                    "the field `{}` reveals the identifier of a hidden entity of `{}`",
                    field.name(),
                    other.name()
                );
                self.require(&[field.name()], &what, other.name());
            }
            if find().is_none_or(|found| !found.has_policy()) {
                self.errors.push(format!(
                    "the store must return the definition of `{1}`, which has a policy, to check references in the field `{0}` of `{name}`; \
                     implement `Store::definition`",
                    field.name(),
                    other.name()
                ));
            }
        }
        if !self.definition.has_policy() {
            return;
        }
        for field in references(self.definition, other) {
            let cascades = matches!(field.reference(), Some((_, OnDelete::Cascade)));
            if cascades && !self.definition.does_cascade(field.name()) {
                self.errors.push(format!(
                    "`{name}` hides entities by its policy, and deleting an entity of `{}` also deletes hidden entities of `{name}` that refer to it \
                     in the field `{1}`; accept this with `cascades({1})`, or write `OnDelete::Restrict`",
                    other.name(),
                    field.name()
                ));
            }
            if !cascades && !field.keeps_reference() && !other.does_reveal(name) {
                self.errors.push(format!(
                    "`{name}` hides entities by its policy, and the rejected delete of an entity of `{1}` reveals that a hidden entity refers to it \
                     in the field `{0}`; accept this with `reveals({name})` on `{1}`",
                    field.name(),
                    other.name()
                ));
            }
        }
    }

    /// Reports an error unless the definition [reveals](EntityDefinition::reveals) all of the given names.
    fn require(&mut self, revealing: &[impl AsRef<str>], what: &str, hidden: &str) {
        let names = revealing.iter().map(AsRef::as_ref);
        if !names.clone().all(|name| self.definition.does_reveal(name)) {
            self.errors.push(format!(
                "`{hidden}` hides entities by its policy, and {what}; change this, or accept it with `reveals({})` on `{}`",
                names.collect::<Vec<_>>().join(", "),
                self.definition.name()
            ));
        }
    }
}

/// Returns the fields of one definition that refer to another definition.
fn references<'d>(from: &'d EntityDefinition, to: &'d EntityDefinition) -> impl Iterator<Item = &'d FieldDefinition> {
    from.fields().filter(|field| field.reference().is_some_and(|(target, _)| target == to.name()))
}
