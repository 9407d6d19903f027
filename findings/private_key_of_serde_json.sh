#!/usr/bin/env bash
# serde_json 1.0.154 (crates.io): with the feature `raw_value`, a JSON object with one certain name is not read as a `Value`.
#
# Expected: every text that is JSON (RFC 8259) and not nested too deeply is read as a `Value`, and a feature adds types without changing others.
# Behaviour: `Value` reads the first name of an object `$serde_json::private::RawValue` as the mark of a `RawValue`, and expects a string with JSON as
# its member. Reading fails for any other member. Cargo unifies features, so a dependency that enables `raw_value` changes
# what every other crate of the program reads. A reader that has already accepted the text must not take the failure for an empty object.
# Source: https://docs.rs/serde_json/1.0.154/src/serde_json/value/de.rs.html, `KeyClass::RawValue`.
# Output seen on 2026-11-30:
#   without raw_value: Ok {"$serde_json::private::RawValue":1}
#   with raw_value: Err invalid type: integer `1`, expected raw value at line 1 column 35
#
# Fails if this changes.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
mkdir src
cat >Cargo.toml <<'TOML'
[package]
name = "private-key"
version = "0.1.0"
edition = "2024"

[features]
raw_value = ["serde_json/raw_value"]

[dependencies]
serde_json = "=1.0.154"
TOML
cat >src/main.rs <<'RUST'
use serde_json::{Value, from_str};

fn shown(text: &str) -> String {
    match from_str::<Value>(text) {
        Ok(value) => format!("Ok {value}"),
        Err(error) => format!("Err {error}"),
    }
}

fn main() {
    let number = shown(r#"{"$serde_json::private::RawValue":1}"#);
    if cfg!(feature = "raw_value") {
        println!("with raw_value: {number}");
        assert!(number.starts_with("Err "));
    } else {
        println!("without raw_value: {number}");
        assert!(number.starts_with("Ok "));
    }
}
RUST
cargo run --quiet
cargo run --quiet --features raw_value
