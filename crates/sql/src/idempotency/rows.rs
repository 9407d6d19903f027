//! Defines the table of idempotency keys, with its schema and statements.

use jiff::Timestamp;
use restwright_core::http::{HeaderName, HeaderValue, StatusCode};
use restwright_list::ValueType;
use restwright_resource::StoreError;
use restwright_resource::idempotency::{Begun, Fingerprint, IdempotencyKey, KeptResponse};
use sea_query::{
    Alias, DeleteStatement, Expr, ExprTrait, InsertStatement, LockBehavior, LockType, Query, SelectStatement,
    SimpleExpr, UpdateStatement, Value,
};

use crate::dialect::{Bound, Dialect};
use crate::driver::SqlRow;
use crate::reads::integer;
use crate::value::moment;
use crate::wanted::{ColumnKind, ColumnSchema, Index, IndexColumn, TableSchema};

const TABLE: &str = "idempotency_keys";

const KEY: &str = "key";
const CALLER: &str = "caller";
const FINGERPRINT: &str = "fingerprint";
const STATUS: &str = "status";
const HEADERS: &str = "headers";
const BODY: &str = "body";
const KEPT_UNTIL: &str = "kept_until";

const COLUMNS: [&str; 7] = [KEY, CALLER, FINGERPRINT, STATUS, HEADERS, BODY, KEPT_UNTIL];

/// Returns the schema of the table of idempotency keys.
pub(super) fn table(dialect: &'static Dialect) -> TableSchema {
    let column = |name: &str, kind| ColumnSchema::own(name, kind, false);
    let bytes = |name| column(name, ColumnKind::Bytes);
    let fixed = |column| ColumnSchema { is_fixed: true, ..column };
    let expiry = IndexColumn::new(KEPT_UNTIL);
    TableSchema {
        dialect,
        schema: None,
        name: TABLE.to_owned(),
        columns: vec![
            fixed(bytes(KEY)),
            fixed(bytes(CALLER)),
            fixed(bytes(FINGERPRINT)),
            column(STATUS, ColumnKind::Value(ValueType::Integer)),
            bytes(HEADERS),
            bytes(BODY),
            fixed(column(KEPT_UNTIL, ColumnKind::Value(ValueType::DateTime))),
        ],
        primary_key: vec![KEY.to_owned()],
        indexes: vec![Index { name: format!("{TABLE}_{KEPT_UNTIL}_idx"), columns: vec![expiry], ..Index::default() }],
        foreign_keys: Vec::new(),
        kept_references: Vec::new(),
        definition: None,
    }
}

/// The row that a request with an idempotency key inserts.
#[derive(Clone)]
pub(super) struct KeyRow {
    pub(super) key: IdempotencyKey,
    pub(super) fingerprint: Fingerprint,
    /// The time of the request.
    pub(super) now: Timestamp,
    pub(super) kept_until: Timestamp,
}

impl KeyRow {
    /// Returns the statement that inserts the row. The statement fails if the key already has a row. The row has the status 0, which is
    /// never committed.
    pub(super) fn insert(&self) -> InsertStatement {
        self.insert_values(self.values(0, Vec::new(), Vec::new()))
    }

    /// Returns the statement that inserts the row with a response.
    pub(super) fn insert_with(&self, response: &KeptResponse) -> InsertStatement {
        self.insert_values(self.values_with(response))
    }

    /// Returns a statement of PostgreSQL that runs a change and inserts the row with a response, if the change has changed a row.
    pub(super) fn insert_after(&self, change: Bound, response: &KeptResponse) -> Bound {
        let Bound { sql, mut values } = change;
        let count = values.len();
        values.extend(self.values_with(response));
        let parameters: Vec<_> = (count + 1..=values.len()).map(|place| format!("${place}")).collect();
        let (columns, parameters) = (COLUMNS.join(", "), parameters.join(", "));
        let sql = format!(
            "WITH changed AS ({sql} RETURNING 1) INSERT INTO {TABLE} ({columns}) SELECT {parameters} FROM changed"
        );
        Bound { sql: sql.into(), values }
    }

    fn insert_values(&self, values: [Value; 7]) -> InsertStatement {
        let mut insert = Query::insert();
        insert
            .into_table(Alias::new(TABLE))
            .columns(COLUMNS.map(Alias::new))
            .values_panic(values.map(SimpleExpr::from));
        insert
    }

    fn values_with(&self, response: &KeptResponse) -> [Value; 7] {
        self.values(status(response), headers(response), response.body().to_vec())
    }

    fn values(&self, status: i64, headers: Vec<u8>, body: Vec<u8>) -> [Value; 7] {
        [
            self.key.digest().to_vec().into(),
            self.key.caller().to_vec().into(),
            self.fingerprint.as_bytes().to_vec().into(),
            status.into(),
            headers.into(),
            body.into(),
            moment(self.kept_until),
        ]
    }

