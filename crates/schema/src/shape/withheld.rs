//! Defines [`Withheld`], the treatment of members that the sender of an object may not set.

use serde_json::Value;

use crate::code::Code;

/// The treatment of a member that the sender of an object may not set. See [`CompiledSchema::withholding`](crate::CompiledSchema::withholding).
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Withheld {
    /// The member is treated like one that the schema does not declare. A value never contains it, even if objects accept
    /// undeclared members.
    Unknown,
    /// The member is a violation with this code and message.
    Rejected(Code, &'static str),
    /// The member is no violation, and the value does not contain it. [`CompiledSchema::read_apart`](crate::CompiledSchema::read_apart) returns it separately.
    Apart,
}

/// The withheld members of an object. The last treatment of a name counts.
#[derive(Clone, Debug, Default)]
pub(super) struct WithheldMembers {
    treatments: Vec<(Box<str>, Withheld)>,
    /// The defaults of withheld properties, which the value has like an object without these properties.
    pub(super) defaults: Vec<(Box<str>, Value)>,
}

impl WithheldMembers {
    pub(super) fn get(&self, name: &str) -> Option<&Withheld> {
        self.treatments.iter().rev().find(|(withheld, _)| **withheld == *name).map(|(_, treatment)| treatment)
    }

    pub(super) fn new<'n>(members: impl IntoIterator<Item = (&'n str, Withheld)>) -> Self {
        let treatments = members.into_iter().map(|(name, withheld)| (name.into(), withheld)).collect();
        Self { treatments, defaults: Vec::new() }
    }

    /// Returns the names of the members that are returned apart from the value.
    pub(super) fn apart(&self) -> impl Iterator<Item = &str> {
        let names = self.treatments.iter().map(|(name, _)| &**name);
        names.filter(|name| self.get(name) == Some(&Withheld::Apart))
    }

    /// Adds the members of another set, whose treatments count.
    pub(super) fn extend(&mut self, others: &Self) {
        self.treatments.extend(others.treatments.iter().cloned());
    }

    pub(super) fn insert(&mut self, name: Box<str>, withheld: Withheld) {
        self.treatments.push((name, withheld));
    }
}
