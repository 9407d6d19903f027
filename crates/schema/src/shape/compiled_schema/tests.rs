//! Tests the values and violations that a schema returns for JSON text.

use serde::Deserialize;
use serde_json::json;

use super::parameter_tests::Size;
use crate::{
    Checks, CompiledSchema, Invalid, Mode, OneOf, PropertyCollection, ReadError, Registry, Schema, SchemaObject,
    SchemaSide, SchemaType, Violation, any, array, int32, int64, map, number, object, one_of, string, typed,
};

pub(super) fn shape(schema: impl Into<SchemaObject>) -> CompiledSchema {
    let mut registry = Registry::new();
    let shape = registry.compile(schema, SchemaSide::Input, None);
    assert_eq!(registry.errors(), [""; 0]);
    shape
}

/// Checks the value or the violations that a schema returns for JSON text. Each violation is formatted as `pointer
/// code`.
fn check(shape: &CompiledSchema, text: &str, expected: &str) {
    let written = match shape.read_value(text.as_bytes(), 100) {
        Ok(value) => value.to_string(),
        Err(ReadError::Violations(violations)) => {
            let list: Vec<_> = violations.iter().map(|found| format!("{} {}", found.pointer, found.code)).collect();
            list.join(", ")
        }
        Err(error) => error.to_string(),
    };
    assert_eq!(written, expected, "{text}");
}

#[test]
fn scalars_are_checked_on_the_wire() {
    for (schema, text, expected) in [
        (SchemaObject::int32(), "1.0", "1"),
        (SchemaObject::int32(), "1e3", "1000"),
        (SchemaObject::int32(), "1.5", " type"),
        (SchemaObject::int64(), "-0", "0"),
        (SchemaObject::int64(), "9007199254740993.0", "9007199254740993"),
        (SchemaObject::int64(), "0.99999999999999999999", " type"),
        (SchemaObject::int64(), "1e-400", " type"),
        (SchemaObject::int64(), "-9223372036854775808", "-9223372036854775808"),
        (SchemaObject::int64(), "-9223372036854775809", " minimum"),
        (SchemaObject::int64(), "-9223372036854776856", " minimum"),
        (SchemaObject::int64().multiple_of(7), "-9223372036854775809", " minimum"),
        (SchemaObject::int64().constant(1), "0.99999999999999999999", " type"),
        (SchemaObject::number().constant(1), "0.99999999999999999999", "1.0"),
        (
            SchemaObject::array(SchemaObject::int64()).unique_items(),
            "[9007199254740993.0,9007199254740992.0]",
            "[9007199254740993,9007199254740992]",
        ),
        (
            SchemaObject::array(SchemaObject::int64()).unique_items(),
            "[9007199254740993.0,9007199254740993]",
            "/1 unique_items",
        ),
        (SchemaObject::enumeration([1, 2]), "0.99999999999999999999", " type"),
        (SchemaObject::any(), "[1.0,0.99999999999999999999]", "[1.0,1.0]"),
        (SchemaObject::int32(), "2147483648", " maximum"),
        (SchemaObject::int32(), "-2147483649", " minimum"),
        (SchemaObject::int32(), "1e400", " maximum"),
        (SchemaObject::int64(), "9223372036854775808", " maximum"),
        (SchemaObject::uint64(), "9223372036854775807", "9223372036854775807"),
        (SchemaObject::uint64(), "9223372036854775808", " maximum"),
        (SchemaObject::uint64(), "-1", " minimum"),
        (SchemaObject::int32(), "\"1\"", " type"),
        (SchemaObject::int32(), "null", " null"),
        (SchemaObject::int32().nullable(), "null", "null"),
        (SchemaObject::number(), "-1e400", " minimum"),
        (SchemaObject::number().multiple_of(0.1), "0.3", "0.3"),
        (SchemaObject::number().minimum(1).exclusive_maximum(2).multiple_of(0.5), "2", " exclusive_maximum"),
        (SchemaObject::number().exclusive_minimum(1), "1.0", " exclusive_minimum"),
        (SchemaObject::number().minimum(3).multiple_of(2), "1", " minimum,  multiple_of"),
        (SchemaObject::float32(), "1e39", " maximum"),
        (SchemaObject::float32(), "3.4028235e38", "3.4028235e+38"),
        (SchemaObject::boolean(), "1", " type"),
        (SchemaObject::string().min_length(2).pattern("^b"), "\"a\"", " min_length,  pattern"),
        (SchemaObject::string().max_length(2), "\"🦀🦀\"", "\"🦀🦀\""),
        (SchemaObject::date(), "\"2023-02-29\"", " format"),
        (SchemaObject::date_time(), "\"2023-02-28T00:00:00\"", " format"),
        (SchemaObject::uuid(), "1", " type"),
        (SchemaObject::enumeration(["dog", "cat"]), "\"cow\"", " enum"),
        (SchemaObject::enumeration([1, 2]), "2.0", "2"),
        (SchemaObject::enumeration([1, 2]), "3", " enum"),
        (SchemaObject::enumeration([1, 2]), "\"1\"", " type"),
        (SchemaObject::string().constant("x"), "\"y\"", " const"),
        (SchemaObject::string(), "{}", " type"),
    ] {
        check(&shape(schema), text, expected);
    }
}