    /// Returns the statement that stores the response in the row.
    pub(super) fn complete(&self, response: &KeptResponse) -> UpdateStatement {
        let mut update = Query::update();
        update
            .table(Alias::new(TABLE))
            .value(Alias::new(STATUS), status(response))
            .value(Alias::new(HEADERS), headers(response))
            .value(Alias::new(BODY), response.body().to_vec())
            .and_where(self.is_it());
        update
    }

    /// Returns the statement that reads the row if the row has not expired. [`StoredKey::read`] parses the result.
    pub(super) fn select(&self) -> SelectStatement {
        let mut select = Query::select();
        select
            .columns([FINGERPRINT, STATUS, HEADERS, BODY].map(Alias::new))
            .from(Alias::new(TABLE))
            .and_where(self.is_it())
            .and_where(Expr::col(Alias::new(KEPT_UNTIL)).gt(moment(self.now)));
        select
    }

    pub(super) fn delete(&self) -> DeleteStatement {
        let mut delete = Query::delete();
        delete.from_table(Alias::new(TABLE)).and_where(self.is_it());
        delete
    }

    /// Returns the statement that deletes the row if it has expired.
    pub(super) fn delete_expired(&self) -> DeleteStatement {
        let mut delete = self.delete();
        delete.and_where(Expr::col(Alias::new(KEPT_UNTIL)).lte(moment(self.now)));
        delete
    }

    fn is_it(&self) -> SimpleExpr {
        Expr::col(Alias::new(KEY)).eq(self.key.digest().to_vec())
    }
}

/// Returns the statement that deletes expired rows, up to the limit in `most`. If rows can be locked, the statement skips the rows that
/// another process is deleting.
pub(super) fn sweep(now: Timestamp, most: u64, locks_rows: bool) -> DeleteStatement {
    let mut expired = Query::select();
    expired.column(Alias::new(KEY)).from(Alias::new(TABLE));
    expired.and_where(Expr::col(Alias::new(KEPT_UNTIL)).lte(moment(now))).limit(most);
    if locks_rows {
        expired.lock_with_behavior(LockType::Update, LockBehavior::SkipLocked);
    }
    let mut delete = Query::delete();
    delete.from_table(Alias::new(TABLE)).and_where(Expr::col(Alias::new(KEY)).in_subquery(expired));
    delete
}

/// The stored response to a request with an idempotency key, and the fingerprint of the request.
#[derive(Debug)]
pub(super) struct StoredKey {
    fingerprint: Vec<u8>,
    response: KeptResponse,
}

impl StoredKey {
    pub(super) fn read(row: &SqlRow) -> Result<Self, StoreError> {
        let bytes = |index| row.bytes(index).map_err(StoreError::failed);
        let status = u16::try_from(integer(row, 1)?).map_err(StoreError::failed)?;
        let status = StatusCode::from_u16(status).map_err(StoreError::failed)?;
        let response = KeptResponse::new(status, read_headers(&bytes(2)?)?, bytes(3)?);
        Ok(Self { fingerprint: bytes(0)?, response })
    }

    /// Returns the stored response, or `OtherRequest` if the fingerprints differ.
    pub(super) fn begun<C>(self, fingerprint: &Fingerprint) -> Begun<C> {
        if self.fingerprint == fingerprint.as_bytes() { Begun::Kept(self.response) } else { Begun::OtherRequest }
    }
}

fn status(response: &KeptResponse) -> i64 {
    response.status().as_u16().into()
}

/// Formats the headers as HTTP/1.1 field lines, which end with CRLF.
fn headers(response: &KeptResponse) -> Vec<u8> {
    let mut lines = Vec::new();
    for (name, value) in response.headers() {
        for part in [name.as_str().as_bytes(), b": ", value.as_bytes(), b"\r\n"] {
            lines.extend_from_slice(part);
        }
    }
    lines
}

fn read_headers(lines: &[u8]) -> Result<Vec<(HeaderName, HeaderValue)>, StoreError> {
    let lines = lines.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
    let headers = lines.map(|line| {
        let end = line.iter().position(|byte| *byte == b':');
        let (name, value) = end.and_then(|end| line.split_at_checked(end)).ok_or("a stored header must have a name")?;
        let name = HeaderName::from_bytes(name).map_err(StoreError::failed)?;
        let value = value.get(1..).unwrap_or_default().trim_ascii();
        Ok((name, HeaderValue::from_bytes(value).map_err(StoreError::failed)?))
    });
    headers.collect::<Result<_, Box<dyn std::error::Error + Send + Sync>>>().map_err(StoreError::failed)
}

#[cfg(test)]
mod tests {
    use restwright_core::http::header::{CONTENT_TYPE, ETAG};

    use super::*;

    #[test]
    fn reads_headers_as_they_were_written() {
        let value = |value: &'static [u8]| HeaderValue::from_bytes(value).unwrap();
        let kept = vec![(ETAG, value(b"\"a: b\"")), (CONTENT_TYPE, value(b"text/\xFF")), (ETAG, value(b""))];
        let response = KeptResponse::new(StatusCode::OK, kept.clone(), "");
        assert_eq!(read_headers(&headers(&response)).unwrap(), kept);
        assert!(read_headers(b"none").is_err());
    }
}
