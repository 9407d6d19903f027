//! The program that writes an application's document to a file, or checks that the file is current.

mod arguments;
mod difference;
mod source;

use std::fmt;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use restwright_runtime::Api;

pub use source::ApiSource;

use crate::Document;
use arguments::Arguments;
use difference::difference;

/// The name of the file.
pub const FILE_NAME: &str = "openapi.json";

/// Writes or checks the document of an application, by the arguments of the process. The whole program is
/// `fn main() -> ExitCode { restwright::cli::main(app::api()) }`.
///
/// The file is `openapi.json` beside the application's `Cargo.toml` when cargo runs the program, otherwise in the current
/// folder; an argument names another file or folder. With `--check` nothing is written, and a file that differs from the
/// application is shown as a difference, with exit code 1. An Api that cannot be built exits with 1, wrong arguments with 2.
///
/// ```no_run
/// use std::process::ExitCode;
///
/// # mod app {
/// #     use restwright_runtime::core::{Configuration, BuildErrors};
/// #     use restwright_runtime::Api;
/// #     pub fn api() -> Result<Api, BuildErrors> {
/// #         Api::builder(Configuration::new("animals", "1.0.0")).build()
/// #     }
/// # }
/// fn main() -> ExitCode {
///     restwright_openapi::cli::main(app::api())
/// }
/// ```
pub fn main(api: impl ApiSource) -> ExitCode {
    run(api, std::env::args().skip(1), &default_folder())
}

fn run(api: impl ApiSource, arguments: impl Iterator<Item = String>, folder: &Path) -> ExitCode {
    match Arguments::read(arguments) {
        Ok(Arguments::Help) => {
            print(arguments::HELP);
            ExitCode::SUCCESS
        }
        Ok(Arguments::Run { check, path }) => write_or_check(api, check, path.as_deref().unwrap_or(folder)),
        Err(message) => {
            eprint(&format!("{message}\n\n{}", arguments::HELP));
            ExitCode::from(2)
        }
    }
}

fn write_or_check(api: impl ApiSource, check: bool, path: &Path) -> ExitCode {
    let outcome = api.api().and_then(|api| {
        let outcome = if check { self::check(&api, path) } else { write(&api, path) };
        outcome.map_err(|error| error.to_string())
    });
    match outcome {
        Ok(outcome) => {
            print(&format!("{outcome}\n"));
            ExitCode::SUCCESS
        }
        Err(message) => {
            eprint(&format!("{message}\n"));
            ExitCode::FAILURE
        }
    }
}

/// Writes the document of an Api to a file, unless it is there already. A folder stands for its `openapi.json`.
///
/// # Errors
/// The file cannot be read or written.
pub fn write(api: &Api, path: &Path) -> Result<FileStatus, FileError> {
    let (file, expected) = (file(path), Document::from_api(api).to_json());
    if read(&file)?.is_some_and(|found| found == expected) {
        return Ok(FileStatus::Current(file));
    }
    std::fs::write(&file, expected).map_err(|source| FileError::File { file: file.clone(), source })?;
    Ok(FileStatus::Written(file))
}

/// Checks that a file holds the document of an Api. A folder stands for its `openapi.json`.
///
/// # Errors
/// The file cannot be read, or differs.
pub fn check(api: &Api, path: &Path) -> Result<FileStatus, FileError> {
    let (file, expected) = (file(path), Document::from_api(api).to_json());
    match read(&file)? {
        Some(found) if found == expected => Ok(FileStatus::Current(file)),
        Some(found) => Err(FileError::Differs { difference: difference(&found, &expected), file }),
        None => Err(FileError::Missing { file }),
    }
}

/// The result of writing or checking a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FileStatus {
    /// The file was written.
    Written(PathBuf),
    /// The file was the same already.
    Current(PathBuf),
}

impl fmt::Display for FileStatus {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Written(file) => write!(formatter, "{}: written", file.display()),
            Self::Current(file) => write!(formatter, "{}: current", file.display()),
        }
    }
}

/// An error of writing or checking a file.
#[derive(Debug)]
pub enum FileError {
    /// The file cannot be read or written.
    File {
        /// The file.
        file: PathBuf,
        /// The error of the operating system.
        source: std::io::Error,
    },
    /// The file does not exist.
    Missing {
        /// The file.
        file: PathBuf,
    },
    /// The file is not the document of the application.
    Differs {
        /// The file.
        file: PathBuf,
        /// The lines to remove and to add, in the unified format.
        difference: String,
    },
}

impl fmt::Display for FileError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File { file, source } => write!(formatter, "{}: {source}", file.display()),
            Self::Missing { file } => {
                write!(formatter, "{}: not there; run the same command without --check to write it", file.display())
            }
            Self::Differs { file, difference } => write!(
                formatter,
                "{}: not what the application declares; run the same command without --check to write it\n\n{difference}",
                file.display()
            ),
        }
    }
}

impl std::error::Error for FileError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::File { source, .. } => Some(source),
            Self::Missing { .. } | Self::Differs { .. } => None,
        }
    }
}

fn file(path: &Path) -> PathBuf {
    if path.is_dir() { path.join(FILE_NAME) } else { path.to_owned() }
}

fn read(file: &Path) -> Result<Option<String>, FileError> {
    match std::fs::read_to_string(file) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(source) => Err(FileError::File { file: file.to_owned(), source }),
    }
}

/// Returns the folder of the package that cargo runs.
fn default_folder() -> PathBuf {
    std::env::var_os("CARGO_MANIFEST_DIR").map_or_else(|| PathBuf::from("."), PathBuf::from)
}

// A reader that closes the pipe early is no reason to panic.
fn print(text: &str) {
    let _ = std::io::stdout().write_all(text.as_bytes());
}

fn eprint(text: &str) {
    let _ = std::io::stderr().write_all(text.as_bytes());
}

#[cfg(test)]
mod tests {
    use restwright_runtime::core::{BuildErrors, Configuration};

    use super::*;

    #[test]
    fn exit_codes() {
        let folder = std::env::temp_dir().join(format!("restwright-docs-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let api = || Api::builder(Configuration::new("a", "1")).build();
        let run = |api: Result<Api, BuildErrors>, arguments: &[&str]| {
            run(api, arguments.iter().map(ToString::to_string), &folder)
        };
        assert_eq!(run(api(), &["--check"]), ExitCode::FAILURE);
        assert_eq!(run(api(), &[]), ExitCode::SUCCESS);
        assert_eq!(run(api(), &["--check"]), ExitCode::SUCCESS);
        assert_eq!(run(api(), &["--check", "/no/such/folder/a.json"]), ExitCode::FAILURE);
        assert_eq!(run(api(), &["/no/such/folder/a.json"]), ExitCode::FAILURE);
        assert_eq!(run(Err(BuildErrors::one("broken")), &[]), ExitCode::FAILURE);
        assert_eq!(run(api(), &["--help"]), ExitCode::SUCCESS);
        assert_eq!(run(api(), &["--wrong"]), ExitCode::from(2));
        std::fs::remove_dir_all(folder).unwrap();
    }
}
