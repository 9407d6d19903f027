//! Renames or removes members of entities in JSON, without parsing their values.

use std::borrow::Cow;

use restwright_core::runtime::RawMembers;
use restwright_core::schema::pointer_to;
use serde_json::Error;
use serde_json::value::RawValue;

/// Defines where a JSON document contains entities.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::endpoints) enum Place {
    /// The whole document is an entity.
    Whole,
    /// The member `data` is an entity or a list of entities.
    Data,
}

/// Renames or removes the members of entities in a JSON document. `change` receives the JSON Pointer of the entity and the name of the
/// member, and returns the new name. If `change` returns `None`, the member is removed. Values that are not objects stay unchanged.
pub(in crate::endpoints) fn renamed<'n>(
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
pub(in crate::endpoints) fn member_pointer(entity: &str, name: &str) -> String {
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
        for json in ["", "{", r#"{"a": 1"#, r#"{"data": [}"#] {
            assert!(renamed(json.as_bytes(), Place::Data, &mut |_, name| Some(name.into()), &names).is_err(), "{json}");
        }
    }
}
