//! Defines [`Pattern`], a regular expression in a subset of ECMA-262.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use regex::RegexBuilder;

mod class;
mod escape;
mod published;
mod translate;

/// The maximum size of a compiled pattern in memory, in bytes.
const SIZE_LIMIT: usize = 1 << 20;

/// A regular expression in a subset of ECMA-262.
///
/// Only syntax that every JSON Schema implementation interprets the same way is supported. Other syntax is an error in
/// the declaration. Matching takes time linear in the length of the string.
#[derive(Clone)]
pub(crate) struct Pattern {
    source: String,
    translated: String,
    /// The compiled pattern. It is set when the schema is compiled, because compiling costs a thousand times as much as
    /// declaring.
    matches: Option<Matches>,
}

/// A function that returns `true` if a string matches the pattern.
// It is a closure, so the debug information of schemas does not describe all types of `regex`.
type Matches = Arc<dyn Fn(&str) -> bool + Send + Sync>;

/// Maps the source string of each pattern to the compiled pattern.
pub(crate) type CompiledPatterns = HashMap<String, Pattern>;

impl Pattern {
    /// Creates a pattern. The error message includes what to write instead.
    pub(crate) fn new(source: &str) -> Result<Self, String> {
        let translated = translate::translate(source).map_err(|reason| invalid(source, &reason))?;
        Ok(Self { source: source.to_owned(), translated, matches: None })
    }

    /// Compiles the pattern, unless an equal pattern is already compiled.
    pub(crate) fn compile(&mut self, compiled: &mut CompiledPatterns) -> Result<(), String> {
        if let Some(pattern) = compiled.get(&self.source) {
            self.matches.clone_from(&pattern.matches);
            return Ok(());
        }
        let regex = RegexBuilder::new(&self.translated).size_limit(SIZE_LIMIT).build().map_err(|error| {
            let reason = match error {
                regex::Error::CompiledTooBig(_) => "it is too large; use fewer repetitions",
                _ => "it is not a regular expression",
            };
            invalid(&self.source, reason)
        })?;
        self.matches = Some(Arc::new(move |text| regex.is_match(text)));
        compiled.insert(self.source.clone(), self.clone());
        Ok(())
    }

    /// Returns the pattern in the form that is published in the OpenAPI document. Every validator interprets this form
    /// the same way.
    pub(crate) fn published(&self) -> String {
        published::published(&self.source)
    }

    pub(crate) fn source(&self) -> &str {
        &self.source
    }

    #[inline]
    pub(crate) fn is_match(&self, text: &str) -> bool {
        self.matches.as_ref().is_none_or(|matches| matches(text))
    }
}

fn invalid(source: &str, reason: &str) -> String {
    format!("the pattern {source} cannot be used: {reason}")
}

impl PartialEq for Pattern {
    fn eq(&self, other: &Self) -> bool {
        self.source == other.source
    }
}

impl fmt::Debug for Pattern {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "/{}/", self.source)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn compiled(pattern: &str) -> Result<Pattern, String> {
        let mut pattern = Pattern::new(pattern)?;
        pattern.compile(&mut CompiledPatterns::new())?;
        Ok(pattern)
    }

    #[test]
    fn matches_as_ecma_262_defines() {
        for (pattern, matching, other) in [
            ("^[0-9]{5}$", &["12345"][..], &["1234", "123456", "12345\n", "١٢٣٤٥"][..]),
            ("b+", &["abc"], &["ac", ""]),
            (r"^\d$", &["7"], &["٧", "x"]),
            (r"^\w$", &["a", "_", "9"], &["é", "-"]),
            (r"^\s$", &[" ", "\u{a0}", "\u{feff}", "\u{2028}"], &["\u{85}", "x"]),
            (r"^[^\s]$", &["\u{85}"], &["\u{a0}"]),
            (r"^[\D]$", &["a"], &["1"]),
            ("^.$", &["a", "🦀"], &["\n", "\r", "\u{2028}", ""]),
            (r"^\u0041\x42\cJ$", &["AB\n"], &["AB"]),
            (r"^\uD83E\uDD80$", &["🦀"], &["x"]),
            (r"^[a\-z.&&~~\]]+$", &["a-z.&~]"], &["b"]),
            ("^[+-]?[a-c-]$", &["+a", "-"], &["+d"]),
            (r"^\/\.\*\$\{\}$", &["/.*${}"], &["/"]),
            ("^(?:a|bc){2,}?$", &["abc", "bcbc"], &["a"]),
            (r"\bcat\b", &["a cat."], &["cats"]),
            ("^#( )$", &["# "], &["#"]),
        ] {
            let compiled = compiled(pattern).unwrap_or_else(|error| panic!("{error}"));
            for text in matching {
                assert!(compiled.is_match(text), "{pattern} matches {text:?}");
            }
            for text in other {
                assert!(!compiled.is_match(text), "{pattern} does not match {text:?}");
            }
        }
    }

    #[test]
    fn publishes_patterns_without_character_class_escapes() {
        for (pattern, expected) in [
            (r"^\d{3}-[\d.]\\d$", r"^[0-9]{3}-[0-9.]\\d$"),
            (r"^[^\w-]\W\D$", "^[^A-Za-z0-9_-][^A-Za-z0-9_][^0-9]$"),
            (r"[[\d]\[\d]?", r"[[0-9]\[[0-9]]?"),
            ("[\\D]", "[\\x00-/:-\u{10ffff}]"),
            (r"^.[.]\.$", r"^[^\n\r\u2028\u2029][.]\.$"),
        ] {
            assert_eq!(published::published(pattern), expected, "{pattern}");
        }
        let texts = ('\0'..='\u{3100}').chain('\u{fe00}'..='\u{10100}').chain(['\u{10ffff}']).map(String::from);
        let texts: Vec<_> = texts.collect();
        for escape in ["d", "D", "w", "W", "s", "S"] {
            for pattern in [format!(r"^\{escape}$"), format!(r"^[\{escape}]$"), format!(r"^[^\{escape}a5]$")] {
                let (declared, published) =
                    (compiled(&pattern).unwrap(), compiled(&published::published(&pattern)).unwrap());
                for text in &texts {
                    assert_eq!(declared.is_match(text), published.is_match(text), "{pattern} {text:?}");
                }
            }
        }
    }

    #[test]
    fn rejects_syntax_that_implementations_read_differently() {
        for pattern in [
            "(?=a)",
            "(?!a)",
            "(?<=a)b",
            "(?<!a)b",
            "(?<name>a)",
            "(?i)a",
            "(?i:a)",
            r"(a)\1",
            r"\k<a>",
            r"\p{L}",
            r"\P{L}",
            r"\B",
            r"\a",
            r"\z",
            r"\A",
            r"\_",
            "[a-",
            "[]",
            "[^]",
            "[z-a]",
            r"[\d-z]",
            "[[:alpha:",
            "a{",
            "a{,3}",
            "a{2",
            "a}",
            "a]",
            "(",
            ")",
            "*a",
            "a**",
            "a{2}{3}",
            "^*",
            "(+)",
            "a|*",
            "a{3,2}",
            r"\",
            r"\u12",
            r"\x1",
            r"\uD83D",
            r"\c1",
            "((a{1000}){1000}){1000}",
            "a{99999999999}",
        ] {
            assert!(compiled(pattern).is_err(), "{pattern}");
        }
    }
}
