use restwright::Sort;

#[derive(Clone, Sort)]
enum WithoutIdentifier {
    Name,
}

#[derive(Clone, Sort)]
enum Mistakes {
    #[sort(identifier)]
    Name,
    #[sort(id, default = down)]
    Id,
    #[sort(id)]
    Key,
    Pair(u8, u8),
    #[sort(rename = 1)]
    Born,
}

#[derive(Sort)]
struct NoEnum;

#[derive(Sort)]
enum NotCloned {
    #[sort(id)]
    Id,
}

#[derive(Clone, Sort)]
#[sort(rename_all = camelCase, rename = "x")]
enum WrongRule {
    #[sort(id)]
    Id,
}

fn main() {}
