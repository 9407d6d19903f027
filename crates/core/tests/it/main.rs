//! Core from the outside: what a crate can build on its public traits alone, and what its pipeline promises.

#![cfg(test)]

mod access;
mod challenges;
mod cookies;
mod deadline;
mod extension;
mod held_worker;
mod list;
mod parameters;
mod pipeline;
mod planned;
mod replay;
mod resource;
mod schemes;
mod start;
mod support;
