use std::io;

use restwright::prelude::*;

#[derive(Debug, Problem)]
enum PetError {
    #[problem(staus = 404)]
    NotFound,
    #[problem(status = 500)]
    Disk(#[from] io::Error),
}

fn find() -> Result<()> {
    Err(PetError::NotFound)?
}

fn read() -> Result<Vec<u8>, PetError> {
    Ok(std::fs::read("pets")?)
}

fn main() {
    let _ = Route::get("/pet").problems::<PetError>();
    let _ = (find(), read());
}
