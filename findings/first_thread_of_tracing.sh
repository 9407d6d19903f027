#!/usr/bin/env bash
# tracing 0.1.44 with tracing-core 0.1.36 (crates.io): a subscriber of one thread misses an event that another thread reached first.
#
# Expected: `tracing::subscriber::with_default(subscriber, ..)` gives all events of this thread to the subscriber. Other threads only decide
# about their own events.
# Behaviour: while the process has one subscriber, the first thread that reaches an event decides for all threads whether the event is enabled. If this
# thread has no subscriber, the event stays disabled, and the thread with the subscriber loses it. With a second subscriber in the process, even one
# that enables nothing, all subscribers decide, and the event arrives. So a test that reads the log of its thread fails at random, if another test of the
# process reaches the same event first.
# Source: https://docs.rs/tracing-core/0.1.36/src/tracing_core/callsite.rs.html, `DefaultCallsite::register` and `dispatchers::Rebuilder::JustOne`.
# Output seen on 2026-11-29:
#   one subscriber: 0 events
#   two subscribers: 1 events
#
# Fails if this changes.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
mkdir src
cat >Cargo.toml <<'TOML'
[package]
name = "first-thread"
version = "0.1.0"
edition = "2024"

[dependencies]
tracing = { version = "=0.1.44", default-features = false, features = ["std"] }
tracing-core = "=0.1.36"
TOML
cat >src/main.rs <<'RUST'
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tracing::span::{Attributes, Id, Record};
use tracing::subscriber::{NoSubscriber, with_default};
use tracing::{Dispatch, Event, Metadata, Subscriber};

#[derive(Clone, Default)]
struct Count(Arc<AtomicUsize>);

impl Subscriber for Count {
    fn enabled(&self, _: &Metadata<'_>) -> bool {
        true
    }
    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }
    fn record(&self, _: &Id, _: &Record<'_>) {}
    fn record_follows_from(&self, _: &Id, _: &Id) {}
    fn event(&self, _: &Event<'_>) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
    fn enter(&self, _: &Id) {}
    fn exit(&self, _: &Id) {}
}

fn count(event: fn()) -> usize {
    let count = Count::default();
    with_default(count.clone(), || {
        std::thread::spawn(event).join().unwrap();
        event();
    });
    count.0.load(Ordering::Relaxed)
}

fn main() {
    let one = count(|| tracing::info!("one"));
    println!("one subscriber: {one} events");
    let _second = Dispatch::new(NoSubscriber::new());
    let two = count(|| tracing::info!("two"));
    println!("two subscribers: {two} events");
    assert_eq!((one, two), (0, 1));
}
RUST
cargo run --quiet
