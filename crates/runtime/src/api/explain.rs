//! Formats the table of routes for [`Api::explain`](super::Api::explain).

use restwright_core::runtime::{RouteNotes, SharedMiddleware};

use crate::pipeline::RouteEntry;

/// Returns a table with one line per route. Each line contains the method, path, operation, access and middlewares. The
/// notes of a route follow its line.
pub(super) fn explain(entries: &[RouteEntry], middlewares: &[SharedMiddleware]) -> String {
    let rows: Vec<[String; 5]> = entries.iter().map(|entry| row(entry, middlewares)).collect();
    let width = |column: usize| rows.iter().filter_map(|row| row.get(column)).map(String::len).max().unwrap_or(0);
    let [method, path, operation, access] = [width(0), width(1), width(2), width(3)];
    rows.iter().zip(entries).fold(String::new(), |mut table, ([a, b, c, d, chain], entry)| {
        table.push_str(&format!("{a:method$}  {b:path$}  {c:operation$}  {d:access$}  {chain}\n"));
        let notes = entry.info.kept::<RouteNotes>().into_iter().flat_map(RouteNotes::lines);
        notes.for_each(|note| table.push_str(&format!("{:method$}  note: {note}\n", "")));
        table
    })
}

fn row(entry: &RouteEntry, middlewares: &[SharedMiddleware]) -> [String; 5] {
    let operation = entry.info.operation();
    let names = |list: &[SharedMiddleware]| list.iter().map(|middleware| middleware.name()).collect::<Vec<_>>();
    let mut chain = names(middlewares);
    chain.extend(names(&entry.before));
    if entry.guard.is_some() {
        chain.push("authenticate".to_owned());
    }
    chain.extend(names(&entry.after));
    chain.push("controller".to_owned());
    [
        operation.method.to_string(),
        entry.info.template().to_string(),
        operation.id.clone(),
        entry.access.clone(),
        chain.join(" > "),
    ]
}
