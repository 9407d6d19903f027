//! [`Property`]: a named value of a collection and everything that is said about it.

use std::borrow::Cow;

use serde_json::Value;

use crate::collection::PropertyCollection;
use crate::constraint::Constraint;
use crate::format::Format;
use crate::mode::{Mode, Modes, SchemaSide};
use crate::number::Number;
use crate::pending_violation::with_article;
use crate::schema::Schema;
use crate::schema_type::{OneOf, SchemaType, SchemaTypeRepr};

/// A named value of a [`PropertyCollection`]: its kind, its constraints, where it exists, and what the documents say.
///
/// The functions named after the kinds make one: [`string`](crate::string), [`int64`](crate::int64), [`object`](crate::object) ..
/// A property is required and not null until it says otherwise. A constraint that does not fit the kind, or contradicts another, is
/// kept and reported when the shape is compiled, so that all mistakes come back together.
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
    pub(crate) kind: SchemaType,
    pub(crate) optional: bool,
    pub(crate) nullable: bool,
    pub(crate) read_only: bool,
    pub(crate) write_only: bool,
    pub(crate) modes: Modes,
    pub(crate) constant: Option<Value>,
    pub(crate) default: Option<Value>,
    pub(crate) documentation: Documentation,
    pub(crate) serde: SerdeNames,
    /// What is wrong with the declaration.
    pub(crate) mistakes: Vec<String>,
}

/// What the documents say about a property or a shape.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Documentation {
    pub(crate) title: Option<String>,
    pub(crate) description: Option<String>,
    pub(crate) examples: Vec<Value>,
    pub(crate) deprecated: bool,
}

/// In what serde lets the two faces differ.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct SerdeNames {
    pub(crate) input: Option<Cow<'static, str>>,
    pub(crate) output: Option<Cow<'static, str>>,
    pub(crate) aliases: Vec<Cow<'static, str>>,
    pub(crate) optional_input: bool,
    pub(crate) optional_output: bool,
}

impl Property {
    /// A property of any kind.
    pub fn new(name: impl Into<Cow<'static, str>>, kind: impl Into<SchemaType>) -> Self {
        Self {
            name: name.into(),
            kind: kind.into(),
            optional: false,
            nullable: false,
            read_only: false,
            write_only: false,
            modes: Modes::ALL,
            constant: None,
            default: None,
            documentation: Documentation::default(),
            serde: SerdeNames::default(),
            mistakes: Vec::new(),
        }
    }

    /// A property of a Rust type with a shape: optional and nullable as the type says.
    ///
    /// It lets a collection that is declared at run time use the shapes of the code.
    pub fn of<T: Schema + ?Sized>(name: impl Into<Cow<'static, str>>) -> Self {
        let property = Self::new(name, SchemaType::of::<T>());
        Self { optional: T::OPTIONAL, nullable: T::NULLABLE, ..property }
    }

    /// The declared name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The kind of its value.
    #[must_use]
    pub fn kind(&self) -> &SchemaType {
        &self.kind
    }

    /// The same property under another name.
    pub fn renamed(mut self, name: impl Into<Cow<'static, str>>) -> Self {
        self.name = name.into();
        self
    }

    /// At least so many characters.
    pub fn min_length(self, characters: usize) -> Self {
        self.constrain(&Constraint::MinLength(characters))
    }

    /// At most so many characters.
    pub fn max_length(self, characters: usize) -> Self {
        self.constrain(&Constraint::MaxLength(characters))
    }

    /// A match somewhere in the text; `^` and `$` anchor it to the whole.
    ///
    /// The pattern is written in the subset of ECMA-262 that every JSON Schema implementation reads alike: classes are ASCII; without look-around,
    /// back-references, named groups, inline flags and `\p`.
    pub fn pattern(self, pattern: &str) -> Self {
        self.constrain(&Constraint::Pattern(pattern.to_owned()))
    }

    /// A named rule, such as [`Format::EMAIL`].
    pub fn format(self, format: Format) -> Self {
        self.constrain(&Constraint::Format(format))
    }

