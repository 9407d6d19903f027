//! Reads which modules of a crate name each other.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::iter::Peekable;
use std::path::Path;

/// The path of a module below the root of its crate.
pub(crate) type ModulePath = Vec<String>;

/// The modules of a crate, without modules of tests.
#[derive(Default)]
pub(crate) struct Modules(BTreeMap<ModulePath, Module>);

#[derive(Default)]
struct Module {
    children: BTreeSet<String>,
    /// The paths that the module names.
    paths: Vec<ModulePath>,
    /// The paths of items that the module imports or re-exports, by the last names of the paths.
    imports: BTreeMap<String, ModulePath>,
}

/// The files and folders of one folder. Each contains the other ones that it names.
pub(crate) type Graph = BTreeMap<String, BTreeSet<String>>;

impl Modules {
    /// Reads the modules of a crate from its `src`.
    pub(crate) fn read(src: &Path) -> Self {
        let mut modules = Self::default();
        modules.read_folder(src, &[], &src.join("lib.rs"));
        let imports: Vec<_> =
            modules.0.iter().map(|(path, module)| (path.clone(), modules.imports(path, module))).collect();
        for (path, imports) in imports {
            modules.0.entry(path).or_default().imports = imports;
        }
        modules
    }

    fn read_folder(&mut self, folder: &Path, path: &[String], file: &Path) {
        let mut module = Module { paths: paths(&fs::read_to_string(file).unwrap()), ..Module::default() };
        for entry in fs::read_dir(folder).unwrap() {
            let entry = entry.unwrap().path();
            let name = entry.file_stem().unwrap().to_str().unwrap().to_owned();
            // Tests may name any module.
            if name.ends_with("tests") || ["mod", "lib", "main"].contains(&&*name) {
                continue;
            }
            let child = [path, std::slice::from_ref(&name)].concat();
            if entry.join("mod.rs").is_file() {
                self.read_folder(&entry, &child, &entry.join("mod.rs"));
            } else if entry.extension().is_some_and(|extension| extension == "rs") {
                let paths = paths(&fs::read_to_string(&entry).unwrap());
                self.0.insert(child, Module { paths, ..Module::default() });
            } else {
                continue;
            }
            module.children.insert(name);
        }
        self.0.insert(path.to_vec(), module);
    }

    fn imports(&self, path: &[String], module: &Module) -> BTreeMap<String, ModulePath> {
        let absolute = module.paths.iter().filter_map(|named| absolute(path, module, named));
        absolute.filter_map(|named| Some((named.last()?.clone(), named))).rev().collect()
    }

    /// Returns the folders of the crate that contain modules, except its root.
    pub(crate) fn folders(&self) -> impl Iterator<Item = &ModulePath> {
        self.0.iter().filter(|(path, module)| !path.is_empty() && !module.children.is_empty()).map(|(path, _)| path)
    }

    /// Returns the files and folders of a folder. The `mod.rs` of the folder is not one of them, because it is the
    /// folder itself: its files may name its items, and it re-exports items of its files.
    pub(crate) fn graph(&self, folder: &[String]) -> Graph {
        let mut graph: Graph = self.0[folder].children.iter().map(|child| (child.clone(), BTreeSet::new())).collect();
        let child = |path: &[String]| path.strip_prefix(folder).and_then(<[_]>::first).cloned();
        for (path, module) in &self.0 {
            let Some(from) = child(path) else { continue };
            let named = module.paths.iter().filter_map(|named| absolute(path, module, named));
            for to in named.filter_map(|named| child(&self.resolve(&named, 8))).filter(|to| *to != from) {
                graph.entry(from.clone()).or_default().insert(to);
            }
        }
        graph
    }

    /// Returns the module that defines an item. At most `steps` re-exports lead to it.
    fn resolve(&self, named: &[String], steps: u8) -> ModulePath {
        let is_module = |length: &usize| self.0.contains_key(&named[..*length]);
        let length = (1..=named.len()).take_while(is_module).last().unwrap_or_default();
        let (module, rest) = named.split_at(length);
        let import = rest.first().and_then(|item| self.0[module].imports.get(item));
        match import {
            Some(import) if steps > 0 && import[..] != named[..=length] => {
                self.resolve(&[import, &rest[1..]].concat(), steps - 1)
            }
            _ => module.to_vec(),
        }
    }
}

