//! The animals in PostgreSQL, which the feature `postgres` of the example adds.

use animals::authentication::{Authentication, SCOPES};
use restwright::auth::ApiKey;
use sqlx::Connection;

use super::client_on;
use super::resource::check_life;

#[test]
fn an_animal_lives_its_life_in_postgresql() {
    let Some(server) = restwright_tests::environment("POSTGRES_URL") else { return };
    let schema = format!("animals_{}", std::process::id());
    execute(&server, format!("CREATE SCHEMA {schema}"));
    let separator = if server.contains('?') { '&' } else { '?' };
    let new = ApiKey::generate("tests").unwrap();
    let authentication = Authentication::default().key(new.key().clone().scopes(SCOPES));
    let client = client_on(&format!("{server}{separator}options[search_path]={schema}"), &authentication);
    check_life(&client.with_header("X-Api-Key", new.text()));
    execute(&server, format!("SELECT FROM {schema}.animals"));
    execute(&server, format!("DROP SCHEMA {schema} CASCADE"));
}

fn execute(server: &str, sql: String) {
    let executed = restwright::run(async {
        let mut connection = sqlx::PgConnection::connect(server).await?;
        sqlx::raw_sql(sqlx::AssertSqlSafe(sql)).execute(&mut connection).await.map(drop)
    });
    executed.unwrap_or_else(|error: sqlx::Error| panic!("{error}"));
}
