//! Leaks that are planted, to see that the test of noninterference finds them.

use std::collections::BTreeSet;

use super::counting_store::{CountingStore, Leak};
use super::noninterference::difference;

#[tokio::test]
async fn planted_leaks_are_found() {
    let found = async |leak: Option<Leak>| {
        let open = || CountingStore::default().leaking(leak);
        let found = difference(open, leak.is_none(), 7, 10_000, &mut BTreeSet::new()).await;
        let found = found.unwrap_or_else(|| panic!("{leak:?} was not found"));
        println!("{leak:?}: {}", found.lines().next().unwrap_or_default());
    };
    for leak in [Leak::Total, Leak::Exists, Leak::List] {
        found(Some(leak)).await;
    }
    // The unique values of hidden notes, which the resource accepts.
    found(None).await;
}
