//! Defines [`Names`], the names of a resource in the OpenAPI document.

use crate::definition::EntityDefinition;
use crate::endpoints::{Endpoints, Resource};

/// The names of a resource for descriptions and operation ids.
#[derive(Clone)]
pub(in crate::endpoints) struct Names {
    /// The singular name in operation ids, such as `ShelterAnimal`.
    pub(in crate::endpoints) id: String,
    /// The singular name in descriptions, such as `shelter animal`.
    pub(in crate::endpoints) singular: String,
    /// The plural name in descriptions, such as `shelter animals`.
    pub(in crate::endpoints) plural: String,
    /// The plural name in operation ids, such as `ShelterAnimals`.
    pub(in crate::endpoints) plural_id: String,
}

impl Names {
    /// Creates the names of a resource. The singular names come from the name of the resource, and the plural names from the definition.
    pub(in crate::endpoints) fn new(name: &str, definition: &EntityDefinition) -> Self {
        let (plural, plural_id) = (String::new(), String::new());
        let mut names = Self { singular: String::new(), id: String::new(), plural, plural_id };
        names.set_name(name.to_owned());
        names.set_list_name(definition.name());
        names
    }

    /// Sets the singular name of the entities.
    pub(super) fn set_name(&mut self, name: String) {
        self.singular = spaced(&name);
        self.id = name;
    }

    /// Sets the plural name of the entities.
    pub(super) fn set_list_name(&mut self, name: &str) {
        let words = || name.split(|character: char| !character.is_alphanumeric());
        self.plural = words().collect::<Vec<_>>().join(" ").to_lowercase();
        self.plural_id = words().map(capitalised).collect();
    }

    /// Returns the tag of the resource in the OpenAPI document, such as `Shelter animals`.
    pub(in crate::endpoints) fn tag(&self) -> String {
        capitalised(&self.plural)
    }
}

impl<R: Resource> Endpoints<R> {
    /// Sets the tag of the operations in the OpenAPI document. The default is the name of the definition.
    pub fn tag(mut self, tag: impl Into<String>) -> Self {
        self.declared.tag = Some(tag.into());
        self
    }

    /// Sets the singular name of the entities, such as `OpenTicket`. The default is the name of the resource.
    ///
    /// Ids of operations on one entity contain it, such as `viewOpenTicket`. If `/v1` and `/v2` contain the same resource, one of
    /// them needs another name here and in [`list_name`](Self::list_name).
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.declared.info.names.set_name(name.into());
        self
    }

    /// Sets the plural name of the entities, such as `open tickets`. The default is the name of the definition.
    ///
    /// Ids of operations on several entities contain it, such as `listOpenTickets`. Two resources on one table need different names. SQL stores
    /// accept two resources on one table if both have the same stored fields; `MemoryStore` does not.
    pub fn list_name(mut self, name: impl AsRef<str>) -> Self {
        self.declared.info.names.set_list_name(name.as_ref());
        self
    }
}

/// Splits a name into lower-case words, such as `ShelterAnimal` into `shelter animal`.
pub(in crate::endpoints) fn spaced(name: &str) -> String {
    let mut words = String::new();
    for (position, character) in name.char_indices() {
        if position > 0 && character.is_uppercase() {
            words.push(' ');
        }
        words.extend(character.to_lowercase());
    }
    words
}

pub(in crate::endpoints) fn capitalised(word: &str) -> String {
    let mut characters = word.chars();
    characters.next().map_or_else(String::new, |first| first.to_uppercase().chain(characters).collect())
}
