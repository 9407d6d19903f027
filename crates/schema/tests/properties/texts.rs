//! Random JSON that is similar to a declaration, or different from it.

use crate::choices::Choices;
use crate::shapes::{Field, Object, SchemaType, TAG};

/// Writes JSON for a declaration, which is mostly valid.
pub struct Writer<'w, 'c> {
    pub choices: &'w mut Choices<'c>,
    pub root: &'w Object,
    pub text: String,
    pub depth: usize,
    /// `true` to write what clients send, and `false` to write what they receive.
    pub input: bool,
    /// One value in this many is invalid; 0 for none.
    pub wrong_once_in: usize,
}

impl Writer<'_, '_> {
    pub fn field(&mut self, field: &Field) {
        if field.nullable && self.choices.once_in(4) {
            return self.text.push_str("null");
        }
        match &field.constant {
            Some(constant) if !self.wrong() => self.text.push_str(&constant.to_string()),
            _ => self.kind(&field.kind),
        }
    }

    pub fn object(&mut self, object: &Object, tag: Option<&str>) {
        let mut written: Vec<(String, Option<&Field>)> = Vec::new();
        if tag.is_some() && !self.wrong() {
            written.push((TAG.to_owned(), None));
        }
        for field in &object.fields {
            let hidden = if self.input { field.read_only } else { field.write_only };
            let skipped = match field.optional || (self.input && field.default.is_some()) {
                true => self.choices.once_in(2),
                false => self.wrong(),
            };
            // Deeply nested values omit everything optional.
            let skipped = skipped || (self.depth > 5 && field.optional);
            if (hidden && !self.choices.once_in(6)) || skipped {
                continue;
            }
            let name = match &field.input_name {
                Some(name) if self.input && !self.wrong() => name,
                _ => &field.name,
            };
            written.push((name.clone(), Some(field)));
        }
        if !written.is_empty() && self.choices.once_in(4) {
            let by = self.choices.below(written.len());
            written.rotate_left(by);
        }
        if self.choices.once_in(8) && (object.closed.accepts_unknown() || self.wrong()) {
            let name = *self.choices.pick(&["unknown", "", "a/b", "ünknown", "\u{0}"]);
            written.push((name.to_owned(), None));
        }
        if self.wrong()
            && let Some(first) = written.first().cloned()
        {
            written.push(first);
        }
        self.text.push('{');
        for (index, (name, field)) in written.iter().enumerate() {
            if index > 0 {
                self.text.push(',');
            }
            self.space();
            self.string(name);
            self.text.push(':');
            self.space();
            match (field, tag) {
                (Some(field), _) => self.field(field),
                (None, Some(tag)) if name == TAG => self.string(tag),
                (None, _) => self.anything(),
            }
        }
        self.text.push('}');
    }

