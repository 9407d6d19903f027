//! Renames, removes or adds members of entities in JSON, without parsing their values.

use std::borrow::Cow;

use restwright_core::runtime::RawMembers;
use restwright_core::schema::pointer_to;
use serde_json::Error;
use serde_json::value::RawValue;

/// Defines where a JSON document contains entities.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// The whole document is an entity.
    Whole,
    /// The member `data` is an entity or a list of entities.
    Data,
}

/// Renames or removes the members of entities in a JSON document. `change` receives the JSON Pointer of the entity and the name of the
/// member, and returns the new name. If `change` returns `None`, the member is removed. Values that are not objects stay unchanged.
pub(super) fn renamed<'n>(
    json: &[u8],
    place: Place,
    change: &mut dyn FnMut(&str, &'n str) -> Option<Cow<'n, str>>,
    names: &'n [String],
) -> Result<Vec<u8>, Error> {
    let mut rewriter = Rewriter { names, change, written: Vec::with_capacity(json.len()) };
    let json: &RawValue = serde_json::from_slice(json)?;
    match place {
        Place::Whole => rewriter.entity(json, "")?,
        Place::Data => rewriter.envelope(json)?,
    }
    Ok(rewriter.written)
}

/// Adds members to the entities in an envelope and returns the new JSON. `members` contains the new members of each entity, as JSON without
/// braces. The JSON must be valid, and its member `data` must contain an object or a list of objects.
pub(super) fn extended(json: &str, members: &[String]) -> Vec<u8> {
    let mut written = Vec::with_capacity(json.len() + members.iter().map(|members| members.len() + 1).sum::<usize>());
    let mut rest = 0;
    for (end, members) in ends_of_entities(json).into_iter().zip(members).filter(|(_, members)| !members.is_empty()) {
        let before = json.get(rest..end).unwrap_or_default();
        written.extend_from_slice(before.as_bytes());
        if !before.trim_end().ends_with('{') {
            written.push(b',');
        }
        written.extend_from_slice(members.as_bytes());
        rest = end;
    }
    written.extend_from_slice(json.get(rest..).unwrap_or_default().as_bytes());
    written
}

/// Returns the positions of the closing braces of the entities in an envelope.
fn ends_of_entities(json: &str) -> Vec<usize> {
    let mut ends = Vec::new();
    // The number of open braces and brackets, and whether the position is in the value of `data`, and in a list there.
    let (mut depth, mut is_data, mut is_list) = (0_usize, false, false);
    let (mut position, mut is_name) = (0, true);
    while let Some(byte) = json.as_bytes().get(position) {
        match byte {
            b'"' => {
                let start = position + 1;
                position = end_of_string(json, start);
                if depth == 1 && is_name {
                    is_data = json.get(start..position) == Some("data");
                }
            }
            b':' if depth == 1 => is_name = false,
            b',' if depth == 1 => is_name = true,
            b'{' | b'[' => {
                is_list = if depth == 1 { *byte == b'[' } else { is_list };
                depth += 1;
            }
            b'}' | b']' => {
                depth = depth.saturating_sub(1);
                if is_data && *byte == b'}' && depth == if is_list { 2 } else { 1 } {
                    ends.push(position);
                }
            }
            _ => {}
        }
        position += 1;
    }
    ends
}

/// Returns the position of the quotation mark at the end of a string whose first character is at `start`.
fn end_of_string(json: &str, start: usize) -> usize {
    let mut position = start;
    // `find` reads several bytes at once.
    while let Some(found) = json.get(position..).and_then(|rest| rest.find('"')) {
        position += found;
        let before = json.as_bytes().get(start..position).unwrap_or_default();
        let backslashes = before.iter().rev().take_while(|byte| **byte == b'\\').count();
        if backslashes.is_multiple_of(2) {
            break;
        }
        position += 1;
    }
    position
}

struct Rewriter<'c, 'n> {
    /// The names of the members that the function `change` may rename or remove.
    names: &'n [String],
    change: &'c mut dyn FnMut(&str, &'n str) -> Option<Cow<'n, str>>,
    written: Vec<u8>,
}

impl Rewriter<'_, '_> {
    fn envelope(&mut self, json: &RawValue) -> Result<(), Error> {
        if !json.get().starts_with('{') {
            self.put(json.get());
            return Ok(());
        }
        let RawMembers(members) = serde_json::from_str(json.get())?;
        let mut separator = "{";
        for (name, value) in members {
            self.name(&mut separator, &name)?;
            match value.get().chars().next() {
                Some('[') if name == "data" => self.entities(value)?,
                _ if name == "data" => self.entity(value, "/data")?,
                _ => self.put(value.get()),
            }
        }
        self.put(if separator == "{" { "{}" } else { "}" });
        Ok(())
    }

