//! The dependency arrows, as ARCHITECTURE.md states them.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
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
fn the_modules_of_core_form_no_cycle() {
    let mut arrows = module_arrows(&workspace().join("crates/core/src"));
    assert!(arrows.len() >= 15, "the modules of core were not found");
    remove_leaves(&mut arrows);
    assert_eq!(arrows, Arrows::new(), "these modules are in a cycle, or above one");
}

#[test]
fn the_modules_of_list_form_no_cycle() {
    let mut arrows = module_arrows(&workspace().join("crates/list/src"));
    // From below to above.
    let layers = ["value", "operator", "expression", "filter", "pagination", "apply"];
    for (index, layer) in layers.iter().enumerate() {
        let above: Vec<_> = layers[index + 1..].iter().filter(|above| arrows[*layer].contains(**above)).collect();
        assert!(above.is_empty(), "{layer} names {above:?}, above it");
    }
    remove_leaves(&mut arrows);
    assert_eq!(arrows, Arrows::new(), "these modules are in a cycle, or above one");
}

#[test]
fn schema_knows_no_http_and_core_no_host() {
    let foreign = |name: &str| ["http", "hyper", "tokio", "matchit", "tracing"].contains(&name);
    assert_eq!(actual(foreign)["restwright-schema"], BTreeSet::new());
    let hosts = |name: &str| ["actix-http", "actix-web", "hyper", "axum", "socket2", "mio"].contains(&name);
    assert_eq!(actual(hosts)["restwright-core"], BTreeSet::new());
}

#[test]
fn extensions_need_core_alone() {
    let normal = normal_dependencies("/tests/third_party/", |_| true);
    assert_eq!(normal["restwright-third-party"], BTreeSet::from(["restwright-core".to_owned()]));
}

/// The rows of the table: crate, depends on, holds.
fn stated() -> Arrows {
    let text = fs::read_to_string(workspace().join("ARCHITECTURE.md")).unwrap();
    let rows = text.lines().filter(|line| line.starts_with("| restwright"));
    let cells = rows.map(|row| row.split('|').map(str::trim).collect::<Vec<_>>());
    cells
        .map(|row| (row[1].to_owned(), row[2].split(", ").filter(|name| !name.is_empty()).map(str::to_owned).collect()))
        .collect()
}

/// The normal dependencies of each crate under `crates/` that `matches`.
fn actual(matches: impl Fn(&str) -> bool) -> Arrows {
    normal_dependencies("/crates/", matches)
}

/// The normal dependencies of each crate under a folder that `matches`.
fn normal_dependencies(folder: &str, matches: impl Fn(&str) -> bool) -> Arrows {
    let metadata = metadata();
    let packages = metadata["packages"].as_array().unwrap().iter();
    let crates = packages.filter(|package| package["manifest_path"].as_str().unwrap().contains(folder));
    crates
        .map(|package| {
            let dependencies = package["dependencies"].as_array().unwrap().iter();
            let normal = dependencies.filter(|dependency| dependency["kind"].is_null());
            let names = normal.filter_map(|dependency| dependency["name"].as_str()).filter(|name| matches(name));
            (package["name"].as_str().unwrap().to_owned(), names.map(str::to_owned).collect())
        })
        .collect()
}

/// The packages of the workspace.
pub(crate) fn metadata() -> Value {
    serde_json::from_str(&cargo(&["metadata", "--format-version", "1", "--no-deps", "--offline"])).unwrap()
}

/// Returns the output of cargo.
pub(crate) fn cargo(arguments: &[&str]) -> String {
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned());
    let output = Command::new(cargo).args(arguments).current_dir(workspace()).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// Removes the modules that use none of those left, until only those in a cycle, or above one, are left.
fn remove_leaves(arrows: &mut Arrows) {
    while let Some(leaf) = arrows.iter().find(|(_, uses)| uses.is_empty()).map(|(module, _)| module.clone()) {
        arrows.remove(&leaf);
        for uses in arrows.values_mut() {
            uses.remove(&leaf);
        }
    }
}

/// The other top-level modules that each one of a crate names as `crate::other`, comments and its root aside.
fn module_arrows(src: &Path) -> Arrows {
    let mut arrows = Arrows::new();
    for entry in fs::read_dir(src).unwrap() {
        let path = entry.unwrap().path();
        let module = path.file_stem().unwrap().to_str().unwrap().to_owned();
        if module != "lib" {
            let text = source(&path);
            let code = text.lines().filter(|line| !line.trim_start().starts_with("//")).collect::<Vec<_>>().join("\n");
            let names = code.split("crate::").skip(1);
            let names = names.map(|rest| rest.split(|letter: char| !letter.is_alphanumeric() && letter != '_').next());
            arrows.insert(module.clone(), names.flatten().filter(|name| *name != module).map(str::to_owned).collect());
        }
    }
    // A name at the root of the crate, such as a re-export, is no module.
    for (module, uses) in &arrows {
        assert!(uses.iter().all(|used| arrows.contains_key(used)), "{module} names an item of the root: {uses:?}");
    }
    arrows
}

/// The text of a file, or of every file in a folder.
fn source(path: &Path) -> String {
    if path.is_dir() {
        fs::read_dir(path).unwrap().map(|entry| source(&entry.unwrap().path())).collect()
    } else {
        fs::read_to_string(path).unwrap()
    }
}
