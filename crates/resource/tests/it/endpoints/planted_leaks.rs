//! Leaks that are planted, to see that the test of noninterference finds them.
//!
//! | leak | planted as |
//! |---|---|
//! | a count or a list without the policy | `Leak::Total`, `Leak::List` |
//! | a reference check without the policy, in all operations, in an update, at a position of a batch of creates or updates | `Leak::Exists`, `ChangedReference`, `BatchReference`, `BatchChange` |
//! | hidden rows in the window of a page, and after a cursor | `Leak::Window`, `Leak::Cursor` |
//! | an `exists` on the wrong scope | `Leak::Related` |
//! | a search without the policy | `Leak::Search` |
//! | deleted rows without the policy | `Leak::Deleted` |
//! | an include of one entity or of a list without the policy | `Leak::Include`, `IncludeMany` |
//! | a filter or an order by a field of a related entity without its policy | `Leak::RelatedFilter`, `RelatedOrder` |
//! | versions from a counter | `Leak::Version` |
//! | an order, a filter or a version by a field that the caller may not read | `Leak::Order`, `Filter`, `VersionOfValue` |
//! | a `not` that filters by a field that the caller may not read | `Leak::Negation` |
//! | a computed field that depends on a field that the caller may not read | `Leak::Computed` |
//! | a conflict with a hidden row: a unique field, a `PUT`, a restricting reference | `Revealed::Codes`, `Slugs`, `References` |
//! | a gap in a sequence | `Revealed::Numbers` |
//! | a replay under lost rights | `Revealed::Rights` |

use std::collections::BTreeSet;

use super::counting_store::{CountingStore, Leak};
use super::noninterference::difference;
use super::sent::Revealed;

/// The pairs within which each leak must be found.
const PAIRS: usize = 30_000;

async fn found(leak: Option<Leak>, revealed: Option<Revealed>) {
    let open = || CountingStore::default().leaking(leak);
    let found = difference(open, revealed, 7, PAIRS, &mut BTreeSet::new()).await;
    let found = found.unwrap_or_else(|| panic!("{leak:?} {revealed:?} was not found"));
    println!("{leak:?} {revealed:?}: {}", found.lines().next().unwrap_or_default());
}

#[tokio::test]
#[ignore = "takes a minute; the gate runs it"]
async fn planted_leaks_of_stores_are_found() {
    for leak in [
        Leak::Total,
        Leak::Exists,
        Leak::List,
        Leak::Window,
        Leak::Cursor,
        Leak::ChangedReference,
        Leak::BatchReference,
        Leak::BatchChange,
        Leak::Related,
        Leak::Search,
        Leak::Deleted,
        Leak::Include,
        Leak::IncludeMany,
        Leak::RelatedFilter,
        Leak::RelatedOrder,
        Leak::Version,
        Leak::VersionOfValue,
        Leak::Order,
        Leak::Filter,
        Leak::Negation,
        Leak::Computed,
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
