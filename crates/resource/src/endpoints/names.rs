//! The names of a resource in its document.

use crate::definition::EntityDefinition;

/// The names of a resource: in sentences, and in the ids of operations.
#[derive(Clone)]
pub(super) struct Names {
    /// `ShelterAnimal`
    pub(super) id: String,
    /// `shelter animal`
    pub(super) singular: String,
    /// `shelter animals`
    pub(super) plural: String,
    /// `ShelterAnimals`
    pub(super) plural_id: String,
}

impl Names {
    /// Takes the singular from the name of the resource, and the plural from the definition.
    pub(super) fn new(name: &str, definition: &EntityDefinition) -> Self {
        let (plural, plural_id) = (String::new(), String::new());
        let mut names = Self { singular: spaced(name), id: name.to_owned(), plural, plural_id };
        names.set_list_name(definition.name());
        names
    }

    /// Sets the name of all entities together.
    pub(super) fn set_list_name(&mut self, name: &str) {
        let words = || name.split(|character: char| !character.is_alphanumeric());
        self.plural = words().collect::<Vec<_>>().join(" ").to_lowercase();
        self.plural_id = words().map(capitalised).collect();
    }

    /// `Shelter animals`
    pub(super) fn tag(&self) -> String {
        capitalised(&self.plural)
    }
}

/// `ShelterAnimal` is `shelter animal`.
fn spaced(name: &str) -> String {
    let mut words = String::new();
    for (position, character) in name.char_indices() {
        if position > 0 && character.is_uppercase() {
            words.push(' ');
        }
        words.extend(character.to_lowercase());
    }
    words
}

pub(super) fn capitalised(word: &str) -> String {
    let mut characters = word.chars();
    characters.next().map_or_else(String::new, |first| first.to_uppercase().chain(characters).collect())
}
