//! Chooses the language of a request, and translates problems.

use std::fmt;
use std::sync::Arc;

use http::HeaderValue;
use restwright_core::problem::{ProblemKind, catalogue};
use restwright_core::runtime::{DETAILS, ProblemParts};
use restwright_core::schema::Violation;
use serde_json::Value;

use super::accept::{LanguageRange, is_tag, ranges};
use super::built_in::VIOLATIONS;
use super::template::MessageTemplate;
use super::translation::{TextKind, TranslatedString};
use super::{ENGLISH, Translation};

/// The languages of an Api with their translations. It is cheap to clone.
#[derive(Clone)]
pub struct Languages(Arc<LanguageSet>);

struct LanguageSet {
    languages: Vec<Language>,
    default: usize,
}

/// A language with its parsed translations.
#[derive(Debug)]
pub(crate) struct Language {
    tag: String,
    value: HeaderValue,
    /// The translated strings, sorted by kind and key. Translations of the same key keep the order of their
    /// declaration.
    texts: Vec<(TextKind, String, MessageTemplate)>,
}

impl Languages {
    /// Parses the translations of all languages. Returns all errors in the translations if there are any.
    pub(super) fn new(translations: &[Translation], default: Option<&str>) -> Result<Self, Vec<String>> {
        let mut mistakes = Vec::new();
        let mut languages: Vec<Language> = Vec::new();
        let is_known =
            |languages: &[Language], tag: &str| languages.iter().any(|one| one.tag.eq_ignore_ascii_case(tag));
        for translation in translations {
            let tag = &translation.tag;
            if is_known(&languages, tag) {
                mistakes.push(format!(
                    "the language `{tag}` is declared twice; put all its strings into one `Translation`"
                ));
            }
            languages.extend(Language::new(translation, &mut mistakes));
        }
        if !is_known(&languages, ENGLISH) {
            languages.extend(Language::new(&Translation::new(ENGLISH), &mut mistakes));
        }
        let default = default.unwrap_or(ENGLISH);
        let position = languages.iter().position(|one| one.tag.eq_ignore_ascii_case(default));
        if position.is_none() && mistakes.is_empty() {
            let known: Vec<_> = languages.iter().map(|one| format!("`{}`", one.tag)).collect();
            mistakes.push(format!(
                "the default language `{default}` is not declared (declared: {}); add `.language(Translation::new(\"{default}\"))`, or choose another default",
                known.join(", ")
            ));
        }
        match position.filter(|_| mistakes.is_empty()) {
            Some(default) => Ok(Self(Arc::new(LanguageSet { languages, default }))),
            None => Err(mistakes),
        }
    }

    /// Returns the language tags, starting with the default language.
    pub(crate) fn tags(&self) -> Vec<&str> {
        let default = self.default().tag.as_str();
        let others = self.0.languages.iter().map(Language::tag).filter(|tag| *tag != default);
        std::iter::once(default).chain(others).collect()
    }

    /// Chooses the language for the `Accept-Language` lines of a request by lookup (RFC 4647, section 3.4). Returns the
    /// default language if no language matches.
    #[must_use]
    pub(crate) fn choose(&self, lines: &[Vec<u8>]) -> &Language {
        let ranges = ranges(lines);
        let (accepted, refused): (Vec<_>, Vec<_>) = ranges.into_iter().partition(|range| range.quality > 0);
        for range in accepted {
            // A rejected range can be overridden by a narrower range that is accepted.
            let is_refused = |language: &Language| {
                let narrow = range.text.len().min(language.tag.len());
                refused.iter().any(|other| other.text.len() >= narrow && language.matches(other))
            };
            let found = match range.text {
                "*" => std::iter::once(self.default()).chain(&self.0.languages).find(|language| !is_refused(language)),
                _ => self.look_up(&range).filter(|language| !is_refused(language)),
            };
            if let Some(language) = found {
                return language;
            }
        }
        self.default()
    }

