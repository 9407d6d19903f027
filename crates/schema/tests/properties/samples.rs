//! Patterns and formats, with strings that match them and strings that do not.

use restwright_schema::{Format, PropertyCollection};

/// A pattern, with strings that match it and strings that do not.
#[derive(Debug)]
pub struct Sample {
    pub pattern: &'static str,
    pub texts: &'static [&'static str],
}

pub struct FormatSample {
    pub format: Format,
    pub texts: &'static [&'static str],
}

impl std::fmt::Debug for FormatSample {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.format.fmt(formatter)
    }
}

pub static PATTERNS: &[Sample] = &[
    Sample { pattern: "^[0-9]{5}$", texts: &["12345", "1234", "123456", "12345\n", "١٢٣٤٥"] },
    Sample { pattern: "b+", texts: &["abc", "ac", "", "bbbb"] },
    Sample { pattern: r"^\d+$", texts: &["7", "٧", "123", "1 2"] },
    Sample { pattern: r"^\w\s\w$", texts: &["a b", "a\u{a0}b", "é b", "a\u{85}b", "a\u{feff}b"] },
    Sample { pattern: r"^[A-Za-z\u00C4\-]*$", texts: &["", "Aä", "Ä-x", "a1"] },
    Sample { pattern: "^.{1,3}$", texts: &["🦀🦀🦀", "🦀🦀🦀🦀", "a", "", "a\nb"] },
    Sample { pattern: r"^(?:a|bc){2}\.$", texts: &["abc.", "aa.", "a.", "abcx"] },
    Sample { pattern: "[&&~~[]", texts: &["&", "~", "[", "x"] },
    Sample { pattern: r"\bcat\b", texts: &["a cat.", "cats", "cat"] },
];

pub static FORMATS: &[FormatSample] = &[
    FormatSample {
        format: Format::EMAIL,
        texts: &[
            "a@b.example",
            "a.b+c@d",
            "a@b@c",
            "\"a\"@b",
            "a@[127.0.0.1]",
            "a b@c",
            "",
            "ä@b",
            "a..b@c",
            "a@b-",
            "@",
        ],
    },
    FormatSample {
        format: Format::URI,
        texts: &[
            "http://a/b?c#d",
            "https://u:p@h:1/",
            "http://",
            "http:///x",
            "ftp://a",
            "javascript:alert(1)",
            "http://a b",
            "HTTP://a",
            "http://[::1]/",
            "http://a/%2",
            "/a",
            "",
            "http://:80/",
            "http://u@/",
            "http://a@b@c/",
            "http://[::g]/",
            "http://a:b/",
            "http:a",
        ],
    },
    FormatSample {
        format: Format::uri(&["mailto", "https", "a.b+c"]),
        texts: &[
            "mailto:a@b",
            "https://a",
            "http://a",
            "a.b+c:x",
            "axb+c:x",
            "mailto:",
            "mailto:ä",
            "mailto",
            "https:a",
        ],
    },
    FormatSample { format: Format::BASE64, texts: &["Zm8=", "", "Zg==", "Zh==", "Zm9v", "Zm9", "====", "ä==="] },
    FormatSample {
        format: Format::HOSTNAME,
        texts: &["a.example", "a", "-a", "a-", "a..b", "a.", "", "a_b", "ab--c", "ä", "1.2"],
    },
    FormatSample { format: Format::IPV4, texts: &["1.2.3.4", "1.2.3", "256.1.1.1", "01.2.3.4", "::1", ""] },
    FormatSample { format: Format::IPV6, texts: &["::1", "1::2::3", "::ffff:1.2.3.4", "fe80::1%a", "1.2.3.4", ""] },
];

/// The treatment of unknown properties.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Closed {
    No,
    Yes,
    Recursively,
    Open,
}

impl Closed {
    pub fn applied_to(self, collection: PropertyCollection) -> PropertyCollection {
        match self {
            Self::No => collection,
            Self::Yes => collection.closed(),
            Self::Recursively => collection.closed_recursively(),
            Self::Open => collection.open(),
        }
    }

    pub fn accepts_unknown(self) -> bool {
        matches!(self, Self::No | Self::Open)
    }
}

/// The treatments, as often as random shapes have them.
pub const CLOSED: [Closed; 8] = {
    use Closed::{No, Open, Recursively, Yes};
    [No, No, No, No, Yes, Yes, Recursively, Open]
};
