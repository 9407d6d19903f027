//! Wraps the recursive fields of types in `Box`.

use std::collections::{BTreeMap, BTreeSet};

use super::item::{ItemKind, RustItem, RustType, StructField};

/// Wraps each field that makes a type recursive in a `Box`. Without the `Box`, the type would have infinite size.
pub(super) fn box_recursive(items: &mut [RustItem]) {
    let parts: BTreeMap<_, _> = items.iter().map(|item| (item.name.clone(), parts(item))).collect();
    for item in items {
        let name = item.name.clone();
        each_type(&mut item.kind, |rust_type| box_if(rust_type, &|part| contains(part, &name, &parts)));
    }
}

/// Returns `true` if the types `whole` and `part` are equal, or if `whole` contains `part` directly or indirectly.
fn contains(whole: &str, part: &str, parts: &BTreeMap<String, BTreeSet<String>>) -> bool {
    let mut open = vec![whole];
    let mut seen = BTreeSet::new();
    while let Some(name) = open.pop() {
        if name == part {
            return true;
        }
        if seen.insert(name) {
            open.extend(parts.get(name).into_iter().flatten().map(String::as_str));
        }
    }
    false
}

/// Returns the names of the generated types that a generated type contains directly, without a pointer.
fn parts(item: &RustItem) -> BTreeSet<String> {
    let types: Vec<&RustType> = match &item.kind {
        ItemKind::Struct { fields, .. } => fields.iter().map(|field| &field.rust_type).collect(),
        ItemKind::Union { variants, .. } => variants.iter().map(|variant| &variant.rust_type).collect(),
        ItemKind::Enumeration(_) | ItemKind::Filters(_) | ItemKind::Sort(_) => Vec::new(),
    };
    types.into_iter().filter_map(part).map(str::to_owned).collect()
}

fn part(rust_type: &RustType) -> Option<&str> {
    match rust_type {
        RustType::Named(name) => Some(name),
        RustType::Option(value) => part(value),
        // `Vec`, `BTreeMap` and `Box` are pointers.
        RustType::Plain(_) | RustType::List(_) | RustType::Map(_) | RustType::Boxed(_) => None,
    }
}

fn each_type(kind: &mut ItemKind, mut change: impl FnMut(&mut RustType)) {
    match kind {
        ItemKind::Struct { fields, .. } => {
            fields.iter_mut().for_each(|StructField { rust_type, .. }| change(rust_type))
        }
        ItemKind::Union { variants, .. } => variants.iter_mut().for_each(|variant| change(&mut variant.rust_type)),
        ItemKind::Enumeration(_) | ItemKind::Filters(_) | ItemKind::Sort(_) => {}
    }
}

fn box_if(rust_type: &mut RustType, is_recursive: &dyn Fn(&str) -> bool) {
    match rust_type {
        RustType::Named(name) if is_recursive(name) => *rust_type = RustType::Boxed(Box::new(rust_type.clone())),
        RustType::Option(value) => box_if(value, is_recursive),
        RustType::Named(_) | RustType::Plain(_) | RustType::List(_) | RustType::Map(_) | RustType::Boxed(_) => {}
    }
}
