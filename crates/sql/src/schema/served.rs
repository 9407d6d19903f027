//! Finds list filters and sort orders that no index supports.

use std::sync::{Arc, PoisonError};

use restwright_core::runtime::log;
use restwright_list::{Operator, PlannedList};
use restwright_resource::EntityDefinition;

use super::Schema;
use super::found_table::{FoundIndex, FoundTable};
use crate::store::Shared;
use crate::table::{Column, Table};
use crate::wanted::{IndexColumn, TableSchema};

/// The maximum number of filters and sort orders in a log line.
const NAMED: usize = 20;

/// Logs for each list how many combinations of its filters and sort orders are not supported by a database index.
pub(super) fn log_lists(shared: &Shared, schema: &Schema, found: &[Option<FoundTable>]) {
    let all: Vec<_> =
        schema.tables.iter().zip(found).filter_map(|((table, _), found)| Some((table, found.as_ref()?))).collect();
    let find = |entity: &str| {
        let (table, found) = all.iter().find(|(table, _)| table.definition.name() == entity)?;
        Some((Arc::clone(table), Indexes::found(found)))
    };
    let lists = shared.lists.read().unwrap_or_else(PoisonError::into_inner);
    for entity in all.iter().map(|(table, _)| table.definition.name()) {
        if let Some(unserved) = lists.get(entity).and_then(|list| Unserved::new(entity, list, &find)) {
            unserved.log(entity);
        }
    }
}

/// Returns a note on the filters and sort orders that no index of the entity definition supports. The database may have more indexes.
pub(crate) fn list_note(shared: &Shared, definition: &EntityDefinition, list: &PlannedList) -> Option<String> {
    let all = shared.all_tables();
    let find = |entity: &str| {
        let table = all.iter().find(|table| table.definition.name() == entity)?;
        // The start reports errors in references.
        Some((Arc::clone(table), Indexes::declared(&TableSchema::new(table, &all, &mut Vec::new()))))
    };
    let Unserved { combinations, unserved, names } = Unserved::new(definition.name(), list, &find)?;
    let shown = names.join(", ");
    (unserved > 0).then(|| {
        format!("no declared index serves {unserved} of {combinations} combinations of a filter and an order: {shown}")
    })
}

/// Finds the table of an entity definition and its indexes.
type Find<'f> = &'f dyn Fn(&str) -> Option<(Arc<Table>, Indexes)>;

/// The columns of each index that is not partial. `None` is an expression instead of a column.
struct Indexes {
    ordered: Vec<Vec<Option<String>>>,
    /// The list columns whose items are indexed.
    items: Vec<String>,
}

impl Indexes {
    /// Returns the indexes of a table in the database.
    fn found(table: &FoundTable) -> Self {
        let indexes = table.indexes.iter().filter(|index| !index.is_partial);
        let (items, ordered): (Vec<_>, Vec<_>) = indexes.partition(|index| index.is_of_items);
        let columns = |index: &FoundIndex| index.columns.iter().map(|column| column.name.clone()).collect();
        Self {
            ordered: ordered.into_iter().map(columns).collect(),
            items: items.iter().flat_map(|index| &index.columns).filter_map(|column| column.name.clone()).collect(),
        }
    }

    /// Returns the indexes that a definition declares.
    fn declared(schema: &TableSchema) -> Self {
        let indexes = schema.indexes.iter().filter(|index| index.condition.is_none());
        let (items, ordered): (Vec<_>, Vec<_>) = indexes.partition(|index| index.is_of_items);
        let column_of = |column: &IndexColumn| Some(column.name.clone()).filter(|_| column.expression.is_none());
        let ordered = ordered.into_iter().map(|index| index.columns.iter().map(column_of).collect());
        let primary = schema.primary_key.iter().cloned().map(Some).collect();
        Self {
            ordered: ordered.chain([primary]).collect(),
            items: items.iter().flat_map(|index| &index.columns).map(|column| column.name.clone()).collect(),
        }
    }

