//! Defines [`IncludeSettings`], the settings of one operation that concern related entities.

use std::sync::Arc;

use super::{RelatedFields, Source, Sources};

/// The settings of one operation that concern related entities. They are stored on its route.
pub(in crate::endpoints) struct IncludeSettings {
    /// Reads the entities of this resource for the relations of other resources.
    pub(in crate::endpoints) source: Arc<Source>,
    pub(in crate::endpoints) sources: Sources,
    /// The fields of related entities that lists can be filtered and sorted by.
    pub(in crate::endpoints) related: Arc<RelatedFields>,
}
