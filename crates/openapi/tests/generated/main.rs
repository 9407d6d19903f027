//! The generated Rust types of run-time declarations in use. `generated_types_compile_and_work` of the target `it`
//! writes the types and runs these tests.

#![cfg(test)]

mod declared;
mod declared_resource;
mod resource;
mod uses;

#[allow(clippy::all, dead_code, unreachable_pub, reason = "written by a program, and not everything is used")]
mod shapes {
    include!(env!(
        "RESTWRIGHT_SHAPES",
        "run `cargo test -p restwright-openapi --test it shape_files`, which writes them"
    ));
}

#[allow(clippy::all, dead_code, unreachable_pub, reason = "written by a program, and not everything is used")]
mod resource_shapes {
    include!(env!("RESTWRIGHT_RESOURCE_SHAPES"));
}