    /// The smallest number.
    pub fn minimum(self, bound: impl Into<Number>) -> Self {
        self.constrain(&Constraint::Minimum(bound.into()))
    }

    /// The largest number.
    pub fn maximum(self, bound: impl Into<Number>) -> Self {
        self.constrain(&Constraint::Maximum(bound.into()))
    }

    /// A number below every one that is allowed.
    pub fn exclusive_minimum(self, bound: impl Into<Number>) -> Self {
        self.constrain(&Constraint::ExclusiveMinimum(bound.into()))
    }

    /// A number above every one that is allowed.
    pub fn exclusive_maximum(self, bound: impl Into<Number>) -> Self {
        self.constrain(&Constraint::ExclusiveMaximum(bound.into()))
    }

    /// Multiples of a step above 0 only.
    pub fn multiple_of(self, step: impl Into<Number>) -> Self {
        self.constrain(&Constraint::MultipleOf(step.into()))
    }

    /// At least so many items.
    pub fn min_items(self, items: usize) -> Self {
        self.constrain(&Constraint::MinItems(items))
    }

    /// At most so many items.
    pub fn max_items(self, items: usize) -> Self {
        self.constrain(&Constraint::MaxItems(items))
    }

    /// No item equals another, where `1` equals `1.0` and objects are equal whatever the order of their properties.
    pub fn unique_items(self) -> Self {
        self.constrain(&Constraint::UniqueItems)
    }

    /// Says more about each item of a list: `items(|item| item.min_length(1))`.
    pub fn items(mut self, change: impl FnOnce(Self) -> Self) -> Self {
        match &mut self.kind.0 {
            SchemaTypeRepr::Array(array) => array.items = change(array.items.clone()),
            _ => self
                .mistakes
                .push(format!("`items` is for lists, and this is {}; remove it", with_article(self.kind.name()))),
        }
        self
    }

    /// Says more about each value of a map: `values(|value| value.minimum(0))`.
    pub fn values(mut self, change: impl FnOnce(Self) -> Self) -> Self {
        match &mut self.kind.0 {
            SchemaTypeRepr::Map(map) => map.values = change(map.values.clone()),
            _ => self
                .mistakes
                .push(format!("`values` is for maps, and this is {}; remove it", with_article(self.kind.name()))),
        }
        self
    }

    /// At least so many properties.
    pub fn min_properties(self, properties: usize) -> Self {
        self.constrain(&Constraint::MinProperties(properties))
    }

    /// At most so many properties.
    pub fn max_properties(self, properties: usize) -> Self {
        self.constrain(&Constraint::MaxProperties(properties))
    }

    /// The only value that is allowed.
    pub fn constant(mut self, value: impl Into<Value>) -> Self {
        self.constant = Some(value.into());
        self
    }

    /// The value of a property that is not sent; it makes the property optional for a client, and an answer always has it.
    pub fn default_value(mut self, value: impl Into<Value>) -> Self {
        self.default = Some(value.into());
        self
    }

    /// May be absent.
    pub fn optional(mut self) -> Self {
        self.optional = true;
        self
    }

    /// May be null.
    pub fn nullable(mut self) -> Self {
        self.nullable = true;
        self
    }

    /// May not be null, whatever its type says: for what travels as text, where there is no null.
    pub fn not_null(mut self) -> Self {
        self.nullable = false;
        self
    }

    /// Exists in answers only.
    pub fn read_only(mut self) -> Self {
        self.read_only = true;
        self
    }

    /// Exists in requests only.
    pub fn write_only(mut self) -> Self {
        self.write_only = true;
        self
    }

    /// Should no longer be used.
    pub fn deprecated(mut self) -> Self {
        self.documentation.deprecated = true;
        self
    }

    /// A short name for readers of the documents.
    pub fn title(mut self, title: impl Into<String>) -> Self {
        self.documentation.title = Some(title.into());
        self
    }

    /// A description for readers of the documents, in CommonMark.
    pub fn description(mut self, description: impl Into<String>) -> Self {
        self.documentation.description = Some(description.into());
        self
    }

