//! The checks of what responses show about hidden entities, when an Api is built.

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

/// Notes the policy of an operation, and checks its definition once for each Api, when all resources are planned.
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
    /// Checks what shows that an entity of the definition is there.
    fn own(&mut self) {
        let definition = self.definition;
        let name = definition.name();
        for field in definition.fields().filter(|field| field.is_unique()) {
            let what =
                format!("the conflict of the unique field `{}` shows that a hidden entity has the value", field.name());
            self.require(field.name(), &what, name);
        }
        let what = match definition.identifier_kind() {
            IdentifierKind::Uuid => return,
            IdentifierKind::Integer => "integer identifiers count the creates of hidden entities",
            IdentifierKind::Given(_) => {
                "the conflict of an identifier that clients give shows that a hidden entity has it"
            }
        };
        self.require(definition.identifier(), what, name);
    }

    /// Checks how the definition and another one refer to each other.
    fn against(&mut self, other: &EntityDefinition, find: &dyn Fn() -> Option<EntityDefinition>) {
        let name = self.definition.name();
        if other.name() == name && other.row_policy() != self.definition.row_policy() {
            self.errors.push(format!(
                "two resources of `{name}` have different policies, so one shows what the other hides; give both the same policy"
            ));
        }
        for field in references(self.definition, other) {
            if !other.has_policy() {
                continue;
            }
            if field.parent_definition().is_none() {
                let what = format!(
                    "the field `{}` shows the identifier of a hidden entity of `{}`",
                    field.name(),
                    other.name()
                );
                self.require(field.name(), &what, other.name());
            }
            if find().is_none_or(|found| !found.has_policy()) {
                self.errors.push(format!(
                    "the field `{}` of `{name}` refers to `{}`, which has a policy, and the store does not return its definition, so \
                     a reference to a hidden entity could not be checked; implement `Store::definition`",
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
                    "`{name}` hides entities by its policy, and the delete of one of `{}` deletes hidden ones by the field `{1}`; accept it \
                     with `cascades({1})`, or write `OnDelete::Restrict`",
                    other.name(),
                    field.name()
                ));
            }
            if !cascades && !other.does_reveal(name) {
                self.errors.push(format!(
                    "`{name}` hides entities by its policy, and the field `{}` of a hidden one stops the delete of one of `{1}`, which shows \
                     that it is there; accept it with `reveals({name})` on `{1}`",
                    field.name(),
                    other.name()
                ));
            }
        }
    }

    fn require(&mut self, revealing: &str, what: &str, hidden: &str) {
        if !self.definition.does_reveal(revealing) {
            self.errors.push(format!(
                "`{hidden}` hides entities by its policy, and {what}; change it, or accept it with `reveals({revealing})` on `{}`",
                self.definition.name()
            ));
        }
    }
}

/// Returns the fields by which entities of one definition refer to entities of another one.
fn references<'d>(from: &'d EntityDefinition, to: &'d EntityDefinition) -> impl Iterator<Item = &'d FieldDefinition> {
    from.fields().filter(|field| field.reference().is_some_and(|(target, _)| target == to.name()))
}
