//! Noninterference: what a caller may not see changes nothing in any response to that caller.
//!
//! Two runs get the same random requests by `bob`. Between them, `ann` and `cid` make hidden writes in the second run only, and callers with more
//! rights store other values in hidden fields of each run. Status, headers and body are compared byte for byte.

use std::collections::BTreeSet;

use super::counting_store::{CountingStore, PAIRS};
use super::runs::{REQUESTS_OF_A_RUN, Run, Seen, Step, received, steps};
use super::sent::Random;
use super::sent::{Kind, Revealed};

/// Sends so many pairs of requests to stores that `open` makes, notes their statuses, and returns the first difference with its number.
pub(crate) async fn difference(
    open: impl Fn() -> CountingStore,
    revealed: Option<Revealed>,
    seed: u64,
    pairs: usize,
    statuses: &mut BTreeSet<u16>,
) -> Option<String> {
    let (mut without, mut with, mut seen) = (Run::new(open()), Run::new(open()), Seen::new());
    let mut random = Random(seed);
    let mut number = 0;
    for pair in 0..pairs {
        if pair % REQUESTS_OF_A_RUN == 0 {
            (without, with, seen) = (Run::new(open()), Run::new(open()), Seen::new());
        }
        for step in steps(&seen, &mut random, revealed, number) {
            number += 1;
            match step {
                Step::Values(caller, [left, right]) => {
                    without.send(caller, &left, number).await;
                    with.send(caller, &right, number).await;
                }
                Step::Hidden(caller, hidden) => {
                    // A line of `ann` is hidden on each note.
                    let is_on_note = hidden.kind == Kind::Note && hidden.path.starts_with("/notes/");
                    if !is_on_note || with.hides_note(&hidden.path).await {
                        let response = with.send(caller, &hidden, number).await;
                        seen.note(&hidden, &response);
                    }
                }
                Step::Elevated(caller, request) => {
                    without.send(caller, &request, number).await;
                    let response = with.send(caller, &request, number).await;
                    seen.note(&request, &response);
                }
                Step::Both(caller, request) => {
                    let left = without.send(caller, &request, number).await;
                    let right = with.send(caller, &request, number).await;
                    statuses.insert(left.status().as_u16());
                    if caller == "bob" && received(&left) != received(&right) {
                        let (left, right) = (received(&left), received(&right));
                        return Some(format!("seed {seed}, pair {pair}: {request:?}\n{left:?}\n{right:?}"));
                    }
                    seen.note_shared(caller, &request, &right);
                }
            }
        }
    }
    None
}

fn number(variable: &str, usual: usize) -> usize {
    std::env::var(variable).map_or(usual, |number| number.parse().unwrap())
}

#[tokio::test]
async fn what_a_caller_cannot_see_changes_no_response() {
    let seed = number("RESTWRIGHT_SEED", 20_261_126) as u64;
    println!("seed {seed}");
    let mut statuses = BTreeSet::new();
    let pairs = number("RESTWRIGHT_PAIRS", PAIRS);
    let found = difference(CountingStore::default, None, seed, pairs, &mut statuses).await;
    assert!(found.is_none(), "{}", found.unwrap_or_default());
    println!("{pairs} pairs without a difference; statuses {statuses:?}");
    let expected = [200, 201, 204, 400, 403, 404, 405, 409, 412, 422];
    // Malformed requests, other methods and conflicts are rare.
    let is_drawn = |status: &u16| statuses.contains(status) || (matches!(status, 400 | 405 | 409) && pairs < 1_000);
    assert!(expected.iter().all(is_drawn), "{statuses:?}");
}
