//! Finds values that can be read only once and are read in two attempts of one transaction.

use std::cell::Cell;
use std::future::{Future, poll_fn};
use std::pin::pin;

thread_local! {
    /// The attempt that runs on this thread.
    static CURRENT: Cell<TransactionAttempt> = const { Cell::new(TransactionAttempt::OUTSIDE) };
}

/// An attempt of a transaction, within the attempts of outer transactions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct TransactionAttempt {
    /// The numbers of the outermost attempts, starting at 1. They are 0 outside of transactions.
    numbers: [u32; LEVELS],
}

/// The number of nested transactions that are told apart.
const LEVELS: usize = 4;

impl TransactionAttempt {
    const OUTSIDE: Self = Self { numbers: [0; LEVELS] };

    /// Returns an attempt with a number within this attempt.
    fn within(mut self, number: u32) -> Self {
        if let Some(level) = self.numbers.iter_mut().find(|level| **level == 0) {
            *level = number;
        }
        self
    }

    /// Returns `true` if `self` has ended without effect, because an outer transaction or its own runs again.
    fn is_repeated_by(self, current: Self) -> bool {
        let first = self.numbers.iter().zip(&current.numbers).find(|(last, current)| last != current);
        first.is_some_and(|(last, current)| *last != 0 && last < current)
    }

    /// Returns the number of the first level that differs from another attempt.
    fn number_beside(self, other: Self) -> u32 {
        let first = self.numbers.iter().zip(&other.numbers).find(|(one, other)| one != other);
        first.map(|(number, _)| *number).unwrap_or_default()
    }
}

/// Runs an attempt of a transaction with its number, which starts at 1. It may run within an attempt of another transaction.
pub async fn in_attempt<T>(number: u32, work: impl Future<Output = T>) -> T {
    let attempt = CURRENT.get().within(number);
    let mut work = pin!(work);
    poll_fn(|context| {
        let _restore = Restore(CURRENT.replace(attempt));
        work.as_mut().poll(context)
    })
    .await
}

/// Sets the attempt again, also after a panic.
struct Restore(TransactionAttempt);

impl Drop for Restore {
    fn drop(&mut self) {
        CURRENT.set(self.0);
    }
}

/// The attempt that has read a value which can be read only once, such as a body.
#[derive(Debug)]
pub struct ReadOnce {
    /// The attempt that read last.
    last: TransactionAttempt,
}

/// The error of an attempt of a transaction that reads a value which an earlier attempt has read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReadAgain {
    pub(crate) attempt: u32,
    pub(crate) earlier: u32,
}

impl ReadOnce {
    /// A value that was not read yet.
    pub const UNREAD: Self = Self { last: TransactionAttempt::OUTSIDE };

    /// Notes that the current attempt reads the value.
    ///
    /// # Errors
    /// An earlier attempt has read the value, so the current attempt would lack a part of it.
    pub fn read(&mut self) -> Result<(), ReadAgain> {
        let (last, current) = (self.last, CURRENT.get());
        if last.is_repeated_by(current) {
            return Err(ReadAgain { attempt: current.number_beside(last), earlier: last.number_beside(current) });
        }
        self.last = current;
        Ok(())
    }
}

impl ReadAgain {
    /// Returns the message for the log. `what` names the value.
    #[must_use]
    pub fn message(self, what: &str) -> String {
        let Self { attempt, earlier } = self;
        format!(
            "attempt {attempt} of a transaction reads {what}, which attempt {earlier} has read already, so a part would be lost; read it before the \
             transaction, for example into a `Vec`"
        )
    }
}

#[cfg(test)]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind};

    use super::*;

    /// Runs a future that is always ready.
    fn now<T>(future: impl Future<Output = T>) -> T {
        let mut context = std::task::Context::from_waker(std::task::Waker::noop());
        match pin!(future).poll(&mut context) {
            std::task::Poll::Ready(value) => value,
            std::task::Poll::Pending => panic!("it waits"),
        }
    }

    #[test]
    fn a_second_attempt_does_not_continue() {
        // The attempts that read one value after another, and whether all of them may.
        for (attempts, permitted) in [
            (&[0, 0, 0][..], true),
            (&[1, 1, 1], true),
            (&[0, 1, 1], true),
            (&[2, 2], true),
            (&[0, 2], true),
            // The transaction has ended, and another one begins.
            (&[1, 0, 1], true),
            (&[1, 2], false),
            (&[0, 1, 2], false),
            (&[2, 3], false),
        ] {
            let mut once = ReadOnce::UNREAD;
            let outcomes = attempts.iter().map(|&attempt| now(in_attempt(attempt, async { once.read() })));
            let failed = outcomes.filter(Result::is_err).count();
            assert_eq!(failed == 0, permitted, "{attempts:?}");
        }
        assert_eq!(CURRENT.get(), TransactionAttempt::OUTSIDE);
    }

    #[test]
    fn an_outer_attempt_repeats_inner_attempts() {
        // The outer and the inner attempts that read one value after another, and the numbers in the error.
        for (attempts, expected) in [
            (&[(1, 1), (1, 1)][..], None),
            // The inner transaction has ended, and another one begins.
            (&[(1, 3), (1, 1)], None),
            (&[(1, 1), (1, 0)], None),
            (&[(1, 0), (1, 1)], None),
            (&[(1, 1), (1, 2)], Some((2, 1))),
            (&[(1, 1), (2, 1)], Some((2, 1))),
            (&[(1, 3), (2, 1)], Some((2, 1))),
            (&[(1, 0), (2, 1)], Some((2, 1))),
            (&[(1, 3), (2, 0)], Some((2, 1))),
        ] {
            let mut once = ReadOnce::UNREAD;
            let outcomes = attempts.iter().map(|&(outer, inner)| {
                let read = async { once.read() };
                match inner {
                    0 => now(in_attempt(outer, read)),
                    inner => now(in_attempt(outer, in_attempt(inner, read))),
                }
            });
            let failed = outcomes.filter_map(Result::err).next();
            assert_eq!(failed.map(|ReadAgain { attempt, earlier }| (attempt, earlier)), expected, "{attempts:?}");
        }
    }

    #[test]
    fn a_panic_ends_the_attempt() {
        let panicking = AssertUnwindSafe(|| now(in_attempt(3, async { panic!("in the work") })));
        assert!(catch_unwind(panicking).is_err());
        assert_eq!(CURRENT.get(), TransactionAttempt::OUTSIDE);
    }
}
