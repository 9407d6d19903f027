//! Mistakes that several operations have in common.

use restwright_core::{BuildErrors, Configuration};

/// What was told with an earlier operation.
#[derive(Clone, Default)]
struct Told(BuildErrors);

/// Leaves out what was told with an earlier operation: a setting, and a limit of the whole Api, have each mistake once.
pub(super) fn once(errors: BuildErrors, configuration: &mut Configuration) -> BuildErrors {
    if errors.is_empty() {
        return errors;
    }
    let mut told = configuration.get::<Told>().cloned().unwrap_or_default();
    let mut new = BuildErrors::new();
    errors.messages().iter().filter(|message| !told.0.messages().contains(message)).for_each(|one| new.push(one));
    told.0.take::<()>(Err(errors));
    configuration.insert(told);
    new
}
