//! Regenerates `openapi.json` and `src/shapes.rs` of every example: `cargo run -p restwright-docs`, with `--check` to compare alone.

use std::collections::BTreeSet;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use restwright::cli::{FileError, FileStatus, check, check_shapes, write, write_shapes};
use restwright::{Api, BuildErrors};

/// Builds an example.
type Build = fn() -> Result<Api, BuildErrors>;

/// The examples by their folders.
const EXAMPLES: &[(&str, Build)] =
    &[("animals", animals::api), ("contracts", || contracts::api([], "sqlite::memory:"))];

/// Writes or checks one file in the folder of an example.
type Regenerate = fn(&Api, &Path) -> Result<FileStatus, FileError>;

/// The subcommands, each by the function that writes and the one that checks.
const SUBCOMMANDS: &[(&str, Regenerate, Regenerate)] =
    &[("openapi", write, check), ("shapes", write_shapes, check_shapes)];

const HELP: &str = "\
Regenerates what is made of the declarations of every example.

Usage: cargo run -p restwright-docs -- [SUBCOMMAND] [--check]

Subcommands:
  openapi  the OpenAPI document, in openapi.json
  shapes   the Rust types of what is declared at run time, in src/shapes.rs

Without a subcommand it does all of them.

  --check  write nothing; exit with 1 and show the difference when a file is
           not what its example declares
  --help   show this
";

fn main() -> ExitCode {
    let (mut chosen, mut only_check) = (SUBCOMMANDS, false);
    for argument in std::env::args().skip(1) {
        let named = SUBCOMMANDS.iter().find(|(name, ..)| *name == argument);
        match (argument.as_str(), named) {
            ("--help" | "-h", _) => {
                print(HELP);
                return ExitCode::SUCCESS;
            }
            ("--check", _) => only_check = true,
            (_, Some(subcommand)) if chosen.len() == SUBCOMMANDS.len() => chosen = std::slice::from_ref(subcommand),
            _ => {
                eprint(&format!("There is no place for {argument}.\n\n{HELP}"));
                return ExitCode::from(2);
            }
        }
    }
    // All examples are checked, so that one run shows all that differ.
    let outcomes = EXAMPLES.iter().flat_map(|(name, api)| regenerate(name, *api, chosen, only_check));
    let failures: Vec<_> = outcomes.chain([all_are_listed()]).filter_map(Result::err).collect();
    failures.iter().for_each(|message| eprint(&format!("{message}\n")));
    if failures.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn regenerate(
    name: &str,
    api: Build,
    chosen: &[(&str, Regenerate, Regenerate)],
    only_check: bool,
) -> Vec<Result<(), String>> {
    let api = match api() {
        Ok(api) => api,
        Err(errors) => return vec![Err(format!("{name}: {errors}"))],
    };
    let folder = examples().join(name);
    let outcomes = chosen.iter().map(|(_, write, check)| {
        let outcome = if only_check { check(&api, &folder) } else { write(&api, &folder) };
        print(&format!("{}\n", outcome.map_err(|error| error.to_string())?));
        Ok(())
    });
    outcomes.collect()
}

/// Fails if a folder of the examples is not listed here.
fn all_are_listed() -> Result<(), String> {
    let entries = std::fs::read_dir(examples()).map_err(|error| error.to_string())?;
    let folders = entries.flatten().filter(|entry| entry.path().join("Cargo.toml").is_file());
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
