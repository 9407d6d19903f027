//! Counts the steps that are needed to read a JSON text. Unit tests compare the number of steps with the length of the
//! text. Other builds do not count steps.

#[cfg(test)]
thread_local! {
    static STEPS: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}

/// Adds `steps` to the step counter, for example the number of bytes that a check reads.
#[inline]
pub(crate) fn count(steps: usize) {
    #[cfg(test)]
    STEPS.set(STEPS.get() + steps);
    let _ = steps;
}

/// Runs a function and returns the number of steps counted during the call.
#[cfg(test)]
pub(crate) fn of(function: impl FnOnce()) -> usize {
    STEPS.set(0);
    function();
    STEPS.get()
}
