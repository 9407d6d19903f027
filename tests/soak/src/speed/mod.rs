//! `speed`: compares servers of one table of animals by the instructions and the processor time of each request.
//!
//! | kind | server |
//! |---|---|
//! | `actix` | handwritten on actix-web and sqlx, with validator |
//! | `axum` | handwritten on axum and sqlx, with validator |
//! | `crudcrate` | crudcrate on axum and SeaORM, only on SQLite; if it is built: `cargo build --release --manifest-path tests/soak/crudcrate/Cargo.toml` |
//! | `rusqlite` | as `actix`, with rusqlite on the thread of the worker, only on SQLite |
//! | `grouped` | as `rusqlite`, with a writer thread that runs all waiting changes in one transaction |
//! | `restwright` | a resource of restwright |
//!
//! Each server is a process with one worker. The client has one connection and sends one request at a time. Instructions are counted by valgrind's
//! callgrind in user space, for all threads of the server. The figure is the difference between a short and a long run, so start-up cancels out.
//! Processor time includes the kernel, but not PostgreSQL. The servers take turns, and the median counts.

mod by_hand;
mod cases;
mod connection;
pub mod load;
mod measure;
pub mod pages;
mod restwright;
pub mod table;

use std::process::ExitCode;

use sqlx::postgres::PgPoolOptions;
use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqlitePoolOptions, SqliteSynchronous};

use self::by_hand::grouped::GroupedAnimals;
use self::by_hand::rusqlite::WorkerAnimals;
use self::by_hand::{actix, axum};
use crate::database::Database;
use crate::process;

const USAGE: &str =
    "restwright-soak speed [--database sqlite|postgres] [--kinds actix,axum,crudcrate,rusqlite,grouped,restwright]
                      [--cases view,create,patch,list] [--rows N] [--rounds N] [--requests N] [--instructions no]";

/// The kinds of servers, each with `true` if it serves PostgreSQL.
const KINDS: &[(&str, bool)] = &[
    ("actix", true),
    ("axum", true),
    ("crudcrate", false),
    ("rusqlite", false),
    ("grouped", false),
    ("restwright", true),
];

/// Serves animals until the process ends.
pub fn serve(kind: &str, url: &str) {
    match kind {
        "restwright" => return restwright::serve(url),
        "places" => return restwright::serve_places(url),
        _ => {}
    }
    let listener = process::listen();
    let serving = async {
        match kind {
            "actix" if url.starts_with("sqlite") => actix::serve(listener, sqlite(url).await).await,
            "actix" => actix::serve(listener, postgres(url).await).await,
            "axum" if url.starts_with("sqlite") => axum::serve(listener, sqlite(url).await).await,
            "axum" => axum::serve(listener, postgres(url).await).await,
            "rusqlite" => actix::serve(listener, WorkerAnimals::new(sqlite_options(url).get_filename())).await,
            "grouped" => actix::serve(listener, GroupedAnimals::new(sqlite_options(url).get_filename())).await,
            _ => panic!("no server is called {kind}"),
        }
        .expect("the server runs");
    };
    match kind {
        "axum" => {
            let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build();
            runtime.expect("a runtime").block_on(serving);
        }
        _ => actix_web::rt::System::new().block_on(serving),
    }
}

/// The pragmas of all servers.
pub fn sqlite_options(url: &str) -> SqliteConnectOptions {
    let options: SqliteConnectOptions = url.parse().expect("an address");
    options.journal_mode(SqliteJournalMode::Wal).synchronous(SqliteSynchronous::Full).foreign_keys(true)
}

async fn sqlite(url: &str) -> sqlx::SqlitePool {
    SqlitePoolOptions::new().connect_with(sqlite_options(url)).await.expect("the database opens")
}

async fn postgres(url: &str) -> sqlx::PgPool {
    PgPoolOptions::new().connect(url).await.expect("the database opens")
}

pub fn run(options: &[&str]) -> ExitCode {
    let names = ["--database", "--kinds", "--cases", "--rows", "--rounds", "--requests", "--instructions"];
    if !are_known(options, &names) {
        eprintln!("{USAGE}");
        return ExitCode::from(2);
    }
    let option = |name: &str| option(options, name);
    let number = |name: &str, default: u32| option(name).map_or(default, |text| text.parse().expect("a number"));
    let chosen = |name: &str, item: &str| is_chosen(option(name), item);
    let settings = measure::Settings {
        rounds: number("--rounds", 15),
        requests: number("--requests", 400),
        counts: option("--instructions") != Some("no") && measure::valgrind_is_installed(),
    };
    measure::stay_on_one_processor();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    for database_kind in ["sqlite", "postgres"].into_iter().filter(|kind| chosen("--database", kind)) {
        let Some(database) = runtime.block_on(Database::new(database_kind)) else { continue };
        runtime.block_on(table::fill(&database, number("--rows", 100_000)));
        let kinds = chosen_kinds(database_kind, option("--kinds"));
        println!("\non {database_kind}, with {} rows", number("--rows", 100_000));
        println!("| | {} |\n|---|{}", kinds.join(" | "), "--:|".repeat(kinds.len()));
        for case in cases::CASES.iter().filter(|case| chosen("--cases", case.name)) {
            runtime.block_on(measure::case(case, &kinds, &database, &settings));
        }
        runtime.block_on(database.remove());
    }
    ExitCode::SUCCESS
}

/// Returns `true` if each option has a known name and a value.
fn are_known(options: &[&str], names: &[&str]) -> bool {
    options.chunks(2).all(|pair| pair.len() == 2 && names.contains(&pair[0]))
}

fn option<'a>(options: &[&'a str], name: &str) -> Option<&'a str> {
    options.chunks(2).find(|pair| pair[0] == name).and_then(|pair| pair.get(1).copied())
}

/// Returns `true` if a list contains an item. Without a list, all items are chosen.
fn is_chosen(list: Option<&str>, item: &str) -> bool {
    list.is_none_or(|list| list.split(',').any(|other| other == item))
}

/// Returns the chosen kinds that serve a database.
fn chosen_kinds(database: &str, list: Option<&str>) -> Vec<&'static str> {
    let serving = KINDS.iter().filter(|(_, serves_postgres)| database == "sqlite" || *serves_postgres);
    let kinds = serving.map(|(kind, _)| *kind).filter(|kind| is_chosen(list, kind));
    kinds.filter(|kind| *kind != "crudcrate" || measure::crudcrate().is_file()).collect()
}
