//! Leaks that are planted, to see that the test of noninterference finds them.

use std::collections::BTreeSet;

use super::counting_store::{CountingStore, Leak};
use super::noninterference::{Revealed, difference};

/// The pairs within which each leak must be found.
const PAIRS: usize = 10_000;

async fn found(leak: Option<Leak>, revealed: Option<Revealed>) {
    let open = || CountingStore::default().leaking(leak);
    let found = difference(open, revealed, 7, PAIRS, &mut BTreeSet::new()).await;
    let found = found.unwrap_or_else(|| panic!("{leak:?} {revealed:?} was not found"));
    println!("{leak:?} {revealed:?}: {}", found.lines().next().unwrap_or_default());
}

#[tokio::test]
async fn planted_leaks_of_stores_are_found() {
    for leak in [
        Leak::Total,
        Leak::Exists,
        Leak::List,
        Leak::Window,
        Leak::Cursor,
        Leak::ChangedReference,
        Leak::BatchReference,
        Leak::Version,
    ] {
        found(Some(leak), None).await;
    }
}

/// What resources accept with `reveals`, and a right that no policy mentions.
#[tokio::test]
async fn what_resources_reveal_is_found() {
    for revealed in [Revealed::Codes, Revealed::Slugs, Revealed::Numbers, Revealed::References, Revealed::Rights] {
        found(None, Some(revealed)).await;
    }
}
