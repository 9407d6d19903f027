//! The dependencies between crates, as ARCHITECTURE.md states them.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use restwright_tests::workspace;
use serde_json::Value;

/// The accepted cycles of modules: the folder of the crate, the modules and the reason.
#[rustfmt::skip]
const ACCEPTED: &[(&str, &str, &str)] = &[
    (
        "actix",
        "bound_server connection connection_state connections host http1 places request_body request_head response_stream switched_connection watchdog worker",
        "the connection loop: files of one folder, which share the state of a connection",
    ),
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
        "schema",
        "changes checks closest collection compiled_schema constructors failures form guide map_key markers node normal patch property registry schema schema_object schema_type text typed walk",
        "`Schema` describes a type in the `Registry`, and the `Registry` compiles and publishes what types describe",
    ),
    (
        "sql",
        "cell condition deferred dialect digest failure failure_kind held kept_deleted lease locked operations own_pool part per_key per_transaction reading rejections replica repository rows schema select set_columns settings slow statements store stored table transaction worker_pool",
        "a store is generic over its dialect, and the dialect opens, reads and migrates the store",
    ),
    (
        "testing",
        "client request",
        "files of one folder: a client makes requests, and a request is sent by its client",
    ),
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
fn no_cycle_of_modules_crosses_folders() {
    let mut accepted: BTreeSet<_> = ACCEPTED.iter().map(|(name, cycle, _)| format!("{name}: {cycle}")).collect();
    let mut found = String::new();
    for (name, src) in sources() {
        let modules = Modules::new(&src);
        for cycle in modules.cycles() {
            let shown = format!("{name}: {}", cycle.join(" "));
            if !accepted.remove(&shown) {
                found.push_str(&format!("{shown}\n{}", modules.lines_within(&cycle)));
            }
        }
    }
    assert!(found.is_empty(), "these modules are in a cycle:\n{found}");
    assert!(accepted.is_empty(), "these cycles are gone; remove them from `ACCEPTED`: {accepted:?}");
}

#[test]
fn the_modules_of_list_are_layers() {
    let modules = Modules::new(&workspace().join("crates/list/src"));
    // From the lowest layer to the highest.
    let layers = ["value", "operator", "expression", "filter", "pagination", "apply"];
    for (index, layer) in layers.iter().enumerate() {
        let above: Vec<_> =
            layers[index + 1..].iter().filter(|above| modules.0[*layer].contains_key(**above)).collect();
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

/// The top-level modules of a crate. Each contains the other modules that it names, with the lines that name them.
struct Modules(BTreeMap<String, BTreeMap<String, Vec<String>>>);

impl Modules {
    fn new(src: &Path) -> Self {
        let paths = fs::read_dir(src).unwrap().map(|entry| entry.unwrap().path());
        let named = paths.map(|path| (path.file_stem().unwrap().to_str().unwrap().to_owned(), path));
        let modules = Self(
            named
                .filter(|(module, _)| module != "lib")
                .map(|(module, path)| {
                    let mut uses = BTreeMap::new();
                    note_uses(src, &path, &mut uses);
                    uses.remove(&module);
                    (module, uses)
                })
                .collect(),
        );
        // A name at the root of the crate, such as a re-export, would hide the module.
        for (module, uses) in &modules.0 {
            let of_root: Vec<_> = uses.iter().filter(|(used, _)| !modules.0.contains_key(*used)).collect();
            assert!(of_root.is_empty(), "{module} names an item of the root: {of_root:?}");
        }
        modules
    }

    /// Returns the groups of modules that reach each other, in alphabetical order.
    fn cycles(&self) -> BTreeSet<Vec<&str>> {
        let reached: BTreeMap<_, _> = self.0.keys().map(|module| (&**module, self.reached_by(module))).collect();
        let cycle_of = |module: &str| {
            let back = reached
                .iter()
                .filter(|(other, of_other)| of_other.contains(module) && reached[module].contains(*other));
            back.map(|(other, _)| *other).collect::<Vec<_>>()
        };
        self.0.keys().map(|module| cycle_of(module)).filter(|cycle| !cycle.is_empty()).collect()
    }

    fn reached_by<'m>(&'m self, module: &'m str) -> BTreeSet<&'m str> {
        let (mut reached, mut next) = (BTreeSet::new(), vec![module]);
        while let Some(module) = next.pop() {
            next.extend(self.0[module].keys().map(String::as_str).filter(|used| reached.insert(*used)));
        }
        reached
    }

    /// Returns the lines in which the modules of a cycle name each other.
    fn lines_within(&self, cycle: &[&str]) -> String {
        let uses = cycle.iter().flat_map(|module| &self.0[*module]).filter(|(used, _)| cycle.contains(&&***used));
        uses.flat_map(|(_, lines)| lines).map(|line| format!("  {line}\n")).collect()
    }
}

/// Records the modules that a file or folder names as `crate::module`, except in comments.
fn note_uses(src: &Path, path: &Path, uses: &mut BTreeMap<String, Vec<String>>) {
    // Tests may name any module.
    if path.file_stem().unwrap().to_str().unwrap().ends_with("tests") {
        return;
    }
    if path.is_dir() {
        fs::read_dir(path).unwrap().for_each(|entry| note_uses(src, &entry.unwrap().path(), uses));
        return;
    }
    let text = fs::read_to_string(path).unwrap();
    let text = text.split("\n#[cfg(test)]\n").next().unwrap();
    for (number, line) in text.lines().enumerate().filter(|(_, line)| !line.trim_start().starts_with("//")) {
        let pieces: Vec<_> = line.split("crate::").collect();
        for pair in pieces.windows(2).filter(|pair| !pair[0].ends_with('$')) {
            let rest = pair[1];
            // `crate::{a, b::c}` names two modules.
            let names: Vec<_> = match rest.strip_prefix('{') {
                Some(list) => list.split([',', '}']).collect(),
                None => vec![rest],
            };
            for name in names {
                let name = name.trim_start().split(|letter: char| !letter.is_alphanumeric() && letter != '_').next();
                let place = format!("{}:{}: {}", path.strip_prefix(src).unwrap().display(), number + 1, line.trim());
                let name = name.unwrap_or_default();
                if !name.is_empty() {
                    uses.entry(name.to_owned()).or_default().push(place);
                }
            }
        }
    }
}
