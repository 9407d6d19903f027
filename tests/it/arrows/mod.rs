//! The dependencies between crates, as ARCHITECTURE.md states them, and between modules.

mod modules;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::PathBuf;
use std::process::Command;

use restwright_tests::workspace;
use serde_json::Value;

use modules::{Graph, Modules, circles};

/// The accepted circles of the modules at the top of a crate: the folder of the crate, the modules and the reason.
#[rustfmt::skip]
const ACCEPTED: &[(&str, &str, &str)] = &[
    (
        "macros",
        "message problem",
        "files of one folder: a problem has a message, and the message binds the fields of the problem",
    ),
    (
        "rate-limit",
        "headers limit_state verdict",
        "files of one folder: the verdict on a request makes the state of its limits, which the headers show",
    ),
    (
        "resource",
        "definition policy",
        "a definition contains its policy, and a policy lists the definitions of the entities that it looks for",
    ),
    (
        "testing",
        "client request",
        "files of one folder: a client makes requests, and a request is sent by its client",
    ),
];

/// The folders inside of crates with a circle, each with the number of files and folders in its largest one. The numbers
/// only become smaller: split a folder, or move what two files share into a third one.
const LARGEST_INSIDE: &[(&str, usize)] = &[
    ("actix/connection", 3),
    ("auth/jwks", 3),
    ("auth/keys", 4),
    ("core/http", 5),
    ("core/problem", 2),
    ("list/filter", 2),
    ("list/pagination", 5),
    ("list/sort", 2),
    ("macros/resource", 4),
    ("macros/schema", 3),
    ("openapi/generate", 3),
    ("openapi/generate/versions/v3_0", 3),
    ("production/health", 2),
    ("production/otlp", 3),
    ("resource/definition", 2),
    ("resource/memory", 2),
    ("resource/run_time", 2),
    ("resource/store", 2),
    ("runtime/api", 4),
    ("schema/pattern", 3),
    ("schema/shape", 22),
    ("schema/shape/guide", 4),
    ("sql/schema", 3),
    ("sql/transactions", 2),
    ("sql/wanted", 2),
];

type Arrows = BTreeMap<String, BTreeSet<String>>;

