//! The responses of one store to random requests by all callers.

use super::counting_store::CountingStore;
use super::runs::{REQUESTS_OF_A_RUN, Run, Seen, Step, received, steps};
use super::sent::Random;

/// Sends the steps of so many requests to stores that `open` makes, and returns each request with everything that its client receives.
pub(crate) async fn responses(open: impl Fn() -> CountingStore, seed: u64, requests: usize) -> Vec<String> {
    let (mut run, mut seen) = (Run::new(open()), Seen::new());
    let mut random = Random(seed);
    let mut responses = Vec::new();
    for request in 0..requests {
        if request % REQUESTS_OF_A_RUN == 0 {
            (run, seen) = (Run::new(open()), Seen::new());
        }
        for step in steps(&seen, &mut random, None, responses.len() as u64) {
            let (Step::Values(caller, [sent, _])
            | Step::Hidden(caller, sent)
            | Step::Elevated(caller, sent)
            | Step::Both(caller, sent)) = step;
            let response = run.send(caller, &sent, responses.len() as u64).await;
            seen.note_shared(caller, &sent, &response);
            responses.push(format!("{caller} {sent:?}\n{:?}", received(&response)));
        }
    }
    responses
}
