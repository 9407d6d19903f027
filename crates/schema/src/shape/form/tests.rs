//! Tests the conversion of forms.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::json::Json;
use crate::{
    CompiledSchema, OneOf, PropertyCollection, ReadError, Registry, SchemaObject, SchemaSide, Violation, any, any_of,
    array, boolean, date, date_time, file, int64, map, number, object, one_of, string, tuple,
};

pub(super) fn schema() -> CompiledSchema {
    let address = || PropertyCollection::new("Address").property(string("city")).property(string("street").optional());
    let line = || PropertyCollection::new("Line").property(string("article")).property(int64("count"));
    let measure = || PropertyCollection::new("Measure").property(int64("width"));
    let cat = PropertyCollection::new("Cat").property(boolean("indoor"));
    let dog = PropertyCollection::new("Dog").property(int64("walks"));
    let album = PropertyCollection::new("Album").property(file("cover"));
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
        .property(object("album", album).optional())
        .property(tuple("pair", [SchemaObject::string(), SchemaObject::int64()]).optional())
        .property(any_of("size", [SchemaObject::int64(), SchemaObject::string(), measure().into()]).optional())
        .property(array("flags", SchemaObject::boolean()).optional())
        .property(any_of("option", [SchemaObject::boolean(), measure().into()]).optional())
        .property(any_of("choice", [SchemaObject::boolean(), SchemaObject::int64()]).optional())
        .property(any_of("word", [SchemaObject::boolean(), SchemaObject::string()]).optional())
        .property(date_time("at").optional())
        .property(any_of("when", [SchemaObject::date_time(), SchemaObject::int64()]).optional())
        .property(any_of("note", [SchemaObject::date_time(), SchemaObject::string()]).optional())
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
        ("gift=off", r#"{"gift":false}"#),
        ("gift=True", r#"{"gift":true}"#),
        ("gift=FALSE", r#"{"gift":false}"#),
        ("gift=t", r#"{"gift":true}"#),
        ("gift=0", r#"{"gift":false}"#),
        ("gift=false", r#"{"gift":false}"#),
        ("flags=1&flags=f", r#"{"flags":[true,false]}"#),
        ("option=1", r#"{"option":true}"#),
        // The schema also accepts a number or a string.
        ("choice=1", r#"{"choice":1}"#),
        ("choice=true", r#"{"choice":true}"#),
        ("choice=on", r#"{"choice":"on"}"#),
        ("word=True", r#"{"word":"True"}"#),
        ("at=2026-01-31 10:00:00.5+00", r#"{"at":"2026-01-31T10:00:00.5+00:00"}"#),
        ("at=2026-01-31T10:00:00-0330", r#"{"at":"2026-01-31T10:00:00-03:30"}"#),
        ("at=2026-01-31T10:00:00Z", r#"{"at":"2026-01-31T10:00:00Z"}"#),
        ("when=2026-01-31 10:00:00Z", r#"{"when":"2026-01-31T10:00:00Z"}"#),
        ("note=2026-01-31 10:00:00Z", r#"{"note":"2026-01-31 10:00:00Z"}"#),
        ("name=2026-01-31 10:00:00Z", r#"{"name":"2026-01-31 10:00:00Z"}"#),
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

struct Named;

#[test]
fn an_empty_value_has_the_type_of_the_schema() {
    let item = || PropertyCollection::new("Item").property(string("city"));
    let pet = || OneOf::new("Pet", "kind").variant("cat", item());
    let list = || array("a", SchemaObject::int64());
    let pair = || tuple("a", [SchemaObject::int64(), SchemaObject::int64()]);
    let objects = || any_of("a", [SchemaObject::from(item()), SchemaObject::int64()]);
    let nested = || array("a", SchemaObject::array(SchemaObject::string()));
    let (null, absent) = (Ok(r#"{"a":null}"#), Ok("{}"));
    for (property, form, expected) in [
        (list(), "a=", Ok(r#"{"a":[]}"#)),
        (list(), "a[]=", Ok(r#"{"a":[]}"#)),
        (list().nullable(), "a=", null),
        (list().nullable().optional(), "a[]=", null),
        (list().optional(), "a=", absent),
        (list().optional(), "a[]=", absent),
        (list().default_value(vec![1]), "a=", Ok(r#"{"a":[]}"#)),
        (list().input_optional(), "a[]=", Ok(r#"{"a":[]}"#)),
        (list().min_items(1), "a=", Err("/a min_items")),
        // Only the whole list is empty.
        (list(), "a=&a=1", Err("/a/0 type")),
        (list(), "a[0]=", Err("/a/0 type")),
        (array("a", SchemaObject::string()), "a=", Ok(r#"{"a":[]}"#)),
        (array("a", SchemaObject::string()), "a[0]=", Ok(r#"{"a":[""]}"#)),
        (array("a", SchemaObject::string()), "a[]=&a[]=", Ok(r#"{"a":["",""]}"#)),
        (array("a", SchemaObject::int64().nullable()), "a[0]=", Ok(r#"{"a":[null]}"#)),
        (array("a", item()), "a=", Ok(r#"{"a":[]}"#)),
        (array("a", item()), "a[0]=", Err("/a/0/city required")),
        (array("a", SchemaObject::from(item()).nullable()), "a[0]=", Ok(r#"{"a":[null]}"#)),
        (nested(), "a[0]=", Ok(r#"{"a":[[]]}"#)),
        (nested(), "a[0][]=", Ok(r#"{"a":[[]]}"#)),
        (nested(), "a[0][0]=", Ok(r#"{"a":[[""]]}"#)),
        (pair(), "a=", Err("/a min_items")),
        (pair().optional(), "a=", absent),
        (pair().nullable(), "a=", null),
        (object("a", item()), "a=", Err("/a/city required")),
        (object("a", item()).nullable(), "a=", null),
        (object("a", item()).nullable().optional(), "a=", null),
        (object("a", item()).optional(), "a=", absent),
        (object("a", PropertyCollection::new("None")), "a=", Ok(r#"{"a":{}}"#)),
        (map("a", SchemaObject::int64()), "a=", Ok(r#"{"a":{}}"#)),
        (map("a", SchemaObject::int64()).min_properties(1), "a=", Err("/a min_properties")),
        (map("a", SchemaObject::int64()).optional(), "a=", absent),
        (map("a", SchemaObject::int64()).nullable(), "a=", null),
        (one_of("a", pet()), "a=", Err("/a/kind required")),
        (one_of("a", pet()).optional(), "a=", absent),
        (one_of("a", pet()).nullable(), "a=", null),
        (objects(), "a=", Err("/a type")),
        (objects().optional(), "a=", absent),
        (objects().nullable(), "a=", null),
        (any_of("a", [SchemaObject::int64(), SchemaObject::string()]).nullable(), "a=", Ok(r#"{"a":""}"#)),
        (any("a").optional(), "a=", Ok(r#"{"a":""}"#)),
        (string("a").nullable().optional(), "a=", Ok(r#"{"a":""}"#)),
        (int64("a"), "a=", Err("/a type")),
        (int64("a").nullable(), "a=", null),
        (int64("a").optional(), "a=", absent),
    ] {
        let shown = format!("{form} {:?}", property.schema());
        for is_named in [false, true] {
            let mut registry = Registry::new();
            // A reference to a named schema carries the nullability of its property.
            let mut property = property.clone();
            if is_named {
                let named = property.schema.schema_type.clone();
                property.schema.schema_type = registry.define::<Named, _>("Named", |_| named);
            }
            let schema = registry.compile(PropertyCollection::new("Form").property(property), SchemaSide::Input, None);
            let (name, text) = form.split_once('&').unwrap_or((form, ""));
            let fields = [name, text].into_iter().filter_map(|pair| pair.split_once('='));
            let fields = fields.map(|(name, text)| (Cow::Borrowed(name), FormValue::Text(Cow::Borrowed(text))));
            let json = schema.form_to_json(fields, 10).unwrap();
            let read = schema.read_value(json.as_bytes(), 1);
            match expected {
                Ok(expected) => assert_eq!((json.as_str(), read.is_ok()), (expected, true), "{shown}"),
                Err(expected) => {
                    let Err(ReadError::Violations(found)) = read else { panic!("{shown}: {json}") };
                    let found: Vec<_> = found.iter().map(|found| format!("{} {}", found.pointer, found.code)).collect();
                    assert_eq!(found, [expected], "{shown}");
                }
            }
        }
    }
}

/// Converts fields such as `a=1` and `b:={"c":2}`, whose value is labelled as JSON.
fn convert_json(fields: &[&str]) -> Result<String, Vec<String>> {
    let fields = fields.iter().map(|field| {
        let (name, value) = field.split_once('=').unwrap();
        match name.strip_suffix(':') {
            Some(name) => (Cow::Borrowed(name), FormValue::Json(value.into())),
            None => (Cow::Borrowed(name), FormValue::Text(value.into())),
        }
    });
    let shown = |violation: &Violation| format!("{} {}: {}", violation.pointer, violation.code, violation.message);
    schema().form_to_json(fields, 10).map_err(|violations| violations.iter().map(shown).collect())
}

#[test]
fn json_is_read_for_its_property() {
    let deep = format!("extra:={}{}", "[".repeat(126), "]".repeat(126));
    let expected_deep = format!("{{\"extra\":{}}}", deep.strip_prefix("extra:=").unwrap());
    for (fields, expected) in [
        // A part that is labelled as JSON.
        (&["name:=\"Ada\""][..], r#"{"name":"Ada"}"#),
        (&["name:=7"], r#"{"name":7}"#),
        (&["age:=7", "price:= 0.10 ", "gift:=true"], r#"{"age":7,"price": 0.10 ,"gift":true}"#),
        (&["age:=null"], r#"{"age":null}"#),
        (&["day:=\"2024-02-29\""], r#"{"day":"2024-02-29"}"#),
        (&[r#"address:={"city":"a"}"#], r#"{"address":{"city":"a"}}"#),
        (&[r#"address:={"city":"a","city":"b"}"#], r#"{"address":{"city":"a","city":"b"}}"#),
        (&["address[city]:=\"a\""], r#"{"address":{"city":"a"}}"#),
        (&[r#"labels:={"a":1}"#], r#"{"labels":{"a":1}}"#),
        (&[r#"pet:={"kind":"cat","indoor":true}"#], r#"{"pet":{"kind":"cat","indoor":true}}"#),
        (&["pair:=[\"a\",1]"], r#"{"pair":["a",1]}"#),
        (&["size:={\"width\":1}"], r#"{"size":{"width":1}}"#),
        (&["size:=\"1\""], r#"{"size":"1"}"#),
        (&["extra:=[1,{\"a\":null}]"], r#"{"extra":[1,{"a":null}]}"#),
        (&["extra:=1", "extra:=2"], r#"{"extra":[1,2]}"#),
        (&["other:={}"], r#"{"other":{}}"#),
        (&[deep.as_str()], &expected_deep),
        // The whole list, and its items.
        (&["tags:=[\"a\",\"b\"]"], r#"{"tags":["a","b"]}"#),
        (&["tags:= []"], r#"{"tags": []}"#),
        (&["tags:=\"a\""], r#"{"tags":["a"]}"#),
        (&["tags:=\"a\"", "tags=b"], r#"{"tags":["a","b"]}"#),
        (&["tags[]:=\"a\"", "tags[]:=\"b\""], r#"{"tags":["a","b"]}"#),
        (&["tags:=[\"a\"]", "tags=b"], r#"{"tags":[["a"],"b"]}"#),
        (&[r#"lines:=[{"count":1}]"#], r#"{"lines":[{"count":1}]}"#),
        (&[r#"lines:={"count":1}"#], r#"{"lines":[{"count":1}]}"#),
        (&[r#"lines:={"count":1}"#, r#"lines:={"count":2}"#], r#"{"lines":[{"count":1},{"count":2}]}"#),
        (&[r#"lines[1]:={"count":1}"#, "lines[0][count]=2"], r#"{"lines":[{"count":2},{"count":1}]}"#),
        // A text is JSON only for objects, maps and lists of objects.
        (&[r#"address={"city":"a"}"#], r#"{"address":{"city":"a"}}"#),
        (&[r#"address= {"city":"a"} "#], r#"{"address": {"city":"a"} }"#),
        (&["address=null"], r#"{"address":null}"#),
        (&[r#"address={"city":"a""#], r#"{"address":"{\"city\":\"a\""}"#),
        (&[r#"labels={"a":1}"#], r#"{"labels":{"a":1}}"#),
        (&[r#"pet={"kind":"dog","walks":2}"#], r#"{"pet":{"kind":"dog","walks":2}}"#),
        (&[r#"lines=[{"count":1}]"#], r#"{"lines":[{"count":1}]}"#),
        (&[r#"lines={"count":1}"#, r#"lines[]={"count":2}"#], r#"{"lines":[{"count":1},{"count":2}]}"#),
        (&[r#"lines[0]={"count":1}"#], r#"{"lines":[{"count":1}]}"#),
        (&[r#"lines=[{"count":1}"#], r#"{"lines":"[{\"count\":1}"}"#),
        (&["lines=a"], r#"{"lines":["a"]}"#),
        (&["tags=[\"a\"]"], r#"{"tags":["[\"a\"]"]}"#),
        (&["pair=[\"a\",1]"], r#"{"pair":["[\"a\",1]"]}"#),
        (&["name={}", "age={}", "extra={}", "other={}"], r#"{"name":"{}","age":"{}","extra":"{}","other":"{}"}"#),
        (&["size={\"width\":1}"], r#"{"size":"{\"width\":1}"}"#),
    ] {
        assert_eq!(convert_json(fields).as_deref(), Ok(expected), "{fields:?}");
    }
}

#[test]
fn malformed_json_and_files_in_json_are_violations() {
    let deep = |name: &str, levels: usize| format!("{name}{}{}", "[".repeat(levels), "]".repeat(levels));
    let deeper = "/extra format: must be JSON with fewer levels of nesting";
    let deepest = "/extra format: must be JSON: recursion limit exceeded at line 1 column 128";
    for (field, expected) in [
        ("name:=Ada", "/name format: must be JSON: expected value at line 1 column 1"),
        ("name:=", "/name format: must be JSON: EOF while parsing a value at line 1 column 0"),
        ("name:=\"\\ud800\"", "/name format: must be JSON: unexpected end of hex escape at line 1 column 8"),
        ("address:={\"city\":", "/address format: must be JSON: EOF while parsing a value at line 1 column 8"),
        ("lines[3]:={", "/lines/0 format: must be JSON: EOF while parsing an object at line 1 column 1"),
        ("tags:=[1] 2", "/tags format: must be JSON: trailing characters at line 1 column 5"),
        (&deep("extra:=", 127), deeper),
        (&deep("extra:=", 128), deepest),
        (&deep("extra:=", 100_000), deepest),
        (
            "album:={\"cover\":0}",
            "/album type: must be sent as one field for each property, because it contains a file",
        ),
        ("files:=[0]", "/files type: must be sent as one field for each property, because it contains a file"),
    ] {
        assert_eq!(convert_json(&[field]), Err(vec![expected.to_owned()]), "{field:.80}");
    }
    // A text that is no file.
    for (field, expected) in [
        ("photo:=0", r#"{"photo":"0"}"#),
        ("files:=0", r#"{"files":["0"]}"#),
        ("album={\"cover\":0}", r#"{"album":"{\"cover\":0}"}"#),
        ("album[cover]:=0", r#"{"album":{"cover":"0"}}"#),
    ] {
        assert_eq!(convert_json(&[field]).as_deref(), Ok(expected), "{field}");
    }
    assert_eq!(convert_json(&[&deep("address=", 127)]).unwrap().matches('"').count(), 4);
    assert_eq!(schema().json_fields(), ["lines", "address", "labels", "pet"]);
}

#[test]
fn a_single_value_must_occur_once() {
    for form in ["age=1&age=2", "address=a&address[city]=b", "address={}&address[city]=b", "address={}&address={}"] {
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

/// The value of a property as it appears in a form.
fn field_of(name: &str, value: &Value, is_labelled: bool) -> String {
    format!("{name}{}{value}", if is_labelled { ":=" } else { "=" })
}

proptest! {
    #[test]
    fn an_object_is_the_same_in_every_form(
        (city, street) in ("\\PC{0,6}", proptest::option::of("\\PC{1,6}")),
        lines in proptest::collection::vec(("\\PC{0,6}", proptest::num::i64::ANY), 1..4),
        labels in proptest::collection::btree_map("[a-z]{1,3}", proptest::num::i64::ANY, 1..4),
        is_labelled in proptest::bool::ANY,
    ) {
        let address = match street {
            Some(street) => json!({ "city": city, "street": street }),
            None => json!({ "city": city }),
        };
        let lines: Vec<_> = lines.into_iter().map(|(article, count)| json!({ "article": article, "count": count })).collect();
        let expected = json!({ "address": address, "lines": lines, "labels": labels });
        let others = [field_of("address", &address, is_labelled), field_of("labels", &json!(labels), is_labelled)];
        let whole = vec![field_of("lines", &json!(lines), is_labelled)];
        let items = lines.iter().map(|line| field_of("lines", line, is_labelled)).collect();
        let numbered =
            lines.iter().enumerate().rev().map(|(index, line)| field_of(&format!("lines[{index}]"), line, is_labelled));
        let mut forms = [whole, items, numbered.collect()].map(|lines| [&lines[..], &others].concat()).to_vec();
        let texts = |prefix: &str, value: &Value| -> Vec<String> {
            let properties = value.as_object().unwrap().iter();
            let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            properties.map(|(name, value)| format!("{prefix}[{name}]={}", text(value))).collect()
        };
        let mut brackets = [texts("address", &address), texts("labels", &json!(labels))].concat();
        for (index, line) in lines.iter().enumerate() {
            brackets.extend(texts(&format!("lines[{index}]"), line));
        }
        forms.push(brackets);
        for form in forms {
            let json = convert_json(&form.iter().map(String::as_str).collect::<Vec<_>>()).unwrap();
            let read = schema().read_value(json.as_bytes(), 10).unwrap_or_else(|error| panic!("{form:?}: {error}"));
            prop_assert_eq!(&read, &expected, "{:?}", form);
        }
    }

    #[test]
    fn the_result_is_json(
        form in "([abct]|name|age|tags|lines|address|pet|extra|\\[|\\]|\\{|\\}|0|1|=|:=|&|e|-|\\.|:|,|\u{e4}|\"){0,40}"
    ) {
        let fields: Vec<_> = form.split('&').filter(|field| field.contains('=')).collect();
        for json in [convert(&form).ok(), convert_json(&fields).ok()].into_iter().flatten() {
            prop_assert!(Json::parse(&json).is_ok(), "{json}");
        }
    }
}