    /// Finds the language that matches a language range. Removes subtags from the end of the range until a language
    /// matches (RFC 4647, section 3.4).
    fn look_up(&self, range: &LanguageRange<'_>) -> Option<&Language> {
        let mut text = range.text;
        loop {
            let found = self.0.languages.iter().find(|language| language.tag.eq_ignore_ascii_case(text));
            if found.is_some() {
                return found;
            }
            (text, _) = text.rsplit_once('-')?;
            // A subtag of one character is removed together with the subtag that follows it.
            if let Some((shorter, single)) = text.rsplit_once('-')
                && single.len() == 1
            {
                text = shorter;
            }
        }
    }

    fn default(&self) -> &Language {
        #[expect(clippy::indexing_slicing, reason = "the position comes from the list of languages")]
        &self.0.languages[self.0.default]
    }

    /// Returns `true` if `title` is the title of the problem `code` in any of the languages.
    #[must_use]
    pub(crate) fn has_title(&self, code: &str, title: &str) -> bool {
        self.0.languages.iter().any(|language| language.title(code).is_some_and(|known| known == title))
    }

    /// Returns the missing translations of all languages except English. Translations are required for the framework's
    /// own strings and for the titles of the problems `kinds`.
    pub(crate) fn missing<'k>(&self, kinds: impl Iterator<Item = &'k ProblemKind>) -> Vec<String> {
        let mut codes: Vec<&str> = catalogue::ALL.iter().chain(kinds).map(|kind| &*kind.code).collect();
        codes.sort_unstable();
        codes.dedup();
        let mut missing = Vec::new();
        for language in self.0.languages.iter().filter(|language| !language.is_english()) {
            let tag = &language.tag;
            let titles = codes.iter().filter(|code| !language.has(TextKind::Title, code));
            missing.extend(titles.map(|code| format!("{tag}: title of `{code}`")));
            let details = DETAILS.iter().filter(|(key, _)| !language.has(TextKind::Detail, key));
            missing.extend(details.map(|(key, _)| format!("{tag}: detail of `{key}`")));
            let messages = VIOLATIONS.iter().filter(|(code, _)| !language.has(TextKind::Violation, code));
            missing.extend(messages.map(|(code, _)| format!("{tag}: violation `{code}`")));
        }
        missing
    }
}

