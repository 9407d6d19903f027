//! Implements the complete walk, which checks a parsed JSON value and reports all violations with their pointers. It
//! runs if the guided read rejects a text or cannot check the text completely.

use std::borrow::Cow;
use std::collections::HashSet;

use serde_json::Value;

use crate::code::Code;
use crate::equality::{equals, repeated};
use crate::json::Json;
use crate::number::Number;
use crate::path::Path;
use crate::pending_violation::{NameSink, PendingViolation, SinkAt, ViolationSink, with_article};
use crate::shape::closest;
use crate::shape::node::{
    ArrayNode, CompiledNodes, MapNode, Node, NodeForm, ObjectNode, OneOfNode, PresentProperties, TupleNode,
};
use crate::shape::schema_type::{Scalar, ScalarType};
use crate::shape::withheld::Withheld;
use crate::steps;
use crate::violation::Violations;

/// Adds the violations of a value to `violations`, up to its limit.
pub(super) fn walk(compiled: &CompiledNodes, json: &Json<'_>, violations: &mut Violations) {
    walk_node(compiled, &compiled.root, json, &Path::Root, false, violations);
}

/// Adds the violations of a nested value to `violations`. `within_closed` is `true` inside an object that rejects undeclared
/// properties recursively.
pub(super) fn walk_node(
    compiled: &CompiledNodes,
    node: &Node,
    json: &Json<'_>,
    path: &Path<'_>,
    within_closed: bool,
    violations: &mut Violations,
) {
    Walk { compiled, within_closed, violations }.node(node, json, path);
}

struct Walk<'w> {
    compiled: &'w CompiledNodes,
    /// `true` inside an object that rejects undeclared properties recursively.
    within_closed: bool,
    violations: &'w mut Violations,
}

