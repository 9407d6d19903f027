//! Keys of controllers by hand, whose changes are in no transaction of the key.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use restwright::auth::Access;
use restwright::prelude::*;
use restwright::testing::TestClient;
use restwright_resource::idempotency::Idempotency;
use restwright_resource::{Endpoints, EntityStore, Scope};
use restwright_sql::{SqlIdempotency, SqlStore};
use uuid::Uuid;

use super::{Callers, Parcel, on_both, outcome};

#[tokio::test]
async fn a_controller_by_hand_writes_beside_its_key() {
    on_both(async |database| {
        let store = SqlStore::new(database.url()).migrate();
        let count = Arc::new(AtomicUsize::new(0));
        let (own, counted) = (store.clone(), Arc::clone(&count));
        let send = Route::post("/sent").id("send").handler(async move |(): ()| {
            let number = counted.fetch_add(1, Ordering::SeqCst);
            let parcel = Parcel { id: Uuid::new_v4(), label: format!("sent {number}"), version: 0 };
            let parcel = EntityStore::<Parcel, _>::new(&own, &Scope::new()).insert(parcel).await?;
            if number == 0 {
                return Err(Problem::unavailable("the first time"));
            }
            Ok(Data(parcel.label))
        });
        let group = Group::new("")
            .access(Access::authenticated("key"))
            .middleware(Idempotency::new(SqlIdempotency::new(&store)))
            .controller(send);
        let parcels = Endpoints::<Parcel, _>::new(store.clone(), Access::authenticated("key"));
        let configuration = Configuration::new("shop", "1.0.0").authenticator("key", Callers);
        let api = Api::builder(configuration).group(group).module(&parcels).build().unwrap();
        api.start().await.unwrap();
        let client = TestClient::new(api).with_header("X-Caller", "ann");
        for expected in ["503", "200", "200 replay"] {
            let response = client.post("/sent").header("Idempotency-Key", "a").await;
            assert_eq!(outcome(&response), expected);
        }
        assert_eq!(count.load(Ordering::SeqCst), 2);
        client.api().stop().await;
    })
    .await;
}