impl Language {
    fn new(translation: &Translation, mistakes: &mut Vec<String>) -> Option<Self> {
        let Translation { tag, texts } = translation;
        let value = HeaderValue::from_str(tag).ok().filter(|_| is_tag(tag));
        if value.is_none() {
            mistakes.push(format!("{tag:?} is not a language tag (RFC 5646); write one such as `de` or `pt-BR`"));
        }
        let mut read = |what: &str, key: &str, text: &str, known: Option<&[&str]>| match MessageTemplate::parse(text) {
            Ok(template) => {
                for name in template.placeholders().filter(|name| known.is_some_and(|known| !known.contains(name))) {
                    let known: Vec<_> = known.unwrap_or_default().iter().map(|name| format!("`{{{name}}}`")).collect();
                    let known = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
                    mistakes.push(format!(
                        "the {what} of `{key}` in the language `{tag}` contains the unknown placeholder `{{{name}}}` (known: {known})"
                    ));
                }
                Some(template)
            }
            Err(mistake) => {
                mistakes.push(format!("the {what} of `{key}` in the language `{tag}` {mistake}"));
                None
            }
        };
        let known = |list: &'static [(&str, &[&str])], key: &str| {
            list.iter().find(|(known, _)| *known == key).map(|(_, names)| *names)
        };
        let read = |TranslatedString { kind, key, text }: &TranslatedString| {
            let template = match kind {
                TextKind::Title => Some(MessageTemplate::plain(text)),
                TextKind::Detail => read("detail", key, text, known(DETAILS, key)),
                TextKind::Violation => read("message", key, text, known(VIOLATIONS, key)),
            };
            Some((*kind, key.clone(), template?))
        };
        let mut texts: Vec<_> = texts.iter().filter_map(read).collect();
        texts.sort_by(|(kind, key, _), (other_kind, other_key, _)| (kind, key).cmp(&(other_kind, other_key)));
        Some(Self { tag: tag.clone(), value: value?, texts })
    }

    /// Returns the translated strings for a kind and a key, such as the messages for a violation code.
    fn texts(&self, kind: TextKind, key: &str) -> impl Iterator<Item = &MessageTemplate> {
        let start = self.texts.partition_point(|(known, name, _)| (*known, name.as_str()) < (kind, key));
        let rest = self.texts.get(start..).unwrap_or_default().iter();
        rest.take_while(move |(known, name, _)| (*known, name.as_str()) == (kind, key)).map(|(_, _, template)| template)
    }

    fn has(&self, kind: TextKind, key: &str) -> bool {
        self.texts(kind, key).next().is_some()
    }

    fn title(&self, code: &str) -> Option<String> {
        self.texts(TextKind::Title, code).next()?.fill(|_| None)
    }

    /// Returns the language tag, spelled as in its declaration.
    #[must_use]
    pub(crate) fn tag(&self) -> &str {
        &self.tag
    }

    /// Returns the value of the `Content-Language` header for this language.
    #[must_use]
    pub(crate) fn header_value(&self) -> HeaderValue {
        self.value.clone()
    }

    fn is_english(&self) -> bool {
        self.tag.split('-').next().is_some_and(|first| first.eq_ignore_ascii_case(ENGLISH))
    }

    /// Returns `true` if a language range matches the language by basic filtering (RFC 4647, section 3.3.1).
    fn matches(&self, range: &LanguageRange<'_>) -> bool {
        let rest = self.tag.get(range.text.len()..);
        let begins = self.tag.get(..range.text.len()).is_some_and(|start| start.eq_ignore_ascii_case(range.text));
        begins && rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
    }

    /// Translates a problem into this language. Strings without a translation stay unchanged.
    pub(crate) fn translate(&self, problem: &mut ProblemParts) {
        if let Some(title) = self.title(&problem.kind.code) {
            problem.kind.title = title.into();
        }
        let template = self.texts(TextKind::Detail, problem.detail_key.unwrap_or(&problem.kind.code)).next();
        if let Some(template) = template.filter(|_| problem.detail.is_some())
            && let Some(text) = template.fill(|name| detail_value(problem, name))
        {
            problem.detail = Some(text);
        }
        for found in &mut problem.violations {
            let Violation { code, message, params, .. } = &mut found.violation;
            let fill = |template: &MessageTemplate| template.fill(|name| params.get(name).cloned());
            if let Some(text) = self.texts(TextKind::Violation, code.as_str()).find_map(fill) {
                *message = text;
            }
        }
    }
}

/// Returns the value for the placeholder `name` in the detail of a problem.
fn detail_value(problem: &ProblemParts, name: &str) -> Option<Value> {
    let own = problem.detail_params.iter().find(|(known, _)| known == name).map(|(_, value)| value.clone());
    let of_members = || problem.members.get(name).cloned();
    own.or_else(of_members).or_else(|| (name == "violations").then(|| problem.violations.len().into()))
}

impl fmt::Debug for Languages {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("Languages").field(&self.tags()).finish()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{Just, prop, prop_oneof, proptest};

    use super::*;

    fn languages(tags: &[&str], default: &str) -> Languages {
        let translations: Vec<_> = tags.iter().map(|tag| Translation::new(*tag)).collect();
        Languages::new(&translations, Some(default)).unwrap()
    }

    fn choose(languages: &Languages, header: &str) -> String {
        languages.choose(&[header.as_bytes().to_vec()]).tag().to_owned()
    }

