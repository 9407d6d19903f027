//! A date-time, stored as microseconds in SQLite, like in restwright's store, and as `timestamptz` in PostgreSQL.

use chrono::{DateTime, SubsecRound, Utc};
use rusqlite::ToSql;
use rusqlite::types::{FromSql, FromSqlError, FromSqlResult, ToSqlOutput, ValueRef};
use serde::Serialize;
use sqlx::encode::IsNull;
use sqlx::error::BoxDynError;
use sqlx::{Database, Decode, Encode, Postgres, Sqlite, Type};

#[derive(Clone, Copy, Serialize)]
#[serde(transparent)]
pub struct Moment(DateTime<Utc>);

impl Moment {
    pub fn now() -> Self {
        Self(Utc::now().trunc_subsecs(6))
    }
}

impl Type<Sqlite> for Moment {
    fn type_info() -> <Sqlite as Database>::TypeInfo {
        <i64 as Type<Sqlite>>::type_info()
    }
}

impl<'q> Encode<'q, Sqlite> for Moment {
    fn encode_by_ref(&self, buffer: &mut <Sqlite as Database>::ArgumentBuffer) -> Result<IsNull, BoxDynError> {
        <i64 as Encode<'q, Sqlite>>::encode(self.0.timestamp_micros(), buffer)
    }
}

impl<'r> Decode<'r, Sqlite> for Moment {
    fn decode(value: <Sqlite as Database>::ValueRef<'r>) -> Result<Self, BoxDynError> {
        let microseconds = <i64 as Decode<'r, Sqlite>>::decode(value)?;
        DateTime::from_timestamp_micros(microseconds).map(Self).ok_or_else(|| "out of range".into())
    }
}

impl ToSql for Moment {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(self.0.timestamp_micros().into())
    }
}

impl FromSql for Moment {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        let microseconds = value.as_i64()?;
        DateTime::from_timestamp_micros(microseconds).map(Self).ok_or(FromSqlError::OutOfRange(microseconds))
    }
}

impl Type<Postgres> for Moment {
    fn type_info() -> <Postgres as Database>::TypeInfo {
        <DateTime<Utc> as Type<Postgres>>::type_info()
    }
}

impl<'q> Encode<'q, Postgres> for Moment {
    fn encode_by_ref(&self, buffer: &mut <Postgres as Database>::ArgumentBuffer) -> Result<IsNull, BoxDynError> {
        <DateTime<Utc> as Encode<'q, Postgres>>::encode_by_ref(&self.0, buffer)
    }
}

impl<'r> Decode<'r, Postgres> for Moment {
    fn decode(value: <Postgres as Database>::ValueRef<'r>) -> Result<Self, BoxDynError> {
        <DateTime<Utc> as Decode<'r, Postgres>>::decode(value).map(Self)
    }
}
