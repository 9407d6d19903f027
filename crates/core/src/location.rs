//! Builds the paths of other operations for `Location` headers.

use std::borrow::Cow;
use std::fmt::{self, Display};
use std::sync::{Arc, OnceLock};

use http::HeaderValue;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

use crate::problem::{Problem, Result};
use crate::template::{Segment, Template};

/// The characters that must be percent-encoded in a path segment (RFC 3986, section 3.3).
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~')
    .remove(b'!')
    .remove(b'$')
    .remove(b'&')
    .remove(b'\'')
    .remove(b'(')
    .remove(b')')
    .remove(b'*')
    .remove(b'+')
    .remove(b',')
    .remove(b';')
    .remove(b'=')
    .remove(b':')
    .remove(b'@');

/// A link to an operation of the same Api. It consists of the operation id and the values of the path parameters.
///
/// The path is built from the template of the operation, with the prefixes of its groups. A value is percent-encoded,
/// so it remains one segment.
///
/// ```
/// use restwright_core::Location;
///
/// let location = Location::to("viewPet").with("id", 7);
/// assert_eq!(location.to_string(), "viewPet(id=7)");
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[must_use = "a location has no effect until a response contains it"]
pub struct Location {
    operation_id: Cow<'static, str>,
    values: Vec<(Cow<'static, str>, String)>,
}

impl Location {
    /// Creates a link to the operation with this id.
    pub fn to(operation_id: impl Into<Cow<'static, str>>) -> Self {
        Self { operation_id: operation_id.into(), values: Vec::new() }
    }

    /// Sets the value of a path parameter.
    pub fn with(mut self, name: impl Into<Cow<'static, str>>, value: impl Display) -> Self {
        let (name, value) = (name.into(), value.to_string());
        match self.values.iter_mut().find(|(known, _)| *known == name) {
            Some((_, known)) => *known = value,
            None => self.values.push((name, value)),
        }
        self
    }

    fn value(&self, name: &str) -> Option<&str> {
        self.values.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }
}

impl Display for Location {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}(", self.operation_id)?;
        for (position, (name, value)) in self.values.iter().enumerate() {
            let separator = if position == 0 { "" } else { ", " };
            write!(formatter, "{separator}{name}={value}")?;
        }
        formatter.write_str(")")
    }
}

/// The paths of all operations, used to resolve a [`Location`]. They are available after the Api is built. A `plan`
/// method gets this value from [`BuildContext::operation_paths`](crate::BuildContext::operation_paths).
#[derive(Debug, Clone, Default)]
pub struct OperationPaths(Arc<OnceLock<Vec<OperationPath>>>);

/// The path of an operation. The paths are sorted by operation id.
#[derive(Debug)]
struct OperationPath {
    id: String,
    path: PathTemplate,
}

/// A path with placeholders for its parameters.
#[derive(Debug)]
pub struct PathTemplate(Vec<PathPiece>);

/// A piece of a path template, which is a fixed string or a parameter.
#[derive(Debug)]
enum PathPiece {
    Text(String),
    Parameter(Segment),
}

impl OperationPaths {
    /// Returns the path of a location, such as `/pets/7`.
    ///
    /// # Errors
    /// 500 if the Api has no such operation, or if a path parameter has no value. The same applies to an invalid value:
    /// empty, `.` or `..`.
    pub fn resolve(&self, location: &Location) -> Result<HeaderValue> {
        let path =
            self.path(location).map_err(|reason| Problem::internal(format!("the location {location}: {reason}")))?;
        HeaderValue::try_from(path).map_err(Problem::internal)
    }

    fn path(&self, location: &Location) -> Result<String, String> {
        let id = &*location.operation_id;
        let paths = self.0.get().map(Vec::as_slice).unwrap_or_default();
        let position = paths.binary_search_by(|path| path.id.as_str().cmp(id)).ok();
        let Some(template) = position.and_then(|position| paths.get(position)).map(|path| &path.path) else {
            return Err(format!("the Api has no operation `{id}`; use an id that a route or its controller declares"));
        };
        let path = template.fill(|name| location.value(name).map(Cow::Borrowed))?;
        let mut unknown = location.values.iter().map(|(name, _)| &**name).filter(|name| !template.has(name)).peekable();
        if unknown.peek().is_none() {
            return Ok(path);
        }
        Err(format!("the operation has no path parameter `{}`", unknown.collect::<Vec<_>>().join("`, `")))
    }
}

impl PathTemplate {
    /// Splits a path template into fixed strings and placeholders.
    #[must_use]
    pub fn new(template: &Template) -> Self {
        Self(pieces(template))
    }

