//! An endpoint that serves one file.

use std::sync::{Arc, OnceLock};

use restwright_runtime::core::operation::Operation;
use restwright_runtime::core::{BuildContext, BuildErrors, Controller, Problem, Reader, Request, Result, Route};

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
    type Request = Nothing;
    type Response = File;

    fn route(&self) -> Route {
        Route::get(self.path).id(format!("GET {}", self.path)).hidden().describe(|operation| {
            operation.is_documentation = true;
        })
    }

    async fn handle(&self, _: Nothing) -> Result<File> {
        self.file.0.get().cloned().ok_or_else(|| Problem::internal("the Api is not built yet"))
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

/// A request of which only the head matters.
pub(super) struct Nothing;

impl Request for Nothing {
    type Plan = ();

    fn plan(_: &mut BuildContext<'_>) -> Result<(), BuildErrors> {
        Ok(())
    }

    fn describe((): &(), _: &mut Operation) {}

    async fn read((): &(), _: &mut Reader<'_>) -> Result<Option<Self>> {
        Ok(Some(Self))
    }
}
