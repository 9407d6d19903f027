//! Finds the variant of an untagged union that matches a value, or the closest variant.

use std::cmp::Reverse;

use crate::code::Code;
use crate::json::Json;
use crate::path::Path;
use crate::pending_violation::{PendingViolation, with_article};
use crate::shape::node::{CompiledNodes, Node, NodeForm};
use crate::shape::walk::walk_node;
use crate::violation::Violations;

/// Checks a value against the variants of a union. Reports the violations of the closest variant if none matches.
///
/// Undeclared properties do not change which variant is chosen, because serde ignores them. If `within_closed` is `true`, the
/// chosen variant rejects them.
pub(super) fn check(
    compiled: &CompiledNodes,
    variants: &[Node],
    json: &Json<'_>,
    path: &Path<'_>,
    within_closed: bool,
    violations: &mut Violations,
) {
    let mut closest: Option<(Rank, &Node, Violations)> = None;
    for variant in variants {
        let mut found = Violations::with_limit(violations.limit());
        walk_node(compiled, variant, json, path, false, &mut found);
        if found.is_empty() {
            if within_closed {
                walk_node(compiled, variant, json, path, true, violations);
            }
            return;
        }
        let rank = Rank::of(compiled.resolve(variant), json, path, &found);
        if closest.as_ref().is_none_or(|(best, ..)| rank < *best) {
            closest = Some((rank, variant, found));
        }
    }
    match closest {
        Some((Rank { is_other_type: false, .. }, variant, _)) if within_closed => {
            walk_node(compiled, variant, json, path, true, violations);
        }
        Some((Rank { is_other_type: false, .. }, _, found)) => violations.append("", found),
        _ => violations.push(no_type(compiled, variants, json).at(path)),
    }
}

/// Returns the first variant that a value matches.
pub(super) fn matching<'n>(compiled: &CompiledNodes, variants: &'n [Node], json: &Json<'_>) -> Option<&'n Node> {
    variants.iter().find(|variant| {
        let mut found = Violations::with_limit(1);
        walk_node(compiled, variant, json, &Path::Root, false, &mut found);
        found.is_empty()
    })
}

/// The distance of a value from a variant. A lower rank is closer.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Rank {
    /// `true` if the variant requires another JSON type.
    is_other_type: bool,
    /// `true` if a constant differs, which usually distinguishes the variants.
    has_other_constant: bool,
    /// The number of properties that the variant declares.
    known: Reverse<usize>,
    violations: usize,
}

impl Rank {
    fn of(variant: &Node, json: &Json<'_>, path: &Path<'_>, found: &Violations) -> Self {
        let here = path.pointer();
        // A variant without data is the constant null.
        let codes: &[_] = if let NodeForm::Any = variant.form { &[Code::CONST] } else { &[Code::TYPE, Code::NULL] };
        let known = match (&variant.form, json) {
            (NodeForm::Object(object), Json::Object(properties)) => properties
                .iter()
                .enumerate()
                .filter(|(position, (name, _))| object.find(name, *position).is_some())
                .count(),
            _ => 0,
        };
        Self {
            is_other_type: found.iter().any(|violation| violation.pointer == here && codes.contains(&violation.code)),
            has_other_constant: found.iter().any(|violation| violation.code == Code::CONST),
            known: Reverse(known),
            violations: found.len(),
        }
    }
}

/// Creates the violation for a value whose JSON type no variant has, with a message such as "must be a string or an
/// object, not a number".
fn no_type(compiled: &CompiledNodes, variants: &[Node], json: &Json<'_>) -> PendingViolation {
    if let Json::Null = json {
        return PendingViolation::null();
    }
    let mut types = Vec::new();
    variants.iter().for_each(|variant| add_types(compiled, variant, &mut types));
    let names = types.iter().map(|name| with_article(name)).collect::<Vec<_>>().join(" or ");
    PendingViolation::new(Code::TYPE, format!("must be {names}, not {}", with_article(json.type_name())))
        .param("expected", types.join(" or "))
        .param("actual", json.type_name())
}

fn add_types(compiled: &CompiledNodes, node: &Node, types: &mut Vec<&'static str>) {
    let node = compiled.resolve(node);
    let name = match &node.form {
        NodeForm::Scalar(kind) => kind.type_name(),
        NodeForm::Array(_) | NodeForm::Tuple(_) => "array",
        NodeForm::Object(_) | NodeForm::Map(_) | NodeForm::OneOf(_) => "object",
        NodeForm::AnyOf(variants) => return variants.iter().for_each(|variant| add_types(compiled, variant, types)),
        NodeForm::Any => node.constant.as_ref().map_or("null", |constant| Json::of(constant).type_name()),
        NodeForm::Reference(_) => return,
    };
    if !types.contains(&name) {
        types.push(name);
    }
}