    fn kind(&mut self, kind: &SchemaType) {
        if self.wrong() {
            return self.anything();
        }
        self.depth += 1;
        match kind {
            SchemaType::Text { min, max, pattern, format } => {
                let texts = format.map(|sample| sample.texts).or(pattern.map(|sample| sample.texts));
                match texts {
                    // The first sample is valid.
                    Some(texts) => {
                        let index = if self.choices.once_in(2) { self.choices.below(texts.len()) } else { 0 };
                        self.string(texts[index]);
                    }
                    None => {
                        let length = min.unwrap_or(0) + self.choices.below(3);
                        let length = if self.wrong() { length + 3 } else { length.min(max.unwrap_or(9)) };
                        let character = *self.choices.pick(&["x", "ä", "🦀", "\"", "\\", "\u{1}", "é"]);
                        self.string(&character.repeat(length));
                    }
                }
            }
            SchemaType::Integer { lowest, highest, min, max, step, .. } => {
                let low = min.map_or(*lowest, i128::from);
                let high = max.map_or(*highest, i128::from);
                let near = [low, high, low - 1, high + 1, 0, 6, 30, low + 1, 1 << 53, (1 << 53) + 1];
                let value = if self.choices.once_in(2) { *self.choices.pick(&near) } else { 6 };
                let value = step.map_or(value, |step| value - value % i128::from(step));
                self.integer(value);
            }
            // Validators check multiples beyond 2^53 on the rounded value.
            SchemaType::Number { step: Some(_), .. } => {
                let text = *self
                    .choices
                    .pick(&["3", "3.0", "0.3", "1e1", "-0.2", "0.35", "4.5", "0", "-0.0", "100", "1e-7", "0.25"]);
                self.text.push_str(text);
            }
            SchemaType::Number { .. } => {
                let texts = [
                    "3",
                    "3.0",
                    "0.3",
                    "1e1",
                    "100",
                    "-2.5",
                    "0.1",
                    "3.5",
                    "1e39",
                    "-3.5e38",
                    "0",
                    "-0.0",
                    "1e-7",
                    "9007199254740993",
                    "99.9",
                ];
                let text = *self.choices.pick(&texts);
                self.text.push_str(text);
            }
            SchemaType::Boolean => {
                let text = *self.choices.pick(&["true", "false"]);
                self.text.push_str(text);
            }
            SchemaType::Date => self.sample(&[
                "2024-02-29",
                "1999-12-31",
                "2023-02-29",
                "2024-2-9",
                "2024-02-29T00:00:00Z",
                "0000-01-01",
            ]),
            SchemaType::DateTime => self.sample(&[
                "2024-02-29T12:30:00Z",
                "2024-02-29t12:30:00.123456789+01:00",
                "1990-12-31T23:59:60Z",
                "1990-12-31T15:59:60-08:00",
                "1990-12-31T23:58:60Z",
                "2024-02-29 12:30:00Z",
                "2024-02-29T12:30:00",
                "2024-02-30T12:30:00Z",
                "2024-02-29T12:30Z",
                "2024-02-29T24:00:00Z",
                "2024-02-29T12:30:00+0100",
                "2024-02-29T12:30:00.Z",
                "2024-02-29T12:30:00Z[UTC]",
            ]),
            SchemaType::Uuid => self.sample(&[
                "67e55044-10b1-426f-9247-bb680e5fe0c8",
                "67E55044-10b1-426f-9247-BB680E5FE0C8",
                "67e5504410b1426f9247bb680e5fe0c8",
                "{67e55044-10b1-426f-9247-bb680e5fe0c8}",
                "67e55044-10b1-426f-9247-bb680e5fe0cg",
            ]),
            SchemaType::Texts(values) => {
                let value = *self.choices.pick(values);
                self.string(value);
            }
            SchemaType::Integers(values) => {
                let value = *self.choices.pick(values);
                self.integer(value.into());
            }
            SchemaType::Array { items, min, max, .. } => {
                let count = self.count(*min, *max);
                self.text.push('[');
                for index in 0..count {
                    if index > 0 {
                        self.text.push(',');
                    }
                    self.field(items);
                }
                self.text.push(']');
            }
            SchemaType::Object(object) => self.object(object, None),
            SchemaType::Map { values, min, max } => {
                let count = self.count(*min, *max);
                self.text.push('{');
                for index in 0..count {
                    if index > 0 {
                        self.text.push(',');
                    }
                    let name = if index > 0 && self.wrong() { "k0".to_owned() } else { format!("k{index}") };
                    self.string(&name);
                    self.text.push(':');
                    self.field(values);
                }
                self.text.push('}');
            }
            SchemaType::Tuple(items) => {
                let count = if self.wrong() { self.choices.below(4) } else { items.len() };
                self.text.push('[');
                for index in 0..count {
                    if index > 0 {
                        self.text.push(',');
                    }
                    self.field(items.get(index).unwrap_or(&items[0]));
                }
                self.text.push(']');
            }
            SchemaType::KeyedMap { keys, values } => {
                self.text.push('{');
                for index in 0..self.choices.below(3) {
                    if index > 0 {
                        self.text.push(',');
                    }
                    self.key(&keys.kind);
                    self.text.push(':');
                    self.field(values);
                }
                self.text.push('}');
            }
            SchemaType::AnyOf(variants) => {
                let variant = self.choices.pick(variants);
                self.field(variant);
            }
            SchemaType::OneOf { variants, .. } => {
                let (value, object) = self.choices.pick(variants);
                self.object(object, Some(value));
            }
            SchemaType::Recursion if self.depth > 6 => self.text.push_str("{}"),
            SchemaType::Recursion => self.object(self.root, None),
            SchemaType::Any => self.anything(),
        }
        self.depth -= 1;
    }