impl Walk<'_> {
    fn node(&mut self, declared: &Node, json: &Json<'_>, path: &Path<'_>) {
        steps::count(1);
        if self.violations.is_over() {
            return;
        }
        let node = self.compiled.resolve(declared);
        if let Json::Null = json {
            match node.form {
                _ if declared.nullable || node.nullable => return,
                // A schema that allows any value also allows null. Only a constant can reject it.
                NodeForm::Any | NodeForm::AnyOf(_) => {}
                _ => return self.report(path, PendingViolation::null),
            }
        }
        match (&node.form, json) {
            (NodeForm::Scalar(kind), json) => self.scalar(kind, json, path),
            (NodeForm::Array(array), Json::Array(items)) => self.array(array, items, path),
            (NodeForm::Tuple(tuple), Json::Array(items)) => self.tuple(tuple, items, path),
            (NodeForm::Object(object), Json::Object(properties)) => self.object(object, properties, path),
            (NodeForm::Map(map), Json::Object(properties)) => self.map(map, properties, path),
            (NodeForm::OneOf(one_of), Json::Object(properties)) => self.one_of(one_of, json, properties, path),
            (NodeForm::AnyOf(variants), json) => {
                closest::check(self.compiled, variants, json, path, self.within_closed, self.violations);
            }
            (NodeForm::Any, json) => self.any(json, path),
            (NodeForm::Array(_) | NodeForm::Tuple(_), json) => {
                self.report(path, || PendingViolation::wrong_type("array", json.type_name()))
            }
            (NodeForm::Object(_) | NodeForm::Map(_) | NodeForm::OneOf(_), json) => {
                self.report(path, || PendingViolation::wrong_type("object", json.type_name()));
            }
            // References are resolved above.
            (NodeForm::Reference(_), _) => {}
        }
        for constant in declared.constant.iter().chain(node.constant.iter().filter(|_| !std::ptr::eq(node, declared))) {
            let rounded;
            let read = match (&node.form, json) {
                (NodeForm::Scalar(kind), Json::Number(number)) if !kind.reads_integers() => {
                    rounded = Json::Number(number.value.into());
                    &rounded
                }
                _ => json,
            };
            if !equals(read, &Json::of(constant)) {
                self.report(path, || not_the_constant(constant));
            }
        }
    }

    fn scalar(&mut self, kind: &ScalarType, json: &Json<'_>, path: &Path<'_>) {
        let mut sink = SinkAt { path, violations: self.violations };
        let scalar = match json {
            Json::Boolean(value) => Scalar::Boolean(*value),
            // The nearest double of a fraction can be an integer.
            Json::Number(number) if number.integer.is_none() && !kind.is_numeric() => {
                return sink.report(|| PendingViolation::wrong_type(kind.type_name(), "number"));
            }
            Json::Number(number) => match number.read_as(kind.reads_integers()) {
                Some(number) => Scalar::Number(number),
                None => return sink.report(|| PendingViolation::wrong_type(kind.type_name(), "number")),
            },
            Json::Text(text) => Scalar::Text(text),
            Json::Huge { negative } if kind.is_numeric() => return sink.report(|| out_of_range(*negative)),
            other => return sink.report(|| PendingViolation::wrong_type(kind.type_name(), other.type_name())),
        };
        kind.check(scalar, &mut sink);
    }

    fn array(&mut self, array: &ArrayNode, items: &[Json<'_>], path: &Path<'_>) {
        array.rules.check(items.len(), &mut SinkAt { path, violations: self.violations });
        for (index, item) in items.iter().enumerate() {
            if self.violations.is_over() {
                return;
            }
            self.node(&array.items, item, &Path::Index(path, index));
        }
        if array.rules.unique {
            for (index, earlier) in repeated(items) {
                if self.violations.is_over() {
                    return;
                }
                self.report(&Path::Index(path, index), || {
                    PendingViolation::new(
                        Code::UNIQUE_ITEMS,
                        format!("must differ from every other item, but equals item {earlier}"),
                    )
                    .param("equals", earlier)
                });
            }
        }
    }

    fn tuple(&mut self, tuple: &TupleNode, items: &[Json<'_>], path: &Path<'_>) {
        tuple.rules.check(items.len(), &mut SinkAt { path, violations: self.violations });
        for (index, (node, item)) in tuple.items.iter().zip(items).enumerate() {
            self.node(node, item, &Path::Index(path, index));
        }
    }

    fn object(&mut self, object: &ObjectNode, properties: &[(impl AsRef<str>, Json<'_>)], path: &Path<'_>) {
        let mut seen = PresentProperties::default();
        let mut unknown = HashSet::new();
        let mut count = 0;
        let outer = self.within_closed;
        self.within_closed = outer || object.closes_recursively;
        for (position, (name, value)) in properties.iter().enumerate() {
            if self.violations.is_over() {
                return;
            }
            let name = name.as_ref();
            let here = Path::Name(path, name);
            let known = object.find(name, position);
            let repeated = known.map_or_else(|| !unknown.insert(name), |(index, _)| seen.mark(index));
            if repeated {
                self.report(&here, duplicate);
                continue;
            }
            let withheld = if known.is_some() { None } else { object.withheld(name) };
            count += usize::from(withheld != Some(&Withheld::Apart));
            match (known, withheld) {
                (Some((_, property)), _) => self.node(&property.node, value, &here),
                (None, Some(Withheld::Rejected(code, message))) => {
                    self.report(&here, || PendingViolation::new(code.clone(), *message));
                }
                (None, Some(Withheld::Apart)) => self.any(value, &here),
                (None, _) if object.rejects(name, outer) => self.report(&here, unknown_property),
                (None, _) => self.any(value, &here),
            }
        }
        self.within_closed = outer;
        for (_, property) in object.required().filter(|(index, _)| !seen.contains(*index)) {
            self.report(&Path::Name(path, &property.name), || PendingViolation::new(Code::REQUIRED, "is required"));
        }
        object.count.check(count, &mut SinkAt { path, violations: self.violations });
    }

    fn map(&mut self, map: &MapNode, properties: &[(impl AsRef<str>, Json<'_>)], path: &Path<'_>) {
        let mut names: HashSet<Cow<'_, str>> = HashSet::new();
        for (name, value) in properties {
            if self.violations.is_over() {
                return;
            }
            let name = name.as_ref();
            let here = Path::Name(path, name);
            let same = map.keys.as_ref().and_then(|keys| keys.same_name(name));
            if !names.insert(same.map_or(Cow::Borrowed(name), Cow::Owned)) {
                self.report(&here, duplicate);
                continue;
            }
            if let Some(keys) = &map.keys {
                keys.check_name(name, &mut NameSink(SinkAt { path: &here, violations: self.violations }));
            }
            self.node(&map.values, value, &here);
        }
        map.count.check(names.len(), &mut SinkAt { path, violations: self.violations });
    }

    fn one_of(
        &mut self,
        one_of: &OneOfNode,
        json: &Json<'_>,
        properties: &[(impl AsRef<str>, Json<'_>)],
        path: &Path<'_>,
    ) {
        let here = Path::Name(path, &one_of.discriminator);
        match properties.iter().find(|(name, _)| name.as_ref() == one_of.discriminator) {
            None => self.report(&here, || PendingViolation::new(Code::REQUIRED, "is required")),
            Some((_, Json::Text(value))) => match one_of.variant(value) {
                Some(variant) => {
                    let before = self.violations.len();
                    self.node(variant, json, path);
                    self.violations.name_variant(before, value);
                }
                None => self.report(&here, || unknown_variant(one_of)),
            },
            Some((_, other)) => self.report(&here, || PendingViolation::wrong_type("string", other.type_name())),
        }
    }

    /// Checks a value whose schema accepts any JSON value. Numbers must be in the range of doubles, and objects must
    /// not contain duplicate keys.
    fn any(&mut self, json: &Json<'_>, path: &Path<'_>) {
        steps::count(1);
        if self.violations.is_over() {
            return;
        }
        match json {
            Json::Huge { negative } => self.report(path, || out_of_range(*negative)),
            Json::Array(items) => {
                for (index, item) in items.iter().enumerate() {
                    self.any(item, &Path::Index(path, index));
                }
            }
            Json::Object(properties) => {
                let mut names = HashSet::new();
                for (name, value) in properties {
                    let here = Path::Name(path, name);
                    if names.insert(name) {
                        self.any(value, &here);
                    } else {
                        self.report(&here, duplicate);
                    }
                }
            }
            Json::Null | Json::Boolean(_) | Json::Number(_) | Json::Text(_) => {}
        }
    }

    fn report(&mut self, path: &Path<'_>, violation: impl FnOnce() -> PendingViolation) {
        SinkAt { path, violations: self.violations }.report(violation);
    }
}

fn duplicate() -> PendingViolation {
    PendingViolation::new(Code::DUPLICATE_PROPERTY, "must occur only once")
}

fn unknown_property() -> PendingViolation {
    PendingViolation::new(Code::UNKNOWN_PROPERTY, "is not a known property")
}

fn unknown_variant(one_of: &OneOfNode) -> PendingViolation {
    let allowed: Vec<_> = one_of.variants.iter().map(|(value, _)| value.as_str()).collect();
    PendingViolation::new(Code::DISCRIMINATOR, format!("must be one of: {}", allowed.join(", ")))
        .param("allowed", allowed)
}

fn out_of_range(negative: bool) -> PendingViolation {
    if negative {
        let bound = Number::from(f64::MIN);
        PendingViolation::new(Code::MINIMUM, "must be within the range of 64-bit floats")
            .param("minimum", bound.to_value())
    } else {
        let bound = Number::from(f64::MAX);
        PendingViolation::new(Code::MAXIMUM, "must be within the range of 64-bit floats")
            .param("maximum", bound.to_value())
    }
}

pub(super) fn not_the_constant(constant: &Value) -> PendingViolation {
    let noun = match constant {
        Value::Object(_) | Value::Array(_) => with_article(Json::of(constant).type_name()),
        simple => simple.to_string(),
    };
    PendingViolation::new(Code::CONST, format!("must be {noun}")).param("const", constant.clone())
}
