//! Compares two documents, and returns the differences as a merge patch (RFC 7396).

use super::document::{Document, by_name};
use crate::compiled_schema::CompiledSchema;
use crate::node::{Compiled, Form, Node};

/// Returns the merge patch that changes `before` to `after`. It contains only the members that differ.
pub(super) fn between(before: &Document<'_>, after: &Document<'_>, shape: &CompiledSchema) -> String {
    let compiled = shape.compiled();
    merged(before, after, &compiled.root, compiled, true).to_json()
}

/// Returns a value that changes `before` to `after`. With `is_minimal`, omits unchanged members.
///
/// A schema does not state whether an object is merged or replaced. The value of an object with declared properties is correct for both: it
/// contains all members, and null for each removed member.
fn merged<'j>(
    before: &Document<'j>,
    after: &Document<'j>,
    node: &Node,
    compiled: &Compiled,
    is_minimal: bool,
) -> Document<'j> {
    let form = &compiled.resolve(node).form;
    let (Document::Object(old), Document::Object(new), Form::Object(_)) = (before, after, form) else {
        return after.clone();
    };
    let (old_members, new_members) = (by_name(old), by_name(new));
    let mut members = Vec::new();
    for (position, (name, member)) in new.iter().enumerate() {
        let member = match old_members.get(&**name) {
            Some(old) if is_minimal && old.equals(member) => continue,
            Some(old) => merged(old, member, property(form, name, position), compiled, false),
            None => member.clone(),
        };
        members.push((name.clone(), member));
    }
    let removed = old.iter().filter(|(name, _)| !new_members.contains_key(&**name));
    members.extend(removed.map(|(name, _)| (name.clone(), Document::Scalar("null"))));
    Document::Object(members)
}

fn property<'n>(form: &'n Form, name: &str, position: usize) -> &'n Node {
    match form {
        Form::Object(object) => object.find(name, position).map_or(&Node::ANY, |(_, property)| &property.node),
        _ => &Node::ANY,
    }
}
