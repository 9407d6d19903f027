//! Defines the content codings and the compression levels.

/// A content coding of responses (RFC 9110, section 8.4.1).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ContentCoding {
    /// Zstandard (`zstd`, RFC 8878), which compresses well with the least CPU time.
    Zstd,
    /// Brotli (`br`, RFC 7932), which produces the smallest bodies.
    Brotli,
    /// `gzip` (RFC 1952), which every client supports.
    Gzip,
}

impl ContentCoding {
    /// Returns the name of the coding in `Content-Encoding`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Zstd => "zstd",
            Self::Brotli => "br",
            Self::Gzip => "gzip",
        }
    }

    /// Returns the content coding with this name, ignoring case. `x-gzip` is an alias of `gzip` (RFC 9110, section
    /// 8.4.1.3).
    pub(super) fn from_name(name: &str) -> Option<Self> {
        let all = [(Self::Zstd, "zstd"), (Self::Brotli, "br"), (Self::Gzip, "gzip"), (Self::Gzip, "x-gzip")];
        all.into_iter().find_map(|(coding, known)| name.eq_ignore_ascii_case(known).then_some(coding))
    }
}

/// The compression level, which is a trade-off between CPU time and body size.
///
/// Streams always use the fastest level, which uses less than 1 MiB of memory per open stream.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum CompressionLevel {
    /// Uses the least CPU time (zstd 1, Brotli 1, gzip 1).
    Fastest,
    /// Produces bodies almost as small as `Smallest`, with little CPU time (zstd 3, Brotli 4, gzip 6).
    #[default]
    Balanced,
    /// Produces slightly smaller bodies than `Balanced`, with several times the CPU time (zstd 6, Brotli 6, gzip 9).
    Smallest,
}
