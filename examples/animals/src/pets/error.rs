//! What can go wrong with a pet.

use restwright::prelude::*;

/// The application's own problems.
#[derive(Debug, Problem)]
pub enum PetError {
    /// No pet has this id.
    #[problem(status = 404, code = "pet_not_found", title = "Pet not found", detail = "There is no pet {id}.")]
    NotFound { id: i64 },
}
