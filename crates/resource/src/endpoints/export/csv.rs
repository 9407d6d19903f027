//! Writes CSV (RFC 4180).

use serde_json::value::RawValue;

/// Writes a row. Quotes a cell if it contains a comma, a quote or a line break, or if it is the only cell and empty.
pub(super) fn write_row<'c>(cells: impl ExactSizeIterator<Item = &'c str>, csv: &mut String) {
    let is_single = cells.len() == 1;
    for (index, cell) in cells.enumerate() {
        csv.push_str(if index == 0 { "" } else { "," });
        if cell.contains([',', '"', '\r', '\n']) || is_single && cell.is_empty() {
            csv.push('"');
            csv.push_str(&cell.replace('"', "\"\""));
            csv.push('"');
        } else {
            csv.push_str(cell);
        }
    }
    csv.push_str("\r\n");
}

/// Returns the cell of a JSON value. A string has no quotes, null is empty, and an array or an object is JSON.
pub(super) fn cell(json: &RawValue, escapes_formulas: bool) -> String {
    let json = json.get();
    if json == "null" {
        return String::new();
    }
    let Ok(text) = serde_json::from_str::<String>(json) else { return json.to_owned() };
    if escapes_formulas && text.starts_with(['=', '+', '-', '@', '\t', '\r']) { format!("'{text}") } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_quoted_if_needed() {
        for (cells, expected) in [
            (&["a", "b"][..], "a,b\r\n"),
            (&["a,b", "\"c\"", "d\ne", ""], "\"a,b\",\"\"\"c\"\"\",\"d\ne\",\r\n"),
            (&[""], "\"\"\r\n"),
            (&[" a "], " a \r\n"),
        ] {
            let mut csv = String::new();
            write_row(cells.iter().copied(), &mut csv);
            assert_eq!(csv, expected);
        }
    }

    #[test]
    fn cells_of_json_values() {
        for (json, expected, escaped) in [
            ("null", "", ""),
            ("1.50", "1.50", "1.50"),
            ("-1", "-1", "-1"),
            ("true", "true", "true"),
            (r#""=1+1""#, "=1+1", "'=1+1"),
            (r#""\u00e4""#, "ä", "ä"),
            (r#"["=a",1]"#, r#"["=a",1]"#, r#"["=a",1]"#),
        ] {
            let json = RawValue::from_string(json.to_owned()).unwrap();
            assert_eq!((cell(&json, false), cell(&json, true)), (expected.to_owned(), escaped.to_owned()));
        }
    }
}
