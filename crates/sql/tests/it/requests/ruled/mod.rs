//! Tables whose triggers and generated columns change or reject what requests write.

mod skipped;
mod stored;
