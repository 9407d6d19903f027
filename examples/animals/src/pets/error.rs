//! The problems of the pet endpoints.

use restwright::prelude::*;

/// The problems of the pet endpoints, in addition to the framework's problems.
#[derive(Debug, Problem)]
pub enum PetError {
    /// No pet has this id.
    #[problem(status = 404, code = "pet_not_found", title = "Pet not found", detail = "There is no pet {id}.")]
    NotFound { id: i64 },
}
