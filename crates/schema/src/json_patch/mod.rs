//! Defines [`JsonPatch`], a list of operations that change a JSON document (RFC 6902).

use crate::code::Code;
use crate::shape::{CompiledSchema, OneOf, Property, PropertyCollection, SchemaObject, SchemaType, any, string};
use crate::violation::Violation;

mod merge_patch;
mod operation;
mod pointer;

use self::operation::{PatchOperation, PatchTarget};
use self::pointer::Pointer;
use crate::document::JsonDocument;

/// A JSON Patch (RFC 6902): at most 100 operations that change a JSON document.
///
/// Numbers keep all their digits. All copied values together have at most the maximum size of the document.
///
/// ```
/// use restwright_schema::JsonPatch;
///
/// let patch = r#"[{"op": "test", "path": "/tags/0", "value": "a"}, {"op": "add", "path": "/tags/-", "value": 1.50}]"#;
/// let patch = JsonPatch::parse(patch).unwrap();
/// assert_eq!(patch.apply(r#"{"tags": ["a"]}"#, 1_000).unwrap(), r#"{"tags":["a",1.50]}"#);
/// ```
#[derive(Clone, Debug)]
pub struct JsonPatch<'j>(Vec<PatchOperation<'j>>);

/// The error of an operation of a JSON Patch that cannot be applied.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct PatchError {
    /// The position of the operation in the patch.
    pub index: usize,
    /// The reason.
    pub kind: PatchErrorKind,
}

/// The reason why an operation of a JSON Patch cannot be applied.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum PatchErrorKind {
    /// A pointer refers to no value. The string is the member that contains the pointer: `path` or `from`.
    NoTarget(&'static str),
    /// The value differs from the value of the operation `test`.
    TestFailed,
    /// The operation moves a value into itself.
    MovesIntoItself,
    /// The operation removes the whole document.
    RemovesDocument,
    /// The document would become larger than this number of bytes.
    TooLarge(usize),
    /// The document would have more than this number of levels.
    TooDeep(usize),
}

/// The maximum number of operations.
const MAX_OPERATIONS: usize = 100;

/// The regular expression for a JSON Pointer (RFC 6901, section 3).
const POINTER: &str = "^(/([^~/]|~0|~1)*)*$";

impl<'j> JsonPatch<'j> {
    /// Parses a patch. Returns `None` if the text does not match the [schema](JsonPatch::schema).
    #[must_use]
    pub fn parse(text: &'j str) -> Option<Self> {
        let JsonDocument::Array(operations) = JsonDocument::parse(text)? else { return None };
        operations.iter().map(PatchOperation::read).collect::<Option<_>>().map(Self)
    }

