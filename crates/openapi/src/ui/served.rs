//! An endpoint that serves one file.

use std::sync::{Arc, OnceLock};

use restwright_runtime::core::conditional::Tagged;
use restwright_runtime::core::{Controller, Problem, Result, Route};

use super::file::File;

/// Serves a file on `GET` of a path.
pub(super) struct Served {
    path: &'static str,
    file: Slot,
}

impl Served {
    pub(super) fn new(path: &'static str, file: Slot) -> Self {
        Self { path, file }
    }
}

impl Controller for Served {
    type Request = ();
    type Response = Tagged<File>;

    fn route(&self) -> Route {
        Route::get(self.path).id(format!("GET {}", self.path)).hidden().describe(|operation| {
            operation.is_documentation = true;
        })
    }

    async fn handle(&self, (): ()) -> Result<Tagged<File>> {
        self.file.0.get().map(File::response).ok_or_else(|| Problem::internal("the Api is not built yet"))
    }
}

/// The place of a file. A file that is made of the whole Api is put there when that is built.
#[derive(Clone, Default)]
pub(super) struct Slot(Arc<OnceLock<File>>);

impl Slot {
    pub(super) fn of(file: File) -> Self {
        Self(Arc::new(file.into()))
    }

    pub(super) fn fill(&self, file: File) {
        // An Api is built once.
        let _ = self.0.set(file);
    }
}
