//! An endpoint that answers with one file.

use std::sync::{Arc, OnceLock};

use restwright_core::operation::Operation;
use restwright_core::{Controller, Planner, Problem, Reader, Request, Result, Route, StartErrors};

use super::file::File;

/// Answers `GET` on a path with a file.
pub(super) struct Served {
    path: &'static str,
    file: Source,
}

/// The file, or the place where the document will be when the Api is built.
pub(super) struct Source(Arc<OnceLock<File>>);

impl Served {
    pub(super) fn new(path: &'static str, file: impl Into<Source>) -> Self {
        Self { path, file: file.into() }
    }
}

impl Controller for Served {
    type Request = Nothing;
    type Response = File;

    fn route(&self) -> Route {
        Route::get(self.path).operation_id(format!("GET {}", self.path)).hidden()
    }

    async fn handle(&self, _: Nothing) -> Result<File> {
        self.file.0.get().cloned().ok_or_else(|| Problem::internal("the Api is not built yet"))
    }
}

impl From<File> for Source {
    fn from(file: File) -> Self {
        Self(Arc::new(file.into()))
    }
}

impl From<Arc<OnceLock<File>>> for Source {
    fn from(file: Arc<OnceLock<File>>) -> Self {
        Self(file)
    }
}

/// A request of which only the head matters.
pub(super) struct Nothing;

impl Request for Nothing {
    type Plan = ();

    fn plan(_: &mut Planner<'_>) -> Result<(), StartErrors> {
        Ok(())
    }

    fn describe((): &(), _: &mut Operation) {}

    async fn read((): &(), _: &mut Reader<'_>) -> Result<Option<Self>> {
        Ok(Some(Self))
    }
}
