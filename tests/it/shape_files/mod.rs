//! The file with the Rust types of run-time declarations.

use std::path::PathBuf;
use std::process::Command;

use restwright::operation::ParameterLocation;
use restwright::prelude::*;
use restwright::resource::{EntityBag, Hooks};
use restwright::schema::{enumeration, int64, string};
use restwright::{Input, Output};
use restwright_generate::{FileError, FileStatus, check_shapes, write_shapes};
use restwright_tests::workspace;

use crate::generated::declared::{self, Declared, Handlers};
use crate::generated::declared_resource;

struct NoHooks;

impl Hooks<EntityBag> for NoHooks {}

fn nothing(_: Input) -> Result<Output> {
    unreachable!("no request is sent")
}

/// An application that uses every kind of run-time declaration.
fn applications() -> [(&'static str, Api); 2] {
    let everything = declared::api(Handlers([nothing; 6], |_, _| unreachable!("no request is sent")));
    [("shapes", everything), ("resource_shapes", declared_resource::api(NoHooks))]
}

fn file(name: &str) -> PathBuf {
    let file = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("shapes-{name}-{}.rs", std::process::id()));
    let _ = std::fs::remove_file(&file);
    file
}

/// Returns an Api with one operation for each of these schemas.
fn api(shapes: &[&'static str]) -> Api {
    let builder = Api::builder(Configuration::new("a", "1"));
    let declared = |builder: restwright::ApiBuilder, name: &&'static str| {
        let body = PropertyCollection::new(*name).property(string("text"));
        let route = Route::post(format!("/{name}")).id(format!("create{name}")).public().body(body);
        builder.controller(Declared(route, nothing))
    };
    shapes.iter().fold(builder, declared).build().unwrap()
}

/// `UPDATE=1 cargo test` writes the new file. Review it before a commit.
#[test]
fn generates_the_expected_types() {
    let pet = PropertyCollection::new("Pet")
        .description("An animal.")
        .property(string("name").max_length(20).description("What it is called."))
        .property(enumeration("mood", ["calm", "very wild"]).optional());
    let route = Route::post("/owners/{owner_id}/pets").id("createPet").public();
    let route = route.parameter(ParameterLocation::Path, int64("owner_id").minimum(1)).body(pet);
    let api = Api::builder(Configuration::new("a", "1")).controller(Declared(route, nothing)).build().unwrap();
    let golden = workspace().join("tests/it/shape_files/shapes_of_a_pet.rs");
    if std::env::var_os("UPDATE").is_some() {
        write_shapes(&api, &golden).unwrap();
    }
    check_shapes(&api, &golden).unwrap_or_else(|error| panic!("{error}"));
}

/// The module `generated` uses the types of these files. `UPDATE=1 cargo test` writes them.
#[test]
fn the_types_in_use_are_current() {
    for (name, api) in applications() {
        let file = workspace().join(format!("tests/it/generated/{name}.rs"));
        if std::env::var_os("UPDATE").is_some() {
            write_shapes(&api, &file).unwrap();
        }
        check_shapes(&api, &file).unwrap_or_else(|error| panic!("{error}"));
    }
}

#[test]
fn rustfmt_keeps_the_types_unchanged() {
    for configuration in ["", "max_width = 120\nuse_small_heuristics = \"Max\"\n"] {
        let folder = file(&format!("formatted-{}", configuration.len())).with_extension("");
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("rustfmt.toml"), configuration).unwrap();
        for (name, api) in applications() {
            let file = folder.join(format!("{name}.rs"));
            write_shapes(&api, &file).unwrap();
            let checked = Command::new("rustfmt").args(["--edition", "2024", "--check"]).arg(&file).output();
            let Ok(checked) = checked else {
                restwright_tests::skip("rustfmt is not installed");
                return;
            };
            assert!(checked.status.success(), "{}", String::from_utf8_lossy(&checked.stdout));
        }
        std::fs::remove_dir_all(folder).unwrap();
    }
}

#[test]
fn a_written_file_is_current() {
    let (file, api) = (file("current"), api(&["Pet"]));
    assert!(matches!(check_shapes(&api, &file), Err(FileError::Missing { .. })));
    assert_eq!(write_shapes(&api, &file).unwrap(), FileStatus::Written(file.clone()));
    assert_eq!(write_shapes(&api, &file).unwrap(), FileStatus::Current(file.clone()));
    assert_eq!(check_shapes(&api, &file).unwrap(), FileStatus::Current(file.clone()));
    std::fs::remove_file(file).unwrap();
}

#[test]
fn removes_obsolete_types_and_keeps_handwritten_lines() {
    let file = file("removed");
    write_shapes(&api(&["Pet", "Shelter"]), &file).unwrap();
    let both = std::fs::read_to_string(&file).unwrap();
    assert!(both.contains("struct Pet {") && both.contains("struct Shelter {"));
    std::fs::write(&file, format!("// mine\n{both}\n  fn mine( ) {{}}")).unwrap();
    write_shapes(&api(&["Shelter"]), &file).unwrap();
    let one = std::fs::read_to_string(&file).unwrap();
    assert!(one.starts_with("// mine\n") && one.ends_with("\n  fn mine( ) {}"));
    assert!(!one.contains("Pet") && one.contains("struct Shelter {"));
    write_shapes(&api(&[]), &file).unwrap();
    let none = std::fs::read_to_string(&file).unwrap();
    assert!(none.starts_with("// mine\n") && none.ends_with("\n  fn mine( ) {}") && !none.contains("Shelter"));
    assert_eq!(check_shapes(&api(&[]), &file).unwrap(), FileStatus::Current(file.clone()));
    std::fs::remove_file(file).unwrap();
}

#[test]
fn a_stale_file_is_shown_as_a_difference() {
    let file = file("stale");
    write_shapes(&api(&["Pet"]), &file).unwrap();
    let written = std::fs::read_to_string(&file).unwrap();
    std::fs::write(&file, written.replace("    pub text: String,\n", "    pub txt: String,\n")).unwrap();
    let error = check_shapes(&api(&["Pet"]), &file).unwrap_err().to_string();
    assert!(error.contains("\n-    pub txt: String,\n+    pub text: String,\n"), "{error}");
    assert!(error.lines().count() < 14, "{error}");
    std::fs::remove_file(file).unwrap();
}

#[test]
fn creates_no_file_without_run_time_declarations() {
    let file = file("none");
    assert_eq!(write_shapes(&api(&[]), &file).unwrap(), FileStatus::NotNeeded(file.clone()));
    assert_eq!(check_shapes(&api(&[]), &file).unwrap(), FileStatus::NotNeeded(file.clone()));
    assert!(!file.exists());
}

#[test]
fn does_not_change_a_file_without_markers() {
    let file = file("foreign");
    std::fs::write(&file, "fn main() {}\n").unwrap();
    let error = write_shapes(&api(&["Pet"]), &file).unwrap_err().to_string();
    assert!(error.contains("add the lines `// begin generated shapes` and `// end generated shapes`"), "{error}");
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "fn main() {}\n");
    std::fs::remove_file(file).unwrap();
}
