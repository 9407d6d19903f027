//! Defines [`CsvRows`], which reads the rows of CSV (RFC 4180).

use std::borrow::Cow;

use bytes::Bytes;
use csv_core::{ReadRecordResult, Reader};
use restwright_runtime::core::Result;
use restwright_runtime::core::schema::{Code, FormValue, Violation, Violations};

use super::{MAX_ITEM, malformed, too_large};
use crate::counted::{ALLOCATION, CountedBody};

/// The rows of a body. The first row contains the names of the columns.
pub(super) struct CsvRows {
    reader: Reader,
    /// The received bytes that are not read yet.
    piece: Bytes,
    /// The number of the line that is read next.
    line: u64,
    names: Option<Names>,
    /// The bytes of the cells of a row, one cell after the other.
    cells: Vec<u8>,
    /// The positions in `cells` at which the cells end.
    ends: Vec<usize>,
    /// The number of cells in the row that was read last.
    count: usize,
}

/// The names of the columns.
struct Names {
    list: Vec<String>,
    /// The number of bytes that the names use in memory.
    memory: usize,
}

impl Names {
    fn new(list: Vec<String>) -> Self {
        let texts: usize = list.iter().map(|name| name.capacity() + ALLOCATION).sum();
        let memory = list.capacity() * size_of::<String>() + texts;
        Self { list, memory }
    }
}

/// The maximum number of columns.
const MAX_COLUMNS: usize = 1_000;

/// The size of the buffer for the cells, until a row needs more.
const FIRST_SIZE: usize = 4 * 1024;

/// The mark at the start of UTF-8 that some programs write.
const BYTE_ORDER_MARK: char = '\u{feff}';

impl Default for CsvRows {
    fn default() -> Self {
        Self {
            reader: Reader::new(),
            piece: Bytes::new(),
            line: 1,
            names: None,
            cells: vec![0; FIRST_SIZE],
            ends: vec![0; MAX_COLUMNS],
            count: 0,
        }
    }
}

impl CsvRows {
    /// Reads the next row after the names. Returns the number of its first line, or `None` at the end of the body.
    pub(super) async fn next(&mut self, body: &mut CountedBody) -> Result<Option<u64>> {
        if self.names.is_none() {
            let Some(line) = self.row(body).await? else { return Ok(None) };
            let names = self.texts(line)?.into_iter().map(|name| name.trim_start_matches(BYTE_ORDER_MARK).to_owned());
            self.names = Some(Names::new(names.collect()));
        }
        self.row(body).await
    }

    /// Returns the cells of the row that was read last, with the names of their columns.
    ///
    /// # Errors
    /// 400 if a cell is not UTF-8.
    pub(super) fn fields(&self, line: u64) -> Result<Vec<(Cow<'_, str>, FormValue<'_>)>> {
        let names = self.names.iter().flat_map(|names| &names.list).map(|name| Cow::Borrowed(name.as_str()));
        let cells = self.texts(line)?.into_iter().map(|cell| FormValue::Cell(cell.into()));
        Ok(names.zip(cells).collect())
    }

    /// Checks that the row that was read last has as many cells as the first row.
    pub(super) fn check(&self) -> Result<(), Violations> {
        let expected = self.names.as_ref().map_or(0, |names| names.list.len());
        if self.count == expected {
            return Ok(());
        }
        let message = format!("must have {expected} cells, like the first row, but has {}", self.count);
        Err(Violations::one(Violation::new("", Code::INVALID, message)))
    }

    /// Returns the number of bytes that are kept while the client sends the next piece.
    fn memory(&self) -> usize {
        let names = self.names.as_ref().map_or(0, |names| names.memory);
        self.cells.len() + self.ends.len() * size_of::<usize>() + names
    }

    /// Reads a row. Returns the number of its first line, or `None` at the end of the body.
    async fn row(&mut self, body: &mut CountedBody) -> Result<Option<u64>> {
        let (mut length, mut count, mut quotes, mut is_ended) = (0, 0, 0_usize, false);
        let mut first_line = None;
        loop {
            if self.piece.is_empty() && !is_ended {
                match body.next(self.memory()).await {
                    Some(piece) => self.piece = piece?,
                    None => is_ended = true,
                }
            }
            if first_line.is_none() {
                self.skip_line_breaks();
                if self.piece.is_empty() && !is_ended {
                    continue;
                }
            }
            let line = *first_line.get_or_insert(self.line);
            let (cells, ends) = (self.cells.get_mut(length..), self.ends.get_mut(count..));
            let (Some(cells), Some(ends)) = (cells, ends) else { return Ok(None) };
            // No bytes mean the end of the body.
            let (result, read, written, ended) = self.reader.read_record(&self.piece, cells, ends);
            let read = self.piece.split_to(read);
            quotes += memchr::memchr_iter(b'"', &read).count();
            self.line += line_breaks(&read);
            length += written;
            count += ended;
            match result {
                ReadRecordResult::InputEmpty => {}
                ReadRecordResult::OutputFull if self.cells.len() >= MAX_ITEM => return Err(too_large(line)),
                ReadRecordResult::OutputFull => self.cells.resize((self.cells.len() * 16).min(MAX_ITEM), 0),
                ReadRecordResult::OutputEndsFull => {
                    let words = format!("A row has more than {MAX_COLUMNS} cells");
                    return Err(malformed("malformed_body.csv", &words, line));
                }
                ReadRecordResult::Record if is_ended && quotes % 2 == 1 => {
                    return Err(malformed("malformed_body.csv", "A quoted cell has no closing quote", line));
                }
                ReadRecordResult::Record => {
                    self.count = count;
                    return Ok(Some(line));
                }
                ReadRecordResult::End => return Ok(None),
            }
        }
    }

    /// Skips the rest of the line break after a row, and empty lines.
    fn skip_line_breaks(&mut self) {
        let is_break = |byte: &&u8| matches!(byte, b'\r' | b'\n');
        let count = self.piece.iter().take_while(is_break).count();
        self.line += line_breaks(&self.piece.split_to(count));
    }

    /// Returns the cells of the row that was read last.
    fn texts(&self, line: u64) -> Result<Vec<&str>> {
        let ends = self.ends.get(..self.count).unwrap_or_default();
        let starts = std::iter::once(&0).chain(ends);
        let cells = starts.zip(ends).map(|(start, end)| {
            let cell = self.cells.get(*start..*end).unwrap_or_default();
            str::from_utf8(cell).map_err(|_source| malformed("malformed_body.csv", "A cell is not UTF-8", line))
        });
        cells.collect()
    }
}

fn line_breaks(bytes: &[u8]) -> u64 {
    u64::try_from(memchr::memchr_iter(b'\n', bytes).count()).unwrap_or(u64::MAX)
}
