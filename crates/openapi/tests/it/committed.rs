//! The documents of `everything` in the committed files.

use std::fs;
use std::path::Path;

use restwright_openapi::{Document, DocumentOptions, OpenApiVersion};

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
        let document = Document::with_options(&api(), &options).to_json();
        if std::env::var_os("UPDATE").is_some() {
            fs::write(&file, &document).unwrap();
        }
        let committed = fs::read_to_string(&file).unwrap();
        let different = committed.lines().zip(document.lines()).find(|(old, new)| old != new);
        assert!(committed == document, "{name} differs, first in the lines {different:?}; write it with UPDATE=1");
    }
}

#[test]
fn equal_applications_have_equal_documents() {
    let first = Document::from_api(&api()).to_json();
    for _ in 0..5 {
        assert_eq!(Document::from_api(&api()).to_json(), first);
    }
}