#[test]
fn a_fraction_is_a_number_in_messages() {
    for (schema, text, expected) in [
        (SchemaObject::boolean(), "0.99999999999999999999", "must be a boolean, not a number"),
        (SchemaObject::string(), "1e-400", "must be a string, not a number"),
        (SchemaObject::int64(), "0.99999999999999999999", "must be an integer, not a number"),
        (SchemaObject::string(), "1.5", "must be a string, not a number"),
        (SchemaObject::string(), "1.0", "must be a string, not an integer"),
        (SchemaObject::array(SchemaObject::string()), "1e-400", "must be an array, not a number"),
    ] {
        let Err(ReadError::Violations(found)) = shape(schema).read_value(text.as_bytes(), 9) else { panic!("{text}") };
        assert_eq!(found.iter().map(|one| one.message.as_str()).collect::<Vec<_>>(), [expected], "{text}");
    }
}

#[test]
fn arrays_objects_and_maps_report_everything() {
    let pet = PropertyCollection::new("Pet")
        .property(string("name").min_length(1))
        .property(array("tags", SchemaObject::string().max_length(3)).max_items(1).unique_items().optional())
        .property(map("scores", SchemaObject::int32().minimum(0)).max_properties(1).optional())
        .property(object("owner", PropertyCollection::new("Owner").property(string("name")).closed()).nullable())
        .property(any("extra").optional())
        .property(int32("age").default_value(3));
    let shape = shape(pet);
    for (text, expected) in [
        (r#"{"owner":null,"name":"a","more":1}"#, r#"{"owner":null,"name":"a","age":3}"#),
        (r#"{}"#, "/name required, /owner required"),
        (r#"{"name":"","owner":{"nam":1}}"#, "/name min_length, /owner/nam unknown_property, /owner/name required"),
        (r#"{"name":"a","name":"b","owner":null}"#, "/name duplicate_property"),
        (r#"{"name":"a","owner":null,"x":1,"x":2}"#, "/x duplicate_property"),
        (r#"{"name":"a","owner":null,"x":{"y":[{"z":1,"z":1}]}}"#, "/x/y/0/z duplicate_property"),
        (r#"{"name":"a","owner":null,"extra":{"z":1,"z":1}}"#, "/extra/z duplicate_property"),
        (r#"{"name":"a","owner":null,"extra":[1e400,-1e400]}"#, "/extra/0 maximum, /extra/1 minimum"),
        (
            r#"{"name":"a","owner":null,"tags":["a","a","long"]}"#,
            "/tags max_items, /tags/2 max_length, /tags/1 unique_items",
        ),
        (r#"{"name":"a","owner":null,"scores":{"a/b":-1,"c":1}}"#, "/scores/a~1b minimum, /scores max_properties"),
        (r#"{"name":"a","owner":null,"scores":{"a":1,"a":1}}"#, "/scores/a duplicate_property"),
        (r#"{"name":"a","owner":[],"tags":{},"scores":[]}"#, "/owner type, /tags type, /scores type"),
        (r#"[]"#, " type"),
        (r#"["a",null]"#, " type"),
    ] {
        check(&shape, text, expected);
    }
}

#[test]
fn finds_the_discriminator_at_any_position() {
    let union = OneOf::new("Figure", "type")
        .variant("circle", PropertyCollection::new("Circle").property(int32("radius")))
        .variant("empty", PropertyCollection::new("Empty").closed());
    let shape = shape(SchemaObject::one_of(union));
    for (text, expected) in [
        (r#"{"radius":1.0,"type":"circle"}"#, r#"{"radius":1,"type":"circle"}"#),
        (r#"{"type":"circle"}"#, "/radius required"),
        (r#"{"radius":1}"#, "/type required"),
        (r#"{"type":"square"}"#, "/type discriminator"),
        (r#"{"type":1}"#, "/type type"),
        (r#"{"type":"empty","radius":1}"#, "/radius unknown_property"),
        (r#"{"type":"empty","type":"circle"}"#, "/type duplicate_property"),
        (r#""circle""#, " type"),
    ] {
        check(&shape, text, expected);
    }
}

#[test]
fn violations_contain_the_variant_of_a_tagged_union() {
    let inner = OneOf::new("Inner", "kind").variant("point", PropertyCollection::new("Point").property(int32("x")));
    let union = OneOf::new("Figure", "type")
        .variant(
            "circle",
            PropertyCollection::new("Circle").property(int32("radius").minimum(1)).property(any("inner")),
        )
        .variant("group", PropertyCollection::new("Group").property(one_of("inner", inner)));
    let shape = shape(
        object("root", PropertyCollection::new("Root").property(one_of("a", union)).property(int32("b"))).into_schema(),
    );
    for (json, expected) in [
        (
            json!({ "a": { "type": "circle", "radius": 0 }, "b": "x" }),
            r#"/a/radius "circle", /a/inner "circle", /b null"#,
        ),
        (json!({ "a": { "type": "group", "inner": { "kind": "point" } }, "b": 1 }), r#"/a/inner/x "point""#),
        (json!({ "a": { "type": "group", "inner": 1 }, "b": 1 }), r#"/a/inner "group""#),
        (json!({ "a": { "type": "square" }, "b": 1 }), "/a/type null"),
    ] {
        let violations = shape.check_value(&json, 10).unwrap_err();
        let variant = |found: &Violation| found.params.get("variant").cloned().unwrap_or_default();
        let found: Vec<_> = violations.iter().map(|found| format!("{} {}", found.pointer, variant(found))).collect();
        assert_eq!(found.join(", "), expected, "{json}");
    }
}

#[test]
fn reports_the_position_of_malformed_json() {
    let shape = shape(SchemaObject::any());
    for (text, line, column) in [
        (&b"{\"a\": 1,\n}"[..], 2, 1),
        (b"", 1, 1),
        (b"[1] x", 1, 5),
        (b"{\"a\"\n: \xff}", 2, 3),
        (b"\"\xc3\"", 1, 2),
        (b"[1e400,\n 1e400, x]", 2, 9),
        (b"\"\\ud800\"", 1, 8),
    ] {
        match shape.read_value(text, 100) {
            Err(ReadError::Syntax { line: l, column: c, .. }) => {
                assert_eq!((l, c), (line, column), "{}", String::from_utf8_lossy(text));
            }
            other => panic!("{}: {other:?}", String::from_utf8_lossy(text)),
        }
    }
    let nested = |depth: usize| [b"[".repeat(depth), b"]".repeat(depth)].concat();
    assert!(shape.read_value(&nested(127), 100).is_ok());
    assert!(matches!(shape.read_value(&nested(128), 100), Err(ReadError::Syntax { .. })));
}

#[test]
fn stops_reporting_at_the_limit() {
    let shape = shape(SchemaObject::array(SchemaObject::int32()));
    let text = format!("[{}]", ["true"; 1000].join(","));
    for (limit, expected, truncated) in [(1, 1, true), (100, 100, true), (1000, 1000, false)] {
        let Err(ReadError::Violations(violations)) = shape.read_value(text.as_bytes(), limit) else {
            panic!("violations")
        };
        assert_eq!((violations.len(), violations.truncated()), (expected, truncated));
    }
}

#[test]
fn reports_only_the_number_beyond_doubles() {
    let shape = shape(PropertyCollection::new("").property(number("d")).property(int64("i")));
    check(&shape, r#"{"d":1.79e308,"i":1e400}"#, "/i maximum");
    check(&shape, r#"{"d":9e307,"i":-1e400}"#, "/i minimum");
    check(&shape, r#"{"d":1.7976931348623157e308,"i":1.0}"#, r#"{"d":1.7976931348623157e+308,"i":1}"#);
    check(&shape, r#"{"i":1e2,"d":1e400,"more":[1,{"1":2.5}]}"#, "/d maximum");
}

#[test]
fn reports_the_location_of_unreadable_values() {
    #[derive(Debug, Deserialize)]
    struct Shirts {
        #[expect(dead_code, reason = "only reading it matters")]
        sizes: Vec<Size>,
    }
    impl Schema for Shirts {
        type Changes = Self;

        fn schema_type(registry: &mut Registry) -> SchemaType {
            registry.define::<Self, _>("Shirts", |registry| {
                PropertyCollection::new("Shirts").property(typed::<Vec<Size>>(registry, "sizes"))
            })
        }
    }
    let mut registry = Registry::new();
    let kind = Shirts::schema_type(&mut registry);
    let shape = registry.compile(&kind, SchemaSide::Input, None);
    assert!(shape.read::<Shirts>(br#"{"sizes": ["small", "large"]}"#, 100).is_ok());
    let Err(ReadError::Violations(violations)) = shape.read::<Shirts>(br#"{"sizes": ["small", "huge"]}"#, 100) else {
        panic!("violations")
    };
    let violation = violations.iter().next().unwrap();
    assert_eq!((violation.pointer.as_str(), violation.code.as_str()), ("/sizes/1", "unreadable"));
    assert_eq!(violation.message, "cannot be read: unknown variant `huge`, expected `small` or `large`");
}

#[test]
fn runs_custom_checks_only_on_valid_values() {
    #[derive(Debug, Deserialize)]
    struct Stay {
        from: i32,
        to: i32,
    }
    impl Schema for Stay {
        type Changes = Self;

        fn schema_type(registry: &mut Registry) -> SchemaType {
            registry.define::<Self, _>("Stay", |registry| {
                PropertyCollection::new("Stay")
                    .property(typed::<i32>(registry, "from").minimum(0))
                    .property(typed::<i32>(registry, "to"))
            })
        }
        fn run_checks(&self, checks: &mut Checks<'_>) {
            if self.to < self.from {
                checks.refuse(Invalid::new("ends_before_start", "must not end before it starts").at("/to"));
            }
        }
    }
    let mut registry = Registry::new();
    let kind = <Vec<Stay>>::schema_type(&mut registry);
    let shape = registry.compile(&kind, SchemaSide::Input, None);
    let refused = |text: &str| shape.read::<Vec<Stay>>(text.as_bytes(), 100).unwrap_err().to_string();
    assert_eq!(
        refused(r#"[{"from":1,"to":2},{"from":2,"to":1}]"#),
        "/1/to: must not end before it starts (ends_before_start)"
    );
    assert_eq!(refused(r#"[{"from":-1,"to":-2}]"#), "/0/from: must be at least 0 (minimum)");
}

#[test]
fn checks_values_and_json_alike() {
    let shape = shape(PropertyCollection::new("Pet").property(string("name").max_length(2)));
    assert!(shape.check_value(&json!({"name": "ab"}), 100).is_ok());
    assert_eq!(shape.check_value(&json!({"name": "abc"}), 100).unwrap_err().len(), 1);
}

#[test]
fn reads_more_properties_than_a_word_has_bits() {
    let mut wide = PropertyCollection::new("Wide");
    for index in 0..200 {
        wide = wide.property(int32(format!("p{index}")));
    }
    let shape = shape(wide);
    let text = |skip: usize| {
        let properties: Vec<_> =
            (0..200).filter(|index| *index != skip).map(|index| format!("\"p{index}\":1")).collect();
        format!("{{{}}}", properties.join(","))
    };
    assert_eq!(shape.guided_verdict::<serde_json::Value>(text(999).as_bytes()), Some(true));
    for skip in [0, 63, 64, 127, 128, 199] {
        assert_eq!(shape.guided_verdict::<serde_json::Value>(text(skip).as_bytes()), Some(false));
        check(&shape, &text(skip), &format!("/p{skip} required"));
    }
}

#[test]
fn ignores_read_only_properties_from_clients() {
    #[derive(Debug, PartialEq, Deserialize)]
    struct Thing {
        #[serde(default)]
        id: i64,
        #[serde(default, alias = "boss")]
        owner: String,
        name: String,
    }
    impl Schema for Thing {
        type Changes = Self;

        fn schema_type(registry: &mut Registry) -> SchemaType {
            registry.define::<Self, _>("Thing", |_| {
                PropertyCollection::new("Thing")
                    .property(int64("id").read_only())
                    .property(string("owner").alias("boss").modes([Mode::View]))
                    .property(string("name"))
            })
        }
    }
    let mut registry = Registry::new();
    let kind = Thing::schema_type(&mut registry);
    let thing = registry.compile(&kind, SchemaSide::Input, Some(Mode::Create));
    let expected = Thing { id: 0, owner: String::new(), name: "a".to_owned() };
    for text in [
        r#"{"name": "a"}"#,
        r#"{"id": 7, "name": "a"}"#,
        r#"{"id": "x", "name": "a", "owner": "me"}"#,
        r#"{"boss": "me", "name": "a", "other": 1}"#,
    ] {
        assert_eq!(thing.read::<Thing>(text.as_bytes(), 100).as_ref(), Ok(&expected), "{text}");
    }
    let closed = PropertyCollection::new("Closed").property(int64("id").read_only()).closed();
    check(&shape(closed), r#"{"id": 7}"#, "/id unknown_property");
}
