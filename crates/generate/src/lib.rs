//! Generates files from an Api: the OpenAPI document, and Rust [types](Shapes) for the schemas that the application
//! declares at run time.
//!
//! [`main`](main()) is a complete command line program, which writes the files or checks that they are up to date.
//! Applications use this crate only in examples and tests, so it belongs in their dev-dependencies.

mod arguments;
mod block;
mod difference;
mod file;
mod shapes;
mod source;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use restwright_openapi::{Document, DocumentOptions};
use restwright_runtime::Api;

pub use file::{FileError, FileStatus};
pub use shapes::Shapes;
pub use source::ApiSource;

use arguments::{Arguments, Subcommand};

/// The path of the file with the generated types, relative to the folder of the application.
pub const SHAPES_FILE: &str = "src/shapes.rs";

/// Runs the command line program, which writes or checks generated files. A complete program is
/// `fn main() -> ExitCode { restwright_generate::main(app::api()) }`.
///
/// | subcommand | writes | file |
/// |---|---|---|
/// | `openapi`, or none | the OpenAPI document; `--openapi 3.0` and `--openapi 3.2` choose a version | `openapi.json`, or `openapi-3.0.json` and `openapi-3.2.json` |
/// | `shapes` | the Rust types of run-time declarations, see [`write_shapes`] | `src/shapes.rs` |
///
/// `--single-types` writes the document with [`DocumentOptions::single_types`]. An argument sets the file or folder.
/// The default is the folder of the application's `Cargo.toml` if cargo runs the program, and the current folder
/// otherwise. `--check` writes nothing and shows how the file differs from the application. The exit code is 1 if a
/// file differs or the Api cannot be built, and 2 for invalid arguments. `--help` lists the subcommands.
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
///     restwright_generate::main(app::api())
/// }
/// ```
pub fn main(api: impl ApiSource) -> ExitCode {
    run(api, std::env::args().skip(1), &default_folder())
}

fn run(api: impl ApiSource, arguments: impl Iterator<Item = String>, folder: &Path) -> ExitCode {
    match Arguments::read(arguments) {
        Ok(Arguments::Help(help)) => {
            print(help);
            ExitCode::SUCCESS
        }
        Ok(Arguments::Run { subcommand, check, options, path }) => {
            write_or_check(api, subcommand, check, &options, path.as_deref().unwrap_or(folder))
        }
        Err((message, help)) => {
            eprint(&format!("{message}\n\n{help}"));
            ExitCode::from(2)
        }
    }
}

fn write_or_check(
    api: impl ApiSource,
    subcommand: Subcommand,
    check: bool,
    options: &DocumentOptions,
    path: &Path,
) -> ExitCode {
    let outcome = api.api().and_then(|api| {
        let outcome = match (subcommand, check) {
            (Subcommand::OpenApi, false) => write(&api, options, path),
            (Subcommand::OpenApi, true) => self::check(&api, options, path),
            (Subcommand::Shapes, false) => write_shapes(&api, path),
            (Subcommand::Shapes, true) => check_shapes(&api, path),
        };
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

/// Writes the OpenAPI document of an Api to a file, unless the file is up to date. If `path` is a folder, writes
/// `openapi.json`, `openapi-3.0.json` or `openapi-3.2.json` in it, depending on the version.
///
/// # Errors
/// Fails if the file cannot be read or written.
pub fn write(api: &Api, options: &DocumentOptions, path: &Path) -> Result<FileStatus, FileError> {
    let document = Document::with_options(api, options).to_json();
    file::write(file(path, document_name(options)), &|_| Ok(Some(document.clone())))
}

/// Checks that a file contains the OpenAPI document of an Api. If `path` is a folder, checks the file that [`write()`]
/// creates in it.
///
/// # Errors
/// Fails if the file cannot be read, does not exist, or differs.
pub fn check(api: &Api, options: &DocumentOptions, path: &Path) -> Result<FileStatus, FileError> {
    let document = Document::with_options(api, options).to_json();
    file::check(file(path, document_name(options)), &|_| Ok(Some(document.clone())))
}

/// Writes Rust types for the schemas that an Api declares at run time, unless the file is up to date. If `path` is a
/// folder, writes `src/shapes.rs` in it.
///
/// The types replace the lines between `// begin generated shapes` and `// end generated shapes`. The rest of
/// the file stays unchanged. A missing file is created, unless nothing is declared at run time. See [`Shapes`].
///
/// # Errors
/// Fails if the file cannot be read or written, or does not contain exactly one of each of these two lines.
pub fn write_shapes(api: &Api, path: &Path) -> Result<FileStatus, FileError> {
    let items = Shapes::from_api(api).to_rust();
    file::write(file(path, SHAPES_FILE), &|found| block::replace(found, &items))
}

/// Checks that a file contains the Rust types for the schemas that an Api declares at run time. If `path` is a folder,
/// checks `src/shapes.rs` in it.
///
/// # Errors
/// Fails if the file cannot be read, does not exist, does not contain exactly one of each of the two marker lines, or
/// differs.
pub fn check_shapes(api: &Api, path: &Path) -> Result<FileStatus, FileError> {
    let items = Shapes::from_api(api).to_rust();
    file::check(file(path, SHAPES_FILE), &|found| block::replace(found, &items))
}

/// Returns the name of the document file, such as `openapi-3.0.json`.
fn document_name(options: &DocumentOptions) -> &'static str {
    options.version().path().trim_start_matches('/')
}

fn file(path: &Path, name: &str) -> PathBuf {
    if path.is_dir() { path.join(name) } else { path.to_owned() }
}

/// Returns the package folder if cargo runs the program, or the current folder otherwise.
fn default_folder() -> PathBuf {
    std::env::var_os("CARGO_MANIFEST_DIR").map_or_else(|| PathBuf::from("."), PathBuf::from)
}

// Ignores errors, because a reader may close the pipe early.
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
        assert_eq!(run(api(), &["--openapi", "3.0", "--check"]), ExitCode::FAILURE);
        assert_eq!(run(api(), &["--openapi", "3.0"]), ExitCode::SUCCESS);
        assert_eq!(run(api(), &["--openapi", "3.0", "--check"]), ExitCode::SUCCESS);
        assert!(folder.join("openapi-3.0.json").is_file());
        assert_eq!(run(api(), &["shapes", "--check"]), ExitCode::SUCCESS);
        assert_eq!(run(api(), &["shapes"]), ExitCode::SUCCESS);
        assert!(!folder.join("src").exists());
        std::fs::remove_dir_all(folder).unwrap();
    }
}
