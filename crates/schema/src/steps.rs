//! Counts the steps of reading a JSON text. Unit tests compare the count with the length of the text. Other builds do
//! not count.

#[cfg(test)]
thread_local! {
    static STEPS: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}

/// Adds steps to the count, such as the bytes that a check reads.
#[inline]
pub(crate) fn count(steps: usize) {
    #[cfg(test)]
    STEPS.set(STEPS.get() + steps);
    let _ = steps;
}

/// Runs a function and returns the number of steps that it counted.
#[cfg(test)]
pub(crate) fn of(function: impl FnOnce()) -> usize {
    STEPS.set(0);
    function();
    STEPS.get()
}
