//! Writes CSV (RFC 4180).

use restwright_core::runtime::escape_formula;

/// Writes a row. `None` is null, which has no content. A cell has quotes if it is empty or contains a comma, a quote or a line break.
///
/// A row whose only cell is null is an empty line, as PostgreSQL writes and reads it.
pub(super) fn write_row<'c>(cells: impl Iterator<Item = Option<&'c str>>, csv: &mut Vec<u8>) {
    for (index, cell) in cells.enumerate() {
        csv.extend_from_slice(if index == 0 { b"" } else { b"," });
        let Some(cell) = cell else { continue };
        if cell.is_empty() || cell.contains([',', '"', '\r', '\n']) {
            csv.push(b'"');
            csv.extend_from_slice(cell.replace('"', "\"\"").as_bytes());
            csv.push(b'"');
        } else {
            csv.extend_from_slice(cell.as_bytes());
        }
    }
    csv.extend_from_slice(b"\r\n");
}

/// Returns the cell of a JSON value, or `None` for null. A string has no quotes, and an array or an object is JSON. `is_escaped` escapes
/// strings that spreadsheets would run as formulas.
pub(super) fn cell(json: &[u8], is_escaped: bool) -> Option<String> {
    if json == b"null" {
        return None;
    }
    let Ok(text) = serde_json::from_slice::<String>(json) else {
        return Some(String::from_utf8_lossy(json).into_owned());
    };
    Some(if is_escaped { escape_formula(text) } else { text })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_quoted_if_needed() {
        for (cells, expected) in [
            (&[Some("a"), Some("b")][..], "a,b\r\n"),
            (&[Some("a,b"), Some("\"c\""), Some("d\ne"), None], "\"a,b\",\"\"\"c\"\"\",\"d\ne\",\r\n"),
            (&[Some(""), None, Some("")], "\"\",,\"\"\r\n"),
            (&[Some("")], "\"\"\r\n"),
            (&[None], "\r\n"),
            (&[Some(" a ")], " a \r\n"),
        ] {
            let mut csv = Vec::new();
            write_row(cells.iter().copied(), &mut csv);
            assert_eq!(str::from_utf8(&csv).unwrap(), expected);
        }
    }

    #[test]
    fn cells_of_json_values() {
        for (json, expected, escaped) in [
            ("null", None, None),
            (r#""""#, Some(""), Some("")),
            ("1.50", Some("1.50"), Some("1.50")),
            ("-1", Some("-1"), Some("-1")),
            ("true", Some("true"), Some("true")),
            (r#""=1+1""#, Some("=1+1"), Some("'=1+1")),
            (r#""\u00e4""#, Some("ä"), Some("ä")),
            (r#"["=a",1]"#, Some(r#"["=a",1]"#), Some(r#"["=a",1]"#)),
        ] {
            let json = json.as_bytes();
            assert_eq!((cell(json, false).as_deref(), cell(json, true).as_deref()), (expected, escaped));
        }
    }
}
