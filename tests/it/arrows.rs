//! The dependency arrows, as ARCHITECTURE.md states them.

use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

use restwright_tests::workspace;
use serde_json::Value;

type Arrows = BTreeMap<String, BTreeSet<String>>;

#[test]
fn the_crates_depend_on_each_other_as_architecture_md_says() {
    let stated = stated();
    let actual = actual(|name| name.starts_with("restwright"));
    assert!(stated.len() >= 7, "the table in ARCHITECTURE.md was not found");
    assert_eq!(actual, stated);
}

#[test]
fn only_the_host_names_an_actix_crate() {
    for (name, dependencies) in actual(|name| name.starts_with("actix")) {
        assert_eq!(!dependencies.is_empty(), name == "restwright-actix", "{name}: {dependencies:?}");
    }
}

#[test]
fn schema_knows_no_http_and_core_no_host() {
    let foreign = |name: &str| ["http", "hyper", "tokio", "matchit", "tracing"].contains(&name);
    assert_eq!(actual(foreign)["restwright-schema"], BTreeSet::new());
    let hosts = |name: &str| ["actix-http", "actix-web", "hyper", "axum", "socket2", "mio"].contains(&name);
    assert_eq!(actual(hosts)["restwright-core"], BTreeSet::new());
}

/// The rows of the table: crate, depends on, holds.
fn stated() -> Arrows {
    let text = std::fs::read_to_string(workspace().join("ARCHITECTURE.md")).unwrap();
    let rows = text.lines().filter(|line| line.starts_with("| restwright"));
    let cells = rows.map(|row| row.split('|').map(str::trim).collect::<Vec<_>>());
    cells
        .map(|row| (row[1].to_owned(), row[2].split(", ").filter(|name| !name.is_empty()).map(str::to_owned).collect()))
        .collect()
}

/// The normal dependencies of each crate under `crates/` that `matches`.
fn actual(matches: impl Fn(&str) -> bool) -> Arrows {
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned());
    let output = Command::new(cargo)
        .args(["metadata", "--format-version", "1", "--no-deps", "--offline"])
        .current_dir(workspace())
        .output()
        .unwrap();
    let metadata: Value = serde_json::from_slice(&output.stdout).unwrap();
    let packages = metadata["packages"].as_array().unwrap().iter();
    let crates = packages.filter(|package| package["manifest_path"].as_str().unwrap().contains("/crates/"));
    crates
        .map(|package| {
            let dependencies = package["dependencies"].as_array().unwrap().iter();
            let normal = dependencies.filter(|dependency| dependency["kind"].is_null());
            let names = normal.filter_map(|dependency| dependency["name"].as_str()).filter(|name| matches(name));
            (package["name"].as_str().unwrap().to_owned(), names.map(str::to_owned).collect())
        })
        .collect()
}
