//! Simple case folding: what `contains`, `starts_with` and `ends_with` mean by ignoring case.

/// The text with each character in its simple case folding (Unicode, CaseFolding.txt, status C and S).
///
/// One character becomes one character, so that `ß` stays `ß`. Two texts are alike regardless of case when they fold to the
/// same text; the language does not matter. A store has to fold by this very function.
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

/// The lower case of the upper case, which is the simple folding but for a few characters.
fn fold_character(character: char) -> char {
    match character {
        // Dotless i is a letter of its own.
        'ı' => character,
        // Cherokee folds to upper case, since its lower case came later.
        '\u{13A0}'..='\u{13F5}' => character,
        // Pairs whose upper case is several characters.
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

/// The only character there is.
fn only(mut characters: impl Iterator<Item = char>) -> Option<char> {
    characters.next().filter(|_| characters.next().is_none())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_character_folds_as_unicode_says() {
        for character in '\0'..=char::MAX {
            let Some(folded) = unicode_case_mapping::case_folded(character) else { continue };
            assert_eq!(u32::from(fold_character(character)), folded.get(), "{character:?}");
        }
    }

    #[test]
    fn what_has_no_folding_stays() {
        // The oracle knows Unicode 16; these came with 17.
        let newer = |character| matches!(u32::from(character), 0xA7CE | 0xA7D2 | 0xA7D4 | 0x16EA0..=0x16EB8);
        for character in ('\0'..=char::MAX).filter(|character| !newer(*character)) {
            if unicode_case_mapping::case_folded(character).is_none() {
                assert_eq!(fold_character(character), character, "{character:?}");
            }
        }
    }
}
