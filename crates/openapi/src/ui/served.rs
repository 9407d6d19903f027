//! Defines [`Served`], an endpoint that serves one file.

use std::sync::{Arc, OnceLock};

use restwright_runtime::core::conditional::Tagged;
use restwright_runtime::core::{Controller, Problem, Result, Route};

use super::file::File;

/// A hidden controller that serves one file with `GET`.
pub(super) struct Served {
    path: &'static str,
    file: FileSlot,
}

impl Served {
    pub(super) fn new(path: &'static str, file: FileSlot) -> Self {
        Self { path, file }
    }
}

impl Controller for Served {
    type Request = ();
    type Response = Tagged<File>;

    fn route(&self) -> Route {
        Route::get(self.path).id(format!("GET {}", self.path)).hidden()
    }

    async fn handle(&self, (): ()) -> Result<Tagged<File>> {
        self.file.file().map(File::response).ok_or_else(|| Problem::internal("the Api is not built yet"))
    }
}

/// A shared cell that contains the file of an endpoint. The file is set when the Api is built, or created on the first
/// request.
#[derive(Clone, Default)]
pub(super) struct FileSlot(Arc<(OnceLock<File>, OnceLock<Make>)>);

type Make = Box<dyn Fn() -> Option<File> + Send + Sync>;

impl FileSlot {
    pub(super) fn of(file: File) -> Self {
        let slot = Self::default();
        slot.fill(file);
        slot
    }

    // The cell is filled when the Api is built, which happens only once.
    pub(super) fn fill(&self, file: File) {
        let _ = self.0.0.set(file);
    }

    pub(super) fn fill_on_first_use(&self, make: impl Fn() -> Option<File> + Send + Sync + 'static) {
        let _ = self.0.1.set(Box::new(make));
    }

    fn file(&self) -> Option<&File> {
        let (file, make) = &*self.0;
        if let Some(file) = file.get() {
            return Some(file);
        }
        // If two requests create the file at the same time, one of them stores it.
        let made = make.get()?()?;
        Some(file.get_or_init(|| made))
    }
}
