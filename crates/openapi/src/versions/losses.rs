//! The losses of a conversion.

use std::collections::BTreeMap;

/// Everything that a conversion leaves out, with the number of places.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Losses(BTreeMap<String, usize>);

impl Losses {
    /// Adds one place at which something is left out.
    pub(super) fn add(&mut self, what: impl Into<String>) {
        *self.0.entry(what.into()).or_default() += 1;
    }

    /// Appends a list of the losses to the description of a document, unless there is none.
    pub(super) fn describe(&self, description: &mut Option<String>) {
        if self.0.is_empty() {
            return;
        }
        let lines = self.0.iter().map(|(what, places)| format!("\n- {what} ({places}×)"));
        let list = format!("Left out of this version of the document:\n{}", lines.collect::<String>());
        *description = Some(match description.take() {
            Some(text) => format!("{text}\n\n{list}"),
            None => list,
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_description_ends_with_the_losses() {
        let mut losses = Losses::default();
        let mut description = None;
        losses.describe(&mut description);
        assert_eq!(description, None);
        for what in ["`not`", "`contains`", "`not`"] {
            losses.add(what);
        }
        losses.describe(&mut description);
        let list = "Left out of this version of the document:\n\n- `contains` (1×)\n- `not` (2×)";
        assert_eq!(description.as_deref(), Some(list));
        description = Some("Pets.".to_owned());
        losses.describe(&mut description);
        assert_eq!(description, Some(format!("Pets.\n\n{list}")));
    }
}
