//! Defines [`CsvRows`], which reads the rows of CSV (RFC 4180).

use std::borrow::Cow;
use std::cell::OnceCell;

use bytes::{Buf, Bytes};
use csv_core::{ReadRecordResult, Reader};
use restwright_runtime::core::Result;
use restwright_runtime::core::runtime::{closest, unescape_formula};
use restwright_runtime::core::schema::{Code, CompiledSchema, CsvColumn, FormValue, Violation, Violations, pointer_to};

use super::text_body::TextBody;
use super::{MAX_ITEM, invalid, malformed, too_large};
use crate::counted::ALLOCATION;

/// The rows of a body. The first row contains the names of the columns.
pub(super) struct CsvRows {
    reader: Reader,
    /// The received bytes that are not read yet.
    piece: Bytes,
    /// The number of the line that is read next.
    line: u64,
    /// `true` if the last byte that was read is a carriage return. A line feed after it belongs to the same line break.
    is_after_return: bool,
    names: Option<ColumnNames>,
    /// `true` if an empty line is a row of one empty cell.
    has_empty_rows: bool,
    /// The bytes of the cells of a row, one cell after the other.
    bytes: Vec<u8>,
    /// The cells of the row that was read last.
    cells: Vec<CsvCell>,
}

/// A cell of a row.
struct CsvCell {
    /// The position in the bytes of the row at which the cell ends.
    end: usize,
    is_quoted: bool,
}

/// The names of the columns.
struct ColumnNames {
    list: Vec<ColumnName>,
    /// The number of bytes that the names use in memory.
    memory: usize,
}

struct ColumnName {
    text: String,
    /// `true` if clients cannot set the property.
    is_ignored: bool,
}

impl ColumnNames {
    fn new(list: Vec<ColumnName>) -> Self {
        let texts: usize = list.iter().map(|name| name.text.capacity() + ALLOCATION).sum();
        let memory = list.capacity() * size_of::<ColumnName>() + texts;
        Self { list, memory }
    }
}

/// The maximum number of columns.
const MAX_COLUMNS: usize = 1_000;

/// The size of the buffer for the cells, until a row needs more.
const FIRST_SIZE: usize = 4 * 1024;

/// The maximum number of unknown columns for which an error suggests a name.
const MOST_PROPOSALS: usize = 8;

impl Default for CsvRows {
    fn default() -> Self {
        Self {
            reader: Reader::new(),
            piece: Bytes::new(),
            line: 1,
            is_after_return: false,
            names: None,
            has_empty_rows: false,
            bytes: vec![0; FIRST_SIZE],
            cells: Vec::new(),
        }
    }
}

impl CsvRows {
    /// Reads the next row after the names. Returns the number of its first line, or `None` at the end of the body.
    ///
    /// # Errors
    /// 422 with at most `limit` violations if the schema does not have the columns.
    pub(super) async fn next(
        &mut self,
        body: &mut TextBody,
        shape: &CompiledSchema,
        limit: usize,
    ) -> Result<Option<u64>> {
        if self.names.is_none() {
            let Some(line) = self.row(body).await? else { return Ok(None) };
            let texts = self.texts(line)?;
            let list = names(&texts, shape, limit).map_err(|found| invalid(found, 0, line))?;
            self.has_empty_rows = matches!(&texts[..], [only] if shape.csv_column(only) == CsvColumn::Optional);
            self.names = Some(ColumnNames::new(list));
        }
        self.row(body).await
    }

    /// Returns the cells of the row that was read last, with the names of their columns.
    ///
    /// # Errors
    /// 400 if a cell is not UTF-8.
    pub(super) fn fields(&self, line: u64) -> Result<Vec<(Cow<'_, str>, FormValue<'_>)>> {
        let names = self.names.iter().flat_map(|names| &names.list);
        let values = self.texts(line)?.into_iter().zip(&self.cells).map(|(text, cell)| match cell.is_quoted {
            false if text.is_empty() => FormValue::EmptyCell,
            _ => FormValue::Cell(unescape_formula(text).into()),
        });
        let sent = names.zip(values).filter(|(name, _)| !name.is_ignored);
        Ok(sent.map(|(name, value)| (Cow::Borrowed(name.text.as_str()), value)).collect())
    }

    /// Checks that the row that was read last has as many cells as the first row.
    pub(super) fn check(&self) -> Result<(), Violations> {
        let expected = self.names.as_ref().map_or(0, |names| names.list.len());
        if self.cells.len() == expected {
            return Ok(());
        }
        let message = format!("must have {expected} cells, like the first row, but has {}", self.cells.len());
        Err(Violations::one(Violation::new("", Code::INVALID, message)))
    }

    /// Returns the number of bytes that are kept while the client sends the next piece.
    fn memory(&self) -> usize {
        let names = self.names.as_ref().map_or(0, |names| names.memory);
        self.bytes.len() + self.cells.capacity() * size_of::<CsvCell>() + names
    }

