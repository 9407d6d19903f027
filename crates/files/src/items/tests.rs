use bytes::Bytes;
use futures_util::{FutureExt, StreamExt, stream};
use proptest::prelude::*;
use restwright_runtime::core::http::BodyStream;
use restwright_runtime::core::schema::{CompiledSchema, FormValue, Registry, SchemaSide, SchemaType};

use super::csv_rows::CsvRows;
use super::lines::Lines;
use super::text_body::{MARK, TextBody};
use crate::counted::CountedBody;

/// A body in pieces of this size.
fn body(bytes: &[u8], size: usize) -> TextBody {
    let pieces: Vec<_> = bytes.chunks(size).map(Bytes::copy_from_slice).collect();
    TextBody::new(CountedBody::of_stream(BodyStream::new(stream::iter(pieces.into_iter().map(Ok)))))
}

/// The schema of any items.
fn any() -> CompiledSchema {
    Registry::new().compile(SchemaType::any(), SchemaSide::Input, None)
}

fn run<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(future)
}

/// The rows with the numbers of their lines, or the error.
fn rows(bytes: &[u8], size: usize) -> Result<Vec<(u64, Vec<String>)>, String> {
    run(async {
        let (mut rows, mut body, mut found) = (CsvRows::default(), body(bytes, size), Vec::new());
        while let Some(line) = rows.next(&mut body, &any(), 100).await.map_err(|problem| format!("{problem:?}"))? {
            let fields = rows.fields(line).map_err(|problem| format!("{problem:?}"))?;
            let cells = fields.iter().map(|(name, value)| match value {
                FormValue::Cell(text) => format!("{name}={text}"),
                FormValue::EmptyCell => name.to_string(),
                other => panic!("{other:?}"),
            });
            found.push((line, cells.collect()));
        }
        Ok(found)
    })
}

fn lines(bytes: &[u8], size: usize) -> Vec<(u64, Vec<u8>)> {
    run(async {
        let (mut lines, mut body, mut found) = (Lines::default(), body(bytes, size), Vec::new());
        while let Some((line, number)) = lines.next(&mut body).await.unwrap() {
            found.push((number, line.to_vec()));
        }
        found
    })
}

#[test]
fn reads_rows_and_lines() {
    let csv = "\u{feff}a,b\r\n1,\"x\r\n\"\"y\"\r\n\n2,\n,3";
    let expected = [(2, ["a=1", "b=x\r\n\"y"]), (5, ["a=2", "b"]), (6, ["a", "b=3"])];
    let expected: Vec<_> = expected.map(|(line, cells)| (line, cells.map(str::to_owned).to_vec())).into();
    assert_eq!(rows(csv.as_bytes(), 1_000), Ok(expected));
    assert_eq!(rows(b"", 1), Ok(Vec::new()));
    assert_eq!(rows(b"a,b\n", 1), Ok(Vec::new()));
    assert!(rows(b"a,b\n1,\"2", 3).unwrap_err().contains("closing quote"));
    assert!(rows(b"a,b\n1,\xff", 3).unwrap_err().contains("UTF-8"));
    assert!(rows(",".repeat(1_000).as_bytes(), 3).unwrap_err().contains("1000 cells"));
    assert!(rows(format!("a\n\"{}", "x".repeat(1024 * 1024 + 1)).as_bytes(), 8_192).unwrap_err().contains("1048576"));
    assert_eq!(lines(b"1\n\n \r\n{}\r\n2", 2), [(1, b"1".to_vec()), (4, b"{}\r".to_vec()), (5, b"2".to_vec())]);
}

#[test]
fn a_byte_order_mark_is_removed_from_the_start_only() {
    for size in 1..8 {
        let found = rows("\u{feff}\"a\",b\n\u{feff}1,2".as_bytes(), size);
        assert_eq!(found, Ok(vec![(2, vec!["a=\u{feff}1".to_owned(), "b=2".to_owned()])]), "{size}");
        assert_eq!(
            lines("\u{feff}\u{feff}{}\n\u{feff}".as_bytes(), size),
            [(1, b"{}".to_vec()), (2, MARK.to_vec())],
            "{size}"
        );
        assert_eq!(lines(b"\xef\xbb{}", size), [(1, b"\xef\xbb{}".to_vec())], "{size}");
        assert_eq!(lines(b"\xef", size), [(1, b"\xef".to_vec())], "{size}");
        assert_eq!(lines(MARK, size), [], "{size}");
    }
}

#[test]
fn an_import_removes_the_escape_of_formulas() {
    let csv = "a,b\n'=1+1,\"'+4917\"\n'-3.50,''@\n'tis,'";
    let expected = [(2, ["a==1+1", "b=+4917"]), (3, ["a=-3.50", "b='@"]), (4, ["a='tis", "b='"])];
    let expected: Vec<_> = expected.map(|(line, cells)| (line, cells.map(str::to_owned).to_vec())).into();
    assert_eq!(rows(csv.as_bytes(), 3), Ok(expected));
}

#[test]
fn an_empty_line_in_a_file_of_one_column_is_a_row() {
    for (csv, expected) in [
        ("a\n1\n\n2\n", vec![(2, "a=1"), (3, "a"), (4, "a=2")]),
        ("a\r\n\r\n\"\"\r\n\r\n", vec![(2, "a"), (3, "a="), (4, "a")]),
        ("a\r\r\r1", vec![(1, "a"), (1, "a"), (1, "a=1")]),
        ("\r\n\na\n", vec![]),
        ("a\n\n", vec![(2, "a")]),
        ("a\n1", vec![(2, "a=1")]),
    ] {
        let expected: Vec<_> = expected.into_iter().map(|(line, cell)| (line, vec![cell.to_owned()])).collect();
        for size in 1..6 {
            assert_eq!(rows(csv.as_bytes(), size).as_ref(), Ok(&expected), "{csv:?} {size}");
        }
    }
}

#[test]
fn the_names_of_columns_count_towards_the_memory() {
    let received = Bytes::from(format!("{},b\n1,", "x".repeat(500_000)));
    let unfinished = stream::iter([Ok(received)]).chain(stream::pending());
    let mut body = TextBody::new(CountedBody::of_stream(BodyStream::new(unfinished)));
    assert!(CsvRows::default().next(&mut body, &any(), 100).now_or_never().is_none());
    // The buffer of the cells has the size of the largest row.
    let held = body.body.held() - 1024 * 1024;
    assert!((500_000..520_000).contains(&held), "{held}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_pieces_of_a_body_do_not_matter(text in "[a,\"\r\n ]{0,40}", size in 1_usize..7) {
        prop_assert_eq!(rows(text.as_bytes(), size), rows(text.as_bytes(), 1_000));
        prop_assert_eq!(lines(text.as_bytes(), size), lines(text.as_bytes(), 1_000));
    }

    #[test]
    fn quoted_rows_have_the_cells_that_were_written(cells in prop::collection::vec("[a,\"\r\n é]{0,5}", 2), size in 1_usize..7) {
        let row = cells.iter().map(|cell| format!("\"{}\"", cell.replace('"', "\"\""))).collect::<Vec<_>>().join(",");
        let found = rows(format!("0,1\r\n{row}\r\n").as_bytes(), size).unwrap();
        let expected: Vec<_> = cells.iter().enumerate().map(|(index, cell)| format!("{index}={cell}")).collect();
        prop_assert_eq!(found, [(2, expected)]);
    }
}
