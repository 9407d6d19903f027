//! Defines [`Names`], the names of a resource in the OpenAPI document.

use crate::definition::EntityDefinition;

/// The names of a resource for descriptions and operation ids.
#[derive(Clone)]
pub(super) struct Names {
    /// The singular name in operation ids, such as `ShelterAnimal`.
    pub(super) id: String,
    /// The singular name in descriptions, such as `shelter animal`.
    pub(super) singular: String,
    /// The plural name in descriptions, such as `shelter animals`.
    pub(super) plural: String,
    /// The plural name in operation ids, such as `ShelterAnimals`.
    pub(super) plural_id: String,
}

impl Names {
    /// Creates the names of a resource. The singular names come from the name of the resource, and the plural names from the definition.
    pub(super) fn new(name: &str, definition: &EntityDefinition) -> Self {
        let (plural, plural_id) = (String::new(), String::new());
        let mut names = Self { singular: spaced(name), id: name.to_owned(), plural, plural_id };
        names.set_list_name(definition.name());
        names
    }

    /// Sets the plural name of the entities.
    pub(super) fn set_list_name(&mut self, name: &str) {
        let words = || name.split(|character: char| !character.is_alphanumeric());
        self.plural = words().collect::<Vec<_>>().join(" ").to_lowercase();
        self.plural_id = words().map(capitalised).collect();
    }

    /// Returns the tag of the resource in the OpenAPI document, such as `Shelter animals`.
    pub(super) fn tag(&self) -> String {
        capitalised(&self.plural)
    }
}

/// Splits a name into lower-case words, such as `ShelterAnimal` into `shelter animal`.
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
