//! Finds settings of a PostgreSQL database with which no store works.

use sqlx::Row;
use sqlx::postgres::PgConnection;

use crate::dialect::quoted;

/// Returns the reason why a store cannot use the database, or `None` if it can. With `must_write`, the database must accept writes.
pub(super) async fn unsuitable(connection: &mut PgConnection, must_write: bool) -> Result<Option<String>, sqlx::Error> {
    let sql = "SELECT current_database()::text, session_user::text, current_setting('server_encoding'), setting = 'on', source \
               FROM pg_settings WHERE name = 'default_transaction_read_only'";
    let row = sqlx::query(sql).persistent(false).fetch_one(connection).await?;
    let (database, user): (String, String) = (row.try_get(0)?, row.try_get(1)?);
    let (database, user) = (quoted(&database), quoted(&user));
    let (encoding, is_read_only, source): (String, bool, String) = (row.try_get(2)?, row.try_get(3)?, row.try_get(4)?);
    if encoding != "UTF8" {
        return Ok(Some(format!(
            "the database {database} has the encoding {encoding}, which cannot contain every string; create a database with \
             `CREATE DATABASE .. ENCODING 'UTF8' TEMPLATE template0`, and restore a dump into it"
        )));
    }
    if !(is_read_only && must_write) {
        return Ok(None);
    }
    let repair = match source.as_str() {
        "database" => format!("run `ALTER DATABASE {database} RESET default_transaction_read_only`"),
        "user" => format!("run `ALTER ROLE {user} RESET default_transaction_read_only`"),
        "database user" => {
            format!("run `ALTER ROLE {user} IN DATABASE {database} RESET default_transaction_read_only`")
        }
        "client" => "remove the parameter from the URL and from `PGOPTIONS`".to_owned(),
        _ => "change the configuration of the server".to_owned(),
    };
    Ok(Some(format!(
        "transactions of the database {database} are read-only, because `default_transaction_read_only` is on; {repair}, or call \
         `requires([StorePart::Reads])` on the store if the service only reads"
    )))
}
