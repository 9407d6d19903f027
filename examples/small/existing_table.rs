//! Serve an existing table of another application, with its own names, columns and rules.
//!
//! `cargo run -p restwright-examples --example existing_table`, then `curl -gs 'http://127.0.0.1:8080/customers?name[contains]=ada'`.

use restwright::auth::Access;
use restwright::prelude::*;
use restwright::resource::StoreError;
use restwright::sql::{SqlStore, TableMapping};
use serde::{Deserialize, Serialize};

/// A table that exists. The resource has no field for `loyalty`, which keeps its value.
const TABLE: &str = "\
    CREATE TABLE tbl_customer (
        cust_no INTEGER PRIMARY KEY,
        full_nm VARCHAR(80) NOT NULL CHECK (full_nm <> 'test'),
        mail VARCHAR(120) UNIQUE,
        loyalty TEXT NOT NULL DEFAULT 'bronze'
    );
    INSERT INTO tbl_customer VALUES (7, 'Ada Lovelace', 'ada@example.com', 'gold');";

/// A customer.
#[derive(Clone, Serialize, Deserialize, Resource)]
#[resource(path = "/customers", without(delete))]
struct Customer {
    #[property(id)]
    id: i64,
    #[property(min_length = 1, max_length = 80, filter(eq, contains))]
    name: String,
    #[property(max_length = 120, format = "email", unique)]
    email: Option<String>,
}

/// The store without `migrate`, so it never changes the table.
fn store(url: &str) -> SqlStore {
    let customers = TableMapping::new("customers")
        .table("tbl_customer")
        .column("id", "cust_no")
        .column("name", "full_nm")
        .column("email", "mail")
        .without_version()
        .ascii_search("name");
    SqlStore::new(url).table(customers)
}

fn api(store: SqlStore) -> Result<Api, BuildErrors> {
    Api::builder(Configuration::new("customers", "1.0.0")).resource::<Customer>(store, Access::public()).build()
}

/// Does what the other application has done.
async fn create_table(store: &SqlStore) -> Result<(), StoreError> {
    store.with_sqlite(|connection| connection.execute_batch(TABLE)).await
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let store = store("sqlite::memory:");
    let api = api(store.clone())?;
    restwright::run(async move {
        create_table(&store).await?;
        Ok(restwright::serve(api, "127.0.0.1:8080").await?)
    })
}

#[cfg(test)]
mod tests {
    use restwright::testing::TestClient;
    use serde_json::json;

    use super::*;

    #[tokio::test]
    async fn reads_and_changes_rows_by_the_rules_of_the_table() {
        let store = store("sqlite::memory:");
        let client = TestClient::new(api(store.clone()).unwrap());
        create_table(&store).await.unwrap();
        client.api().start().await.unwrap();

        let found = client.get("/customers?name[contains]=ADA").await;
        let ada = json!({"id": 7, "name": "Ada Lovelace", "email": "ada@example.com"});
        assert_eq!(found.assert_documented().json::<serde_json::Value>()["data"], json!([ada]));

        let update = |body| client.patch("/customers/7").json(&body);
        update(json!({"name": "Ada King"})).await.assert_status(200).assert_documented();
        update(json!({"name": "test"})).await.assert_violations([("body", "/name", "rejected")]);
        let same_mail = json!({"name": "Eve", "email": "ada@example.com"});
        client.post("/customers").json(&same_mail).await.assert_problem("conflict");

        let sql = "SELECT full_nm, loyalty FROM tbl_customer";
        let row = store.with_sqlite(|connection| connection.query_one(sql, [], |row| Ok((row.get(0)?, row.get(1)?))));
        assert_eq!(row.await.unwrap(), ("Ada King".to_owned(), "gold".to_owned()));
    }

    #[tokio::test]
    async fn does_not_start_on_a_table_that_does_not_fit() {
        let store = store("sqlite::memory:");
        let api = api(store.clone()).unwrap();
        let table = "CREATE TABLE tbl_customer (cust_no INTEGER PRIMARY KEY, full_nm VARCHAR(80) NOT NULL)";
        store.with_sqlite(|connection| connection.execute_batch(table)).await.unwrap();
        let message = api.start().await.unwrap_err().to_string();
        assert!(message.contains("lacks the column `mail`"), "{message}");
    }
}
