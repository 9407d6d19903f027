//! Derives table and type names from the name of the struct, such as `shelter_animals` and `NewAnimal`.

use syn::Ident;
use syn::ext::IdentExt;

use crate::case;
use crate::generated_type::GeneratedType;

/// Returns the plural of a type's name in snake case, such as `shelter_animals` for `ShelterAnimal`.
pub(super) fn plural(ident: &Ident) -> String {
    let mut name = case::snake(&ident.unraw().to_string());
    let is_sibilant = ["s", "x", "ch", "sh"].iter().any(|end| name.ends_with(end));
    let is_consonant = |character: char| !"aeiou_".contains(character);
    if name.strip_suffix('y').is_some_and(|stem| stem.ends_with(is_consonant)) {
        name.pop();
        name.push_str("ies");
    } else {
        name.push_str(if is_sibilant { "es" } else { "s" });
    }
    name
}

/// Returns the name of a generated type. It is the name in the setting, or the struct's name with a prefix and a
/// suffix.
pub(super) fn of_type(setting: &GeneratedType, prefix: &str, ident: &Ident, suffix: &str) -> Ident {
    setting.name.clone().unwrap_or_else(|| Ident::new(&format!("{prefix}{}{suffix}", ident.unraw()), ident.span()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proc_macro2::Span;

    #[test]
    fn plurals() {
        for (singular, expected) in [
            ("Animal", "animals"),
            ("ShelterAnimal", "shelter_animals"),
            ("Category", "categories"),
            ("Day", "days"),
            ("Bus", "buses"),
            ("Box", "boxes"),
            ("Branch", "branches"),
            ("Dish", "dishes"),
            ("Y", "ys"),
        ] {
            assert_eq!(plural(&Ident::new(singular, Span::call_site())), expected, "{singular}");
        }
    }
}
