//! Content codings and their levels.

/// A content coding of responses (RFC 9110, section 8.4.1).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ContentCoding {
    /// `zstd`, Zstandard (RFC 8878): small, and the least work.
    Zstd,
    /// `br`, Brotli (RFC 7932): the smallest.
    Brotli,
    /// `gzip` (RFC 1952), which every client knows.
    Gzip,
}

impl ContentCoding {
    /// Returns the name, as `Content-Encoding` has it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Zstd => "zstd",
            Self::Brotli => "br",
            Self::Gzip => "gzip",
        }
    }

    /// Finds the coding of a name, in any case; `x-gzip` is gzip (RFC 9110, section 8.4.1.3).
    pub(super) fn from_name(name: &str) -> Option<Self> {
        let all = [(Self::Zstd, "zstd"), (Self::Brotli, "br"), (Self::Gzip, "gzip"), (Self::Gzip, "x-gzip")];
        all.into_iter().find_map(|(coding, known)| name.eq_ignore_ascii_case(known).then_some(coding))
    }
}

/// How much time and memory is spent on making bodies smaller. Streams are compressed at the fastest level, at which one that is open takes less
/// than 1 MiB.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum CompressionLevel {
    /// The least time: zstd 1, Brotli 1, gzip 1.
    Fastest,
    /// Most of the gain in little time: zstd 3, Brotli 4, gzip 6.
    #[default]
    Balanced,
    /// Somewhat smaller bodies in several times the time: zstd 6, Brotli 6, gzip 9.
    Smallest,
}
