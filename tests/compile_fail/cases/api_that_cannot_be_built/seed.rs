use restwright::prelude::*;

fn fill() -> Result<()> {
    Ok(())
}

fn main() {
    let _ = Api::builder(Configuration::new("pets", "1.0.0")).seed(fill).build();
}