    /// Replaces the placeholders with values and returns the path.
    ///
    /// # Errors
    /// A parameter has no value or an invalid value.
    pub fn fill<'v>(&self, value: impl Fn(&str) -> Option<Cow<'v, str>>) -> Result<String, String> {
        let mut path = String::with_capacity(64);
        for piece in &self.0 {
            match piece {
                PathPiece::Text(text) => path.push_str(text),
                PathPiece::Parameter(segment) => {
                    let name = &segment.name;
                    let value = value(name).ok_or_else(|| {
                        format!(
                            "the path parameter `{name}` of the operation has no value; add `.with(\"{name}\", ..)`"
                        )
                    })?;
                    push_value(&mut path, segment, &value)?;
                }
            }
        }
        Ok(path)
    }

    fn has(&self, name: &str) -> bool {
        self.0.iter().any(|piece| matches!(piece, PathPiece::Parameter(segment) if segment.name == name))
    }
}

/// Contains methods that only the runtime calls.
#[doc(hidden)]
impl OperationPaths {
    pub fn complete<'t>(&self, operations: impl Iterator<Item = (&'t str, &'t Template)>) {
        let path =
            |(id, template): (&str, &Template)| OperationPath { id: id.to_owned(), path: PathTemplate::new(template) };
        let mut paths: Vec<_> = operations.map(path).collect();
        paths.sort_by(|one, other| one.id.cmp(&other.id));
        // The paths are set once, by the build that created this value.
        let _ = self.0.set(paths);
    }
}

fn pieces(template: &Template) -> Vec<PathPiece> {
    let mut pieces = Vec::new();
    let mut text = String::new();
    for (fixed, segment) in template.segments() {
        text.push('/');
        text.push_str(&fixed);
        if let Some(segment) = segment {
            pieces.push(PathPiece::Text(std::mem::take(&mut text)));
            pieces.push(PathPiece::Parameter(segment.clone()));
        }
    }
    pieces.push(PathPiece::Text(text));
    pieces
}

/// Appends the percent-encoded value of a path parameter to the path. A normal parameter is one segment. A tail may be
/// several segments, separated by slashes.
fn push_value(path: &mut String, segment: &Segment, value: &str) -> Result<(), String> {
    let push = |path: &mut String, part: &str| {
        // Clients resolve dot segments, even if encoded, and an empty segment changes the path.
        if matches!(part, "" | "." | "..") {
            return Err(format!("the path parameter `{}` cannot have the segment `{part}`", segment.name));
        }
        path.extend(utf8_percent_encode(part, ENCODED));
        Ok(())
    };
    if !segment.tail {
        return push(path, value);
    }
    for (position, part) in value.split('/').enumerate() {
        if position > 0 {
            path.push('/');
        }
        push(path, part)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn resolve(location: &Location) -> Result<String, String> {
        let templates = [
            ("home", "/"),
            ("listPets", "/pets"),
            ("viewPet", "/käse/pets/{id}"),
            ("viewToy", "/pets/{id}/toys/{toy}/"),
            ("viewFile", "/files/{*path}"),
        ];
        let templates = templates.map(|(id, path)| (id, Template::parse(path).unwrap()));
        let paths = OperationPaths::default();
        paths.complete(templates.iter().map(|(id, template)| (*id, template)));
        paths.path(location)
    }

    #[test]
    fn escapes_values_within_their_segments() {
        let toy = || Location::to("viewToy").with("id", 7);
        for (location, expected) in [
            (Location::to("home"), "/"),
            (Location::to("listPets"), "/pets"),
            (Location::to("viewPet").with("id", -1), "/k%C3%A4se/pets/-1"),
            (toy().with("toy", "ball"), "/pets/7/toys/ball/"),
            (toy().with("toy", "a/b?c#d%2F é"), "/pets/7/toys/a%2Fb%3Fc%23d%252F%20%C3%A9/"),
            (toy().with("toy", "x").with("toy", "a@b.c:~(1)"), "/pets/7/toys/a@b.c:~(1)/"),
            (Location::to("viewFile").with("path", "a b/c"), "/files/a%20b/c"),
        ] {
            assert_eq!(resolve(&location).as_deref(), Ok(expected), "{location}");
        }
    }

    #[test]
    fn rejects_values_that_a_path_cannot_contain() {
        for (location, expected) in [
            (Location::to("viewPets"), "the Api has no operation `viewPets`"),
            (Location::to("viewToy").with("id", 7), "the path parameter `toy` of the operation has no value"),
            (Location::to("listPets").with("id", 7), "the operation has no path parameter `id`"),
            (Location::to("viewPet").with("id", ""), "cannot have the segment ``"),
            (Location::to("viewPet").with("id", ".."), "cannot have the segment `..`"),
            (Location::to("viewFile").with("path", "a/../b"), "cannot have the segment `..`"),
            (Location::to("viewFile").with("path", "a//b"), "cannot have the segment ``"),
        ] {
            let message = resolve(&location).unwrap_err();
            assert!(message.contains(expected), "{location}: {message}");
        }
    }
}
