//! Compares two documents, and returns the differences as a merge patch (RFC 7396).

use crate::document::{JsonDocument, ObjectMember, by_name};
use crate::shape::{CompiledNodes, CompiledSchema, Node, NodeForm};

/// Returns the merge patch that changes `before` to `after`. The root of the schema is a partial update.
pub(super) fn between(before: &JsonDocument<'_>, after: &JsonDocument<'_>, shape: &CompiledSchema) -> String {
    let compiled = shape.compiled();
    match (before, after) {
        (JsonDocument::Object(old), JsonDocument::Object(new)) => {
            changes(old, new, &compiled.resolve(&compiled.root).form, compiled).to_json()
        }
        _ => after.to_json(),
    }
}

/// Returns the members that differ. A removed member is null. An object that is a partial update contains only what differs, and any other
/// value is complete, because it replaces the old value.
fn changes<'j>(
    old: &[ObjectMember<'j>],
    new: &[ObjectMember<'j>],
    form: &NodeForm,
    compiled: &CompiledNodes,
) -> JsonDocument<'j> {
    let (old_members, new_members) = (by_name(old), by_name(new));
    let mut changed = Vec::new();
    for (position, (name, member)) in new.iter().enumerate() {
        let before = old_members.get(&**name);
        if before.is_some_and(|before| before.equals(member)) {
            continue;
        }
        let inner = property(form, name, position).map(|node| &compiled.resolve(node).form);
        let member = match (before, member, inner) {
            (Some(JsonDocument::Object(old)), JsonDocument::Object(new), Some(form @ NodeForm::Object(object)))
                if object.is_partial =>
            {
                changes(old, new, form, compiled)
            }
            _ => member.clone(),
        };
        changed.push((name.clone(), member));
    }
    let removed = old.iter().filter(|(name, _)| !new_members.contains_key(&**name));
    changed.extend(removed.map(|(name, _)| (name.clone(), JsonDocument::Scalar("null"))));
    JsonDocument::Object(changed)
}

fn property<'n>(form: &'n NodeForm, name: &str, position: usize) -> Option<&'n Node> {
    match form {
        NodeForm::Object(object) => object.find(name, position).map(|(_, property)| &property.node),
        _ => None,
    }
}
