//! Runs the statements of reads, on the replica or on the primary database.

use std::sync::Arc;

use restwright_resource::{Statement, StoreError};
use sea_query::Value as SqlValue;

use crate::connections::{Access, Connections};
use crate::driver::SqlRow;
use crate::store::{Shared, SqlStore};
use crate::table::Table;
use crate::transactions::{Lease, SqlTransaction, Watched, plan_elsewhere, plan_within};

/// Specifies whether a read is short for most rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Length {
    Short,
    /// The read may scan the whole table, such as a total.
    Any,
}

impl SqlStore {
    /// Reads rows from the replica or from the primary. Stale reads use the replica if it works. All other reads use the primary.
    pub(crate) async fn read_rows(
        &self,
        (access, operation, length): (Access<'_>, &'static str, Length),
        statement: &mut Statement<'_>,
        table: &Table,
        sql: Arc<str>,
        values: Vec<SqlValue>,
    ) -> Result<Vec<SqlRow>, StoreError> {
        let is_stale = statement.allows_stale() && SqlTransaction::of_read(statement).await?.is_none();
        if let Some(replica) = self.shared.replica.as_ref().filter(|replica| is_stale && replica.may_read()) {
            // Only stale lists read the replica, so they may use all of its connections.
            let (connections, sql, values) = (&replica.connections, sql.clone(), values.clone());
            match self.read_by(connections, (Access::Read, operation, length), None, table, sql, values).await {
                Ok(rows) => {
                    replica.worked();
                    return Ok(rows);
                }
                // A statement that cannot succeed also fails on the primary.
                Err(error) => replica.failed(&error),
            }
        }
        let how = (access, operation, length);
        let transaction = SqlTransaction::of_read(statement).await?;
        self.read_by(&self.shared.connections, how, transaction, table, sql, values).await
    }

    async fn read_by(
        &self,
        connections: &Connections,
        (access, operation, length): (Access<'_>, &'static str, Length),
        transaction: Option<&mut SqlTransaction>,
        table: &Table,
        sql: Arc<str>,
        values: Vec<SqlValue>,
    ) -> Result<Vec<SqlRow>, StoreError> {
        let is_within = transaction.is_some();
        let begin = || Watched::begin(&self.shared.settings, table, operation);
        #[cfg(feature = "sqlite")]
        let tried = if length == Length::Short && !is_within {
            let watched = begin();
            if let Some(rows) = connections.fetch_inline(&sql, &values).await {
                watched.end(&sql, plan_elsewhere(connections, &sql, values)).await;
                return Ok(rows);
            }
            Some(watched)
        } else {
            None
        };
        #[cfg(not(feature = "sqlite"))]
        let tried: Option<Watched<'_>> = None;
        let mut lease = self.lease(connections, access, transaction).await?;
        let watched = tried.map_or_else(begin, Watched::begin_again);
        let kept = values.clone();
        match lease.fetch(table, Arc::clone(&sql), values).await {
            Ok(rows) => {
                watched.end(&sql, plan_within(&mut lease, &sql, kept)).await;
                lease.finish().await?;
                Ok(rows)
            }
            Err(failed) => {
                drop(lease);
                // The connection of a transaction is not used for the plan, and there may be no other connection.
                let plan = async { if is_within { None } else { plan_elsewhere(connections, &sql, kept).await } };
                watched.end(&sql, plan).await;
                Err(failed.into())
            }
        }
    }
}

impl Shared {
    /// Runs the query of a readiness check. Returns `false` if it has no rows.
    pub(crate) async fn check(
        &self,
        connections: &Connections,
        access: Access<'_>,
        sql: &'static str,
    ) -> Result<bool, StoreError> {
        let Some(mut lease) = Lease::of_check(connections, access).await? else { return Ok(true) };
        let rows = lease.fetch(None, sql.into(), Vec::new()).await?;
        lease.finish().await?;
        Ok(!rows.is_empty())
    }
}
