//! The schema of a filter in a body, for documents.

use restwright_core::schema::{Property, PropertyCollection, SchemaObject, SchemaType, array};

use super::{ALL, ANY, FilterTree, MAX_ALL_VALUES, MAX_CONDITIONS, MAX_DEPTH, NOT};

impl FilterTree {
    /// Returns the schema of the filter: an object with a property for each field, `all`, `any` and `not`. `name` is the
    /// name of its component, to which nested filters refer.
    pub fn schema(&self, name: &str) -> PropertyCollection {
        let nested = || SchemaObject::reference(name.to_owned());
        let combined = [
            array(ALL, nested()).min_items(1).optional().description("All these filters must hold."),
            array(ANY, nested()).min_items(1).optional().description("At least one of these filters must hold."),
            Property::new(NOT, nested()).optional().description(
                "Holds exactly for the items for which this filter does not hold. `not` of `gt` includes null.",
            ),
        ];
        let fields = self.set.fields.iter().map(|field| {
            let operators = field.operators.iter().map(|operator| {
                Property::new(operator.as_str(), field.body_schema(*operator))
                    .optional()
                    .description(operator.body_phrase())
            });
            let operators = operators.fold(PropertyCollection::new("").closed(), PropertyCollection::property);
            let property = Property::new(field.name.clone(), SchemaType::from(operators)).optional();
            field.description.iter().fold(property, |property, text| property.description(text.clone()))
        });
        let collection = PropertyCollection::new(name.to_owned()).closed().description(format!(
            "Conditions that the items must satisfy. All members must hold. A filter has at most {MAX_DEPTH} levels, {MAX_CONDITIONS} conditions and {MAX_ALL_VALUES} values."
        ));
        fields.chain(combined).fold(collection, PropertyCollection::property)
    }
}
