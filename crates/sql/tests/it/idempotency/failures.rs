//! A key and the entities that its request creates are in one transaction.

use super::{Database, Shop, on_both, outcome};
use crate::databases::PostgresSchema;

#[tokio::test]
async fn a_failed_request_is_executed_again() {
    on_both(async |database| {
        let shop = Shop::new(database).await;
        let first = shop.create("a", "busy").await;
        first.assert_status(503);
        assert_eq!(shop.parcels().await, 0);
        let outcomes = [shop.create("a", "busy").await, shop.create("a", "busy").await];
        assert_eq!(outcomes.each_ref().map(outcome), ["201", "201 replay"]);
        assert_eq!((shop.begun(), shop.committed()), (2, 1));
        shop.stop().await;
    })
    .await;
}

/// Runs code in PL/pgSQL when a parcel is inserted, or at the commit.
fn trigger(is_deferred: bool, code: &str) -> String {
    let kind = if is_deferred { "CONSTRAINT TRIGGER" } else { "TRIGGER" };
    let when = if is_deferred { "DEFERRABLE INITIALLY DEFERRED" } else { "" };
    format!(
        "CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN {code}; RETURN NULL; END $$;
         CREATE {kind} failing AFTER INSERT ON parcels {when} FOR EACH ROW EXECUTE FUNCTION fail()"
    )
}

#[tokio::test]
async fn a_failed_commit_stores_neither_key_nor_entity() {
    const KILL: &str = "PERFORM pg_terminate_backend(pg_backend_pid())";
    const CONFLICT: &str = "RAISE EXCEPTION 'in the way' USING ERRCODE = '40001'";
    for (is_deferred, code, status) in [
        (true, "RAISE EXCEPTION 'not today'", 422),
        (true, CONFLICT, 503),
        (true, KILL, 503),
        (false, KILL, 503),
        (false, "RAISE EXCEPTION 'not today'", 422),
    ] {
        let Some(schema) = PostgresSchema::new().await else { return };
        let database = Database::Postgres(schema);
        let Database::Postgres(schema) = &database else { return };
        let shop = Shop::new(&database).await;
        schema.run(&trigger(is_deferred, code)).await;
        shop.create("a", "one").await.assert_status(status);
        assert_eq!((shop.parcels().await, shop.committed()), (0, 0), "{code}");
        schema.run("DROP FUNCTION fail CASCADE").await;
        let outcomes = [shop.create("a", "one").await, shop.create("a", "one").await];
        assert_eq!(outcomes.each_ref().map(outcome), ["201", "201 replay"], "{code}");
        assert_eq!((shop.parcels().await, shop.committed()), (1, 1), "{code}");
        shop.stop().await;
        database.drop().await;
    }
}

#[tokio::test]
async fn a_conflict_of_transactions_restarts_with_the_key() {
    // A sequence advances even if its transaction is rolled back.
    const TWICE: &str = "IF nextval('tries') < 3 THEN RAISE EXCEPTION 'in the way' USING ERRCODE = '40001'; END IF";
    // The conflict is found by the insert, or at the commit with the response.
    for is_deferred in [false, true] {
        let Some(schema) = PostgresSchema::new().await else { return };
        let database = Database::Postgres(schema);
        let Database::Postgres(schema) = &database else { return };
        let shop = Shop::new(&database).await;
        schema.run(&format!("CREATE SEQUENCE tries; {}", trigger(is_deferred, TWICE))).await;
        let outcomes = [shop.create("a", "one").await, shop.create("a", "one").await];
        assert_eq!(outcomes.each_ref().map(outcome), ["201", "201 replay"]);
        assert_eq!((shop.parcels().await, shop.begun(), shop.committed()), (1, 3, 1));
        // Steps before the transaction are not repeated.
        assert_eq!(shop.prepared(), 1, "deferred: {is_deferred}");
        shop.stop().await;
        database.drop().await;
    }
}