    /// Writes a property name that is a value of `kind`.
    fn key(&mut self, kind: &SchemaType) {
        if self.wrong() {
            let name = *self.choices.pick(&["07", "-0", "1.0", "x", "", "2023-02-29", "dog "]);
            return self.string(name);
        }
        match kind {
            SchemaType::Integer { .. } => {
                let name = self.choices.pick(&["0", "7", "-12"]).to_owned();
                self.string(name);
            }
            // A name is always a string.
            kind => {
                let wrong_once_in = std::mem::take(&mut self.wrong_once_in);
                self.kind(kind);
                self.wrong_once_in = wrong_once_in;
            }
        }
    }

    fn count(&mut self, min: Option<usize>, max: Option<usize>) -> usize {
        if self.depth > 8 {
            return min.unwrap_or(0);
        }
        let count = min.unwrap_or(0) + self.choices.below(3);
        if self.wrong() { self.choices.below(6) } else { count.min(max.unwrap_or(9)) }
    }

    fn integer(&mut self, value: i128) {
        let text = match self.choices.below(5) {
            0 => format!("{value}.0"),
            1 if value != 0 && value.abs() < 1 << 50 => format!("{value}0e-1"),
            2 => format!("{value}e0"),
            _ => value.to_string(),
        };
        self.text.push_str(&text);
    }

    fn sample(&mut self, texts: &[&str]) {
        let index = if self.choices.once_in(2) { self.choices.below(texts.len()) } else { 0 };
        self.string(texts[index]);
    }

    fn anything(&mut self) {
        let texts = [
            "null",
            "true",
            "0",
            "-1",
            "1.0",
            "1.5",
            "1e400",
            "-1e999",
            "1e308",
            "18446744073709551615",
            "18446744073709551616",
            "-9223372036854775809",
            "123456789012345678901234567890",
            "0.1e1",
            "1E2",
            "1e-400",
            "\"\"",
            "\"x\"",
            "\"\\u00e4\\ud83e\\udd80\"",
            "\"1\"",
            "[]",
            "[1,1.0]",
            "[null]",
            "{}",
            "{\"a\":1}",
            "{\"a\":1,\"a\":2}",
            "{\"b\":{\"c\":1,\"c\":1}}",
            "[[[[[[1]]]]]]",
            "false",
            "{\"tag\":\"circle\"}",
            "[[1],[1]]",
            "\"2024-02-29\"",
            "{\"k\":[{\"x\":null}]}",
            "\"dog\"",
            "{\"0\":\"dog\"}",
            "[\"dog\"]",
        ];
        let text = *self.choices.pick(&texts);
        self.text.push_str(text);
    }

    fn string(&mut self, text: &str) {
        if self.choices.once_in(8) {
            self.text.push('"');
            for unit in text.encode_utf16() {
                self.text.push_str(&format!("\\u{unit:04x}"));
            }
            self.text.push('"');
        } else {
            self.text.push_str(&serde_json::to_string(text).unwrap());
        }
    }

    fn space(&mut self) {
        if self.choices.once_in(10) {
            self.text.push_str(" \n\t");
        }
    }

    fn wrong(&mut self) -> bool {
        self.wrong_once_in > 0 && self.choices.once_in(self.wrong_once_in)
    }
}

/// Damages JSON: truncates it, replaces a byte, or nests it.
pub fn damage(text: &str, choices: &mut Choices<'_>) -> Vec<u8> {
    let mut bytes = text.as_bytes().to_vec();
    match choices.below(7) {
        0 => bytes.truncate(choices.below(bytes.len().max(1))),
        1 if !bytes.is_empty() => {
            let at = choices.below(bytes.len());
            bytes[at] = *choices.pick(b"{}[],:\"\\ 01e.-n\0\xff\xc3");
        }
        2 => bytes.extend_from_slice(choices.pick::<&[u8]>(&[b" ", b"x", b"{}", b"\n\n", b",", b"\0"])),
        3 => {
            let depth = *choices.pick(&[1, 2, 100, 126, 127, 128, 129, 1000]);
            bytes = [b"[".repeat(depth), bytes, b"]".repeat(depth)].concat();
        }
        4 => bytes.insert(choices.below(bytes.len() + 1), b','),
        5 => bytes = [b"\xef\xbb\xbf".to_vec(), bytes].concat(),
        _ => {
            let depth = *choices.pick(&[1, 2, 100, 126, 127, 128, 129]);
            bytes = [b"{\"a\":".repeat(depth), bytes, b"}".repeat(depth)].concat();
        }
    }
    bytes
}