    #[test]
    fn a_language_is_looked_up() {
        let known = languages(&["de", "de-AT", "zh-Hant", "pt-BR"], "en");
        for (header, expected) in [
            ("", "en"),
            ("de", "de"),
            ("DE-at", "de-AT"),
            ("de-CH-1996", "de"),
            ("de-AT-1996", "de-AT"),
            ("fr, de;q=0.5", "de"),
            ("de;q=0.5, en;q=0.6", "en"),
            ("en;q=0.5, de;q=0.6", "de"),
            ("fr", "en"),
            // Lookup does not find a language that is narrower than the range.
            ("pt", "en"),
            ("zh-Hant-TW", "zh-Hant"),
            ("zh-Hans", "en"),
            ("zh-Hant-x-private", "zh-Hant"),
            ("*", "en"),
            ("*, en;q=0", "de"),
            ("fr, *;q=0.1", "en"),
            ("de;q=0", "en"),
            ("de-AT, de;q=0", "de-AT"),
            ("de-CH, de;q=0", "en"),
            ("de, de-AT;q=0", "de"),
            ("*;q=0", "en"),
            ("de_AT", "en"),
            ("\u{fc}", "en"),
        ] {
            assert_eq!(choose(&known, header), expected, "{header}");
        }
        assert_eq!(choose(&languages(&["de"], "DE"), "fr"), "de");
        assert_eq!(languages(&["de", "fr"], "fr").tags(), ["fr", "de", "en"]);
        assert_eq!(known.choose(&[b"fr".to_vec(), b"de".to_vec()]).tag(), "de");
    }

    #[test]
    fn rejects_invalid_templates() {
        let one = |translation: Translation| Languages::new(&[translation], None).unwrap_err();
        let new = || Translation::new("de");
        for (found, expected) in [
            (
                one(Translation::new("de_DE")),
                "\"de_DE\" is not a language tag (RFC 5646); write one such as `de` or `pt-BR`",
            ),
            (one(Translation::new("")), "\"\" is not a language tag"),
            (
                Languages::new(&[new(), Translation::new("DE")], None).unwrap_err(),
                "the language `DE` is declared twice; put all its strings into one `Translation`",
            ),
            (
                Languages::new(&[new()], Some("fr")).unwrap_err(),
                "the default language `fr` is not declared (declared: `de`, `en`); add `.language(Translation::new(\"fr\"))`, or choose another default",
            ),
            (
                one(new().violation("minimum", "mindestens {min}")),
                "the message of `minimum` in the language `de` contains the unknown placeholder `{min}` (known: `{minimum}`)",
            ),
            (
                one(new().detail("not_found.path", "{path}")),
                "the detail of `not_found.path` in the language `de` contains the unknown placeholder `{path}` (known: none)",
            ),
            (
                one(new().violation("taken", "vergeben {")),
                "the message of `taken` in the language `de` contains an unmatched brace; write `{{` or `}}` for a literal brace",
            ),
            (
                one(new().detail("sold_out", "{:>9}")),
                "the detail of `sold_out` in the language `de` contains the placeholder `{:>9}`, which is not a name; write a name such as `{minimum}`",
            ),
        ] {
            assert!(found.len() == 1 && found[0].starts_with(expected), "{found:?}");
        }
    }

    proptest! {
        #[test]
        fn any_header_chooses_a_declared_language(
            lines in prop::collection::vec(prop::collection::vec(prop_oneof![
                prop::num::u8::ANY, Just(b','), Just(b'-'), Just(b';'), Just(b'q'), Just(b'='), Just(b'*'), Just(b'd'), Just(b'e'), Just(b'0'),
            ], 0..200), 0..4),
        ) {
            let known = languages(&["de", "de-AT", "x-a-b"], "de");
            let chosen = known.choose(&lines).tag().to_owned();
            assert!(known.tags().contains(&chosen.as_str()));
        }
    }
}
