//! Replaces the generated block in `src/shapes.rs`. Users may edit the rest of the file.

/// The prefixes of the marker lines before and after the generated block.
const BEGIN: &str = "// begin generated shapes";
const END: &str = "// end generated shapes";

/// The lines that precede the generated block in a new file.
const HEAD: &str = "\
//! The types of this application's run-time declarations.

#![allow(clippy::all, reason = \"written by a program\")]
#![allow(dead_code, unreachable_pub, reason = \"not everything is used\")]

";

/// The explanation that follows `BEGIN` on the marker line of a new file.
const EXPLANATION: &str = ": the subcommand `shapes` replaces the lines between this line and the last one";

/// Replaces the generated block in the content of a file. The rest of the file stays unchanged, byte for byte. If
/// `items` is empty, no new file is created.
///
/// # Errors
/// Returns an error message unless the file contains exactly one pair of markers.
pub(crate) fn replace(file: Option<&str>, items: &str) -> Result<Option<String>, String> {
    match file.filter(|file| !file.trim().is_empty()) {
        Some(file) => replace_between_markers(file, items).map(Some),
        None if items.is_empty() => Ok(file.map(str::to_owned)),
        None => Ok(Some(format!("{HEAD}{BEGIN}{EXPLANATION}\n\n{items}\n{END}\n"))),
    }
}

fn replace_between_markers(file: &str, items: &str) -> Result<String, String> {
    let begin = only_line(file, BEGIN)?;
    let end = only_line(file, END)?;
    let (Some(before), Some(after)) = (file.get(..begin.end), file.get(end.start..).filter(|_| begin.end <= end.start))
    else {
        return Err(format!("`{END}` must follow `{BEGIN}`"));
    };
    // Some tools convert all lines of a file to CRLF.
    let break_ = if before.ends_with("\r\n") { "\r\n" } else { "\n" };
    let block = if items.is_empty() { String::new() } else { format!("\n{items}\n").replace('\n', break_) };
    Ok(format!("{before}{block}{after}"))
}

/// Returns the byte range of the line that starts with `beginning`, including its line break. Fails unless there is
/// exactly one such line.
fn only_line(file: &str, beginning: &str) -> Result<std::ops::Range<usize>, String> {
    let mut position = 0;
    let mut found = None;
    for line in file.split_inclusive('\n') {
        let range = position..position + line.len();
        position = range.end;
        if line.starts_with(beginning) && found.replace(range).is_some() {
            return Err(format!("has two lines `{beginning}`; remove one of them"));
        }
    }
    found.ok_or_else(|| {
        format!("has no line `{beginning}`; add the lines `{BEGIN}` and `{END}` where the types belong, or choose another file")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const NEW: &str = "// begin generated shapes\n\nstruct New;\n\n// end generated shapes\n";

    #[test]
    fn keeps_everything_outside_of_the_markers() {
        let old = "// begin generated shapes\nstruct Old;\n// end generated shapes\n";
        for (before, after) in [("", ""), ("//! Mine.\n\nuse a::b;\n", "fn mine() {}"), ("\u{FEFF}//\n  ", "\n\n\t")] {
            let before = if before.ends_with("  ") { format!("{before}\n") } else { before.to_owned() };
            let replaced = replace(Some(&format!("{before}{old}{after}")), "struct New;\n").unwrap().unwrap();
            assert_eq!(replaced, format!("{before}{NEW}{after}"));
            assert_eq!(replace(Some(&replaced), "struct New;\n").unwrap().unwrap(), replaced);
        }
    }

    #[test]
    fn empties_the_block_without_items_and_creates_no_file() {
        let emptied = "// begin generated shapes\n// end generated shapes\nfn mine() {}\n";
        assert_eq!(replace(Some(&format!("{NEW}fn mine() {{}}\n")), "").unwrap().as_deref(), Some(emptied));
        assert_eq!(replace(Some(emptied), "").unwrap().as_deref(), Some(emptied));
        assert_eq!(replace(None, "").unwrap(), None);
        assert_eq!(replace(Some(" \n"), "").unwrap().as_deref(), Some(" \n"));
    }

    #[test]
    fn creates_a_file_with_markers() {
        let file = replace(None, "struct New;\n").unwrap().unwrap();
        assert_eq!(replace(Some(""), "struct New;\n").unwrap().unwrap(), file);
        assert_eq!(replace(Some(&file), "struct New;\n").unwrap().unwrap(), file);
        assert!(
            file.contains("\n// begin generated shapes: ")
                && file.ends_with("struct New;\n\n// end generated shapes\n")
        );
    }

    #[test]
    fn uses_the_line_breaks_of_the_file() {
        let old = "// begin generated shapes\r\n// end generated shapes\r\n";
        let replaced = replace(Some(old), "struct New;\n").unwrap().unwrap();
        assert_eq!(replaced, NEW.replace('\n', "\r\n"));
    }

    #[test]
    fn rejects_unpaired_markers() {
        for (file, expected) in [
            ("fn main() {}\n", "has no line `// begin generated shapes`"),
            ("// begin generated shapes\n", "has no line `// end generated shapes`"),
            ("// end generated shapes\n// begin generated shapes\n", "must follow"),
            (&format!("{NEW}{NEW}"), "has two lines `// begin generated shapes`"),
            (" // begin generated shapes\n// end generated shapes\n", "has no line `// begin generated shapes`"),
        ] {
            let error = replace(Some(file), "struct New;\n").unwrap_err();
            assert!(error.contains(expected), "{error}");
        }
    }
}
