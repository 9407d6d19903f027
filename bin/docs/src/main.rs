//! Regenerates `openapi.json` of every example: `cargo run -p restwright-docs`, with `--check` to compare alone.

use std::collections::BTreeSet;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use restwright::cli::{check, write};
use restwright::{Api, BuildErrors};

/// Builds an example.
type Build = fn() -> Result<Api, BuildErrors>;

/// The examples by their folders.
const EXAMPLES: &[(&str, Build)] = &[("animals", animals::api)];

const USAGE: &str = "Regenerates openapi.json of every example.\n\nUsage: cargo run -p restwright-docs [-- --check]\n";

fn main() -> ExitCode {
    let arguments: Vec<_> = std::env::args().skip(1).collect();
    let only_check = match arguments.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        [] => false,
        ["--check"] => true,
        ["--help"] => {
            print(USAGE);
            return ExitCode::SUCCESS;
        }
        _ => {
            eprint(USAGE);
            return ExitCode::from(2);
        }
    };
    // All examples are checked, so that one run shows all that differ.
    let outcomes = EXAMPLES.iter().map(|(name, api)| regenerate(name, *api, only_check)).chain([all_are_listed()]);
    let failures: Vec<_> = outcomes.filter_map(Result::err).collect();
    failures.iter().for_each(|message| eprint(&format!("{message}\n")));
    if failures.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn regenerate(name: &str, api: Build, only_check: bool) -> Result<(), String> {
    let api = api().map_err(|errors| format!("{name}: {errors}"))?;
    let folder = examples().join(name);
    let outcome = if only_check { check(&api, &folder) } else { write(&api, &folder) };
    print(&format!("{}\n", outcome.map_err(|error| error.to_string())?));
    Ok(())
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
