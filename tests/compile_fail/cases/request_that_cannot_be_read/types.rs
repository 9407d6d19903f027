use restwright::Request;

struct Opaque;

#[derive(Request)]
struct WithOpaque {
    opaque: Opaque,
}

fn main() {}
