//! Defines [`OneOf`], the schema of a value that is one of several objects.

use std::borrow::Cow;

use super::{SchemaType, pascal_case};
use crate::shape::collection::PropertyCollection;

/// The schema of a value that is one of several objects (`oneOf`). A string property, the discriminator, selects the
/// variant.
///
/// The discriminator is added to each variant, as a required property with the constant value of the variant. Do not
/// declare it in the collection of a variant.
///
/// ```
/// use restwright_schema::{OneOf, PropertyCollection, number};
///
/// let shape = OneOf::new("Shape", "type")
///     .variant("circle", PropertyCollection::new("Circle").property(number("radius").exclusive_minimum(0)))
///     .variant("point", PropertyCollection::new("Point"));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct OneOf {
    pub(in crate::shape) name: Cow<'static, str>,
    pub(in crate::shape) discriminator: Cow<'static, str>,
    pub(in crate::shape) title: Option<String>,
    pub(in crate::shape) description: Option<String>,
    pub(in crate::shape) variants: Vec<OneOfVariant>,
}

#[derive(Clone, Debug, PartialEq)]
pub(in crate::shape) struct OneOfVariant {
    pub(in crate::shape) value: Cow<'static, str>,
    pub(in crate::shape) kind: SchemaType,
}

impl OneOf {
    /// Creates a `oneOf` schema without variants. `name` is the name of its component, and the property `discriminator`
    /// selects the variant.
    #[must_use]
    pub fn new(name: impl Into<Cow<'static, str>>, discriminator: impl Into<Cow<'static, str>>) -> Self {
        Self {
            name: name.into(),
            discriminator: discriminator.into(),
            title: None,
            description: None,
            variants: Vec::new(),
        }
    }

    /// Adds a variant. `value` is the value of the discriminator, and `object` is a collection or a reference to a
    /// collection.
    ///
    /// The component of a variant is named after the `oneOf` schema and the value: the variant `circle` of `Shape` is
    /// `ShapeCircle`.
    #[must_use]
    pub fn variant(mut self, value: impl Into<Cow<'static, str>>, object: impl Into<SchemaType>) -> Self {
        self.variants.push(OneOfVariant { value: value.into(), kind: object.into() });
        self
    }

    /// Sets the title in the OpenAPI document.
    #[must_use]
    pub fn title(mut self, title: impl Into<String>) -> Self {
        self.title = Some(title.into());
        self
    }

    /// Sets the description in the OpenAPI document, in CommonMark.
    #[must_use]
    pub fn description(mut self, description: impl Into<String>) -> Self {
        self.description = Some(description.into());
        self
    }

    /// Returns the name of the OpenAPI component.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    pub(in crate::shape) fn variant_name(&self, variant: &OneOfVariant) -> String {
        format!("{}{}", self.name, pascal_case(&variant.value))
    }

    /// Returns the object schema of a variant. It contains the discriminator, followed by the properties of the
    /// collection.
    pub(in crate::shape) fn tagged(
        &self,
        variant: &OneOfVariant,
        collection: &PropertyCollection,
    ) -> PropertyCollection {
        let tag = crate::shape::constructors::string(self.discriminator.clone()).constant(&*variant.value);
        let tag = tag.description(format!("Selects the variant `{}`.", variant.value));
        let mut tagged = collection.clone();
        tagged.name = self.variant_name(variant).into();
        tagged.properties.retain(|property| property.name != self.discriminator);
        tagged.properties.insert(0, tag);
        tagged
    }
}
