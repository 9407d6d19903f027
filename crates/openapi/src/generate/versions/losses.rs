//! Defines [`Losses`], the list of features that a converted document lacks.

use std::collections::BTreeMap;

/// The features that the conversion omitted from a document, each with the number of omissions.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Losses(BTreeMap<String, usize>);

impl Losses {
    /// Counts one omission of a feature.
    pub(super) fn add(&mut self, what: impl Into<String>) {
        *self.0.entry(what.into()).or_default() += 1;
    }

    /// Appends the list of omitted features to the description of a document. Does nothing if the list is empty.
    pub(super) fn describe(&self, description: &mut Option<String>) {
        if self.0.is_empty() {
            return;
        }
        let lines = self.0.iter().map(|(what, places)| format!("\n- {what} ({places}×)"));
        let list = format!("Not included in this version of the document:\n{}", lines.collect::<String>());
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
    fn appends_the_losses_to_a_description() {
        let mut losses = Losses::default();
        let mut description = None;
        losses.describe(&mut description);
        assert_eq!(description, None);
        for what in ["`not`", "`contains`", "`not`"] {
            losses.add(what);
        }
        losses.describe(&mut description);
        let list = "Not included in this version of the document:\n\n- `contains` (1×)\n- `not` (2×)";
        assert_eq!(description.as_deref(), Some(list));
        description = Some("Pets.".to_owned());
        losses.describe(&mut description);
        assert_eq!(description, Some(format!("Pets.\n\n{list}")));
    }
}
