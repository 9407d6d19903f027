//! A schema in PostgreSQL for one test.

use sqlx::Connection;

/// A schema, which is dropped with this value.
pub(crate) struct Schema {
    url: String,
    name: String,
}

impl Schema {
    /// Creates a schema with a name that starts with `prefix`. Returns `None` if the test has no server.
    pub(crate) fn create(prefix: &str) -> Option<Self> {
        let server = restwright_tests::environment("POSTGRES_URL")?;
        let name = format!("{prefix}_{}", std::process::id());
        execute(&server, format!("CREATE SCHEMA {name}"));
        let separator = if server.contains('?') { '&' } else { '?' };
        Some(Self { url: format!("{server}{separator}options[search_path]={name}"), name })
    }

    pub(crate) fn url(&self) -> &str {
        &self.url
    }

    pub(crate) fn run(&self, sql: &str) {
        execute(&self.url, sql.to_owned());
    }
}

impl Drop for Schema {
    fn drop(&mut self) {
        execute(&self.url, format!("DROP SCHEMA {} CASCADE", self.name));
    }
}

fn execute(server: &str, sql: String) {
    let executed = restwright::run(async {
        let mut connection = sqlx::PgConnection::connect(server).await?;
        sqlx::raw_sql(sqlx::AssertSqlSafe(sql)).execute(&mut connection).await.map(drop)
    });
    executed.unwrap_or_else(|error: sqlx::Error| panic!("{error}"));
}