    /// Reads a row. Returns the number of its first line, or `None` at the end of the body.
    async fn row(&mut self, body: &mut TextBody) -> Result<Option<u64>> {
        self.cells.clear();
        let (mut length, mut quotes, mut is_ended) = (0, 0_usize, false);
        let (mut first_line, mut is_quoted) = (None, None);
        loop {
            if self.piece.is_empty() && !is_ended {
                match body.next(self.memory()).await {
                    Some(piece) => self.piece = piece?,
                    None => is_ended = true,
                }
            }
            if first_line.is_none() {
                if let Some(line) = self.skip_line_breaks() {
                    self.cells.push(CsvCell { end: 0, is_quoted: false });
                    return Ok(Some(line));
                }
                if self.piece.is_empty() && !is_ended {
                    continue;
                }
            }
            let line = *first_line.get_or_insert(self.line);
            if self.cells.len() == MAX_COLUMNS {
                let words = format!("A row has more than {MAX_COLUMNS} cells");
                return Err(malformed("malformed_body.csv", &words, line));
            }
            let is_quoted_cell = *is_quoted.get_or_insert(self.piece.first() == Some(&b'"'));
            let Some(rest) = self.bytes.get_mut(length..) else { return Ok(None) };
            // Space for one end lets the reader return after each cell. No bytes mean the end of the body.
            let mut end = [0];
            let (result, read, written, ended) = self.reader.read_record(&self.piece, rest, &mut end);
            let read = self.piece.split_to(read);
            quotes += memchr::memchr_iter(b'"', &read).count();
            self.line += line_breaks(&read);
            self.is_after_return = read.last().map_or(self.is_after_return, |last| *last == b'\r');
            length += written;
            if ended > 0 {
                self.cells.push(CsvCell { end: length, is_quoted: is_quoted_cell });
                is_quoted = None;
            }
            match result {
                ReadRecordResult::InputEmpty | ReadRecordResult::OutputEndsFull => {}
                ReadRecordResult::OutputFull if self.bytes.len() >= MAX_ITEM => return Err(too_large(line)),
                ReadRecordResult::OutputFull => self.bytes.resize((self.bytes.len() * 16).min(MAX_ITEM), 0),
                ReadRecordResult::Record if is_ended && quotes % 2 == 1 => {
                    return Err(malformed("malformed_body.csv", "A quoted cell has no closing quote", line));
                }
                ReadRecordResult::Record => return Ok(Some(line)),
                ReadRecordResult::End => return Ok(None),
            }
        }
    }

    /// Skips the rest of the line break after a row, and empty lines. Stops after an empty line that is a row, and
    /// returns its number.
    fn skip_line_breaks(&mut self) -> Option<u64> {
        while let Some(byte @ (b'\r' | b'\n')) = self.piece.first().copied() {
            self.piece.advance(1);
            let (line, is_second_half) = (self.line, byte == b'\n' && self.is_after_return);
            self.line += u64::from(byte == b'\n');
            self.is_after_return = byte == b'\r';
            if !is_second_half && self.has_empty_rows {
                return Some(line);
            }
        }
        None
    }

    /// Returns the cells of the last row.
    fn texts(&self, line: u64) -> Result<Vec<&str>> {
        let ends = self.cells.iter().map(|cell| cell.end);
        let starts = std::iter::once(0).chain(ends.clone());
        let cells = starts.zip(ends).map(|(start, end)| {
            let cell = self.bytes.get(start..end).unwrap_or_default();
            str::from_utf8(cell).map_err(|_source| malformed("malformed_body.csv", "A cell is not UTF-8", line))
        });
        cells.collect()
    }
}

/// Returns the names of the columns, or the violations of names that the schema does not have.
fn names(texts: &[&str], shape: &CompiledSchema, limit: usize) -> Result<Vec<ColumnName>, Violations> {
    let mut violations = Violations::with_limit(limit);
    let mut names = Vec::with_capacity(texts.len());
    let known = OnceCell::new();
    for text in texts {
        let column = shape.csv_column(text);
        if column == CsvColumn::Unknown {
            let is_proposed = violations.len() < MOST_PROPOSALS;
            let known = is_proposed.then(|| known.get_or_init(|| shape.csv_columns()));
            violations.push(unknown_column(text, texts.len() == 1, known.into_iter().flatten().map(String::as_str)));
        }
        names.push(ColumnName { text: (*text).to_owned(), is_ignored: column == CsvColumn::ReadOnly });
    }
    violations.into_result().map(|()| names)
}

fn unknown_column<'k>(name: &str, is_only: bool, known: impl Iterator<Item = &'k str>) -> Violation {
    let unknown = |message: String| Violation::new(pointer_to(name), Code::UNKNOWN_PROPERTY, message);
    let separator = [(';', "semicolons"), ('\t', "tabs")].into_iter().find(|(separator, _)| name.contains(*separator));
    match (separator, closest(name, known)) {
        (Some((_, plural)), _) if is_only => {
            unknown(format!("is the only column; separate the columns with commas, not with {plural}"))
        }
        (_, Some(closest)) => {
            unknown(format!("is not a known column; did you mean `{closest}`?")).param("closest", closest)
        }
        _ if name.is_empty() => unknown("must have the name of a property, because a column needs a name".to_owned()),
        _ => unknown("is not a known column".to_owned()),
    }
}

fn line_breaks(bytes: &[u8]) -> u64 {
    u64::try_from(memchr::memchr_iter(b'\n', bytes).count()).unwrap_or(u64::MAX)
}
