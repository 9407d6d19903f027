//! Regenerates `openapi.json` and `src/shapes.rs` of every example: `cargo run -p restwright-docs`, with `--check` to compare alone.
//! With `--openapi 3.0` or `--openapi 3.2` it writes the document in that version.

use std::collections::BTreeSet;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use restwright::openapi::{DocumentOptions, OpenApiVersion};
use restwright::{Api, BuildErrors, Settings};
use restwright_generate::{FileError, FileStatus, check, check_shapes, write, write_shapes};

/// Builds an example.
type Build = fn() -> Result<Api, BuildErrors>;

/// The examples by their folders.
const EXAMPLES: &[(&str, Build)] = &[
    ("animals", animals::api),
    ("contracts", || contracts::api([], "sqlite::memory:")),
    ("files", || files::api(PathBuf::from("files"))),
    ("operations", || operations::api(&Settings::new("SHOP", [("DATABASE_URL", "sqlite::memory:")]), [])?.build()),
    ("tracker", || tracker::api([], "sqlite::memory:", "tracker-files")),
];

/// Writes or checks one file in a folder.
type Regenerate = fn(&Api, &DocumentOptions, &Path) -> Result<FileStatus, FileError>;

/// The subcommands, each by the function that writes and the one that checks.
const SUBCOMMANDS: &[(&str, Regenerate, Regenerate)] = &[
    ("openapi", write, check),
    ("shapes", |api, _, folder| write_shapes(api, folder), |api, _, folder| check_shapes(api, folder)),
];

const HELP: &str = "\
Regenerates the files that are generated from the examples.

Usage: cargo run -p restwright-docs -- [SUBCOMMAND] [--check]
       cargo run -p restwright-docs -- --openapi VERSION [--single-types]
           [--into FOLDER] [--check]

Subcommands:
  openapi  write the OpenAPI documents to openapi.json
  shapes   write the Rust types of run-time declarations to src/shapes.rs

Without a subcommand, all of them run.

  --openapi VERSION
           write only the OpenAPI documents, in version 3.0, 3.1 or 3.2; 3.0 is in
           openapi-3.0.json, 3.2 in openapi-3.2.json
  --single-types
           give each operation one success type and one problem type, and
           each body one media type
  --into FOLDER
           a folder other than examples, with a folder for each example
  --check  write nothing; if a file differs from its example, show the
           difference and exit with 1
  --help   show this
";

fn main() -> ExitCode {
    let arguments = match Arguments::read(std::env::args().skip(1)) {
        Ok(Some(arguments)) => arguments,
        Ok(None) => {
            print(HELP);
            return ExitCode::SUCCESS;
        }
        Err(message) => {
            eprint(&format!("{message}\n\n{HELP}"));
            return ExitCode::from(2);
        }
    };
    // All examples are checked, so that one run shows all that differ.
    let outcomes = EXAMPLES.iter().flat_map(|(name, api)| regenerate(name, *api, &arguments));
    let failures: Vec<_> = outcomes.chain([all_are_listed()]).filter_map(Result::err).collect();
    failures.iter().for_each(|message| eprint(&format!("{message}\n")));
    if failures.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

struct Arguments {
    chosen: &'static [(&'static str, Regenerate, Regenerate)],
    options: DocumentOptions,
    into: PathBuf,
    only_check: bool,
}

impl Arguments {
    /// Reads the arguments; `None` if they request the help.
    fn read(mut given: impl Iterator<Item = String>) -> Result<Option<Self>, String> {
        let (mut chosen, mut version, mut single_types, mut only_check) = (SUBCOMMANDS, None, false, false);
        let mut into = examples();
        while let Some(argument) = given.next() {
            let named = SUBCOMMANDS.iter().find(|(name, ..)| *name == argument);
            match (argument.as_str(), named) {
                ("--help" | "-h", _) => return Ok(None),
                ("--check", _) => only_check = true,
                ("--single-types", _) => single_types = true,
                ("--openapi", _) => version = Some(given.next().unwrap_or_default().parse::<OpenApiVersion>()?),
                ("--into", _) => into = given.next().ok_or("--into must be followed by a folder.")?.into(),
                (_, Some(subcommand)) if chosen.len() == SUBCOMMANDS.len() => {
                    chosen = std::slice::from_ref(subcommand);
                }
                _ => return Err(format!("There is no place for {argument}.")),
            }
        }
        if version.is_some() || single_types {
            chosen = SUBCOMMANDS.get(..1).unwrap_or_default();
        }
        let options = DocumentOptions::new(version.unwrap_or_default());
        let options = if single_types { options.single_types() } else { options };
        Ok(Some(Self { chosen, options, into, only_check }))
    }
}

fn regenerate(name: &str, api: Build, arguments: &Arguments) -> Vec<Result<(), String>> {
    let api = match api() {
        Ok(api) => api,
        Err(errors) => return vec![Err(format!("{name}: {errors}"))],
    };
    let folder = arguments.into.join(name);
    if !arguments.only_check
        && let Err(error) = std::fs::create_dir_all(&folder)
    {
        return vec![Err(format!("{}: {error}", folder.display()))];
    }
    let outcomes = arguments.chosen.iter().map(|(_, write, check)| {
        let run = if arguments.only_check { check } else { write };
        print(&format!("{}\n", run(&api, &arguments.options, &folder).map_err(|error| error.to_string())?));
        Ok(())
    });
    outcomes.collect()
}

/// Fails if an example with a library is not listed here.
fn all_are_listed() -> Result<(), String> {
    let entries = std::fs::read_dir(examples()).map_err(|error| error.to_string())?;
    let folders = entries.flatten().filter(|entry| entry.path().join("src/lib.rs").is_file());
    let folders: BTreeSet<_> = folders.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    let missing: Vec<_> = folders.iter().filter(|name| !EXAMPLES.iter().any(|(known, _)| known == name)).collect();
    if missing.is_empty() { Ok(()) } else { Err(format!("not listed in bin/docs/src/main.rs: {missing:?}")) }
}

fn examples() -> PathBuf {
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap_or(Path::new("."));
    workspace.join("examples")
}

fn print(text: &str) {
    let _ = std::io::stdout().write_all(text.as_bytes());
}

fn eprint(text: &str) {
    let _ = std::io::stderr().write_all(text.as_bytes());
}
