use restwright::list::{Cursor, SortBag};
use restwright::prelude::*;
use restwright::rate_limit::{Quota, RateLimit};

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

fn limit() -> RateLimit {
    RateLimit::global("all", Quota::per_minute(60))
}

fn main() {
    let _ = limit();
}
