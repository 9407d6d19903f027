//! [`Bag`]: typed access to a value that was read by a schema made at run time.

use std::fmt;

use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

/// The properties of an object that was read by a schema made at run time.
///
/// ```
/// use restwright_schema::Bag;
///
/// let bag = Bag::new(serde_json::json!({"name": "Rex", "owner": {"age": 42}, "tags": ["good", "dog"]})).unwrap();
/// assert_eq!(bag.get::<String>("name").unwrap(), "Rex");
/// assert_eq!(bag.object("owner").unwrap().get::<u8>("age").unwrap(), 42);
/// assert_eq!(bag.list::<String>("tags").unwrap(), ["good", "dog"]);
/// assert_eq!(bag.get::<Option<String>>("note").unwrap(), None);
/// assert!(bag.get::<u8>("name").is_err());
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Bag {
    properties: Map<String, Value>,
}

impl Bag {
    /// The bag of an object.
    ///
    /// # Errors
    /// [`BagError`] when the value is none.
    pub fn new(value: Value) -> Result<Self, BagError> {
        match value {
            Value::Object(properties) => Ok(Self { properties }),
            _ => Err(BagError::new("", "is not an object")),
        }
    }

    /// The same properties by reference.
    #[must_use]
    pub fn view(&self) -> BagView<'_> {
        BagView { properties: &self.properties }
    }

    /// A property as a type; see [`BagView::get`].
    ///
    /// # Errors
    /// As [`BagView::get`].
    pub fn get<T: DeserializeOwned>(&self, name: &str) -> Result<T, BagError> {
        self.view().get(name)
    }

    /// A property that is an object; see [`BagView::object`].
    ///
    /// # Errors
    /// As [`BagView::object`].
    pub fn object(&self, name: &str) -> Result<BagView<'_>, BagError> {
        self.view().object(name)
    }

    /// A property that is an array of objects; see [`BagView::objects`].
    ///
    /// # Errors
    /// As [`BagView::objects`].
    pub fn objects(&self, name: &str) -> Result<Vec<BagView<'_>>, BagError> {
        self.view().objects(name)
    }

    /// A property that is an array, its items as a type; see [`BagView::get`].
    ///
    /// # Errors
    /// As [`BagView::get`].
    pub fn list<T: DeserializeOwned>(&self, name: &str) -> Result<Vec<T>, BagError> {
        self.get(name)
    }

    /// Returns true if the property is there, null included.
    #[must_use]
    pub fn contains(&self, name: &str) -> bool {
        self.properties.contains_key(name)
    }

    /// The object as a value.
    #[must_use]
    pub fn into_value(self) -> Value {
        Value::Object(self.properties)
    }

    /// The whole object as a type.
    ///
    /// # Errors
    /// [`BagError`] when the type rejects it.
    pub fn read<T: DeserializeOwned>(self) -> Result<T, BagError> {
        serde_json::from_value(self.into_value()).map_err(|error| BagError::new("", error.to_string()))
    }
}

/// An object within a [`Bag`].
#[derive(Clone, Copy, Debug)]
pub struct BagView<'b> {
    properties: &'b Map<String, Value>,
}

impl<'b> BagView<'b> {
    /// A property as a type; an absent one reads as null does, so that it is `None` for an `Option`.
    ///
    /// # Errors
    /// [`BagError`] when the property is absent or the type rejects its value: a disagreement between the declared schema and the code, not a
    /// mistake of the client.
    pub fn get<T: DeserializeOwned>(&self, name: &str) -> Result<T, BagError> {
        match self.properties.get(name) {
            Some(value) => T::deserialize(value).map_err(|error| BagError::new(name, error.to_string())),
            None => T::deserialize(Value::Null)
                .map_err(|error: serde_json::Error| BagError::new(name, format!("is absent, and {error}"))),
        }
    }

    /// A property that is an object.
    ///
    /// # Errors
    /// [`BagError`] when it is absent or none.
    pub fn object(&self, name: &str) -> Result<BagView<'b>, BagError> {
        view(name, self.properties.get(name))
    }

    /// A property that is an array of objects.
    ///
    /// # Errors
    /// [`BagError`] when it is absent or none.
    pub fn objects(&self, name: &str) -> Result<Vec<BagView<'b>>, BagError> {
        let items = self.properties.get(name).and_then(Value::as_array);
        items.ok_or_else(|| BagError::new(name, "is not an array"))?.iter().map(|item| view(name, Some(item))).collect()
    }

    /// A property that is an array, its items as a type; see [`BagView::get`].
    ///
    /// # Errors
    /// As [`BagView::get`].
    pub fn list<T: DeserializeOwned>(&self, name: &str) -> Result<Vec<T>, BagError> {
        self.get(name)
    }

    /// Returns true if the property is there, null included.
    #[must_use]
    pub fn contains(&self, name: &str) -> bool {
        self.properties.contains_key(name)
    }
}

fn view<'b>(name: &str, value: Option<&'b Value>) -> Result<BagView<'b>, BagError> {
    let properties = value.and_then(Value::as_object).ok_or_else(|| BagError::new(name, "is not an object"))?;
    Ok(BagView { properties })
}

/// A property that is not what the code asks for.
#[derive(Clone, Debug, PartialEq)]
pub struct BagError {
    property: String,
    reason: String,
}

impl BagError {
    fn new(property: &str, reason: impl Into<String>) -> Self {
        Self { property: property.to_owned(), reason: reason.into() }
    }

    /// The name of the property; empty for the whole.
    #[must_use]
    pub fn property(&self) -> &str {
        &self.property
    }
}

impl fmt::Display for BagError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.property.is_empty() {
            write!(formatter, "the value {}", self.reason)
        } else {
            write!(formatter, "the property `{}` {}", self.property, self.reason)
        }
    }
}

impl std::error::Error for BagError {}
