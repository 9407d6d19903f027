//! Defines [`Variants`], which checks the variants of untagged unions that serde read.

use std::any::TypeId;

use serde_json::Value;

use crate::code::Code;
use crate::json::Json;
use crate::path::Path;
use crate::shape::checks::VariantCheck;
use crate::shape::node::{CompiledNodes, NodeForm};
use crate::shape::normal::{Unknown, normalised_node};
use crate::shape::walk::walk_node;
use crate::violation::{Violation, Violations};

/// A value that matches its schema, and was read by serde.
#[derive(Debug)]
pub(super) struct Variants<'r> {
    pub(super) compiled: &'r CompiledNodes,
    pub(super) value: &'r Value,
}

impl VariantCheck for Variants<'_> {
    fn check(&self, union: TypeId, index: usize, path: &Path<'_>, violations: &mut Violations) {
        let form = self.compiled.unions.get(&union).map(|union| self.compiled.named_form(*union));
        if let Some(NodeForm::AnyOf(variants)) = form
            && let (Some(variant), Some(value)) = (variants.get(index), path.find(self.value))
        {
            let json = Json::of(value);
            let before = violations.len();
            walk_node(self.compiled, variant, &json, path, false, violations);
            // A value that was normalised for another variant may contain properties that this variant hides.
            if violations.len() == before
                && self.compiled.hides
                && normalised_node(self.compiled, variant, json, Unknown::Keep) != *value
            {
                violations.push(Violation::new(path.pointer(), Code::UNREADABLE, "can be read as several types"));
            }
        }
    }
}
