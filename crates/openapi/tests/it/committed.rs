//! The documents of `everything` in the committed files.

use std::path::Path;

use restwright_openapi::{Document, DocumentOptions, OpenApiVersion, cli};

use crate::everything::api;

/// `UPDATE=1 cargo test` writes the new documents. Review them before a commit.
#[test]
fn documents_equal_the_committed_files() {
    let folder = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it"));
    let documents = [
        ("everything.json", DocumentOptions::default()),
        ("everything-3.0.json", DocumentOptions::new(OpenApiVersion::V3_0)),
        ("everything-3.0-single-types.json", DocumentOptions::new(OpenApiVersion::V3_0).single_types()),
        ("everything-3.2.json", DocumentOptions::new(OpenApiVersion::V3_2)),
    ];
    for (name, options) in documents {
        let file = folder.join(name);
        if std::env::var_os("UPDATE").is_some() {
            cli::write(&api(), &options, &file).unwrap();
        }
        cli::check(&api(), &options, &file).unwrap_or_else(|error| panic!("{error}"));
    }
}

#[test]
fn equal_applications_have_equal_documents() {
    let first = Document::from_api(&api()).to_json();
    for _ in 0..5 {
        assert_eq!(Document::from_api(&api()).to_json(), first);
    }
}
