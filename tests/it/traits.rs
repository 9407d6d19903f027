//! The public traits, and who implements each of them.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use restwright_tests::workspace;

#[test]
fn the_public_interface_lists_who_implements_each_trait() {
    let text = fs::read_to_string(workspace().join("docs/public-interface.md")).unwrap();
    let (_, section) = text.split_once("## Public traits\n").unwrap();
    let rows = section.split("\n#").next().unwrap().lines().filter(|line| line.starts_with("| "));
    let rows: Vec<_> = rows.map(|row| row.split('|').map(str::trim).collect::<Vec<_>>()).collect();
    let names = |cell: &str| cell.split('`').skip(1).step_by(2).map(str::to_owned).collect::<Vec<_>>();
    let stated: BTreeSet<_> = rows.iter().flat_map(|row| names(row[2])).collect();
    let mut declared = BTreeSet::new();
    note_traits(&workspace().join("crates"), &mut declared);
    assert_eq!(declared.iter().map(|(name, _)| name.clone()).collect::<BTreeSet<_>>(), stated);
    for sealed in rows.iter().filter(|row| row[1].ends_with("sealed")).flat_map(|row| names(row[2])) {
        let (_, supertraits) = declared.iter().find(|(name, _)| *name == sealed).unwrap();
        assert!(supertraits.contains("sealed::Sealed"), "`{sealed}` is not sealed");
    }
}

/// Records the public traits in a folder, each with the line up to its body.
fn note_traits(path: &Path, declared: &mut BTreeSet<(String, String)>) {
    if path.is_dir() {
        // Tests and derives declare no public trait.
        let is_source = !["tests", "examples", "macros"].iter().any(|name| path.ends_with(name));
        let inner = fs::read_dir(path).unwrap().filter(|_| is_source);
        inner.for_each(|entry| note_traits(&entry.unwrap().path(), declared));
    } else if path.extension().is_some_and(|extension| extension == "rs") {
        let text = fs::read_to_string(path).unwrap();
        let pieces: Vec<_> = text.split("\npub trait ").collect();
        for pair in pieces.windows(2) {
            let before = pair[0].rsplit("\n\n").next().unwrap();
            let (declaration, _) = pair[1].split_once('{').unwrap();
            let name = declaration.split(|letter: char| !letter.is_alphanumeric()).next();
            if !before.contains("#[doc(hidden)]") {
                declared.insert((name.unwrap().to_owned(), declaration.to_owned()));
            }
        }
    }
}
