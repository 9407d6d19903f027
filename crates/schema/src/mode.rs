//! Defines [`Mode`], [`Modes`] and [`SchemaSide`]. They determine the requests and responses that contain a property.

use std::fmt;

/// An operation on a resource (create, view, list, update or delete). A property may exist only in some modes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Mode {
    /// The request creates an item.
    Create,
    /// The response contains one item.
    View,
    /// The response contains a list of items.
    List,
    /// The request changes an item.
    Update,
    /// The request deletes an item.
    Delete,
}

impl Mode {
    /// All modes.
    pub const ALL: [Self; 5] = [Self::Create, Self::View, Self::List, Self::Update, Self::Delete];

    /// Returns the name of the mode, such as `Create` or `View`, as it appears in component names.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Create => "Create",
            Self::View => "View",
            Self::List => "List",
            Self::Update => "Update",
            Self::Delete => "Delete",
        }
    }
}

impl fmt::Display for Mode {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

/// A set of modes.
///
/// ```
/// use restwright_schema::{Mode, Modes};
///
/// let modes = Modes::from([Mode::Create, Mode::View]);
/// assert!(modes.contains(Mode::View));
/// assert!(!modes.contains(Mode::List));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Modes(u8);

impl Modes {
    /// All modes.
    pub const ALL: Self = Self(0b1_1111);
    /// The empty set of modes.
    pub const NONE: Self = Self(0);

    /// Returns `true` if the set contains this mode.
    #[must_use]
    pub fn contains(self, mode: Mode) -> bool {
        self.0 & Self::bit(mode) != 0
    }

    /// Returns the set of modes without this mode.
    #[must_use]
    pub fn without(self, mode: Mode) -> Self {
        Self(self.0 & !Self::bit(mode))
    }

    /// Returns the set of modes with this mode added.
    #[must_use]
    pub fn with(self, mode: Mode) -> Self {
        Self(self.0 | Self::bit(mode))
    }

    fn bit(mode: Mode) -> u8 {
        match mode {
            Mode::Create => 1,
            Mode::View => 2,
            Mode::List => 4,
            Mode::Update => 8,
            Mode::Delete => 16,
        }
    }
}

impl Default for Modes {
    fn default() -> Self {
        Self::ALL
    }
}

impl<const N: usize> From<[Mode; N]> for Modes {
    fn from(modes: [Mode; N]) -> Self {
        modes.into_iter().collect()
    }
}

impl FromIterator<Mode> for Modes {
    fn from_iter<I: IntoIterator<Item = Mode>>(modes: I) -> Self {
        modes.into_iter().fold(Self::NONE, Self::with)
    }
}

/// The side on which a schema is used, either requests (input) or responses (output).
///
/// The schema of a type can differ between the sides: by read-only and write-only properties, by defaults, and by serde
/// names for one direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum SchemaSide {
    /// The schema describes values that a client sends.
    Input,
    /// The schema describes values that a client receives.
    Output,
}
