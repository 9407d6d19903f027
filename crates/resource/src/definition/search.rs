//! Declares the fields that the query parameter `q` of a list searches.

use std::borrow::Cow;

use restwright_core::BuildErrors;
use restwright_list::ValueType;

use super::{EntityDefinition, FieldDefinition};

impl EntityDefinition {
    /// Declares the string fields that the query parameter `q` of a list searches. An entity matches if one of the fields contains the
    /// value of the parameter, regardless of case, like the filter operator `contains`.
    ///
    /// The fields must be declared before the call. They become [searchable](FieldDefinition::searchable). A field that the caller may not
    /// [read](FieldDefinition::read) never matches.
    ///
    /// ```
    /// use restwright_list::ValueType;
    /// use restwright_resource::{EntityDefinition, FieldDefinition, IdentifierKind};
    ///
    /// // Serves `GET /tickets?q=printer`.
    /// let tickets = EntityDefinition::new("tickets", "id", IdentifierKind::Uuid)
    ///     .field(FieldDefinition::new("title", ValueType::Text))
    ///     .field(FieldDefinition::new("text", ValueType::Text).nullable())
    ///     .search(["title", "text"]);
    /// assert_eq!(tickets.check(), Ok(()));
    /// ```
    pub fn search<F: Into<Cow<'static, str>>>(mut self, fields: impl IntoIterator<Item = F>) -> Self {
        for field in fields {
            let field = field.into();
            self = self.change_field(&field, FieldDefinition::searchable);
            self.described_mut().search.push(field);
        }
        self
    }

    /// Returns the fields that the query parameter `q` searches.
    pub fn search_fields(&self) -> impl Iterator<Item = &str> {
        self.0.search.iter().map(|field| &**field)
    }

    pub(super) fn check_search(&self, errors: &mut BuildErrors) {
        for (place, name) in self.search_fields().enumerate() {
            let mistake = match self.get(name) {
                None => "is not a field; write the name of a field",
                Some(_) if name == self.identifier() => "is the identifier; clients read it by its path",
                Some(field) if field.value_type() != ValueType::Text => "is not a string; remove it from the search",
                Some(field) if !field.is_searchable() => "is declared after the search; declare it before",
                Some(_) if self.search_fields().take(place).any(|before| before == name) => {
                    "is searched twice; remove one"
                }
                Some(_) => continue,
            };
            errors.push(format!("the search of `{}` names `{name}`, which {mistake}", self.name()));
        }
    }
}
