//! Multiples of a step, decided exactly where integers allow it.

use crate::number::Number;

/// Whether dividing by the step leaves nothing.
pub(crate) fn is_multiple_of(value: Number, step: Number) -> bool {
    match (value.integral(), step.integral()) {
        (Some(value), Some(step)) if step != 0 => value % step == 0,
        _ => value.as_f64() % step.as_f64() == 0.0,
    }
}
