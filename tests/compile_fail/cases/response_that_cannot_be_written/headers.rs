use restwright::Response;

struct Range {
    from: u64,
    to: u64,
}

#[derive(Response)]
enum Download {
    #[response(status = 204)]
    Nothing {
        #[header]
        range: Range,
        #[header("X-Other")]
        others: Vec<Range>,
    },
}

#[derive(Response)]
#[response(status = 204)]
struct Changed(#[header("ETag")] std::sync::Mutex<String>);

fn main() {}
