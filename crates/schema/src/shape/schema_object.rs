//! Defines [`SchemaObject`], the schema of a value.

use std::sync::Arc;

use serde_json::Value;

use crate::constraint::Constraint;
use crate::format::Format;
use crate::number::Number;
use crate::pending_violation::with_article;
use crate::shape::collection::PropertyCollection;
use crate::shape::schema::Schema;
use crate::shape::schema_type::{OneOf, SchemaType, SchemaTypeRepr};

/// The schema of a value, with its type, constraints and documentation.
///
/// It has no name. Use it for the items of an array, the values of a map, a body or a response. A
/// [`Property`](crate::Property) adds a name. Functions named after types create schemas: [`SchemaObject::string`],
/// [`SchemaObject::array`] and so on. A [`PropertyCollection`] converts into a schema.
///
/// By default a value is not null. A constraint that does not fit the type, or contradicts another, is an error. It is
/// reported when the schema is compiled, together with all other errors.
///
/// ```
/// use restwright_schema::{Registry, SchemaObject, SchemaSide};
///
/// let tags = SchemaObject::array(SchemaObject::string().max_length(5)).min_items(1);
/// let mut registry = Registry::new();
/// let schema = registry.compile(&tags, SchemaSide::Input, None);
/// assert!(schema.read_value(br#"["cat", "calm"]"#, 100).is_ok());
/// assert!(schema.read_value(br#"["cautious"]"#, 100).is_err());
/// ```
#[derive(Clone, Debug, PartialEq)]
#[must_use = "a schema has no effect until a property, a body or a response uses it"]
pub struct SchemaObject {
    pub(crate) schema_type: SchemaType,
    pub(super) nullable: bool,
    // The boxes keep schemas small, because most operations have many schemas, and few of them have a constant or a
    // default.
    pub(super) constant: Option<Box<Value>>,
    pub(super) default: Option<Box<Value>>,
    pub(super) documentation: Option<Box<SchemaDocumentation>>,
    /// The errors in the declaration.
    pub(super) mistakes: Vec<String>,
}

/// The documentation of a schema.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct SchemaDocumentation {
    pub(super) title: Option<String>,
    pub(super) description: Option<String>,
    pub(super) examples: Vec<Value>,
    pub(super) deprecated: bool,
}

impl SchemaObject {
    /// Creates a schema with this type.
    pub fn new(schema_type: impl Into<SchemaType>) -> Self {
        Self {
            schema_type: schema_type.into(),
            nullable: false,
            constant: None,
            default: None,
            documentation: None,
            mistakes: Vec::new(),
        }
    }

    /// Creates the schema of a Rust type. The schema of an `Option` is nullable.
    pub fn of<T: Schema + ?Sized>() -> Self {
        Self { nullable: T::NULLABLE, ..Self::new(SchemaType::of::<T>()) }
    }

    /// Returns the type of the values.
    #[must_use]
    pub fn schema_type(&self) -> &SchemaType {
        &self.schema_type
    }

    /// Returns the description of the schema.
    #[must_use]
    pub fn description_text(&self) -> Option<&str> {
        self.documentation.as_deref()?.description.as_deref()
    }

    /// Returns the default value of the schema.
    #[must_use]
    pub fn default(&self) -> Option<&Value> {
        self.default.as_deref()
    }

    /// Returns `true` if the schema accepts null.
    #[must_use]
    pub fn is_nullable(&self) -> bool {
        self.nullable
    }

    /// Returns the [label](SchemaType::label) of the type, after `Nullable` if null is a value. It is `Uint32` for
    /// `u32`, and `NullableUint32` for `Option<u32>`.
    #[must_use]
    pub fn label(&self) -> String {
        let prefix = if self.nullable { "Nullable" } else { "" };
        format!("{prefix}{}", self.schema_type.label())
    }

    /// Returns `true` if the value is marked as deprecated.
    #[must_use]
    pub fn is_deprecated(&self) -> bool {
        self.documentation.as_deref().is_some_and(|documentation| documentation.deprecated)
    }

    /// Returns a copy of the schema without its default and its constant. The copy is used to check these two values.
    pub(super) fn without_declared_values(&self) -> Self {
        Self { default: None, constant: None, ..self.clone() }
    }

    pub(super) fn constrain(&mut self, constraint: &Constraint) {
        if let Err(mistake) = self.schema_type.constrain(constraint) {
            self.mistakes.push(mistake);
        }
    }

    pub(super) fn change_items(&mut self, change: impl FnOnce(Self) -> Self) {
        match &mut self.schema_type.0 {
            SchemaTypeRepr::Array(array) => Arc::make_mut(array).items = change(array.items.clone()),
            _ => self.misplaced("`items` is for lists"),
        }
    }

    pub(super) fn change_values(&mut self, change: impl FnOnce(Self) -> Self) {
        match &mut self.schema_type.0 {
            SchemaTypeRepr::Map(map) => Arc::make_mut(map).values = change(map.values.clone()),
            _ => self.misplaced("`values` is for maps"),
        }
    }

    pub(super) fn documentation_mut(&mut self) -> &mut SchemaDocumentation {
        self.documentation.get_or_insert_default()
    }

    fn misplaced(&mut self, rule: &str) {
        let found = with_article(self.schema_type.name());
        self.mistakes.push(format!("{rule}, but this type is {found}; remove it"));
    }

    fn schema_mut(&mut self) -> &mut Self {
        self
    }
}

schema_methods!(SchemaObject);

impl From<SchemaType> for SchemaObject {
    fn from(schema_type: SchemaType) -> Self {
        Self::new(schema_type)
    }
}

impl From<&SchemaType> for SchemaObject {
    fn from(schema_type: &SchemaType) -> Self {
        Self::new(schema_type.clone())
    }
}

impl From<&SchemaObject> for SchemaObject {
    fn from(schema: &SchemaObject) -> Self {
        schema.clone()
    }
}

impl From<PropertyCollection> for SchemaObject {
    fn from(collection: PropertyCollection) -> Self {
        Self::new(collection)
    }
}

impl From<&PropertyCollection> for SchemaObject {
    fn from(collection: &PropertyCollection) -> Self {
        Self::new(collection.clone())
    }
}

impl From<OneOf> for SchemaObject {
    fn from(one_of: OneOf) -> Self {
        Self::new(one_of)
    }
}
