//! Maps: objects with any names, whose values have one shape.

use super::count::PropertyCount;
use crate::property::Property;

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct MapType {
    pub(crate) values: Property,
    pub(crate) count: PropertyCount,
}

impl MapType {
    pub(crate) fn new(values: Property) -> Self {
        Self { values, count: PropertyCount::default() }
    }
}
