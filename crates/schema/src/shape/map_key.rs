//! Defines [`MapKey`], the types that can be the keys of a map.

use std::borrow::Cow;

use crate::shape::schema::Schema;

/// A type whose values can be the keys of a map, which are the property names of a JSON object.
///
/// Two different names must not be the same key, apart from the case of a UUID, because one of the values would be lost.
/// `#[derive(Schema)]` implements this trait for enums without data and aliases, and for newtypes around a key.
///
/// ```
/// use std::collections::BTreeMap;
///
/// use restwright_schema::{Registry, Schema, SchemaSide};
///
/// let mut registry = Registry::new();
/// let schema_type = BTreeMap::<u8, String>::schema_type(&mut registry);
/// let schema = registry.compile(&schema_type, SchemaSide::Input, None);
/// let floors: BTreeMap<u8, String> = schema.read(br#"{"0": "hall", "12": "roof"}"#, 100).unwrap();
/// assert_eq!(floors[&12], "roof");
/// assert!(schema.read::<BTreeMap<u8, String>>(br#"{"012": "roof"}"#, 100).is_err());
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the key of a map",
    label = "not a type of property names",
    note = "keys are strings, integers, dates and UUIDs, enums without data and aliases, and newtypes around a key; \
            for other types write a list of objects"
)]
pub trait MapKey: Schema {
    /// Returns the property name of the key in JSON.
    fn property_name(&self) -> Cow<'_, str>;
}

impl MapKey for String {
    fn property_name(&self) -> Cow<'_, str> {
        self.into()
    }
}

impl MapKey for Cow<'_, str> {
    fn property_name(&self) -> Cow<'_, str> {
        Cow::Borrowed(self)
    }
}

impl<T: MapKey + ?Sized> MapKey for Box<T> {
    fn property_name(&self) -> Cow<'_, str> {
        (**self).property_name()
    }
}

impl<T: MapKey + ?Sized> MapKey for std::sync::Arc<T> {
    fn property_name(&self) -> Cow<'_, str> {
        (**self).property_name()
    }
}

impl MapKey for str {
    fn property_name(&self) -> Cow<'_, str> {
        self.into()
    }
}

macro_rules! displayed {
    ($($type:ty),*) => {
        $(impl MapKey for $type {
            fn property_name(&self) -> Cow<'_, str> {
                self.to_string().into()
            }
        })*
    };
}

displayed!(char, i8, i16, i32, i64, isize, u8, u16, u32, u64, usize);
#[cfg(feature = "uuid")]
displayed!(uuid::Uuid);
#[cfg(feature = "jiff")]
displayed!(jiff::civil::Date);
#[cfg(feature = "chrono")]
displayed!(chrono::NaiveDate);
