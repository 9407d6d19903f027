//! [`Mode`], [`Modes`] and [`SchemaSide`]: which properties a schema has where.

use std::fmt;

/// The use of a resource by an operation; a property may exist in some modes only.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Mode {
    /// A new item is sent.
    Create,
    /// One item is returned.
    View,
    /// An item is returned within a list.
    List,
    /// Changes to an item are sent.
    Update,
    /// An item is removed.
    Delete,
}

impl Mode {
    /// Every mode.
    pub const ALL: [Self; 5] = [Self::Create, Self::View, Self::List, Self::Update, Self::Delete];

    /// The mode as component names end with it: `Create`, `View` ..
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
    /// Every mode.
    pub const ALL: Self = Self(0b1_1111);
    /// No mode.
    pub const NONE: Self = Self(0);

    /// Returns true if the mode is in the set.
    #[must_use]
    pub fn contains(self, mode: Mode) -> bool {
        self.0 & Self::bit(mode) != 0
    }

    /// The set without a mode.
    #[must_use]
    pub fn without(self, mode: Mode) -> Self {
        Self(self.0 & !Self::bit(mode))
    }

    /// The set with a mode.
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

/// The side of a schema: what is read, or what is written.
///
/// They differ by read-only and write-only properties, by defaults, and by names that serde gives to one side only.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum SchemaSide {
    /// The values that a client sends.
    Input,
    /// The values that a client receives.
    Output,
}