    /// One more example for readers of the documents.
    pub fn example(mut self, example: impl Into<Value>) -> Self {
        self.documentation.examples.push(example.into());
        self
    }

    /// Exists in these modes only.
    pub fn modes(mut self, modes: impl Into<Modes>) -> Self {
        self.modes = modes.into();
        self
    }

    /// Is read under another name than it is written: serde's `rename(deserialize = ..)`.
    pub fn input_name(mut self, name: impl Into<Cow<'static, str>>) -> Self {
        self.serde.input = Some(name.into());
        self
    }

    /// Is written under another name than it is read: serde's `rename(serialize = ..)`.
    pub fn output_name(mut self, name: impl Into<Cow<'static, str>>) -> Self {
        self.serde.output = Some(name.into());
        self
    }

    /// Is read under this name, too: serde's `alias`. The documents do not show it.
    pub fn alias(mut self, name: impl Into<Cow<'static, str>>) -> Self {
        self.serde.aliases.push(name.into());
        self
    }

    /// May be absent when read: serde's `default`.
    pub fn input_optional(mut self) -> Self {
        self.serde.optional_input = true;
        self
    }

    /// May be absent when written: serde's `skip_serializing_if`.
    pub fn output_optional(mut self) -> Self {
        self.serde.optional_output = true;
        self
    }

    /// The name under which a face knows the property.
    pub(crate) fn name_in(&self, face: SchemaSide) -> &str {
        let other = match face {
            SchemaSide::Input => &self.serde.input,
            SchemaSide::Output => &self.serde.output,
        };
        other.as_ref().unwrap_or(&self.name)
    }

    pub(crate) fn exists_in(&self, face: SchemaSide, mode: Option<Mode>) -> bool {
        let hidden = match face {
            SchemaSide::Input => self.read_only,
            SchemaSide::Output => self.write_only,
        };
        !hidden && mode.is_none_or(|mode| self.modes.contains(mode))
    }

    /// Whether clients should stop using it.
    #[must_use]
    pub fn is_deprecated(&self) -> bool {
        self.documentation.deprecated
    }

    /// What the documents say about it.
    #[must_use]
    pub fn description_text(&self) -> Option<&str> {
        self.documentation.description.as_deref()
    }

    /// The value that stands in for an absent one.
    #[must_use]
    pub fn default(&self) -> Option<&Value> {
        self.default.as_ref()
    }

    /// Whether it may not be absent on this face.
    #[must_use]
    pub fn is_required_in(&self, face: SchemaSide) -> bool {
        !self.optional
            && match face {
                SchemaSide::Input => !self.serde.optional_input && self.default.is_none(),
                SchemaSide::Output => !self.serde.optional_output,
            }
    }

    /// Whether the two faces show the property differently, apart from what its kind does.
    /// The other names under which it is read.
    pub(crate) fn aliases_in(&self, face: SchemaSide) -> &[Cow<'static, str>] {
        match face {
            SchemaSide::Input => &self.serde.aliases,
            SchemaSide::Output => &[],
        }
    }

    pub(crate) fn has_two_faces(&self) -> bool {
        self.read_only
            || self.write_only
            || !self.serde.aliases.is_empty()
            || self.name_in(SchemaSide::Input) != self.name_in(SchemaSide::Output)
            || self.is_required_in(SchemaSide::Input) != self.is_required_in(SchemaSide::Output)
    }

    fn constrain(mut self, constraint: &Constraint) -> Self {
        if let Err(mistake) = self.kind.constrain(constraint) {
            self.mistakes.push(mistake);
        }
        self
    }
}

/// An item or a map's value: a property without a name.
impl From<PropertyCollection> for Property {
    fn from(collection: PropertyCollection) -> Self {
        Self::new("", collection)
    }
}

impl From<OneOf> for Property {
    fn from(one_of: OneOf) -> Self {
        Self::new("", one_of)
    }
}

impl From<SchemaType> for Property {
    fn from(kind: SchemaType) -> Self {
        Self::new("", kind)
    }
}
