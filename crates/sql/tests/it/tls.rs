//! Connections over TLS.

use restwright_core::Component;
use restwright_sql::PostgresStore;

#[tokio::test]
async fn a_connection_to_postgresql_is_over_tls() {
    let Ok(url) = std::env::var("POSTGRES_URL") else {
        println!("SKIPPED: POSTGRES_URL is not set");
        return;
    };
    let separator = if url.contains('?') { '&' } else { '?' };
    let store = PostgresStore::new(format!("{url}{separator}sslmode=require"));
    let pool = store.pool().unwrap();
    let is_secure = sqlx::query_scalar::<_, bool>("SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()");
    match is_secure.fetch_one(&pool).await {
        Ok(is_secure) => assert!(is_secure),
        // A server without a certificate says so itself.
        Err(error) => println!("SKIPPED: {error}"),
    }
    store.stop().await;
}
