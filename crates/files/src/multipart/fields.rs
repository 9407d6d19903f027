//! Defines [`FormFields`], what was received of a form.

use std::any::Any;
use std::borrow::Cow;
use std::collections::HashMap;
use std::rc::Rc;

use restwright_runtime::core::body::{FormattedBody, form_to_json};
use restwright_runtime::core::problem::RequestViolations;
use restwright_runtime::core::schema::{CompiledSchema, FormValue};

use super::file_stream::FileStream;
use super::uploaded_file::UploadedFile;
use crate::counted::{ALLOCATION, HeldBytes, KeptBytes};

/// The fields and files of a form that were received. All their bytes count towards the memory of the worker.
pub(super) struct FormFields {
    fields: Vec<(Cow<'static, str>, FormValue<'static>)>,
    files: Vec<Rc<dyn Any>>,
    /// The number of files with each name, for the pointers of violations.
    counts: HashMap<String, usize>,
    /// The number of bytes of the files in memory.
    in_memory: usize,
    /// The bytes of the text fields and files, which stay in memory until the request ends.
    contents: KeptBytes,
    /// The bytes of the names, and of the pointers of violations.
    names: KeptBytes,
    /// The bytes of the lists.
    entries: KeptBytes,
}

impl FormFields {
    pub(super) fn new(held: &HeldBytes) -> Self {
        let kept = || KeptBytes::new(held, 0);
        Self {
            fields: Vec::new(),
            files: Vec::new(),
            counts: HashMap::new(),
            in_memory: 0,
            contents: kept(),
            names: kept(),
            entries: kept(),
        }
    }

    pub(super) fn push_text(&mut self, name: String, text: String) {
        self.contents.add(text.capacity() + ALLOCATION);
        self.push(name, FormValue::Text(text.into()));
    }

    pub(super) fn push_json(&mut self, name: String, json: String) {
        self.contents.add(json.capacity() + ALLOCATION);
        self.push(name, FormValue::Json(json.into()));
    }

    pub(super) fn push_file(&mut self, name: String, file: UploadedFile) {
        self.contents.add(size_of::<UploadedFile>() + ALLOCATION + file.memory());
        self.in_memory = self.in_memory.saturating_add(file.content_memory());
        self.add_file(name, Rc::new(file));
    }

    /// Adds the last file. It counts its bytes itself.
    pub(super) fn push_stream(&mut self, name: String, file: FileStream) {
        self.add_file(name, Rc::new(file));
    }

    /// Adds a file for a property that is no file. The conversion to JSON reports it.
    pub(super) fn push_unexpected_file(&mut self, name: String) {
        self.push(name, FormValue::File(0));
    }

    fn add_file(&mut self, name: String, file: Rc<dyn Any>) {
        let number = self.files.len();
        self.files.push(file);
        self.push(name, FormValue::File(number));
    }

    fn push(&mut self, name: String, value: FormValue<'static>) {
        self.names.add(name.capacity() + ALLOCATION);
        self.fields.push((name.into(), value));
        self.count_entries();
    }

    fn count_entries(&mut self) {
        let fields = self.fields.capacity() * size_of::<(Cow<'static, str>, FormValue<'static>)>();
        let files = self.files.capacity() * size_of::<Rc<dyn Any>>();
        let counts = self.counts.capacity() * size_of::<(String, usize)>();
        self.entries.set(fields + files + counts);
    }

    /// Returns how many files with this name were counted before, and counts one.
    pub(super) fn count(&mut self, name: &str) -> usize {
        if let Some(count) = self.counts.get_mut(name) {
            *count += 1;
            return *count - 1;
        }
        self.names.add(name.len() + ALLOCATION);
        self.counts.insert(name.to_owned(), 1);
        self.count_entries();
        0
    }

    /// Counts the pointer of a violation, which contains the name of a field.
    pub(super) fn add_pointer(&mut self, pointer: &str) {
        self.names.add(pointer.len() + ALLOCATION);
    }

    /// Returns the number of bytes of the files in memory.
    pub(super) fn in_memory(&self) -> usize {
        self.in_memory
    }

    /// Returns the number of bytes in the text fields and files.
    pub(super) fn contents(&self) -> usize {
        self.contents.bytes()
    }

    /// Returns the body as JSON text, or `None` if there are violations.
    pub(super) fn finish(self, shape: &CompiledSchema, violations: &mut RequestViolations) -> Option<FormattedBody> {
        let json = form_to_json(shape, self.fields, violations)?;
        Some(FormattedBody::new(json).files(self.files))
    }
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;

    use super::*;
    use crate::multipart::uploaded_file::UploadContent;

    type Step<'s> = (&'s str, &'s dyn Fn(&mut FormFields));

    #[test]
    fn counts_everything_that_it_keeps() {
        let held = HeldBytes::default();
        let mut fields = FormFields::new(&held);
        let long = || "x".repeat(5_000);
        let file =
            |name, content_type, content| UploadedFile::new(name, content_type, 0, UploadContent::Memory(content));
        let empty = || file(Some(String::new()), None, Bytes::new());
        let steps: [Step<'_>; 8] = [
            ("the name of a text", &|fields| fields.push_text(long(), String::new())),
            ("a text", &|fields| fields.push_text(String::new(), long())),
            ("JSON", &|fields| fields.push_json(String::new(), long())),
            ("the name of a file", &|fields| fields.push_file(long(), empty())),
            ("a file name", &|fields| fields.push_file(String::new(), file(Some(long()), None, Bytes::new()))),
            ("a media type", &|fields| fields.push_file(String::new(), file(None, Some(long()), Bytes::new()))),
            ("a content", &|fields| fields.push_file(String::new(), file(None, None, long().into()))),
            ("the name of a list", &|fields| _ = fields.count(&long())),
        ];
        for (what, step) in steps {
            let before = held.get();
            step(&mut fields);
            let grown = held.get() - before;
            assert!((5_000..6_500).contains(&grown), "{what}: {grown}");
        }
        assert_eq!(fields.in_memory(), 5_000);
        let before = held.get();
        for _ in 0..1_000 {
            fields.push_file(String::new(), empty());
        }
        let grown = held.get() - before;
        assert!((200_000..400_000).contains(&grown), "1,000 empty files: {grown}");
        drop(fields);
        assert_eq!(held.get(), 0);
    }
}
