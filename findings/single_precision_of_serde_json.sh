#!/usr/bin/env bash
# serde_json 1.0.154 (crates.io): a number in single precision has other JSON after `to_value` than in `to_string`.
#
# Expected: `to_string(&to_value(x))` equals `to_string(x)`, and a client that sends back a number as it received it sends an equal `Value`.
# Behaviour: `to_string` writes the shortest digits that identify the f32, such as 0.1. `to_value` converts the f32 to an f64 first, so the `Value` has the
# digits of the nearest f64, such as 0.10000000149011612. Parsing the text 0.1 gives another f64, so a comparison of both values is false. A check of
# unchanged members must therefore compare values that were parsed from the JSON that the client received.
# Source: https://docs.rs/serde_json/1.0.154/src/serde_json/value/ser.rs.html, `serialize_f32`, and
# https://docs.rs/serde_json/1.0.154/src/serde_json/number.rs.html, `Number::from_f32`.
# Output seen on 2026-11-30:
#   to_string: {"ratio":0.1}
#   to_string of to_value: {"ratio":0.10000000149011612}
#   to_value equals the parsed to_string: false
#
# Fails if this changes.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
mkdir src
cat >Cargo.toml <<'TOML'
[package]
name = "single-precision"
version = "0.1.0"
edition = "2024"

[dependencies]
serde = { version = "=1.0.229", features = ["derive"] }
serde_json = "=1.0.154"
TOML
cat >src/main.rs <<'RUST'
use serde_json::{Value, from_str, to_string, to_value};

#[derive(serde::Serialize)]
struct Measurement {
    ratio: f32,
}

fn main() {
    let measurement = Measurement { ratio: 0.1 };
    let text = to_string(&measurement).unwrap();
    let value = to_value(&measurement).unwrap();
    let parsed: Value = from_str(&text).unwrap();
    println!("to_string: {text}");
    println!("to_string of to_value: {value}");
    println!("to_value equals the parsed to_string: {}", value == parsed);
    assert_eq!(text, r#"{"ratio":0.1}"#);
    assert_eq!(value.to_string(), r#"{"ratio":0.10000000149011612}"#);
    assert_ne!(value, parsed);
}
RUST
cargo run --quiet
