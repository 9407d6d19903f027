//! Defines [`Property`], a named property of an object, a parameter or a header.

use std::borrow::Cow;

use serde_json::Value;

use crate::constraint::Constraint;
use crate::format::Format;
use crate::mode::{Mode, Modes, SchemaSide};
use crate::number::Number;
use crate::shape::schema::Schema;
use crate::shape::schema_object::SchemaObject;
use crate::shape::schema_type::SchemaType;

/// A property of a [`PropertyCollection`](crate::PropertyCollection), with a name and the [schema](SchemaObject) of its
/// value. It also defines which requests and responses contain the property. Parameters and headers are properties too.
///
/// Functions named after types create properties: [`string`](crate::string), [`int64`](crate::int64),
/// [`object`](crate::object) and so on. By default a property is required and not null.
///
/// A constraint that does not fit the type, or contradicts another, is an error. It is reported when the schema is
/// compiled, together with all other errors.
///
/// ```
/// use restwright_schema::{Mode, string};
///
/// let note = string("note").max_length(500).optional().modes([Mode::Create, Mode::View]);
/// ```
#[derive(Clone, Debug, PartialEq)]
#[must_use = "a property has no effect until it is added to a collection"]
pub struct Property {
    pub(super) name: Cow<'static, str>,
    pub(super) schema: SchemaObject,
    pub(super) optional: bool,
    /// `true` if an absent property keeps its value, as in a partial update.
    pub(super) is_patch: bool,
    pub(super) read_only: bool,
    pub(super) write_only: bool,
    pub(super) modes: Modes,
    /// The settings from serde attributes, or `None` if no attribute changes the property.
    pub(super) serde: Option<Box<SerdeNames>>,
}

/// The names and settings that serde attributes define for a property.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct SerdeNames {
    pub(super) input: Option<Cow<'static, str>>,
    pub(super) output: Option<Cow<'static, str>>,
    pub(super) aliases: Vec<Cow<'static, str>>,
    pub(super) optional_input: bool,
    pub(super) optional_output: bool,
}

impl Property {
    /// Creates a required property with a schema.
    pub fn new(name: impl Into<Cow<'static, str>>, schema: impl Into<SchemaObject>) -> Self {
        Self {
            name: name.into(),
            schema: schema.into(),
            optional: false,
            is_patch: false,
            read_only: false,
            write_only: false,
            modes: Modes::ALL,
            serde: None,
        }
    }

    /// Creates a property with the schema of a Rust type. For an `Option`, the property is optional and nullable.
    ///
    /// Use it to refer to the schemas of Rust types in a collection that is declared at run time.
    pub fn of<T: Schema + ?Sized>(name: impl Into<Cow<'static, str>>) -> Self {
        Self { optional: T::OPTIONAL, is_patch: T::REQUIRES_DEFAULT, ..Self::new(name, SchemaObject::of::<T>()) }
    }

    /// Returns the declared name of the property. [`input_name`](Self::input_name) and
    /// [`output_name`](Self::output_name) override it.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the schema of the property's value.
    pub fn schema(&self) -> &SchemaObject {
        &self.schema
    }

    /// Consumes the property and returns its schema.
    pub fn into_schema(self) -> SchemaObject {
        self.schema
    }

    /// Returns the type of the property's value.
    #[must_use]
    pub fn schema_type(&self) -> &SchemaType {
        &self.schema.schema_type
    }

    /// Changes the declared name of the property.
    pub fn renamed(mut self, name: impl Into<Cow<'static, str>>) -> Self {
        self.name = name.into();
        self
    }

    /// Makes the property optional.
    pub fn optional(mut self) -> Self {
        self.optional = true;
        self
    }

    /// Includes the property only in responses.
    pub fn read_only(mut self) -> Self {
        self.read_only = true;
        self
    }

    /// Accepts the property only in requests.
    pub fn write_only(mut self) -> Self {
        self.write_only = true;
        self
    }

    /// Sets the modes in which the property exists. The default is all modes.
    pub fn modes(mut self, modes: impl Into<Modes>) -> Self {
        self.modes = modes.into();
        self
    }

