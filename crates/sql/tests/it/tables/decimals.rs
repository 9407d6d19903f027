//! Decimals in existing columns.

use restwright_conformance::Specimen;
use restwright_list::ValueType;
use restwright_resource::{
    EntityDefinition, FieldDefinition, IdentifierKind, Repository, Statement, StoreError, Versioned,
};
use rust_decimal::Decimal;

use super::database::{on_postgres, on_sqlite, start};

fn things() -> EntityDefinition {
    EntityDefinition::new("things", "id", IdentifierKind::Integer)
        .field(FieldDefinition::new("amount", ValueType::Decimal).nullable())
        .field(FieldDefinition::new("price", ValueType::Decimal).scale(2))
}

#[tokio::test]
async fn numeric_columns_reject_what_they_would_round() {
    on_postgres(async |database| {
        let columns = "id serial PRIMARY KEY, amount numeric, price numeric(5, 2) NOT NULL, row_version bigint NOT NULL DEFAULT 1";
        database.run(&format!("CREATE TABLE things ({columns})")).await;
        let store = database.store(&[things()]);
        start(&store).await.unwrap();
        let mut thing = Specimen::default();
        for (price, stored) in [("999.99", Ok("999.99")), ("-999.9", Ok("-999.90")), ("1000", Err(())), ("0", Ok("0.00"))] {
            thing.price = price.parse().unwrap();
            let inserted: Result<Versioned<Specimen>, _> = store.insert(Statement::new(&things()), thing.clone()).await;
            match (inserted, stored) {
                (Ok(inserted), Ok(stored)) => assert_eq!(inserted.entity.price.to_string(), stored),
                (Err(StoreError::Rejected { violation, .. }), Err(())) => assert_eq!(
                    (&*violation.pointer, &*violation.message),
                    ("/price", "must have at most 5 digits, of which 2 are after the point")
                ),
                (found, _) => panic!("{price}: {found:?}"),
            }
        }
        // A decimal with a narrower column in an unbounded field is rejected too.
        database.run("ALTER TABLE things ALTER amount TYPE numeric(28, 1)").await;
        let store = database.store(&[things()]);
        start(&store).await.unwrap();
        thing.amount = Some(Decimal::new(125, 2));
        let rejected = store.insert(Statement::new(&things()), thing.clone()).await.unwrap_err();
        assert!(matches!(rejected, StoreError::Rejected { .. }), "{rejected:?}");
    })
    .await;
}

#[tokio::test]
async fn columns_that_are_not_exact_are_differences() {
    on_postgres(async |database| {
        let columns = "id serial PRIMARY KEY, amount text, price double precision NOT NULL, row_version bigint NOT NULL DEFAULT 1";
        database.run(&format!("CREATE TABLE things ({columns})")).await;
        let message = start(&database.store(&[things()])).await.unwrap_err();
        assert!(message.contains("`price` of the type `double precision`, but must have the type `numeric`"), "{message}");
        assert!(message.contains("`amount` of the type `text"), "{message}");
        let sql: Vec<_> = message.lines().filter_map(|line| line.strip_prefix("    ")).collect();
        database.run(&sql.join("\n")).await;
        start(&database.store(&[things()])).await.unwrap();
    })
    .await;
    on_sqlite(async |database| {
        let columns = "id INTEGER PRIMARY KEY AUTOINCREMENT, amount TEXT, price NUMERIC NOT NULL, row_version BIGINT NOT NULL DEFAULT 1";
        database.run(&format!("CREATE TABLE things ({columns})")).await;
        let message = start(&database.store(&[things()])).await.unwrap_err();
        assert!(message.contains("`price` of the type `NUMERIC`, but must have the type `TEXT`"), "{message}");
    })
    .await;
}
