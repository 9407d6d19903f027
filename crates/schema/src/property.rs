//! [`Property`]: a name in a collection, its schema, and whether and where it exists.

use std::borrow::Cow;

use serde_json::Value;

use crate::constraint::Constraint;
use crate::format::Format;
use crate::mode::{Mode, Modes, SchemaSide};
use crate::number::Number;
use crate::schema::Schema;
use crate::schema_object::SchemaObject;
use crate::schema_type::SchemaType;

/// A property of a [`PropertyCollection`](crate::PropertyCollection): a name, the [schema](SchemaObject) of its value, whether it is required,
/// and where it exists. Parameters and headers are properties, too.
///
/// The functions named after the types make one: [`string`](crate::string), [`int64`](crate::int64), [`object`](crate::object) ..
/// A property is required and not null unless it says otherwise. A constraint that does not fit the type, or contradicts another, is
/// kept and reported when the schema is compiled, so that all mistakes come back together.
///
/// ```
/// use restwright_schema::{Mode, string};
///
/// let note = string("note").max_length(500).optional().modes([Mode::Create, Mode::View]);
/// ```
#[derive(Clone, Debug, PartialEq)]
#[must_use = "a property does nothing until it is added to a collection"]
pub struct Property {
    pub(crate) name: Cow<'static, str>,
    pub(crate) schema: SchemaObject,
    pub(crate) optional: bool,
    pub(crate) read_only: bool,
    pub(crate) write_only: bool,
    pub(crate) modes: Modes,
    /// `None` unless serde's attributes change something.
    pub(crate) serde: Option<Box<SerdeNames>>,
}

/// The differences that serde's attributes make between the two sides.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct SerdeNames {
    pub(crate) input: Option<Cow<'static, str>>,
    pub(crate) output: Option<Cow<'static, str>>,
    pub(crate) aliases: Vec<Cow<'static, str>>,
    pub(crate) optional_input: bool,
    pub(crate) optional_output: bool,
}

impl Property {
    /// A required property of any schema.
    pub fn new(name: impl Into<Cow<'static, str>>, schema: impl Into<SchemaObject>) -> Self {
        Self {
            name: name.into(),
            schema: schema.into(),
            optional: false,
            read_only: false,
            write_only: false,
            modes: Modes::ALL,
            serde: None,
        }
    }

    /// A property of a Rust type with a schema: optional and nullable as the type says.
    ///
    /// A collection that is declared at run time uses the schemas of the code with it.
    pub fn of<T: Schema + ?Sized>(name: impl Into<Cow<'static, str>>) -> Self {
        Self { optional: T::OPTIONAL, ..Self::new(name, SchemaObject::of::<T>()) }
    }

    /// The declared name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The schema of its value.
    pub fn schema(&self) -> &SchemaObject {
        &self.schema
    }

    /// Returns its schema without the name.
    pub fn into_schema(self) -> SchemaObject {
        self.schema
    }

    /// The type of its value.
    #[must_use]
    pub fn schema_type(&self) -> &SchemaType {
        &self.schema.schema_type
    }

    /// Changes the name.
    pub fn renamed(mut self, name: impl Into<Cow<'static, str>>) -> Self {
        self.name = name.into();
        self
    }

    /// Allows it to be absent.
    pub fn optional(mut self) -> Self {
        self.optional = true;
        self
    }

    /// Shows it in responses only.
    pub fn read_only(mut self) -> Self {
        self.read_only = true;
        self
    }

    /// Accepts it in requests only.
    pub fn write_only(mut self) -> Self {
        self.write_only = true;
        self
    }

    /// Limits it to these modes.
    pub fn modes(mut self, modes: impl Into<Modes>) -> Self {
        self.modes = modes.into();
        self
    }

    /// Reads it under another name than it is written: serde's `rename(deserialize = ..)`.
    pub fn input_name(mut self, name: impl Into<Cow<'static, str>>) -> Self {
        self.serde_mut().input = Some(name.into());
        self
    }

    /// Writes it under another name than it is read: serde's `rename(serialize = ..)`.
    pub fn output_name(mut self, name: impl Into<Cow<'static, str>>) -> Self {
        self.serde_mut().output = Some(name.into());
        self
    }

    /// Reads it under this name, too: serde's `alias`. The documents mark such a name as deprecated.
    pub fn alias(mut self, name: impl Into<Cow<'static, str>>) -> Self {
        self.serde_mut().aliases.push(name.into());
        self
    }

    /// Allows it to be absent when read: serde's `default`.
    pub fn input_optional(mut self) -> Self {
        self.serde_mut().optional_input = true;
        self
    }

    /// Allows it to be absent when written: serde's `skip_serializing_if`.
    pub fn output_optional(mut self) -> Self {
        self.serde_mut().optional_output = true;
        self
    }

    /// Returns whether clients should stop using it.
    #[must_use]
    pub fn is_deprecated(&self) -> bool {
        self.schema.is_deprecated()
    }

    /// The description.
    #[must_use]
    pub fn description_text(&self) -> Option<&str> {
        self.schema.description_text()
    }

    /// The value that stands in for an absent one.
    #[must_use]
    pub fn default(&self) -> Option<&Value> {
        self.schema.default()
    }

    /// Returns whether it must be there on this side.
    #[must_use]
    pub fn is_required_in(&self, side: SchemaSide) -> bool {
        let serde = self.serde.as_deref();
        !self.optional
            && match side {
                SchemaSide::Input => !serde.is_some_and(|names| names.optional_input) && self.schema.default.is_none(),
                SchemaSide::Output => !serde.is_some_and(|names| names.optional_output),
            }
    }

    /// Returns the name of the property on a side of its schema.
    #[must_use]
    pub fn name_in(&self, side: SchemaSide) -> &str {
        let other = self.serde.as_deref().and_then(|names| match side {
            SchemaSide::Input => names.input.as_ref(),
            SchemaSide::Output => names.output.as_ref(),
        });
        other.unwrap_or(&self.name)
    }

    /// The other names under which it is read.
    pub(crate) fn aliases_in(&self, side: SchemaSide) -> &[Cow<'static, str>] {
        match (side, &self.serde) {
            (SchemaSide::Input, Some(names)) => &names.aliases,
            _ => &[],
        }
    }

    /// Returns whether schemas have it on this side and in this mode; `None` is any mode.
    #[must_use]
    pub fn exists_in(&self, side: SchemaSide, mode: Option<Mode>) -> bool {
        let hidden = match side {
            SchemaSide::Input => self.read_only,
            SchemaSide::Output => self.write_only,
        };
        !hidden && mode.is_none_or(|mode| self.modes.contains(mode))
    }

    /// Returns whether the two sides show the property differently, apart from what they require and from differences within its schema.
    pub(crate) fn has_two_sides(&self) -> bool {
        self.read_only
            || self.write_only
            || !self.aliases_in(SchemaSide::Input).is_empty()
            || self.name_in(SchemaSide::Input) != self.name_in(SchemaSide::Output)
    }

    pub(crate) fn serde_mut(&mut self) -> &mut SerdeNames {
        self.serde.get_or_insert_default()
    }

    fn schema_mut(&mut self) -> &mut SchemaObject {
        &mut self.schema
    }
}

schema_methods!(Property);
