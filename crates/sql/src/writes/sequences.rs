//! Advances the sequences that generate identifiers.

use std::sync::Arc;

use restwright_list::Value;
use restwright_resource::{Row, StoreError};

use crate::dialect::{Bound, qualified};
use crate::table::Table;
use crate::transactions::Lease;

/// Advances the identifier sequence past the identifier of an inserted entity, unless the insert already advanced it.
pub(crate) async fn skip_identifiers(table: &Table, entity: &Row, lease: &mut Lease<'_>) -> Result<(), StoreError> {
    let identifier = entity.value(table.definition.identifier());
    let Value::Integer(identifier) = identifier else { return Ok(()) };
    let Some(skip) = i64::try_from(identifier)
        .ok()
        .filter(|_| table.dialect.has_sequences)
        .map(|identifier| skipping(table, identifier))
    else {
        return Ok(());
    };
    if !lease.fetch(table, skip.is_needed.sql, skip.is_needed.values).await?.is_empty() {
        lease.execute(table, skip.sql, Vec::new()).await?;
    }
    Ok(())
}

/// Statements that advance the identifier sequence past an inserted identifier.
struct SkipIdentifiers {
    /// A query that returns a row if the sequence is still below the inserted identifier.
    is_needed: Bound,
    sql: Arc<str>,
}

/// Returns the statements that advance the identifier sequence past `identifier`. They lock the table, because `setval` would otherwise
/// undo a concurrent `nextval`.
fn skipping(table: &Table, identifier: i64) -> SkipIdentifiers {
    let name = qualified(table.schema.as_deref(), &table.name);
    let column = &table.identifier().name;
    let is_needed = "SELECT 1 FROM (SELECT pg_get_serial_sequence($1, $2)::regclass AS own) AS sequence \
                     WHERE own IS NOT NULL AND coalesce(pg_sequence_last_value(own), 0) < $3";
    let values = vec![name.clone().into(), column.clone().into(), identifier.into()];
    let (name_text, column_text) = (name.replace('\'', "''"), column.replace('\'', "''"));
    let sql = format!(
        "DO $skip$ DECLARE own regclass := pg_get_serial_sequence('{name_text}', '{column_text}'); BEGIN \
         LOCK TABLE {name} IN SHARE ROW EXCLUSIVE MODE; \
         IF coalesce(pg_sequence_last_value(own), 0) < {identifier} THEN PERFORM setval(own, {identifier}); END IF; END $skip$"
    );
    SkipIdentifiers { is_needed: Bound { sql: is_needed.into(), values }, sql: sql.into() }
}
