//! Checks at the start that a folder of static files exists.

use std::path::PathBuf;

use restwright_runtime::core::{Component, ComponentError};

/// A component that fails to start if its folder does not exist.
#[derive(Debug)]
pub(crate) struct FolderCheck {
    name: String,
    folder: PathBuf,
}

impl FolderCheck {
    pub(crate) fn new(number: u32, folder: PathBuf) -> Self {
        Self { name: format!("static files {number}"), folder }
    }
}

impl Component for FolderCheck {
    fn name(&self) -> &str {
        &self.name
    }

    async fn start(&self) -> Result<(), ComponentError> {
        if self.folder.is_dir() {
            return Ok(());
        }
        let from = std::env::current_dir().unwrap_or_default();
        Err(format!(
            "the folder `{}` does not exist; build the page, or pass another folder to `StaticFiles::new` (a relative path starts at `{}`)",
            self.folder.display(),
            from.display()
        )
        .into())
    }
}
