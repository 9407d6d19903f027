//! Inserts rows.

use std::sync::Arc;

use restwright_list::ValueType;
use restwright_resource::{Change, IdentifierKind, Row, Statement, StoreError, Version, Versioned};

use super::failure::{self, Written};
use super::references::of_missing;
use super::sequences::skip_identifiers;
use super::stored::Stored;
use super::writing::Needs;
use crate::statements::{Place, insert};
use crate::store::SqlStore;
use crate::table::ReadBack;
use crate::transactions::{SqlTransaction, Watched};

impl SqlStore {
    pub(crate) async fn change(
        &self,
        statement: &mut Statement<'_>,
        change: Change,
    ) -> Result<Option<Versioned<Row>>, StoreError> {
        match change {
            Change::Insert(mut row) => {
                let stored = self.insert_row(statement, &mut row).await?;
                stored.row(statement, row).map(Some)
            }
            Change::Update { mut row, expected } => {
                let stored = self.update_row(statement, &mut row, expected).await?;
                stored.row(statement, row).map(Some)
            }
            Change::Delete { identifier, expected } => {
                self.delete_row(statement, &identifier, expected).await.map(|()| None)
            }
            _ => Err(StoreError::failed("the store does not support this change")),
        }
    }

    async fn insert_row(&self, statement: &mut Statement<'_>, entity: &mut Row) -> Result<Stored, StoreError> {
        let version = Version::random();
        let is_made = statement.prepare_insert(entity, version)?;
        let table = self.shared.table(statement.definition())?;
        table.cut(entity);
        let bound = insert(&table, entity, version, is_made)?;
        let written = Written::New { is_made };
        let rules = table.rules.get();
        let read_back = rules.map(|rules| rules.triggers.inserts).unwrap_or_default();
        let may_change_folded = rules.is_some_and(|rules| rules.may_change_folded);
        let has_live = self.has_live_references(&table);
        let is_several = has_live || may_change_folded || matches!(read_back, ReadBack::Again);
        let needs = if is_several { Needs::LockingTransaction } else { Needs::OneStatement };
        let skips_identifiers = table.definition.identifier_kind() == IdentifierKind::Integer && !is_made;
        let is_read_back = is_made || read_back != ReadBack::Nothing || table.version.is_none();
        let bound = match is_several || is_read_back || skips_identifiers {
            true => bound,
            false => match SqlTransaction::postpone(statement, &table, "insert", bound)? {
                Some(bound) => bound,
                None => return Ok(Stored::AsWritten(version)),
            },
        };
        let stored = self.writing(statement, needs, async |lease| {
            if skips_identifiers {
                skip_identifiers(&table, entity, lease).await?;
            }
            let missing =
                if has_live { self.missing_live_reference(&table, (entity, written), lease).await? } else { None };
            let watched = Watched::begin(&self.shared.settings, &table, "insert");
            let rows = lease.write(&*table, bound.sql, bound.values).await;
            watched.without(lease.waited()).end("", async { None }).await;
            let row = match rows {
                Ok(mut rows) => rows.pop(),
                Err(failed) => {
                    let failed = failure::of_write(failed, &self.shared, &table, entity, written, lease).await;
                    return of_missing(&table, Some(failed), missing).map(|()| Stored::AsWritten(version));
                }
            };
            if missing.is_some() {
                of_missing(&table, None, missing)?;
            }
            // A row is returned if the database generates the identifier or may change the values.
            if row.is_none() && (is_made || !matches!(read_back, ReadBack::Nothing)) {
                return Err(self.shared.skipped(&table));
            }
            let value_type = if is_made { ValueType::Integer } else { table.identifier().field.value_type() };
            let identifier = row.as_ref().map(|row| row.cell(0, value_type)).transpose();
            if let Some(identifier) = identifier.map_err(StoreError::failed)? {
                Statement::new(&table.definition).set(
                    entity,
                    table.definition.identifier(),
                    identifier.into_value(),
                )?;
            }
            let stored = match (read_back, row) {
                (ReadBack::Returned, Some(row)) => Stored::Read(Arc::clone(&table), row),
                (ReadBack::Again, _) => {
                    let place = Place::of(&table, entity).ok_or(StoreError::NotFound)?;
                    self.stored_row(lease, &table, place).await?
                }
                _ => Stored::AsWritten(version),
            };
            match may_change_folded {
                true => self.folded_again(lease, &table, entity, stored).await,
                false => Ok(stored),
            }
        });
        match stored.await? {
            Stored::AsWritten(version) if table.version.is_none() => {
                self.inserted_version(statement, &table, entity, version).await.map(Stored::AsWritten)
            }
            stored => Ok(stored),
        }
    }
}
