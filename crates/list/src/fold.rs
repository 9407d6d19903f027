//! Defines [`fold`], the case folding for the operators `contains`, `starts_with` and `ends_with`.

/// Returns the simple case folding of a string (Unicode CaseFolding.txt, status C and S). Text searches use it to
/// ignore case.
///
/// Each character maps to exactly one character, so `ß` stays `ß`. Two strings are equal regardless of case if their
/// foldings are equal. The folding does not depend on a language. Every store must fold with this function.
///
/// ```
/// use restwright_list::fold;
///
/// assert_eq!(fold("ÄRGER"), "ärger");
/// assert_eq!(fold("Σίσυφος"), fold("ΣΊΣΥΦΟΣ"));
/// ```
#[must_use]
pub fn fold(text: &str) -> String {
    if text.is_ascii() { text.to_ascii_lowercase() } else { text.chars().map(fold_character).collect() }
}

fn fold_character(character: char) -> char {
    let folded = unicode_case_mapping::case_folded(character);
    folded.and_then(|folded| char::from_u32(folded.get())).unwrap_or(character)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Computes the case folding of a character with the standard library. The result is the lower case of the upper
    /// case, with exceptions for a few characters.
    fn by_standard_library(character: char) -> char {
        match character {
            // Dotless i is a separate letter.
            'ı' => character,
            // Cherokee folds to upper case, because its lower case was added later.
            '\u{13A0}'..='\u{13F5}' => character,
            // Pairs whose upper case has several characters.
            '\u{1FD3}' => '\u{0390}',
            '\u{1FE3}' => '\u{03B0}',
            '\u{FB05}' => '\u{FB06}',
            _ => {
                let upper = only(character.to_uppercase()).unwrap_or(character);
                match upper {
                    '\u{13A0}'..='\u{13F5}' => upper,
                    _ => only(upper.to_lowercase()).unwrap_or(upper),
                }
            }
        }
    }

    /// Returns the only character of an iterator, or `None` if the iterator is empty or has several characters.
    fn only(mut characters: impl Iterator<Item = char>) -> Option<char> {
        characters.next().filter(|_| characters.next().is_none())
    }

    #[test]
    fn every_character_folds_as_the_tables_of_the_standard_library_say() {
        // The folding data is Unicode 16. These characters were added in Unicode 17.
        let is_newer = |character| matches!(u32::from(character), 0xA7CE | 0xA7D2 | 0xA7D4 | 0x16EA0..=0x16EB8);
        for character in ('\0'..=char::MAX).filter(|character| !is_newer(*character)) {
            assert_eq!(fold_character(character), by_standard_library(character), "{character:?}");
        }
    }

    #[test]
    fn ascii_folds_as_all_text_does() {
        for character in '\0'..='\x7f' {
            assert_eq!(fold(&character.to_string()), fold_character(character).to_string());
        }
    }
}
