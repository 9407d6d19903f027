//! Defines [`Bag`], which gives typed access to JSON values whose schema is declared at run time.

mod tracked;

use std::fmt;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

/// A JSON value whose schema is declared at run time. The value is usually an object, and its properties are
/// deserialized one by one.
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

/// Creates a bag that contains an empty object.
impl Default for Bag {
    fn default() -> Self {
        Self { value: Value::Object(Map::new()) }
    }
}

impl Bag {
    /// Creates a bag that contains a JSON value.
    #[must_use]
    pub fn new(value: impl Into<Value>) -> Self {
        Self { value: value.into() }
    }

    /// Creates a bag by serializing a Rust value to JSON.
    ///
    /// ```
    /// use restwright_schema::Bag;
    ///
    /// let bag = Bag::from_typed(&("Rex", 4)).unwrap();
    /// assert_eq!(bag.value(), &serde_json::json!(["Rex", 4]));
    /// ```
    ///
    /// # Errors
    /// Returns [`BagError`] if the value cannot be serialized as JSON, such as a map whose keys are lists.
    pub fn from_typed<T: Serialize + ?Sized>(value: &T) -> Result<Self, BagError> {
        serde_json::to_value(value).map(Self::new).map_err(|error| BagError::new("", error.to_string()))
    }

    /// Borrows the whole value as a [`BagView`].
    #[must_use]
    pub fn view(&self) -> BagView<'_> {
        BagView { value: &self.value }
    }

    /// Returns the whole JSON value.
    #[must_use]
    pub fn value(&self) -> &Value {
        &self.value
    }

    /// Deserializes a property into a Rust type. See [`BagView::get`].
    ///
    /// # Errors
    /// Returns the errors of [`BagView::get`].
    pub fn get<T: DeserializeOwned>(&self, name: &str) -> Result<T, BagError> {
        self.view().get(name)
    }

    /// Returns a view of a property that is an object. See [`BagView::object`].
    ///
    /// # Errors
    /// Returns the errors of [`BagView::object`].
    pub fn object(&self, name: &str) -> Result<BagView<'_>, BagError> {
        self.view().object(name)
    }

    /// Returns views of the objects in an array property. See [`BagView::objects`].
    ///
    /// # Errors
    /// Returns the errors of [`BagView::objects`].
    pub fn objects(&self, name: &str) -> Result<Vec<BagView<'_>>, BagError> {
        self.view().objects(name)
    }

    /// Deserializes an array property into items of the type `T`. See [`BagView::get`].
    ///
    /// # Errors
    /// Returns the errors of [`BagView::get`].
    pub fn list<T: DeserializeOwned>(&self, name: &str) -> Result<Vec<T>, BagError> {
        self.get(name)
    }

    /// Returns views of the items, if the value is an array of objects.
    ///
    /// # Errors
    /// Returns [`BagError`] if the value is not an array, or an item is not an object.
    pub fn items(&self) -> Result<Vec<BagView<'_>>, BagError> {
        objects("", Some(&self.value))
    }

    /// Returns `true` if the value is an object with this property, even if the property is null.
    #[must_use]
    pub fn contains(&self, name: &str) -> bool {
        self.view().contains(name)
    }

    /// Converts the bag to its JSON value.
    #[must_use]
    pub fn into_value(self) -> Value {
        self.value
    }

    /// Deserializes the whole value into a Rust type.
    ///
    /// # Errors
    /// Returns [`BagError`] if the type rejects the value. The error contains the path of the rejected property.
    pub fn read<T: DeserializeOwned>(self) -> Result<T, BagError> {
        tracked::read(self.value)
    }
}

/// A borrowed JSON value in a [`Bag`], such as a nested object.
#[derive(Clone, Copy, Debug)]
pub struct BagView<'b> {
    value: &'b Value,
}

impl<'b> BagView<'b> {
    /// Deserializes a property into a Rust type. An absent property counts as null, so an `Option` is `None`. If the
    /// whole value is null, for example because an optional body is missing, all properties count as null.
    ///
    /// # Errors
    /// Returns [`BagError`] if the type rejects the value or the absence of the property. The declared schema and the
    /// code then disagree; the client is not at fault.
    pub fn get<T: DeserializeOwned>(&self, name: &str) -> Result<T, BagError> {
        match self.property(name)? {
            Some(value) => T::deserialize(value).map_err(|error| BagError::new(name, error.to_string())),
            None => T::deserialize(Value::Null)
                .map_err(|error: serde_json::Error| BagError::new(name, format!("is absent, and {error}"))),
        }
    }

    /// Returns a view of a property that is an object.
    ///
    /// # Errors
    /// Returns [`BagError`] if the property is absent or not an object.
    pub fn object(&self, name: &str) -> Result<BagView<'b>, BagError> {
        view(name, self.property(name)?)
    }

    /// Returns views of the objects in an array property.
    ///
    /// # Errors
    /// Returns [`BagError`] if the property is absent or not an array of objects.
    pub fn objects(&self, name: &str) -> Result<Vec<BagView<'b>>, BagError> {
        objects(name, self.property(name)?)
    }

    /// Deserializes an array property into items of the type `T`. See [`BagView::get`].
    ///
    /// # Errors
    /// Returns the errors of [`BagView::get`].
    pub fn list<T: DeserializeOwned>(&self, name: &str) -> Result<Vec<T>, BagError> {
        self.get(name)
    }

    /// Returns `true` if the value is an object with this property, even if the property is null.
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

/// The error returned when a value in a [`Bag`] does not match the requested Rust type.
#[derive(Clone, Debug, PartialEq)]
pub struct BagError {
    property: String,
    reason: String,
}

impl BagError {
    fn new(property: &str, reason: impl Into<String>) -> Self {
        Self { property: property.to_owned(), reason: reason.into() }
    }

    /// Returns the name of the rejected property. After [`Bag::read`], returns its path, such as `owner/age`. Returns
    /// an empty string if the whole value was rejected.
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
