//! Tables whose triggers and generated columns change or reject what requests write.

mod conflicts;
mod folded;
mod policies;
mod rights;
mod skipped;
mod stored;
