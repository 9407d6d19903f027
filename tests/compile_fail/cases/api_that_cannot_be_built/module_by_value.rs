use restwright::prelude::*;
use restwright::production::Health;

fn main() {
    let _ = Api::builder(Configuration::new("pets", "1.0.0")).module(Health::new()).build();
}
