use restwright::prelude::*;

#[derive(Clone, Copy, Sort)]
enum PetSort {
    #[sort(id)]
    Id,
}

#[derive(Request)]
struct ListPets {
    sort: SortBag<PetSort>,
    cursor: Cursor,
}

fn documentation() -> Documentation {
    Documentation::at("/docs")
}

fn main() {
    let _ = documentation();
}