/// Returns the groups of files and folders that reach each other, the largest first.
pub(crate) fn circles(graph: &Graph) -> Vec<Vec<&str>> {
    let reached: BTreeMap<_, _> = graph.keys().map(|module| (&**module, reached_by(graph, module))).collect();
    let circle_of = |module: &&str| {
        let back =
            reached.iter().filter(|(other, of_other)| of_other.contains(module) && reached[module].contains(*other));
        back.map(|(other, _)| *other).collect::<Vec<_>>()
    };
    let circles: BTreeSet<_> = reached.keys().map(circle_of).filter(|circle| !circle.is_empty()).collect();
    let mut circles: Vec<_> = circles.into_iter().collect();
    circles.sort_by_key(|circle| std::cmp::Reverse(circle.len()));
    circles
}

fn reached_by<'g>(graph: &'g Graph, module: &'g str) -> BTreeSet<&'g str> {
    let (mut reached, mut next) = (BTreeSet::new(), vec![module]);
    while let Some(module) = next.pop() {
        next.extend(graph[module].iter().map(String::as_str).filter(|used| reached.insert(*used)));
    }
    reached
}

/// Returns the path from the root of the crate. Returns `None` for a path into another crate, or to a local name.
fn absolute(path: &[String], module: &Module, named: &[String]) -> Option<ModulePath> {
    let first = named.first()?;
    if first == "crate" {
        return Some(named[1..].to_vec());
    }
    let ups = named.iter().take_while(|name| *name == "super").count();
    if ups > 0 || first == "self" {
        let base = path.get(..path.len().checked_sub(ups)?)?;
        return Some([base, &named[ups.max(1)..]].concat());
    }
    module.children.contains(first).then(|| [path, named].concat())
}

/// Returns the paths with at least two names in the source of a module, except in its unit tests and in comments. The
/// path of each item in braces is a separate path.
fn paths(text: &str) -> Vec<ModulePath> {
    let text = text.split("\n#[cfg(test)]\nmod tests {").next().unwrap_or_default();
    let lines: Vec<_> = text.lines().map(|line| line.split("//").next().unwrap_or_default()).collect();
    let mut tokens = tokens(&lines.join("\n")).into_iter().peekable();
    let mut found = Vec::new();
    let mut before = String::new();
    while let Some(token) = tokens.peek().cloned() {
        if is_name(&token) && !["$", ".", "::"].contains(&&*before) {
            path(&mut tokens, &[], &mut found);
            before.clear();
        } else {
            tokens.next();
            before = token;
        }
    }
    found.retain(|path| path.len() > 1);
    found
}

/// Reads one path, or the paths of a group in braces.
fn path(tokens: &mut Peekable<impl Iterator<Item = String>>, prefix: &[String], found: &mut Vec<ModulePath>) {
    let mut path = prefix.to_vec();
    path.extend(tokens.next());
    while tokens.next_if(|token| token == "::").is_some() {
        if tokens.next_if(|token| token == "{").is_some() {
            while let Some(token) = tokens.peek().filter(|token| *token != "}") {
                if is_name(token) && token != "as" { self::path(tokens, &path, found) } else { drop(tokens.next()) }
            }
            return drop(tokens.next());
        }
        match tokens.next_if(|token| is_name(token)) {
            Some(name) => path.push(name),
            None => break,
        }
    }
    // `as` renames the import in this module.
    if tokens.next_if(|token| token == "as").is_some() {
        tokens.next();
    }
    found.push(path);
}

fn is_name(token: &str) -> bool {
    token.starts_with(|letter: char| letter.is_alphabetic() || letter == '_')
}

/// Splits Rust source into names and punctuation, without strings.
fn tokens(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        let is_part = |letter: char| letter.is_alphanumeric() || letter == '_';
        let length = if is_part(first) {
            rest.find(|letter| !is_part(letter)).unwrap_or(rest.len())
        } else if rest.starts_with("::") {
            2
        } else if rest.starts_with("'\"'") {
            3
        } else if first == '"' {
            string_length(rest)
        } else {
            first.len_utf8()
        };
        let (token, after) = rest.split_at(length);
        if first != '"' {
            found.push(token.to_owned());
        }
        rest = after.trim_start();
    }
    found
}

fn string_length(text: &str) -> usize {
    let mut letters = text.char_indices().skip(1);
    while let Some((position, letter)) = letters.next() {
        match letter {
            '\\' => drop(letters.next()),
            '"' => return position + 1,
            _ => {}
        }
    }
    text.len()
}
