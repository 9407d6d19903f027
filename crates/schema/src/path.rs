//! Defines [`Path`], the location of a value inside a JSON value. It is converted to a JSON Pointer (RFC 6901) only if
//! a violation is reported.

use serde_json::Value;

/// The location of a value inside a JSON value. It is a linked list on the stack, from the location up to the root.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Path<'p> {
    Root,
    Name(&'p Path<'p>, &'p str),
    Index(&'p Path<'p>, usize),
    /// A parent path with a JSON Pointer appended.
    Written(&'p Path<'p>, &'p str),
}

/// The initial capacity of a JSON Pointer in bytes. Most pointers then need only one allocation.
const USUAL_LENGTH: usize = 32;

/// The maximum number of characters of a property name in a JSON Pointer. Longer names are cut, because clients choose
/// names, and every violation below a property repeats its name.
const LONGEST_NAME: usize = 128;

impl Path<'_> {
    /// Returns the path as a JSON Pointer (RFC 6901).
    pub(crate) fn pointer(&self) -> String {
        let mut pointer = String::with_capacity(USUAL_LENGTH);
        self.write(&mut pointer);
        pointer
    }

    /// Returns the number of arrays and objects around the location.
    pub(crate) fn depth(&self) -> usize {
        match self {
            Self::Root => 0,
            Self::Name(parent, _) | Self::Index(parent, _) => parent.depth() + 1,
            Self::Written(parent, written) => parent.depth() + written.matches('/').count(),
        }
    }

    /// Returns the value at the path.
    pub(crate) fn find<'v>(&self, root: &'v Value) -> Option<&'v Value> {
        match self {
            Self::Root => Some(root),
            Self::Name(parent, name) => parent.find(root)?.get(name),
            Self::Index(parent, index) => parent.find(root)?.get(index),
            Self::Written(parent, written) => parent.find(root)?.pointer(written),
        }
    }

    fn write(&self, pointer: &mut String) {
        match self {
            Self::Root => {}
            Self::Name(parent, name) => {
                parent.write(pointer);
                push_name(pointer, name);
            }
            Self::Index(parent, index) => {
                parent.write(pointer);
                pointer.push('/');
                pointer.push_str(&index.to_string());
            }
            Self::Written(parent, written) => {
                parent.write(pointer);
                pointer.push_str(written);
            }
        }
    }
}

/// Returns the JSON Pointer (RFC 6901, section 3) of a top-level property, with `~` and `/` escaped.
///
/// A name with more than 128 characters is cut, because clients may choose the name.
///
/// ```
/// assert_eq!(restwright_schema::pointer_to("a/b~c"), "/a~1b~0c");
/// ```
#[must_use]
pub fn pointer_to(name: &str) -> String {
    let mut pointer = String::with_capacity(1 + name.len().min(LONGEST_NAME));
    push_name(&mut pointer, name);
    pointer
}

/// Appends a name to a JSON Pointer, with `~` and `/` escaped.
pub(crate) fn push_name(pointer: &mut String, name: &str) {
    pointer.push('/');
    if name.len() <= LONGEST_NAME && !name.bytes().any(|byte| matches!(byte, b'~' | b'/')) {
        return pointer.push_str(name);
    }
    for (count, character) in name.chars().enumerate() {
        match character {
            _ if count == LONGEST_NAME => {
                pointer.push('…');
                return;
            }
            '~' => pointer.push_str("~0"),
            '/' => pointer.push_str("~1"),
            other => pointer.push(other),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pointer_escapes_and_cuts_names() {
        let path = Path::Name(&Path::Root, "a/b~c");
        let path = Path::Index(&path, 3);
        assert_eq!(path.pointer(), "/a~1b~0c/3");
        assert_eq!(Path::Name(&Path::Root, &"x".repeat(1000)).pointer().chars().count(), 1 + 128 + 1);
        assert_eq!(Path::Name(&Path::Root, &"x".repeat(128)).pointer().chars().count(), 1 + 128);
    }
}
