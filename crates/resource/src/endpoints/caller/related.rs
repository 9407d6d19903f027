//! Decides whether an entity matches a policy that depends on related entities.

use restwright_list::Expression;

use crate::definition::EntityDefinition;
use crate::entity::Entity;
use crate::policy::Rows;
use crate::store::{Read, Statement, Store, StoreError, Transaction, replace_exists};

/// Returns `true` if an entity matches the condition of a policy. Reads related entities only if the fields of the entity are not
/// sufficient.
pub(super) async fn admits(
    store: &dyn Store,
    transaction: Option<&mut Transaction>,
    definition: &EntityDefinition,
    rows: &Rows,
    entity: &dyn Entity,
) -> Result<bool, StoreError> {
    if rows.condition().first_exists().is_none() {
        return Ok(rows.contains(entity));
    }
    // The future is large and rarely needed.
    Box::pin(decide(store, transaction, definition, rows.condition().clone(), entity)).await
}

async fn decide(
    store: &dyn Store,
    mut transaction: Option<&mut Transaction>,
    definition: &EntityDefinition,
    mut condition: Expression,
    entity: &dyn Entity,
) -> Result<bool, StoreError> {
    loop {
        let exists = match (decided(&condition, entity), condition.first_exists()) {
            (Some(holds), _) => return Ok(holds),
            (None, Some(exists)) => exists.clone(),
            (None, None) => return Ok(false),
        };
        let (related, linked) = definition.related(&exists, &|name| store.definition(name))?;
        let is_found = match linked.related_to(entity) {
            Some(wanted) => {
                let statement = Statement::new(&related);
                let statement = match transaction.as_deref_mut() {
                    Some(transaction) => statement.within(transaction),
                    None => statement,
                };
                store.read(statement, Read::Any(&wanted)).await?.total > 0
            }
            None => false,
        };
        let truth = if is_found { Expression::TRUE } else { Expression::Any(Vec::new()) };
        let replaced = replace_exists(&condition, &mut |other| {
            Ok::<_, StoreError>(if *other == exists { truth.clone() } else { other.clone().into() })
        });
        condition = replaced?.into_owned();
    }
}

/// Evaluates a condition on the fields of an entity. Returns `None` if the result depends on related entities.
fn decided(condition: &Expression, entity: &dyn Entity) -> Option<bool> {
    let all = |several: &[Expression], end: bool| {
        let mut truth = Some(!end);
        for one in several {
            match decided(one, entity) {
                Some(holds) if holds == end => return Some(end),
                Some(_) => {}
                None => truth = None,
            }
        }
        truth
    };
    match condition {
        Expression::All(several) => all(several, false),
        Expression::Any(several) => all(several, true),
        Expression::Not(one) => decided(one, entity).map(|holds| !holds),
        Expression::Exists(_) => None,
        other => Some(other.holds(entity)),
    }
}