    /// Sets a different name in requests, like serde's `rename(deserialize = ..)`.
    pub fn input_name(mut self, name: impl Into<Cow<'static, str>>) -> Self {
        self.serde_mut().input = Some(name.into());
        self
    }

    /// Sets a different name in responses, like serde's `rename(serialize = ..)`.
    pub fn output_name(mut self, name: impl Into<Cow<'static, str>>) -> Self {
        self.serde_mut().output = Some(name.into());
        self
    }

    /// Adds an alternative name in requests, like serde's `alias`. The OpenAPI document marks the alias as deprecated.
    pub fn alias(mut self, name: impl Into<Cow<'static, str>>) -> Self {
        self.serde_mut().aliases.push(name.into());
        self
    }

    /// Makes the property optional in requests, like serde's `default`.
    pub fn input_optional(mut self) -> Self {
        self.serde_mut().optional_input = true;
        self
    }

    /// Makes the property optional in responses, like serde's `skip_serializing_if`.
    pub fn output_optional(mut self) -> Self {
        self.serde_mut().optional_output = true;
        self
    }

    /// Returns `true` if the property is marked as deprecated.
    #[must_use]
    pub fn is_deprecated(&self) -> bool {
        self.schema.is_deprecated()
    }

    /// Returns the description of the property.
    #[must_use]
    pub fn description_text(&self) -> Option<&str> {
        self.schema.description_text()
    }

    /// Returns the default value of the property.
    #[must_use]
    pub fn default(&self) -> Option<&Value> {
        self.schema.default()
    }

    /// Returns `true` if the schema or the Rust type has a default for an absent property.
    pub(super) fn has_default(&self) -> bool {
        self.schema.default.is_some() || self.serde.as_deref().is_some_and(|names| names.optional_input)
    }

    /// Returns `true` if the property is required in requests or in responses, depending on `side`.
    #[must_use]
    pub fn is_required_in(&self, side: SchemaSide) -> bool {
        let serde = self.serde.as_deref();
        !self.optional
            && match side {
                SchemaSide::Input => !self.has_default(),
                SchemaSide::Output => !serde.is_some_and(|names| names.optional_output),
            }
    }

    /// Returns the name of the property in requests or in responses, depending on `side`.
    #[must_use]
    pub fn name_in(&self, side: SchemaSide) -> &str {
        let other = self.serde.as_deref().and_then(|names| match side {
            SchemaSide::Input => names.input.as_ref(),
            SchemaSide::Output => names.output.as_ref(),
        });
        other.unwrap_or(&self.name)
    }

    /// Returns the aliases of the property in requests or in responses, depending on `side`. Only requests have
    /// aliases.
    #[must_use]
    pub fn aliases_in(&self, side: SchemaSide) -> &[Cow<'static, str>] {
        match (side, &self.serde) {
            (SchemaSide::Input, Some(names)) => &names.aliases,
            _ => &[],
        }
    }

    /// Returns `true` if the property exists on this side and in this mode. `None` means any mode.
    #[must_use]
    pub fn exists_in(&self, side: SchemaSide, mode: Option<Mode>) -> bool {
        let hidden = match side {
            SchemaSide::Input => self.read_only,
            SchemaSide::Output => self.write_only,
        };
        !hidden && mode.is_none_or(|mode| self.modes.contains(mode))
    }

    /// Returns `true` if the property exists only on one side, or has different names on both sides. Ignores
    /// differences in `required` and in the schema of the property.
    pub(super) fn has_two_sides(&self) -> bool {
        self.read_only
            || self.write_only
            || !self.aliases_in(SchemaSide::Input).is_empty()
            || self.name_in(SchemaSide::Input) != self.name_in(SchemaSide::Output)
    }

    pub(super) fn serde_mut(&mut self) -> &mut SerdeNames {
        self.serde.get_or_insert_default()
    }

    fn schema_mut(&mut self) -> &mut SchemaObject {
        &mut self.schema
    }
}

schema_methods!(Property);
