//! [`Bag`]: typed access to a value that was read by a schema made at run time.

mod tracked;

use std::fmt;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

/// A value that was read by a schema made at run time: mostly an object, whose properties are read as types.
///
/// ```
/// use restwright_schema::Bag;
///
/// let bag = Bag::new(serde_json::json!({"name": "Rex", "owner": {"age": 42}, "tags": ["good", "dog"]}));
/// assert_eq!(bag.get::<String>("name").unwrap(), "Rex");
/// assert_eq!(bag.object("owner").unwrap().get::<u8>("age").unwrap(), 42);
/// assert_eq!(bag.list::<String>("tags").unwrap(), ["good", "dog"]);
/// assert_eq!(bag.get::<Option<String>>("note").unwrap(), None);
/// assert!(bag.get::<u8>("name").is_err());
///
/// let bag = Bag::new(serde_json::json!([1, 2, 3]));
/// assert_eq!(bag.read::<Vec<u8>>().unwrap(), [1, 2, 3]);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Bag {
    value: Value,
}

/// An object without properties.
impl Default for Bag {
    fn default() -> Self {
        Self { value: Value::Object(Map::new()) }
    }
}

impl Bag {
    /// Creates the bag of a value.
    #[must_use]
    pub fn new(value: impl Into<Value>) -> Self {
        Self { value: value.into() }
    }

    /// Creates the bag of what a type writes.
    ///
    /// ```
    /// use restwright_schema::Bag;
    ///
    /// let bag = Bag::from_typed(&("Rex", 4)).unwrap();
    /// assert_eq!(bag.value(), &serde_json::json!(["Rex", 4]));
    /// ```
    ///
    /// # Errors
    /// [`BagError`] when the type fails to write itself, or has no JSON, such as a map whose keys are lists.
    pub fn from_typed<T: Serialize + ?Sized>(value: &T) -> Result<Self, BagError> {
        serde_json::to_value(value).map(Self::new).map_err(|error| BagError::new("", error.to_string()))
    }

    /// Returns the same value by reference.
    #[must_use]
    pub fn view(&self) -> BagView<'_> {
        BagView { value: &self.value }
    }

    /// Returns the value.
    #[must_use]
    pub fn value(&self) -> &Value {
        &self.value
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

    /// Returns the items of an array of objects.
    ///
    /// # Errors
    /// [`BagError`] if the value is no array, or an item no object.
    pub fn items(&self) -> Result<Vec<BagView<'_>>, BagError> {
        objects("", Some(&self.value))
    }

    /// Returns true if the value is an object with this property, null included.
    #[must_use]
    pub fn contains(&self, name: &str) -> bool {
        self.view().contains(name)
    }

    /// Returns the value, taken out.
    #[must_use]
    pub fn into_value(self) -> Value {
        self.value
    }

    /// Reads the whole value as a type.
    ///
    /// # Errors
    /// [`BagError`] when the type rejects it; it names the property, with those around it.
    pub fn read<T: DeserializeOwned>(self) -> Result<T, BagError> {
        tracked::read(self.value)
    }
}

/// A value within a [`Bag`].
#[derive(Clone, Copy, Debug)]
pub struct BagView<'b> {
    value: &'b Value,
}

impl<'b> BagView<'b> {
    /// Reads a property as a type. An absent one reads as null does, so that it is `None` for an `Option`; so do all properties
    /// of null, which is an optional body that was left out.
    ///
    /// # Errors
    /// [`BagError`] when the property is absent or the type rejects its value: a disagreement between the declared schema and the code, not a
    /// mistake of the client.
    pub fn get<T: DeserializeOwned>(&self, name: &str) -> Result<T, BagError> {
        match self.property(name)? {
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
        view(name, self.property(name)?)
    }

    /// A property that is an array of objects.
    ///
    /// # Errors
    /// [`BagError`] when it is absent or none.
    pub fn objects(&self, name: &str) -> Result<Vec<BagView<'b>>, BagError> {
        objects(name, self.property(name)?)
    }

    /// A property that is an array, its items as a type; see [`BagView::get`].
    ///
    /// # Errors
    /// As [`BagView::get`].
    pub fn list<T: DeserializeOwned>(&self, name: &str) -> Result<Vec<T>, BagError> {
        self.get(name)
    }

    /// Returns true if the value is an object with this property, null included.
    #[must_use]
    pub fn contains(&self, name: &str) -> bool {
        self.value.get(name).is_some()
    }

    fn property(&self, name: &str) -> Result<Option<&'b Value>, BagError> {
        match self.value {
            Value::Object(properties) => Ok(properties.get(name)),
            Value::Null => Ok(None),
            _ => Err(BagError::new("", "is not an object")),
        }
    }
}

fn view<'b>(name: &str, value: Option<&'b Value>) -> Result<BagView<'b>, BagError> {
    let value = value.filter(|value| value.is_object()).ok_or_else(|| BagError::new(name, "is not an object"))?;
    Ok(BagView { value })
}

fn objects<'b>(name: &str, value: Option<&'b Value>) -> Result<Vec<BagView<'b>>, BagError> {
    let items = value.and_then(Value::as_array);
    items.ok_or_else(|| BagError::new(name, "is not an array"))?.iter().map(|item| view(name, Some(item))).collect()
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

    /// The name of the property, with those around it when a whole value is read (`owner/age`); empty for the whole.
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
