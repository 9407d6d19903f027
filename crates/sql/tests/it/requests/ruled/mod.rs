//! Tables whose triggers and generated columns change or reject what requests write.

mod conflicts;
mod skipped;
mod stored;
