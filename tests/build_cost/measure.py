#!/usr/bin/env python3
"""The build cost of resources: an application with 20 derived resources on SQLite, in a folder below `target`.

`tests/build_cost/measure.py [name ..]` measures all, or these:
  items    the functions that the compiler generates for one resource, as the difference between applications with 3 and 2
  clean    processor seconds of a build of the application, whose dependencies are built
  field    of a build after one resource has a new field
  handler  of a build after one resource has a new handler
It fails if a figure exceeds its bound. `items --list` prints the functions of one resource by the path of their definition.

Seconds depend on the machine, so only the number of functions has a bound here, and the seconds are printed."""

import collections
import os
import pathlib
import re
import resource
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDER = ROOT / "target" / "build_cost"
APPLICATION = FOLDER / "application"
RESOURCES = 20

# The largest number of functions that one resource may add.
MAX_ITEMS = 400

MANIFEST = """[package]
name = "application"
version = "0.1.0"
edition = "2024"

[dependencies]
restwright = {{ path = "{root}/crates/restwright", features = ["resource", "sqlite"] }}
serde = {{ version = "1", features = ["derive"] }}

[profile.dev]
debug = "line-tables-only"

[workspace]
"""

RESOURCE = """use restwright::prelude::*;
use serde::{{Deserialize, Serialize}};

/// A thing.
#[derive(Clone, Serialize, Deserialize, Resource)]
#[resource(path = "/things_{number}", table = "things_{number}")]
pub struct Thing{number} {{
    #[property(id)]
    pub id: i64,
    #[property(min_length = 1, max_length = 100, filter(eq, contains), sort)]
    pub name: String,
    #[property(read_only, filter(eq, in))]
    #[serde(default)]
    pub state: State{number},
    #[property(minimum = 0, maximum = 10000, filter(gte, lte), sort)]
    pub weight: f64,
    #[property(max_length = 1000)]
    pub note: Option<String>,
    pub tags: Vec<String>,
    pub owner: Owner{number},
{field}}}

#[derive(Clone, Copy, Default, PartialEq, Serialize, Deserialize, Schema)]
#[serde(rename_all = "lowercase")]
pub enum State{number} {{
    #[default]
    Active,
    Cancelled,
}}

#[derive(Clone, Serialize, Deserialize, Schema)]
pub struct Owner{number} {{
    #[property(min_length = 1, max_length = 100)]
    pub name: String,
    pub age: Option<u32>,
}}
"""

HANDLER = """
#[derive(Request)]
pub struct CountRequest {
    #[query]
    pub least: u32,
}

pub async fn count(request: CountRequest) -> Result<Data<u32>> {
    Ok(Data(request.least + 1))
}
"""


def main():
    names = [name for name in sys.argv[1:] if not name.startswith("--")] or ["items", "clean", "field", "handler"]
    failed = False
    if "items" in names:
        count = items("--list" in sys.argv)
        failed = count > MAX_ITEMS
        print(f"items per resource: {count}, at most {MAX_ITEMS}")
    if {"clean", "field", "handler"} & set(names):
        seconds(names)
    sys.exit(1 if failed else 0)


def seconds(names):
    write(RESOURCES)
    build()
    if "clean" in names:
        subprocess.run(["cargo", "clean", "--quiet", "-p", "application"], cwd=APPLICATION, env=environment(), check=True)
        print(f"clean build: {build():.1f} s of processor time")
    if "field" in names:
        write(RESOURCES, field=True)
        print(f"a field added: {build():.1f} s of processor time")
    if "handler" in names:
        write(RESOURCES)
        build()
        write(RESOURCES, handler=True)
        print(f"a handler added: {build():.1f} s of processor time")


def items(is_listed):
    """Returns the number of functions that the third resource adds to an application with two."""
    fewer, more = (mono_items(resources) for resources in (2, 3))
    added = more - fewer
    if is_listed:
        groups = collections.Counter()
        for item, count in added.items():
            groups[path(item)] += count
        for name, count in groups.most_common(150):
            print(f"{count:6} {name}")
    return sum(added.values()) - sum((fewer - more).values())


def mono_items(resources):
    """Returns the functions of an application. The compiler lists them in its unstable output."""
    write(resources)
    wrapper = FOLDER / "unstable"
    wrapper.write_text('#!/bin/sh\nRUSTC_BOOTSTRAP=1 exec "$@"\n')
    wrapper.chmod(0o755)
    command = ["cargo", "rustc", "--quiet", "--", "-Zprint-mono-items=yes"]
    changed = environment() | {"RUSTC_WORKSPACE_WRAPPER": str(wrapper), "CARGO_INCREMENTAL": "0"}
    # What was compiled already is not listed again.
    (APPLICATION / "src" / "main.rs").touch()
    printed = subprocess.run(command, cwd=APPLICATION, env=changed, check=True, stdout=subprocess.PIPE, text=True).stdout
    lines = (line.partition(" @@ ")[0] for line in printed.splitlines())
    return collections.Counter(line for line in lines if line.startswith("MONO_ITEM fn "))


def path(item):
    """Returns the module that a function is defined in, without its generic arguments."""
    name = item.removeprefix("MONO_ITEM fn ")
    if name.startswith("std::ptr::drop_in_place"):
        return "drop glue"
    while (shorter := re.sub(r"<[^<>]*>", "", name.replace("->", "").replace("=>", ""))) != name:
        name = shorter
    return name if name.strip(":") else item.removeprefix("MONO_ITEM fn ")[:100]


def build():
    """Builds the application, and returns the processor seconds that this takes."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(["cargo", "build", "--quiet"], cwd=APPLICATION, env=environment(), check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def environment():
    return os.environ | {"CARGO_TARGET_DIR": str(FOLDER / "target"), "CARGO_INCREMENTAL": "1"}


def write(resources, field=False, handler=False):
    """Writes the application. One of its resources may have a field or a handler more. What stays as it is keeps its time."""
    numbers = range(resources)
    files = {"Cargo.toml": MANIFEST.format(root=ROOT)}
    for number in numbers:
        is_changed = number == 1
        more = "    pub comment: Option<String>,\n" if field and is_changed else ""
        source = RESOURCE.format(number=number, field=more)
        files[f"src/thing_{number}.rs"] = source + (HANDLER if handler and is_changed else "")
    modules = "".join(f"mod thing_{number};\n" for number in numbers)
    added = "".join(
        f"        .resource::<thing_{number}::Thing{number}>(store.clone(), Access::public())\n" for number in numbers
    )
    if handler:
        added += '        .controller(Route::get("/count").id("count").public().handler(thing_1::count))\n'
    files["src/main.rs"] = f"""{modules}
use restwright::auth::Access;
use restwright::prelude::*;
use restwright::sql::SqlStore;

fn main() -> Result<(), Box<dyn std::error::Error>> {{
    let store = SqlStore::new("sqlite::memory:").migrate();
    let api = Api::builder(Configuration::new("things", "1.0.0"))
{added}        .build()?;
    Ok(restwright::run(restwright::serve(api, "127.0.0.1:8080"))?)
}}
"""
    (APPLICATION / "src").mkdir(parents=True, exist_ok=True)
    # The versions of the workspace.
    if not (APPLICATION / "Cargo.lock").exists():
        shutil.copy(ROOT / "Cargo.lock", APPLICATION / "Cargo.lock")
    for name, text in files.items():
        file = APPLICATION / name
        if not file.exists() or file.read_text() != text:
            file.write_text(text)


main()