    fn entities(&mut self, json: &RawValue) -> Result<(), Error> {
        let items: Vec<&RawValue> = serde_json::from_str(json.get())?;
        self.put("[");
        for (index, item) in items.into_iter().enumerate() {
            if index > 0 {
                self.put(",");
            }
            self.entity(item, &format!("/data/{index}"))?;
        }
        self.put("]");
        Ok(())
    }

    fn entity(&mut self, json: &RawValue, pointer: &str) -> Result<(), Error> {
        if !json.get().starts_with('{') {
            self.put(json.get());
            return Ok(());
        }
        let RawMembers(members) = serde_json::from_str(json.get())?;
        let mut separator = "{";
        for (name, value) in members {
            let known = self.names.iter().find(|known| **known == *name);
            let new = match known {
                Some(known) => (self.change)(pointer, known),
                None => Some(name),
            };
            if let Some(new) = new {
                self.name(&mut separator, &new)?;
                self.put(value.get());
            }
        }
        self.put(if separator == "{" { "{}" } else { "}" });
        Ok(())
    }

    fn name(&mut self, separator: &mut &str, name: &str) -> Result<(), Error> {
        self.put(separator);
        *separator = ",";
        serde_json::to_writer(&mut self.written, name)?;
        self.put(":");
        Ok(())
    }

    fn put(&mut self, text: &str) {
        self.written.extend_from_slice(text.as_bytes());
    }
}

/// Returns the JSON Pointer of an entity's member.
pub(super) fn member_pointer(entity: &str, name: &str) -> String {
    format!("{entity}{}", pointer_to(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_only_names_of_entities() {
        let names = ["a".to_owned(), "b".to_owned()];
        for (place, json, expected, pointers) in [
            (Place::Whole, r#"{"a": 1.0, "c": {"a": 2}, "b": 3}"#, r#"{"x":1.0,"c":{"a": 2}}"#, "/a /b"),
            (Place::Whole, r#"{"\u0061": 12345678901234567890123}"#, r#"{"x":12345678901234567890123}"#, "/a"),
            (Place::Whole, r#" {"b": 1} "#, "{}", "/b"),
            (Place::Whole, "[1]", "[1]", ""),
            (Place::Data, r#"{"data": {"a": 1}, "a": 2}"#, r#"{"data":{"x":1},"a":2}"#, "/data/a"),
            (
                Place::Data,
                r#"{"data": [{"a": 1}, 7, {"b": [1, 2]}]}"#,
                r#"{"data":[{"x":1},7,{}]}"#,
                "/data/0/a /data/2/b",
            ),
            (Place::Data, "7", "7", ""),
        ] {
            let mut found = Vec::new();
            let mut change = |entity: &str, name: &str| {
                found.push(member_pointer(entity, name));
                (name == "a").then_some(Cow::Borrowed("x"))
            };
            let changed = renamed(json.as_bytes(), place, &mut change, &names).unwrap();
            assert_eq!(String::from_utf8(changed).unwrap(), expected, "{json}");
            assert_eq!(found.join(" "), pointers, "{json}");
        }
        let members = ["\"c\":1".to_owned(), "\"c\":2".to_owned()];
        for (json, expected) in [
            (r#"{"data": {"a": 1.0}, "b": {}}"#, r#"{"data": {"a": 1.0,"c":1}, "b": {}}"#),
            (r#"{"data": [{}, {"a": [1]}, {}], "b": 1}"#, r#"{"data": [{"c":1}, {"a": [1],"c":2}, {}], "b": 1}"#),
            (
                r#"{"a":{"data":[{}]},"data":[{"b":{"e":[{}]}},{ }]}"#,
                r#"{"a":{"data":[{}]},"data":[{"b":{"e":[{}]},"c":1},{ "c":2}]}"#,
            ),
            (
                r#"{"b":"data","data":[{"a":"}\\\"{"},{"\\":"\"]"}]}"#,
                r#"{"b":"data","data":[{"a":"}\\\"{","c":1},{"\\":"\"]","c":2}]}"#,
            ),
            (r#"{"data":[],"pagination":{"a":1}}"#, r#"{"data":[],"pagination":{"a":1}}"#),
        ] {
            let changed = extended(json, &members);
            assert_eq!(String::from_utf8(changed).unwrap(), expected, "{json}");
        }
        for json in ["", "{", r#"{"a": 1"#, r#"{"data": [}"#] {
            assert!(renamed(json.as_bytes(), Place::Data, &mut |_, name| Some(name.into()), &names).is_err(), "{json}");
        }
    }
}
