//! Defines [`exists`], which creates policy conditions on related entities.

use restwright_list::{Exists, Expression, RecordFields, Related};

use crate::endpoints::Resource;

/// Returns a [`RowPolicy`](crate::RowPolicy) condition that matches if a related entity exists in the same scope. The policy of the related
/// entity does not apply.
///
/// Two entities are in the same scope if they have equal values in each scope field that both definitions contain. The condition must link
/// a scope field that only the related definition contains. The condition on the related entity must not contain another `exists`.
///
#[cfg_attr(not(doctest), doc = include_str!("../../doc_examples/exists.md"))]
#[must_use]
pub fn exists<R: Resource + RecordFields>(condition: impl FnOnce(R::Fields) -> Related) -> Expression {
    Exists::new(R::definition().name().to_owned(), condition(R::FIELDS)).into()
}
