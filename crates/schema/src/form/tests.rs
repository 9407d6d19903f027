//! Tests the conversion of forms.

use proptest::prelude::*;

use super::*;
use crate::{
    CompiledSchema, OneOf, PropertyCollection, Registry, SchemaObject, SchemaSide, any, any_of, array, boolean, date,
    file, int64, map, number, object, one_of, string, tuple,
};

fn schema() -> CompiledSchema {
    let address = || PropertyCollection::new("Address").property(string("city")).property(string("street").optional());
    let line = || PropertyCollection::new("Line").property(string("article")).property(int64("count"));
    let measure = || PropertyCollection::new("Measure").property(int64("width"));
    let cat = PropertyCollection::new("Cat").property(boolean("indoor"));
    let dog = PropertyCollection::new("Dog").property(int64("walks"));
    let order = PropertyCollection::new("Order")
        .property(string("name").optional())
        .property(int64("age").nullable().optional())
        .property(number("price").optional())
        .property(boolean("gift").optional())
        .property(date("day").optional())
        .property(array("tags", SchemaObject::string()).optional())
        .property(array("lines", line()).optional())
        .property(object("address", address()).optional())
        .property(map("labels", SchemaObject::int64()).optional())
        .property(one_of("pet", OneOf::new("Pet", "kind").variant("cat", cat).variant("dog", dog)).optional())
        .property(file("photo").max_size(10).accept("image/*").optional())
        .property(array("files", SchemaObject::file()).optional())
        .property(tuple("pair", [SchemaObject::string(), SchemaObject::int64()]).optional())
        .property(any_of("size", [SchemaObject::int64(), SchemaObject::string(), measure().into()]).optional())
        .property(any("extra").optional());
    Registry::new().compile(order, SchemaSide::Input, None)
}

/// Converts fields such as `a=1&b=2`, without any decoding.
fn convert(form: &str) -> Result<String, String> {
    let pairs = form.split('&').filter(|pair| !pair.is_empty()).map(|pair| pair.split_once('=').unwrap_or((pair, "")));
    let fields = pairs.map(|(name, text)| (Cow::Borrowed(name), FormValue::Text(Cow::Borrowed(text))));
    schema().form_to_json(fields, 10).map_err(|violations| violations.to_string())
}

#[test]
fn texts_become_the_types_of_the_schema() {
    for (form, expected) in [
        ("", "{}"),
        ("name=1&age=42&price=0.10", r#"{"name":"1","age":42,"price":0.10}"#),
        ("age=12345678901234567890", r#"{"age":12345678901234567890}"#),
        ("age=x&price=1,5", r#"{"age":"x","price":"1,5"}"#),
        ("gift=on", r#"{"gift":true}"#),
        ("gift=false", r#"{"gift":false}"#),
        ("gift=yes", r#"{"gift":"yes"}"#),
        ("day=2024-02-29", r#"{"day":"2024-02-29"}"#),
        // Empty inputs of a browser.
        ("name=&age=&price=&gift=&day=", r#"{"name":"","age":null}"#),
        ("tags=a&tags=b", r#"{"tags":["a","b"]}"#),
        ("tags[]=a&tags[]=b", r#"{"tags":["a","b"]}"#),
        ("tags[1]=b&tags[0]=a", r#"{"tags":["a","b"]}"#),
        ("tags[10]=c&tags[9]=b&tags=a", r#"{"tags":["a","b","c"]}"#),
        ("pair=1&pair=2", r#"{"pair":["1",2]}"#),
        ("pair[1]=2&pair[0]=1", r#"{"pair":["1",2]}"#),
        ("pair[0]=1", r#"{"pair":["1"]}"#),
        ("size=7", r#"{"size":7}"#),
        ("size=large", r#"{"size":"large"}"#),
        ("size[width]=7", r#"{"size":{"width":7}}"#),
        ("size[depth]=7", r#"{"size":{"depth":"7"}}"#),
        ("tags[x]=a", r#"{"tags":{"x":"a"}}"#),
        (
            "lines[0][article]=a&lines[0][count]=2&lines[1][count]=3",
            r#"{"lines":[{"article":"a","count":2},{"count":3}]}"#,
        ),
        ("address[city]=a&address[street]=1", r#"{"address":{"city":"a","street":"1"}}"#),
        ("address=a", r#"{"address":"a"}"#),
        ("name[first]=a", r#"{"name":{"first":"a"}}"#),
        ("labels[a]=1&labels[b]=x", r#"{"labels":{"a":1,"b":"x"}}"#),
        ("pet[kind]=dog&pet[walks]=2", r#"{"pet":{"kind":"dog","walks":2}}"#),
        ("pet[kind]=cat&pet[indoor]=true", r#"{"pet":{"kind":"cat","indoor":true}}"#),
        ("pet[kind]=bird&pet[walks]=2", r#"{"pet":{"kind":"bird","walks":"2"}}"#),
        ("extra=1", r#"{"extra":"1"}"#),
        ("extra[a]=1", r#"{"extra":{"a":"1"}}"#),
        ("other=1&a]=2&[b]=3&c[=4&d[e]f=5", r#"{"other":"1","a]":"2","[b]":"3","c[":"4","d[e]f":"5"}"#),
        ("a\"b=\\", r#"{"a\"b":"\\"}"#),
    ] {
        assert_eq!(convert(form).as_deref(), Ok(expected), "{form}");
    }
}

#[test]
fn a_single_value_must_occur_once() {
    for form in ["age=1&age=2", "address=a&address[city]=b"] {
        assert!(convert(form).unwrap_err().contains("must occur only once, but occurs 2 times"), "{form}");
    }
    let deep = format!("a{}=1", "[b]".repeat(DEEPEST_NAME + 1));
    assert!(convert(&deep).unwrap_err().contains("must have at most 16 brackets"));
    assert!(convert(&format!("a{}=1", "[b]".repeat(DEEPEST_NAME))).is_ok());
}

#[test]
fn files_are_numbers_of_file_properties_only() {
    let convert = |name: &'static str, value| schema().form_to_json([(Cow::Borrowed(name), value)], 10);
    assert_eq!(convert("photo", FormValue::File(3)).unwrap(), r#"{"photo":3}"#);
    assert_eq!(convert("files", FormValue::File(3)).unwrap(), r#"{"files":[3]}"#);
    assert_eq!(convert("photo", FormValue::Text("3".into())).unwrap(), r#"{"photo":"3"}"#);
    for name in ["name", "tags", "extra", "address[city]", "other"] {
        let violations = convert(name, FormValue::File(0)).unwrap_err().to_string();
        assert!(violations.contains("must be a text, not a file"), "{name} {violations}");
    }
    let schema = schema();
    assert_eq!(schema.file_rules("photo").and_then(|rules| rules.max_size), Some(10));
    assert!(schema.file_rules("files[0]").is_some() && schema.file_rules("files").is_some());
    assert!(schema.file_rules("name").is_none() && schema.file_rules("missing").is_none());
    assert_eq!(schema.files().iter().map(|(name, _)| *name).collect::<Vec<_>>(), ["photo", "files"]);
    assert_eq!(CompiledSchema::form_pointer("lines[0][na/me]"), "/lines/0/na~1me");
}

proptest! {
    #[test]
    fn the_result_is_json(form in "([abct]|name|age|tags|lines|address|pet|extra|\\[|\\]|0|1|=|&|e|-|\\.|\u{e4}|\"){0,40}") {
        if let Ok(json) = convert(&form) {
            prop_assert!(serde_json::from_str::<serde_json::Value>(&json).is_ok(), "{json}");
        }
    }
}
