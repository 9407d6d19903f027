//! Defines [`LogOutput`], a log writer that never fails.

use std::io::{self, Write};

use restwright_runtime::core::runtime::count_lost_log_line;

/// A log writer that never returns an error. Lines that cannot be written are dropped and counted.
///
/// tracing-subscriber reports a failed write on stderr, and panics if stderr is full too. With this writer, a full disk
/// changes no response. The metric `server_log_lines_lost` counts the dropped lines.
///
/// ```
/// use restwright_production::LogOutput;
///
/// tracing_subscriber::fmt().with_writer(|| LogOutput::new(std::io::stdout())).init();
/// ```
#[derive(Debug)]
pub struct LogOutput<W>(W);

impl<W: Write> LogOutput<W> {
    /// Creates a writer that writes lines to `output`, such as [`std::io::stdout`].
    #[must_use]
    pub fn new(output: W) -> Self {
        Self(output)
    }
}

impl<W: Write> Write for LogOutput<W> {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        if self.0.write_all(line).and_then(|()| self.0.flush()).is_err() {
            count_lost_log_line();
        }
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
