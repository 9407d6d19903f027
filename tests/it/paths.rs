//! The paths of public names: one in the crate that defines a name, and one in the facade.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use restwright_tests::workspace;

/// The names that a crate other than the facade re-exports from another crate, with the reason.
const EXPORTED_AGAIN: &[(&str, &[&str], &str)] = &[
    ("core", &["schema"], "a library that extends the framework needs one dependency"),
    ("runtime", &["core"], "a library of modules needs one dependency"),
    (
        "rate-limit",
        &[
            "BucketState",
            "Charge",
            "KeyKind",
            "LimiterStore",
            "Quota",
            "RateLimitFields",
            "RateLimitKey",
            "WhenUnavailable",
        ],
        "the contract of stores is in core, and applications set limits with its types",
    ),
];

#[test]
fn a_public_name_has_one_path_in_its_crate() {
    for entry in fs::read_dir(workspace().join("crates")).unwrap() {
        let entry = entry.unwrap();
        let name = entry.file_name().into_string().unwrap();
        let names = Names::of(&entry.path().join("src"));
        // The root and the prelude of the facade repeat names of its modules, `extend` contains whole crates, and derives have the names
        // of their traits.
        let repeats = ["prelude::", "extend::", "restwright_macros::"];
        let is_second = |path: &&String| {
            let is_in_root = name == "restwright" && !path.contains("::");
            !is_in_root && !repeats.iter().any(|prefix| path.starts_with(prefix))
        };
        // Lists and resources each have a module with their codes of violations.
        for (item, paths) in names.paths.iter().filter(|(item, _)| *item != "codes") {
            let paths: Vec<_> = paths.iter().filter(is_second).collect();
            assert!(paths.len() < 2, "{name}: `{item}` has {} paths: {paths:?}", paths.len());
        }
        if name != "restwright" {
            let expected =
                EXPORTED_AGAIN.iter().find(|(owner, ..)| *owner == name).map_or(&[][..], |(_, names, _)| names);
            assert_eq!(names.exported_again, expected.iter().map(|name| (*name).to_owned()).collect(), "{name}");
        }
    }
}

#[test]
fn at_most_40_declarations_are_hidden_from_the_documentation() {
    let mut hidden = BTreeSet::new();
    for entry in fs::read_dir(workspace().join("crates")).unwrap() {
        note_hidden(&entry.unwrap().path().join("src"), &mut hidden);
    }
    assert!(hidden.len() <= 40, "{} are hidden: {hidden:#?}", hidden.len());
}

/// Records the places of `doc(hidden)` below a path.
fn note_hidden(path: &Path, hidden: &mut BTreeSet<String>) {
    if path.is_dir() {
        fs::read_dir(path).unwrap().for_each(|entry| note_hidden(&entry.unwrap().path(), hidden));
    } else if path.extension().is_some_and(|extension| extension == "rs") {
        let text = fs::read_to_string(path).unwrap();
        let lines = (1..).zip(text.lines()).filter(|(_, line)| line.contains("doc(hidden)"));
        hidden.extend(lines.map(|(number, _)| format!("{}:{number}", path.display())));
    }
}

/// The documented names of a crate, read from its source.
#[derive(Default)]
struct Names {
    /// The paths of each name in the public modules of the crate.
    paths: BTreeMap<String, BTreeSet<String>>,
    /// The re-exported names of other crates of the workspace.
    exported_again: BTreeSet<String>,
}

impl Names {
    fn of(src: &Path) -> Self {
        let mut names = Self::default();
        names.read(src, &src.join("lib.rs"), "");
        assert!(!names.paths.is_empty(), "no public names in {}", src.display());
        names
    }

    /// Reads a module: its items, its modules, and its exported names.
    fn read(&mut self, folder: &Path, file: &Path, module: &str) {
        let text = fs::read_to_string(file).unwrap();
        let text = text.split("\n#[cfg(test)]\n").next().unwrap();
        let mut is_hidden = false;
        let mut lines = text.lines();
        while let Some(line) = lines.next() {
            if line.starts_with("#[") || line.starts_with("//") {
                is_hidden |= line == "#[doc(hidden)]";
                continue;
            }
            if let Some(declared) = line.strip_prefix("pub ").filter(|_| !std::mem::take(&mut is_hidden)) {
                if let Some(exported) = declared.strip_prefix("use ") {
                    let mut exported = exported.to_owned();
                    while !exported.ends_with(';') {
                        exported.push_str(lines.next().unwrap().trim());
                    }
                    self.export(exported.trim_end_matches(';'), module);
                } else if let Some(inner) = declared.strip_prefix("mod ").and_then(|rest| rest.strip_suffix(';')) {
                    let (file, folder) = (folder.join(format!("{inner}.rs")), folder.join(inner));
                    let file = if file.exists() { file } else { folder.join("mod.rs") };
                    self.read(&folder, &file, &format!("{module}{inner}::"));
                } else {
                    let item = declared.split(|letter: char| !letter.is_alphanumeric() && letter != '_');
                    let kinds = ["struct", "enum", "trait", "fn", "type", "const", "static"];
                    let item = item.skip_while(|word| !kinds.contains(word)).find(|word| !kinds.contains(word));
                    self.add(item.unwrap_or(declared), module, "");
                }
            }
            is_hidden &= line.is_empty();
        }
    }

    /// Records the exports of a `pub use`, which are one path or several in braces.
    fn export(&mut self, exported: &str, module: &str) {
        if let Some((before, list)) = exported.split_once('{') {
            list.trim_end_matches('}').split(',').map(str::trim).filter(|one| !one.is_empty()).for_each(|one| {
                self.export(&format!("{before}{one}"), module);
            });
            return;
        }
        let (path, name) = exported.rsplit_once(" as ").unwrap_or((exported, exported));
        let (path, name) = (path.trim_end_matches("::self"), name.rsplit("::").next().unwrap());
        let owner = path.split("::").next().unwrap();
        if owner.starts_with("restwright_") {
            self.exported_again.insert(name.to_owned());
        }
        self.add(name, module, if owner == "restwright_macros" { "restwright_macros::" } else { "" });
    }

    fn add(&mut self, name: &str, module: &str, owner: &str) {
        // `_` imports the methods of a trait, and `*` the names of a module.
        if !["_", "*"].contains(&name) {
            self.paths.entry(name.to_owned()).or_default().insert(format!("{owner}{module}{name}"));
        }
    }
}