#[test]
fn the_crates_depend_on_each_other_as_architecture_md_states() {
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
fn no_circle_of_modules_is_new() {
    let mut accepted: BTreeSet<_> = ACCEPTED.iter().map(|(name, circle, _)| format!("{name}: {circle}")).collect();
    let mut found = String::new();
    for (name, src) in sources() {
        let graph = Modules::read(&src).graph(&[]);
        for circle in circles(&graph) {
            let shown = format!("{name}: {}", circle.join(" "));
            if !accepted.remove(&shown) {
                found.push_str(&format!("{shown}\n{}", arrows_within(&graph, &circle)));
            }
        }
    }
    assert!(found.is_empty(), "these modules are in a circle:\n{found}");
    assert!(accepted.is_empty(), "these circles are gone; remove them from `ACCEPTED`: {accepted:?}");
}

#[test]
fn the_circles_inside_of_folders_only_shrink() {
    let bounds: BTreeMap<String, usize> =
        LARGEST_INSIDE.iter().map(|(folder, bound)| ((*folder).to_owned(), *bound)).collect();
    let (mut found, mut grown) = (BTreeMap::new(), String::new());
    for (name, src) in sources() {
        let modules = Modules::read(&src);
        for folder in modules.folders() {
            let graph = modules.graph(folder);
            let Some(largest) = circles(&graph).into_iter().next() else { continue };
            let shown = format!("{name}/{}", folder.join("/"));
            if bounds.get(&shown).is_none_or(|bound| largest.len() > *bound) {
                let arrows = arrows_within(&graph, &largest);
                grown.push_str(&format!("{shown}: {} of {} files\n{arrows}", largest.len(), graph.len()));
            }
            found.insert(shown, largest.len());
        }
    }
    assert!(grown.is_empty(), "the circles of these folders have grown:\n{grown}");
    assert_eq!(found, bounds, "a circle has shrunk; write its new size in `LARGEST_INSIDE`");
}

#[test]
fn a_circle_is_found_through_re_exports_groups_and_inline_paths() {
    let src = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| fs::write(src.path().join(name), text).unwrap();
    fs::create_dir(src.path().join("room")).unwrap();
    write("lib.rs", "mod room;\nmod apart;\n");
    write("apart.rs", "use crate::room::{Low, self as named};\n// crate::room::high is only in a comment\n");
    write(
        "room/mod.rs",
        "mod high;\nmod low;\nmod tests;\n#[cfg(test)]\nmod unused;\npub use high::High;\npub use low::{Low, other};\n",
    );
    write("room/high.rs", "use super::{Low as Lower};\nconst TEXT: &str = \"crate::apart::x\";\n");
    write(
        "room/low.rs",
        "fn low() -> crate::room::High { todo!() }\n#[cfg(test)]\nmod tests {\n    use crate::apart::x;\n}\n",
    );
    let modules = Modules::read(src.path());
    assert_eq!(circles(&modules.graph(&["room".to_owned()])), [["high", "low"]]);
    assert_eq!(modules.graph(&[])["apart"], BTreeSet::from(["room".to_owned()]));
    assert!(circles(&modules.graph(&[])).is_empty());
}

#[test]
fn the_modules_of_list_are_layers() {
    let graph = Modules::read(&workspace().join("crates/list/src")).graph(&[]);
    // From the lowest layer to the highest.
    let layers = ["value", "operator", "expression", "filter", "pagination", "apply"];
    for (index, layer) in layers.iter().enumerate() {
        let above: Vec<_> = layers[index + 1..].iter().filter(|above| graph[*layer].contains(**above)).collect();
        assert!(above.is_empty(), "{layer} names {above:?}, above it");
    }
}

#[test]
fn schema_does_not_depend_on_http_and_core_not_on_a_host() {
    let foreign = |name: &str| ["http", "hyper", "tokio", "matchit", "tracing"].contains(&name);
    assert_eq!(actual(foreign)["restwright-schema"], BTreeSet::new());
    let hosts = |name: &str| ["actix-http", "actix-web", "hyper", "axum", "socket2", "mio"].contains(&name);
    assert_eq!(actual(hosts)["restwright-core"], BTreeSet::new());
}

#[test]
fn extensions_depend_only_on_core() {
    let normal = normal_dependencies("/tests/third_party/", |_| true);
    assert_eq!(normal["restwright-third-party"], BTreeSet::from(["restwright-core".to_owned()]));
}

/// Returns the rows of the table: the crate, its dependencies, and its content.
fn stated() -> Arrows {
    let text = fs::read_to_string(workspace().join("ARCHITECTURE.md")).unwrap();
    let rows = text.lines().filter(|line| line.starts_with("| restwright"));
    let cells = rows.map(|row| row.split('|').map(str::trim).collect::<Vec<_>>());
    cells
        .map(|row| (row[1].to_owned(), row[2].split(", ").filter(|name| !name.is_empty()).map(str::to_owned).collect()))
        .collect()
}

/// Returns the normal dependencies of each crate under `crates/` for which `matches` returns `true`.
fn actual(matches: impl Fn(&str) -> bool) -> Arrows {
    normal_dependencies("/crates/", matches)
}

/// Returns the normal dependencies of each crate under a folder for which `matches` returns `true`.
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

/// Returns the packages of the workspace.
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

/// Returns the `src` of each crate by its folder. The facade is excluded, because it is one module of re-exports.
fn sources() -> BTreeMap<String, PathBuf> {
    let crates = fs::read_dir(workspace().join("crates")).unwrap();
    let named =
        crates.map(|entry| entry.unwrap()).map(|entry| (entry.file_name().into_string().unwrap(), entry.path()));
    named.filter(|(name, _)| name != "restwright").map(|(name, path)| (name, path.join("src"))).collect()
}

/// Returns the names that the modules of a circle name in it.
fn arrows_within(graph: &Graph, circle: &[&str]) -> String {
    let within = |module: &str| graph[module].iter().filter(|named| circle.contains(&&***named));
    let lines = circle.iter().map(|module| {
        let named: Vec<_> = within(module).map(String::as_str).collect();
        format!("  {module} names {}\n", named.join(", "))
    });
    lines.collect()
}
