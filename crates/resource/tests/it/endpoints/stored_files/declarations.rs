//! Declarations of files that cannot work.

use restwright::auth::Access;
use restwright::files::FolderStore;
use restwright::prelude::*;
use restwright_resource::{Endpoints, StoredFile};
use serde::{Deserialize, Serialize};

use super::super::counting_store::CountingStore;
use super::Note;

/// A resource with strings as identifiers.
#[derive(Clone, Debug, Serialize, Deserialize, Resource)]
#[resource(path = "/countries")]
struct Country {
    #[property(id(given))]
    code: String,
    #[property(file)]
    flag: Option<StoredFile>,
}

/// A resource whose media types are wrong.
#[derive(Clone, Debug, Serialize, Deserialize, Resource)]
struct Wrong {
    #[property(id)]
    id: i64,
    #[property(file, accept = "images")]
    scan: Option<StoredFile>,
}

#[test]
fn declarations_that_cannot_work_do_not_build() {
    fn error(module: &impl restwright::Module) -> String {
        Api::builder(Configuration::new("files", "1.0.0")).module(module).build().unwrap_err().to_string()
    }
    let notes = || Endpoints::<Note>::new(CountingStore::default(), Access::public());
    let countries = Endpoints::<Country>::new(CountingStore::default(), Access::public());
    let wrong = Endpoints::<Wrong>::new(CountingStore::default(), Access::public());
    let store = FolderStore::new("unused");
    for (error, expected) in [
        (error(&notes()), "the field `scan` of `notes` is a file, but the endpoints have no store for files"),
        (error(&countries.files(store.clone())), "requires an identifier that is an integer or a UUID"),
        (
            error(&notes().file(restwright::schema::file("id")).files(store.clone())),
            "`id` of `notes` must be a field of the type `Option<StoredFile>`",
        ),
        (error(&wrong.files(store)), "`images` is not a media type; write media types such as \"image/*\""),
    ] {
        assert!(error.contains(expected), "{error}");
    }
}
