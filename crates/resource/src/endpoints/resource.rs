//! Defines [`Resource`], which declares an entity and the types of its requests and responses.

use std::borrow::Cow;

use restwright_core::Part;
use restwright_core::part::ParameterValue;
use restwright_core::schema::{Checks, Schema};
use restwright_list::{FieldValue, Filters, Sort};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::definition::EntityDefinition;
use crate::endpoints::{Endpoints, ResourcePagination};
use crate::entity::Entity;

/// Declares an entity and the types of its requests and responses. [`Endpoints`](crate::Endpoints) serves the entity over HTTP.
///
/// The view is usually the entity itself. `#[derive(Resource)]` generates all types from one struct. Without the derive:
///
#[cfg_attr(not(doctest), doc = include_str!("../doc_examples/resource.md"))]
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a resource",
    label = "does not implement `Resource`",
    note = "write `#[derive(Resource)]` on a struct with named fields, or implement `Resource`, which needs `Entity`, `Record`, `Schema`, `Clone` and `serde::Serialize`"
)]
pub trait Resource: Entity + Clone + Schema + Serialize {
    /// The name of one entity in Pascal case, such as `ShelterAnimal`.
    ///
    /// The ids of operations on one entity end with this name, such as `viewShelterAnimal`. The operation id of the list and the tag use
    /// the name of the [`definition`](Self::definition), such as `listShelterAnimals` for `shelter_animals`.
    const NAME: &'static str;

    /// The description of the entity, in CommonMark. The operations in the OpenAPI document contain it. The derive copies it from the doc
    /// comment.
    const DESCRIPTION: &'static str = "";

    /// The path of the list, such as `/animals`. The path of one entity is this path followed by the identifier.
    const PATH: &'static str;

    /// The pagination of a list. The default is by page number.
    const PAGINATION: ResourcePagination = ResourcePagination::Page;

    /// The type of the identifier, which is a path segment.
    type Id: ParameterValue + FieldValue + 'static;

    /// The type of the body of a create or a replacement. `Clone` allows retries after a concurrent change.
    ///
    /// With `#[schema(closed_recursively)]`, the body rejects unknown properties at every level, like the types of the derive.
    type New: Schema + DeserializeOwned + Clone + 'static;

    /// The type of the body of an update. Its properties are [`Patch`](restwright_core::schema::Patch)es. `Clone` allows retries after a
    /// concurrent change.
    type Update: Schema + DeserializeOwned + Clone + 'static;

    /// The type of one entity in a response. It is usually the entity's own type.
    type View: From<Self> + Schema + Serialize + 'static;

    /// The type of an item of a list. It may have fewer properties than the view, but must contain the fields of the filters and the order.
    /// Otherwise building the Api fails.
    type Item: From<Self> + Schema + Serialize + 'static;

    /// The type of the filters of a list. They apply to fields of the definition.
    type Filters: Filters + Part + 'static;

    /// The type that defines the sort fields of a list.
    type Sort: Sort;

    /// Returns the entity definition for stores. The name of the definition is a plural, such as `shelter_animals`.
    fn definition() -> EntityDefinition;

    /// Returns the name of the [`definition`](Self::definition). Other definitions [refer](crate::FieldDefinition::references) to it by
    /// this name.
    ///
    /// Override this method if two resources refer to each other. Their definitions would otherwise call each other without end.
    #[must_use]
    fn entity_name() -> Cow<'static, str> {
        Self::definition().name().to_owned().into()
    }

    /// Creates an entity from the body of a create request. The custom checks run on the result.
    ///
    /// A generated identifier, the scope, managed times and the version may have any value. The endpoints and the store set them later.
    fn create(new: Self::New) -> Self;

    /// Applies the body of an update to the entity, and reports violations. The custom checks run on the result.
    fn change(&mut self, changes: Self::Update, checks: &mut Checks<'_>);

    /// Replaces the entity with the body of a [`PUT`](crate::Endpoints::put). By default, the result is a new entity with the old
    /// identifier, scope and creation time. Override this method to keep other values that the service sets.
    fn replace(&mut self, new: Self::New) {
        *self = Self::create(new);
    }

    /// Copies the value of a field from another entity. Returns `false` if the field cannot be set. The response is then a 500.
    ///
    /// A replacement by a caller who may not [write](crate::FieldDefinition::write) the field keeps its value in this way. By default, the value is
    /// set with [`set_value`](Entity::set_value).
    fn copy_field(&mut self, from: &Self, field: &str) -> bool {
        self.set_value(field, from.value(field).into_owned())
    }

    /// Configures the endpoints of the resource. By default, this method changes nothing. An application can override these settings.
    fn configure(endpoints: Endpoints<Self>) -> Endpoints<Self> {
        endpoints
    }
}
