//! Counts what reading does, so that a test can hold it against the length of the text; it is nothing but in this crate's unit tests.

#[cfg(test)]
thread_local! {
    static STEPS: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}

/// Adds steps, such as the bytes that a check goes over.
#[inline]
pub(crate) fn count(steps: usize) {
    #[cfg(test)]
    STEPS.set(STEPS.get() + steps);
    let _ = steps;
}

/// The steps that a function takes.
#[cfg(test)]
pub(crate) fn of(function: impl FnOnce()) -> usize {
    STEPS.set(0);
    function();
    STEPS.get()
}