    /// Returns `true` if an index starts with the scope columns in any order, followed by the column. Rows with the same value are then adjacent.
    fn serve(&self, table: &Table, column: &str) -> bool {
        let scope: Vec<_> = table.scope_columns().map(|column| column.name.as_str()).collect();
        self.ordered.iter().any(|index| {
            let (first, next) = (index.get(..scope.len()).unwrap_or_default(), index.get(scope.len()));
            let is_first = |name: &&str| first.iter().any(|one| one.as_deref() == Some(name));
            scope.iter().all(is_first) && next.is_some_and(|next| next.as_deref() == Some(column))
        })
    }

    /// Returns `true` if an index starts with the scope, followed by the column that the filter compares.
    fn serve_filter(&self, table: &Table, column: &Column, operator: Operator) -> bool {
        let compared = match operator {
            Operator::Has => return self.items.contains(&column.name),
            Operator::Ne | Operator::Contains | Operator::EndsWith => None,
            Operator::StartsWith => column.fold(),
            _ => Some(column.name.as_str()),
        };
        compared.is_some_and(|compared| self.serve(table, compared))
    }
}

/// The combinations of a filter and a sort order that no index supports.
struct Unserved {
    combinations: usize,
    unserved: usize,
    /// The filters that no index supports, and the sort orders that no index supports without a filter.
    names: Vec<String>,
}

impl Unserved {
    /// Judges the list of an entity definition. `find` returns the table of a definition and its indexes.
    ///
    /// An index supports an order without a filter if it starts with the scope, followed by the field of the order. An index on the field of a
    /// filter supports any order, because few rows match. A database that does not estimate rows can read a range in another order, and
    /// related rows, only row by row.
    fn new(entity: &str, list: &PlannedList, find: Find<'_>) -> Option<Self> {
        let (table, indexes) = find(entity)?;
        let is_known = |field: &&str| table.column(field).is_some() || list.related(field).is_some();
        let orders: Vec<_> = list.orders().filter(is_known).collect();
        let mut judged = Self { combinations: 0, unserved: 0, names: Vec::new() };
        let is_served = |order: &&str| table.column(order).is_some_and(|column| indexes.serve(&table, &column.name));
        for order in &orders {
            judged.count(format!("order_by={order}"), 1, usize::from(is_served(order)));
        }
        for (field, operators) in list.filters() {
            let related = list.related(field).map(|(entity, field)| (find(entity), field));
            for operator in operators.iter().copied() {
                let served = match (&related, table.column(field)) {
                    (Some((Some((table, indexes)), field)), _) if table.dialect.estimates_rows => {
                        let column = table.column(field);
                        let is_served = column.is_some_and(|column| indexes.serve_filter(table, column, operator));
                        orders.len() * usize::from(is_served)
                    }
                    (Some(_), _) => 0,
                    (None, Some(column)) if !indexes.serve_filter(&table, column, operator) => 0,
                    (None, Some(_)) if !table.dialect.estimates_rows && is_range(operator) => {
                        orders.iter().filter(|order| **order == field).count()
                    }
                    (None, Some(_)) => orders.len(),
                    (None, None) => continue,
                };
                judged.count(format!("{field}[{}]", operator.as_str()), orders.len(), served);
            }
        }
        Some(judged)
    }

    fn count(&mut self, name: String, combinations: usize, served: usize) {
        self.combinations += combinations;
        self.unserved += combinations - served;
        match served {
            0 => self.names.push(name),
            _ if served < combinations => self.names.push(format!("{name} in another order")),
            _ => {}
        }
    }

    fn log(self, entity: &str) {
        let Self { combinations, unserved, names } = self;
        if names.is_empty() {
            return log(|| {
                tracing::info!(
                    entity,
                    combinations,
                    unserved,
                    "indexes serve all filters and orders of the list of `{entity}`"
                );
            });
        }
        let mut shown = names.iter().take(NAMED).cloned().collect::<Vec<_>>().join(", ");
        if names.len() > NAMED {
            shown.push_str(", ..");
        }
        log(|| {
            tracing::info!(
                entity,
                combinations,
                unserved,
                "no index serves {unserved} of {combinations} combinations of a filter and an order of the list of `{entity}`: {shown}; a total \
                 reads every row that matches"
            );
        });
    }
}

/// Returns `true` if rows with different values match the filter.
fn is_range(operator: Operator) -> bool {
    matches!(
        operator,
        Operator::Gt | Operator::Gte | Operator::Lt | Operator::Lte | Operator::Between | Operator::StartsWith
    )
}
