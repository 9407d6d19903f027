//! Checks at build time whether responses could reveal hidden entities.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use restwright_core::runtime::RouteNotes;
use restwright_core::{BuildContext, BuildErrors};

use super::info::OperationSettings;
use crate::definition::{EntityDefinition, FieldDefinition, IdentifierKind, OnDelete};

/// The definitions of all resources of an Api.
#[derive(Clone, Default)]
struct Definitions(Rc<RefCell<Vec<EntityDefinition>>>);

/// Adds the policy to the notes of the route. Checks each definition once per Api, after all resources are planned.
pub(super) fn check(settings: &OperationSettings, context: &mut BuildContext<'_>) {
    let definition = settings.resource.definition.clone();
    if let Some(policy) = definition.row_policy() {
        let revealed = match definition.revealed() {
            [] => String::new(),
            names => format!(", reveals {}", names.join(", ")),
        };
        let note = format!("policy {policy:?}{revealed}");
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
    let find = Arc::clone(&settings.definition);
    context.check_last(move |errors| {
        let all = all.0.borrow();
        let mut checks = Checks { definition: &definition, errors };
        if definition.has_policy() {
            checks.own();
        }
        for other in all.iter() {
            checks.against(other, &|| find(other.name()));
        }
    });
}

struct Checks<'c> {
    definition: &'c EntityDefinition,
    errors: &'c mut BuildErrors,
}

impl Checks<'_> {
    /// Checks that the definition accepts what its unique fields and its identifier reveal.
    fn own(&mut self) {
        let definition = self.definition;
        let name = definition.name();
        for field in definition.fields().filter(|field| field.is_unique()) {
            let what =
                format!("a conflict at the unique field `{}` reveals that a hidden entity has the value", field.name());
            self.require(field.name(), &what, name);
        }
        let what = match definition.identifier_kind() {
            IdentifierKind::Uuid => return,
            IdentifierKind::Integer => "gaps between integer identifiers reveal how many hidden entities were created",
            IdentifierKind::Given(_) => {
                "a conflict at an identifier that clients choose reveals that a hidden entity has this identifier"
            }
        };
        self.require(definition.identifier(), what, name);
    }

    /// Checks that both definitions accept what the references between them reveal.
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
                self.require(field.name(), &what, other.name());
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
            if !cascades && !other.does_reveal(name) {
                self.errors.push(format!(
                    "`{name}` hides entities by its policy, and the rejected delete of an entity of `{1}` reveals that a hidden entity refers to it \
                     in the field `{0}`; accept this with `reveals({name})` on `{1}`",
                    field.name(),
                    other.name()
                ));
            }
        }
    }

    fn require(&mut self, revealing: &str, what: &str, hidden: &str) {
        if !self.definition.does_reveal(revealing) {
            self.errors.push(format!(
                "`{hidden}` hides entities by its policy, and {what}; change this, or accept it with `reveals({revealing})` on `{}`",
                self.definition.name()
            ));
        }
    }
}

/// Returns the fields in which entities of one definition refer to entities of another definition.
fn references<'d>(from: &'d EntityDefinition, to: &'d EntityDefinition) -> impl Iterator<Item = &'d FieldDefinition> {
    from.fields().filter(|field| field.reference().is_some_and(|(target, _)| target == to.name()))
}
