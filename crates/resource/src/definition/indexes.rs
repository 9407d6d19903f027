//! Methods of [`EntityDefinition`] for declared indexes.

use std::borrow::Cow;

use restwright_core::BuildErrors;

use super::EntityDefinition;

impl EntityDefinition {
    /// Declares an index for lists that filter by the leading fields and sort by the last field. Stores without indexes ignore it.
    ///
    /// The index starts with the scope fields and ends with the identifier. Every sortable field already has its own index.
    ///
    /// ```
    /// use restwright_list::ValueType;
    /// use restwright_resource::{EntityDefinition, FieldDefinition, IdentifierKind};
    ///
    /// // Serves `?status=open&order_by=-created_at`.
    /// let orders = EntityDefinition::new("orders", "id", IdentifierKind::Uuid)
    ///     .field(FieldDefinition::new("status", ValueType::Enumeration))
    ///     .field(FieldDefinition::new("created_at", ValueType::DateTime).created_at().sortable())
    ///     .index(["status", "created_at"]);
    /// assert_eq!(orders.check(), Ok(()));
    /// ```
    pub fn index<F: Into<Cow<'static, str>>>(mut self, fields: impl IntoIterator<Item = F>) -> Self {
        self.described_mut().indexes.push(fields.into_iter().map(Into::into).collect());
        self
    }

    /// Returns the fields of each declared [index](Self::index). The scope fields and the identifier are omitted, although each index
    /// contains them.
    pub fn indexes(&self) -> impl Iterator<Item = &[Cow<'static, str>]> {
        self.0.indexes.iter().map(Vec::as_slice)
    }

    pub(super) fn check_indexes(&self, errors: &mut BuildErrors) {
        for fields in self.indexes() {
            let shown = fields.join(", ");
            let mut push = |mistake: &str| errors.push(format!("the index ({shown}) of `{}` {mistake}", self.name()));
            if fields.is_empty() {
                push("has no fields; name the fields that lists filter and sort by");
            }
            for (place, name) in fields.iter().enumerate() {
                match self.get(name) {
                    None => push(&format!("names `{name}`, which is not a field")),
                    Some(field) if field.item_type().is_some() && fields.len() > 1 => {
                        push(&format!("names the list `{name}` with other fields; declare an index on the list only"))
                    }
                    Some(field) if !field.is_single() && field.item_type().is_none() => {
                        push(&format!("names `{name}`, which holds JSON, and stores cannot compare it"))
                    }
                    Some(field) if field.is_scope() => {
                        push(&format!(
                            "names the scope field `{name}`, but every index starts with the scope fields; remove it"
                        ));
                    }
                    Some(_) if fields.iter().take(place).any(|before| before == name) => {
                        push(&format!("names `{name}` twice; remove one"));
                    }
                    Some(_) => {}
                }
            }
        }
    }
}
