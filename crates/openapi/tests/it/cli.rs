//! The file next to an application.

use std::path::PathBuf;

use restwright_openapi::DocumentOptions;
use restwright_openapi::cli::{FileError, FileStatus, check, write};
use restwright_runtime::core::Route;

use crate::support::api;

fn folder(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("docs-{name}-{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

#[test]
fn what_is_written_is_current() {
    let folder = folder("current");
    let file = folder.join("openapi.json");
    let options = DocumentOptions::default();
    let api = api([Route::get("/a").public()]);
    assert!(matches!(check(&api, &options, &folder), Err(FileError::Missing { .. })));
    assert_eq!(write(&api, &options, &folder).unwrap(), FileStatus::Written(file.clone()));
    assert_eq!(write(&api, &options, &folder).unwrap(), FileStatus::Current(file.clone()));
    assert_eq!(check(&api, &options, &file).unwrap(), FileStatus::Current(file));
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn a_stale_file_is_shown_as_a_difference() {
    let folder = folder("stale");
    let options = DocumentOptions::default();
    write(&api([Route::get("/a").public().summary("Before")]), &options, &folder).unwrap();
    let error = check(&api([Route::get("/a").public().summary("After")]), &options, &folder).unwrap_err().to_string();
    let difference = "         \"operationId\": \"endpoint\",\n\
                      -        \"summary\": \"Before\",\n\
                      +        \"summary\": \"After\",\n";
    assert!(error.contains(difference) && error.lines().count() < 14, "{error}");
    std::fs::remove_dir_all(folder).unwrap();
}
