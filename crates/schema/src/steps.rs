//! A step counter for reads, so tests can compare the steps with the length of the text. Outside unit tests it does
//! nothing.

#[cfg(test)]
thread_local! {
    static STEPS: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}

/// Adds steps, such as the bytes that a check reads.
#[inline]
pub(crate) fn count(steps: usize) {
    #[cfg(test)]
    STEPS.set(STEPS.get() + steps);
    let _ = steps;
}

/// Returns the number of steps of a function.
#[cfg(test)]
pub(crate) fn of(function: impl FnOnce()) -> usize {
    STEPS.set(0);
    function();
    STEPS.get()
}
