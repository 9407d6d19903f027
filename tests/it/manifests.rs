//! The declarations in the manifests of the crates: features, versions and documentation.

use std::collections::BTreeSet;
use std::fs;

use restwright_tests::workspace;

use crate::arrows::{cargo, metadata};

#[test]
fn the_facade_has_at_most_30_features_and_explains_each() {
    let text = |path: &str| fs::read_to_string(workspace().join(path)).unwrap();
    let manifest = text("crates/restwright/Cargo.toml");
    let (_, features) = manifest.split_once("[features]\n").unwrap();
    let (features, _) = features.split_once("\n\n").unwrap();
    let lines: Vec<_> = features.lines().collect();
    let mut names = BTreeSet::new();
    for pair in lines.chunks(2) {
        let [comment, feature] = pair else { panic!("{pair:?} is no comment with a feature") };
        assert!(comment.starts_with("# "), "{feature} has no comment");
        names.insert(feature.split_once(" = ").unwrap().0);
    }
    assert!(names.remove("default") && names.len() <= 30, "{} features", names.len());
    for table in [text("README.md"), text("crates/restwright/src/lib.rs")] {
        let rows: Vec<_> = table.lines().filter(|line| line.contains("| `")).collect();
        let unlisted: Vec<_> =
            names.iter().filter(|name| !rows.iter().any(|row| row.contains(&format!("`{name}`")))).collect();
        assert!(unlisted.is_empty(), "no table has {unlisted:?}");
    }
}

#[test]
fn rate_limits_do_not_build_lists() {
    let built = built_by("rate-limit");
    assert!(built.contains("governor"), "{built:?}");
    for foreign in ["jiff", "restwright-list", "unicode-case-mapping", "uuid"] {
        assert!(!built.contains(foreign), "the feature `rate-limit` builds {foreign}");
    }
}

#[test]
fn crates_require_the_exact_version_of_each_other_and_of_sqlx_core() {
    let locked = fs::read_to_string(workspace().join("Cargo.lock")).unwrap();
    let version_of = |name: &str| {
        let (_, package) = locked.split_once(&format!("name = \"{name}\"\nversion = \"")).unwrap();
        format!("={}", package.split('"').next().unwrap())
    };
    let mut found = 0;
    for package in metadata()["packages"].as_array().unwrap() {
        // Dependencies of tests have no version, and are not published.
        let dependencies = package["dependencies"].as_array().unwrap().iter();
        for dependency in dependencies.filter(|dependency| dependency["kind"].is_null()) {
            let (user, name) = (package["name"].as_str().unwrap(), dependency["name"].as_str().unwrap());
            let expected = match name {
                "sqlx-core" => version_of("sqlx"),
                _ if name.starts_with("restwright") => version_of(name),
                _ => continue,
            };
            assert_eq!(dependency["req"], expected, "{user} -> {name}");
            found += 1;
        }
    }
    assert!(found > 20, "the dependencies were not found");
}

#[test]
fn docs_rs_shows_all_features_of_each_crate() {
    let metadata = metadata();
    let packages = metadata["packages"].as_array().unwrap().iter();
    let crates = packages.filter(|package| package["manifest_path"].as_str().unwrap().contains("/crates/"));
    let with_features = crates.filter(|package| !package["features"].as_object().unwrap().is_empty());
    let shown: Vec<_> = with_features
        .map(|package| (package["name"].as_str().unwrap(), &package["metadata"]["docs"]["rs"]["all-features"]))
        .collect();
    assert!(shown.len() > 5, "{shown:?}");
    assert!(shown.iter().all(|(_, all)| **all == true), "{shown:?}");
}

/// The facade as a dev-dependency would make an edit of any crate rebuild the tests of this crate.
#[test]
fn the_crates_below_the_facade_are_tested_without_it() {
    let metadata = metadata();
    let packages = metadata["packages"].as_array().unwrap().iter();
    let below = packages.filter(|package| package["manifest_path"].as_str().unwrap().contains("/crates/"));
    let below: Vec<_> = below.filter(|package| package["name"] != "restwright").collect();
    assert!(below.len() > 10, "the crates were not found");
    for package in below {
        let dependencies = package["dependencies"].as_array().unwrap();
        let is_tested_with_it = dependencies.iter().any(|dependency| dependency["name"] == "restwright");
        assert!(!is_tested_with_it, "{} depends on the facade", package["name"]);
    }
}

#[test]
fn each_long_step_runs_at_night() {
    let text = |path: &str| fs::read_to_string(workspace().join(path)).unwrap();
    let (long, night) = (text(".ci/long"), text(".github/workflows/night.yml"));
    let steps: BTreeSet<_> = long.split_once("\nall=(").unwrap().1.split_once(')').unwrap().0.split(' ').collect();
    let jobs = night.split_once("        steps:\n").unwrap().1.split_once("    container:").unwrap().0;
    let run: BTreeSet<_> = jobs.lines().flat_map(|job| job.trim_start_matches([' ', '-']).split(' ')).collect();
    assert_eq!(run, steps);
}

/// Returns the crates that the facade builds with a single feature.
fn built_by(feature: &str) -> BTreeSet<String> {
    let arguments = ["tree", "--offline", "-p", "restwright", "-e", "normal", "--prefix", "none", "--format", "{lib}"];
    let text = cargo(&[&arguments[..], &["--no-default-features", "--features", feature]].concat());
    text.lines().map(|name| name.replace('_', "-")).collect()
}
