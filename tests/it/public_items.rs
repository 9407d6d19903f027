//! The public traits and enums: who implements each trait, and which enums can grow.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use restwright_tests::workspace;

#[test]
fn the_public_interface_lists_who_implements_each_trait() {
    let rows = rows("Public traits");
    let stated: BTreeSet<_> = rows.iter().flat_map(|row| names(&row[2])).collect();
    let declared = declared("pub trait ", |before| !before.contains("#[doc(hidden)]"));
    assert_eq!(declared.iter().map(|(name, _)| name.clone()).collect::<BTreeSet<_>>(), stated);
    for sealed in rows.iter().filter(|row| row[1].ends_with("sealed")).flat_map(|row| names(&row[2])) {
        let (_, supertraits) = declared.iter().find(|(name, _)| *name == sealed).unwrap();
        assert!(supertraits.contains("sealed::Sealed"), "`{sealed}` is not sealed");
    }
}

#[test]
fn the_public_interface_lists_the_enums_that_never_grow() {
    let stated: BTreeSet<_> = rows("Enums that never grow").iter().flat_map(|row| names(&row[1])).collect();
    let declared = declared("pub enum ", |before| !before.contains("#[non_exhaustive]"));
    assert_eq!(declared.into_iter().map(|(name, _)| name).collect::<BTreeSet<_>>(), stated);
}

/// Returns the rows of the table in a section of the document, each with its cells. The first cell of a row is empty.
fn rows(section: &str) -> Vec<Vec<String>> {
    let text = fs::read_to_string(workspace().join("docs/public-interface.md")).unwrap();
    let (_, section) = text.split_once(&format!("## {section}\n")).unwrap();
    let rows = section.split("\n#").next().unwrap().lines().filter(|line| line.starts_with("| "));
    rows.map(|row| row.split('|').map(|cell| cell.trim().to_owned()).collect()).collect()
}

/// Returns the names in a cell, which are marked as code.
fn names(cell: &str) -> Vec<String> {
    cell.split('`').skip(1).step_by(2).map(str::to_owned).collect()
}

/// Returns the names of the public items of a kind, each with the text up to its body. `is_meant` decides by the lines before the item.
fn declared(kind: &str, is_meant: fn(&str) -> bool) -> BTreeSet<(String, String)> {
    let mut declared = BTreeSet::new();
    note_items(&workspace().join("crates"), &format!("\n{kind}"), is_meant, &mut declared);
    declared
}

fn note_items(path: &Path, kind: &str, is_meant: fn(&str) -> bool, declared: &mut BTreeSet<(String, String)>) {
    if path.is_dir() {
        // Tests and derives declare no public item.
        let is_source = !["tests", "examples", "macros"].iter().any(|name| path.ends_with(name));
        let inner = fs::read_dir(path).unwrap().filter(|_| is_source);
        inner.for_each(|entry| note_items(&entry.unwrap().path(), kind, is_meant, declared));
    } else if path.extension().is_some_and(|extension| extension == "rs") {
        let text = fs::read_to_string(path).unwrap();
        let pieces: Vec<_> = text.split(kind).collect();
        for pair in pieces.windows(2) {
            let before = pair[0].rsplit("\n\n").next().unwrap();
            let (declaration, _) = pair[1].split_once('{').unwrap();
            let name = declaration.split(|letter: char| !letter.is_alphanumeric()).next();
            if is_meant(before) {
                declared.insert((name.unwrap().to_owned(), declaration.to_owned()));
            }
        }
    }
}
