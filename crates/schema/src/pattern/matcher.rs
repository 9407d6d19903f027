//! [`Matcher`]: a compiled pattern.

use std::fmt;
use std::panic::{RefUnwindSafe, UnwindSafe};
use std::sync::Arc;

use regex_automata::Input;
use regex_automata::hybrid::dfa::{Cache, DFA};
use regex_automata::nfa::thompson::pikevm::PikeVM;
use regex_automata::nfa::thompson::{self, NFA, WhichCaptures};
use regex_automata::util::pool::Pool;

/// The memory that a compiled pattern may take.
const SIZE_LIMIT: usize = 1 << 20;

/// How often the states of a pattern may be too many to keep, and how many bytes each has to serve on average from then on.
const KEPT: (usize, usize) = (3, 10);

/// A compiled pattern, which says whether it matches and not where. Clones share their memory.
///
/// Its states are made when a text needs them and kept for the next; where they are too many, the text is read without. Either way the
/// time grows with the text's length alone.
#[derive(Clone)]
pub(crate) struct Matcher(Arc<Engines>);

struct Engines {
    dfa: DFA,
    nfa: PikeVM,
    caches: Pool<Cache, Box<dyn Fn() -> Cache + Send + Sync + UnwindSafe + RefUnwindSafe>>,
}

impl Matcher {
    /// Compiles a pattern in the syntax of the crate regex, or says what to do instead.
    pub(super) fn new(pattern: &str) -> Result<Self, &'static str> {
        const INVALID: &str = "it is not a regular expression; correct it";
        let limits = thompson::Config::new().nfa_size_limit(Some(SIZE_LIMIT)).which_captures(WhichCaptures::None);
        let nfa = NFA::compiler().configure(limits).build(pattern);
        let nfa = nfa.map_err(|error| match error.size_limit() {
            Some(_) => "it is too large; repeat less",
            None => INVALID,
        })?;
        let (clears, bytes) = KEPT;
        let kept = DFA::config()
            .skip_cache_capacity_check(true)
            .minimum_cache_clear_count(Some(clears))
            .minimum_bytes_per_state(Some(bytes));
        let dfa = DFA::builder().configure(kept).build_from_nfa(nfa.clone()).map_err(|_unsupported| INVALID)?;
        let nfa = PikeVM::new_from_nfa(nfa).map_err(|_unsupported| INVALID)?;
        let of = dfa.clone();
        let caches = Pool::new(Box::new(move || of.create_cache()) as Box<_>);
        Ok(Self(Arc::new(Engines { dfa, nfa, caches })))
    }

    pub(super) fn is_match(&self, text: &str) -> bool {
        let Engines { dfa, nfa, caches } = &*self.0;
        let input = Input::new(text).earliest(true);
        match dfa.try_search_fwd(&mut caches.get(), &input) {
            Ok(found) => found.is_some(),
            Err(_gave_up) => nfa.is_match(&mut nfa.create_cache(), input),
        }
    }
}

impl fmt::Debug for Matcher {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Matcher").finish_non_exhaustive()
    }
}