    /// Returns the schema of a patch. Each operation is a variant of the component `JsonPatchOperation`.
    pub fn schema() -> SchemaObject {
        let pointer = |name: &'static str, refers: &str| {
            string(name).pattern(POINTER).description(format!("A JSON Pointer (RFC 6901) to the {refers}."))
        };
        let path = || pointer("path", "value to change or to compare");
        let from = || pointer("from", "value to move or to copy");
        let value = |words: &str| any("value").nullable().description(words);
        let operation = |description: &str, more: Option<Property>| {
            let operation = PropertyCollection::new("").description(description).property(path());
            SchemaType::from(more.into_iter().fold(operation, PropertyCollection::property))
        };
        let operations = OneOf::new("JsonPatchOperation", "op")
            .description("An operation of a JSON Patch (RFC 6902).")
            .variant("add", operation("Adds a value, or replaces a member.", Some(value("The new value."))))
            .variant("remove", operation("Removes a value.", None))
            .variant("replace", operation("Replaces a value.", Some(value("The new value."))))
            .variant("move", operation("Moves a value to another place.", Some(from())))
            .variant("copy", operation("Copies a value to another place.", Some(from())))
            .variant("test", operation("Compares a value.", Some(value("The value that must be there."))));
        let operations = SchemaObject::new(SchemaType::array(operations));
        operations
            .max_items(MAX_OPERATIONS)
            .description("A JSON Patch (RFC 6902). If one operation fails, nothing changes.")
    }

    /// Applies the operations in their order, and returns the new document. `max_bytes` is the maximum size of the document after
    /// each operation.
    ///
    /// # Errors
    /// Returns the first operation that cannot be applied.
    pub fn apply(&self, document: &str, max_bytes: usize) -> Result<String, PatchError> {
        self.applied(document, max_bytes).map(|document| document.to_json())
    }

    /// Applies the operations, and returns the changes as a merge patch (RFC 7396) for the given schema.
    ///
    /// A merge patch merges objects with declared properties, and replaces maps and other values. A removed property becomes null.
    ///
    /// # Errors
    /// Returns the first operation that cannot be applied.
    pub fn to_merge_patch(
        &self,
        document: &str,
        shape: &CompiledSchema,
        max_bytes: usize,
    ) -> Result<String, PatchError> {
        let after = self.applied(document, max_bytes)?;
        let before = JsonDocument::parse(document).unwrap_or(JsonDocument::Scalar("null"));
        Ok(merge_patch::between(&before, &after, shape))
    }

    /// Returns the JSON Pointer of the part of the patch that set a value. `pointer` is the JSON Pointer of the value in the new
    /// document.
    #[must_use]
    pub fn place_of(&self, pointer: &str) -> String {
        let pointer = Pointer::parse(pointer);
        let changes = self.0.iter().enumerate().filter(|(_, operation)| operation.changes());
        // The operation that is closest to the value, and the last one of several.
        let related = changes.filter(|(_, operation)| {
            let common = operation.path.common(&pointer);
            common == operation.path.len() || common == pointer.len()
        });
        let closest = related.max_by_key(|(_, operation)| operation.path.common(&pointer));
        let Some((index, operation)) = closest else { return String::new() };
        match operation.path.common(&pointer) {
            common if common == operation.path.len() && operation.has_value() => {
                format!("/{index}/value{}", pointer.after(common))
            }
            _ => format!("/{index}"),
        }
    }

    fn applied<'d>(&self, document: &'d str, max_bytes: usize) -> Result<JsonDocument<'d>, PatchError>
    where
        'j: 'd,
    {
        // A document that the server wrote is JSON.
        let document = JsonDocument::parse(document).unwrap_or(JsonDocument::Scalar("null"));
        let mut target = PatchTarget::new(document, max_bytes);
        let operations: &[PatchOperation<'d>] = &self.0;
        for (index, operation) in operations.iter().enumerate() {
            target.apply(operation, index)?;
        }
        Ok(target.into_document())
    }
}

impl PatchError {
    /// Returns `true` if the patch fails because of the document's content. The same patch can be valid for another document.
    #[must_use]
    pub fn is_conflict(&self) -> bool {
        matches!(self.kind, PatchErrorKind::NoTarget(_) | PatchErrorKind::TestFailed)
    }

    /// Returns the violation. Its pointer refers to the patch.
    #[must_use]
    pub fn violation(&self) -> Violation {
        let index = self.index;
        match self.kind {
            PatchErrorKind::NoTarget(member) => {
                Violation::new(format!("/{index}/{member}"), Code::NO_TARGET, "refers to no value")
            }
            PatchErrorKind::TestFailed => {
                Violation::new(format!("/{index}/value"), Code::TEST_FAILED, "differs from the current value")
            }
            PatchErrorKind::MovesIntoItself => {
                Violation::new(format!("/{index}/path"), Code::INVALID, "must not be inside the value that is moved")
            }
            PatchErrorKind::RemovesDocument => {
                Violation::new(format!("/{index}/path"), Code::INVALID, "must not refer to the whole document")
            }
            PatchErrorKind::TooLarge(bytes) => {
                let message = format!("makes the document larger than {bytes} bytes");
                Violation::new(format!("/{index}"), Code::INVALID, message).param("max", bytes)
            }
            PatchErrorKind::TooDeep(levels) => {
                let message = format!("makes the document deeper than {levels} levels");
                Violation::new(format!("/{index}"), Code::INVALID, message).param("max", levels)
            }
        }
    }
}
