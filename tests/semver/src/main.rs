//! Writes the public items of crates to files: `restwright-semver FOLDER INTO CRATE..`.
//!
//! `FOLDER` contains the documentation of the crates as JSON. A line is an item. Blanket implementations are left out, and so are
//! implementations of auto traits, except that a type is not `Send` or not `Sync`.

use std::error::Error;
use std::path::Path;

use public_api::Builder;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let (Some(folder), Some(into)) = (arguments.next(), arguments.next()) else {
        return Err("usage: restwright-semver FOLDER INTO CRATE..".into());
    };
    std::fs::create_dir_all(&into)?;
    for name in arguments {
        let json = Path::new(&folder).join(format!("{}.json", name.replace('-', "_")));
        let found = Builder::from_rustdoc_json(json).omit_blanket_impls(true).build()?;
        let lines: String =
            found.items().map(ToString::to_string).filter(|line| is_listed(line)).map(|line| line + "\n").collect();
        std::fs::write(Path::new(&into).join(format!("{name}.txt")), lines)?;
    }
    Ok(())
}

/// Almost every type implements each auto trait.
fn is_listed(line: &str) -> bool {
    let is_auto = ["marker::Freeze", "marker::Send", "marker::Sync", "Unpin", "UnwindSafe"]
        .iter()
        .any(|name| line.starts_with("impl") && line.contains(&format!("{name} for ")));
    !is_auto || line.contains("!core::marker::S")
}
