//! Defines [`Withheld`], the treatment of members that the sender of an object may not set.

use std::sync::Arc;

use crate::code::Code;

/// The treatment of a member that the sender of an object may not set. See [`CompiledSchema::withholding`](crate::CompiledSchema::withholding).
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Withheld {
    /// The member is treated like one that the schema does not declare. A value never contains it, even if objects accept
    /// undeclared members.
    Unknown,
    /// The member is a violation with this code and message.
    Refused(Code, &'static str),
    /// The member is no violation, and the value does not contain it. [`CompiledSchema::read_apart`](crate::CompiledSchema::read_apart) returns it separately.
    Apart,
}

/// The withheld members of an object. The last treatment of a name counts.
#[derive(Clone, Debug, Default)]
pub(super) struct WithheldMembers(Vec<(Box<str>, Withheld)>);

impl WithheldMembers {
    pub(super) fn get(&self, name: &str) -> Option<&Withheld> {
        self.0.iter().rev().find(|(withheld, _)| **withheld == *name).map(|(_, treatment)| treatment)
    }

    pub(super) fn new<'n>(members: impl IntoIterator<Item = (&'n str, Withheld)>) -> Self {
        Self(members.into_iter().map(|(name, withheld)| (name.into(), withheld)).collect())
    }

    /// Returns the names of the members that are returned apart from the value.
    pub(super) fn apart(&self) -> Arc<[Box<str>]> {
        let apart = self.0.iter().filter(|(_, withheld)| *withheld == Withheld::Apart);
        apart.map(|(name, _)| name.clone()).collect()
    }

    pub(super) fn insert(&mut self, name: Box<str>, withheld: Withheld) {
        self.0.push((name, withheld));
    }
}
