//! The document file of an application.

use std::path::PathBuf;

use restwright_generate::{FileError, FileStatus, check, write};
use restwright_openapi::DocumentOptions;
use restwright_runtime::Api;
use restwright_runtime::core::{Configuration, NoContent, Route};

fn api(description: &str) -> Api {
    let route = Route::get("/a")
        .id("endpoint")
        .public()
        .summary("View")
        .description(description)
        .handler(async |()| Ok(NoContent));
    Api::builder(Configuration::new("shelter", "1.2.3")).controller(route).build().unwrap()
}

fn folder(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("docs-{name}-{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

#[test]
fn a_written_file_is_current() {
    let folder = folder("current");
    let file = folder.join("openapi.json");
    let options = DocumentOptions::default();
    let api = api("Before");
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
    write(&api("Before"), &options, &folder).unwrap();
    let error = check(&api("After"), &options, &folder).unwrap_err().to_string();
    let difference = "         \"summary\": \"View\",\n\
                      -        \"description\": \"Before\",\n\
                      +        \"description\": \"After\",\n";
    assert!(error.contains(difference) && error.lines().count() < 14, "{error}");
    std::fs::remove_dir_all(folder).unwrap();
}
