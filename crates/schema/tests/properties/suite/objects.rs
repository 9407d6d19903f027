//! Keywords of objects, references and unions.

use restwright_schema::{
    OneOf, PropertyCollection, SchemaObject, SchemaType, any, array, boolean, enumeration, integer, number, object,
    reference, string,
};

use super::{Rule, rule};

pub(super) fn rules() -> Vec<Rule> {
    [properties(), required(), additional(), counts(), references(), unions()].into_iter().flatten().collect()
}

fn collection(name: &'static str) -> PropertyCollection {
    PropertyCollection::new(name)
}

fn properties() -> Vec<Rule> {
    let escaped = ["foo\nbar", "foo\"bar", "foo\\bar", "foo\rbar", "foo\tbar", "foo\u{c}bar"];
    vec![
        rule("properties", collection("Known").property(integer("foo").optional()).property(string("bar").optional()))
            .accepts(r#"{"foo": 1, "bar": "baz"} | {"quux": []} | {}"#)
            .rejects(r#"{"foo": 1, "bar": {}} | {"foo": [], "bar": {}} | [] | 12"#),
        rule(
            "properties",
            escaped.into_iter().fold(collection("Escaped"), |all, name| all.property(number(name).optional())),
        )
        .accepts(r#"{"foo\nbar": 1, "foo\"bar": 1, "foo\\bar": 1, "foo\rbar": 1, "foo\tbar": 1, "foo\fbar": 1}"#)
        .rejects(
            r#"{"foo\nbar": "1", "foo\"bar": "1", "foo\\bar": "1", "foo\rbar": "1", "foo\tbar": "1", "foo\fbar": "1"}"#,
        )
        .rejects(r#"{"foo\u000abar": "1"}"#),
        rule("properties", collection("Null").property(any("foo").optional())).accepts(r#"{"foo": null} | {}"#),
        rule(
            "properties",
            collection("Prototype")
                .property(number("__proto__").optional())
                .property(object("toString", collection("Length").property(string("length").optional())).optional())
                .property(number("constructor").optional()),
        )
        .accepts(r#"{} | {"__proto__": 1, "toString": {"length": "foo"}, "constructor": 37}"#)
        .rejects(r#"{"__proto__": "foo"} | {"toString": {"length": 37}} | {"constructor": {"length": 37}} | [] | 12"#),
        rule(
            "enum",
            collection("Enums").property(enumeration("foo", ["foo"]).optional()).property(enumeration("bar", ["bar"])),
        )
        .accepts(r#"{"foo": "foo", "bar": "bar"} | {"bar": "bar"}"#)
        .rejects(r#"{"foo": "foot", "bar": "bar"} | {"foo": "foo", "bar": "bart"} | {"foo": "foo"} | {}"#),
        rule("default", collection("Default").property(integer("foo").default_value(5)))
            .accepts(r#"{"foo": 13} | {}"#)
            .rejects(r#"{"foo": "13"} | {"foo": null}"#),
        rule("default", collection("Text").property(string("bar").min_length(4).default_value("good")))
            .accepts(r#"{"bar": "good"} | {}"#)
            .rejects(r#"{"bar": "bad"}"#),
    ]
}

fn required() -> Vec<Rule> {
    let escaped = ["foo\nbar", "foo\"bar", "foo\\bar", "foo\rbar", "foo\tbar", "foo\u{c}bar"];
    let prototype = ["__proto__", "toString", "constructor"];
    vec![
        rule("required", collection("Required").property(any("foo")).property(any("bar").optional()))
            .accepts(r#"{"foo": 1} | {"foo": null}"#)
            .rejects(r#"{"bar": 1} | {} | [] | "" | 12 | null"#),
        rule("required", collection("Optional").property(any("foo").optional())).accepts("{}"),
        rule("required", escaped.into_iter().fold(collection("Escaped"), |all, name| all.property(any(name))))
            .accepts(r#"{"foo\nbar": 1, "foo\"bar": 1, "foo\\bar": 1, "foo\rbar": 1, "foo\tbar": 1, "foo\fbar": 1}"#)
            .rejects(r#"{"foo\nbar": "1", "foo\"bar": "1"}"#),
        rule("required", prototype.into_iter().fold(collection("Prototype"), |all, name| all.property(any(name))))
            .accepts(r#"{"__proto__": "foo", "toString": {"length": "foo"}, "constructor": 37}"#)
            .rejects(r#"{} | {"__proto__": "foo"} | {"toString": {"length": 37}} | {"constructor": {"length": 37}}"#),
        rule("required", collection("Nested").property(object("a", collection("Inner").property(any("b")))))
            .accepts(r#"{"a": {"b": 1}}"#)
            .rejects(r#"{"a": {}} | {"a": 1} | {"b": 1}"#),
    ]
}

fn additional() -> Vec<Rule> {
    vec![
        rule(
            "additionalProperties",
            collection("Closed").property(any("foo").optional()).property(any("bar").optional()).closed(),
        )
        .accepts(r#"{"foo": 1} | {"foo": 1, "bar": 2} | {}"#)
        .rejects(r#"{"foo": 1, "bar": 2, "quux": "boom"} | [1, 2, 3] | "foobarbaz" | {"Foo": 1} | {"": 1}"#),
        rule("additionalProperties", collection("Empty").closed()).accepts("{}").rejects(r#"{"foo": 1}"#),
        rule("additionalProperties", SchemaObject::map(SchemaObject::boolean()))
            .accepts(r#"{"foo": true} | {}"#)
            .rejects(r#"{"foo": 1} | {"foo": null} | {"a": true, "b": 0}"#),
        rule("propertyNames", SchemaType::keyed_map(SchemaObject::string().max_length(3), SchemaObject::any()))
            .accepts(r#"{} | {"f": {}, "foo": {}}"#)
            .rejects(r#"{"foo": {}, "foobar": {}} | [] | "foobar" | 12"#),
        rule("propertyNames", SchemaType::keyed_map(SchemaObject::string().pattern("^a+$"), SchemaObject::any()))
            .accepts(r#"{"a": {}, "aa": {}} | {}"#)
            .rejects(r#"{"aaA": {}}"#),
        rule(
            "propertyNames",
            SchemaType::keyed_map(SchemaObject::enumeration(["foo", "bar"]), SchemaObject::integer()),
        )
        .accepts(r#"{"foo": 1} | {"foo": 1, "bar": 1}"#)
        .rejects(r#"{"baz": 1} | {"foo": 1, "baz": 1} | {"foo": ""}"#),
        rule("propertyNames", SchemaType::keyed_map(SchemaObject::uint32(), SchemaObject::any()))
            .accepts(r#"{"0": 1, "4294967295": 1}"#)
            .rejects(r#"{"-1": 1} | {"01": 1} | {"1.0": 1} | {"1e2": 1} | {"": 1} | {"a": 1}"#),
        rule("propertyNames", SchemaType::keyed_map(SchemaObject::date(), SchemaObject::any()))
            .accepts(r#"{"2024-02-29": 1}"#)
            .rejects(r#"{"2023-02-29": 1} | {"2024-2-9": 1}"#),
        rule("additionalProperties", SchemaObject::map(SchemaObject::any())).accepts(r#"{"foo": null}"#),
        rule("additionalProperties", SchemaObject::map(SchemaObject::boolean().nullable())).accepts(r#"{"foo": null}"#),
        rule(
            "additionalProperties",
            collection("Open").property(any("foo").optional()).property(any("bar").optional()),
        )
        .accepts(r#"{"foo": 1, "bar": 2, "quux": true}"#),
    ]
}

fn counts() -> Vec<Rule> {
    let map = || SchemaObject::map(SchemaObject::any());
    vec![
        rule("minProperties", map().min_properties(1))
            .accepts(r#"{"foo": 1, "bar": 2} | {"foo": 1}"#)
            .rejects(r#"{} | [] | "" | 12"#),
        rule("maxProperties", map().max_properties(2))
            .accepts(r#"{"foo": 1} | {"foo": 1, "bar": 2}"#)
            .rejects(r#"{"foo": 1, "bar": 2, "baz": 3} | [1, 2, 3] | "foobar" | 12"#),
        rule("maxProperties", map().max_properties(0)).accepts("{}").rejects(r#"{"foo": 1}"#),
        rule("maxProperties", map().min_properties(1).max_properties(1))
            .accepts(r#"{"foo": {"bar": 1, "baz": 2}}"#)
            .rejects(r#"{} | {"foo": 1, "bar": 2}"#),
    ]
}

fn references() -> Vec<Rule> {
    let tree = collection("Tree").property(string("meta")).property(array("nodes", SchemaObject::reference("Node")));
    let node = collection("Node").property(number("value")).property(reference("subtree", "Tree").optional());
    vec![
        rule("ref", SchemaObject::reference("Root"))
            .named(collection("Root").property(reference("foo", "Root").optional()).closed())
            .accepts(r#"{"foo": {}} | {"foo": {"foo": {}}} | {}"#)
            .rejects(r#"{"bar": {}} | {"foo": {"bar": {}}} | {"foo": false}"#),
        rule("ref", SchemaObject::reference("Tree"))
            .named(tree)
            .named(node)
            .accepts(
                r#"{"meta": "root", "nodes": [{"value": 1, "subtree": {"meta": "child", "nodes": [{"value": 1.1}, {"value": 1.2}]}}]}"#,
            )
            .rejects(
                r#"{"meta": "root", "nodes": [{"value": 1, "subtree": {"meta": "child", "nodes": [{"value": "string is invalid"}]}}]}"#,
            )
            .rejects(r#"{"meta": "root", "nodes": [{"value": 1, "subtree": {"meta": "child"}}]}"#),
        rule("ref", collection("Named").property(string("$ref").optional()))
            .accepts(r##"{"$ref": "a"} | {"$ref": "#/components/schemas/Named"}"##)
            .rejects(r#"{"$ref": 2}"#),
        rule("ref", SchemaObject::array(SchemaObject::reference("With.dots-and_hyphens")))
            .named(collection("With.dots-and_hyphens").property(integer("a")))
            .accepts(r#"[{"a": 123}] | []"#)
            .rejects(r#"[{"a": "aoeu"}]"#),
        rule("infinite-loop-detection", collection("Twice").property(reference("foo", "Int")).property(reference("bar", "Int")))
            .named(collection("Int").property(integer("value")))
            .accepts(r#"{"foo": {"value": 1}, "bar": {"value": 1}}"#)
            .rejects(r#"{"foo": {"value": 1}, "bar": {"value": "a string"}}"#),
    ]
}

fn unions() -> Vec<Rule> {
    let union = OneOf::new("Union", "type")
        .variant("foo", collection("Foo").property(string("foo")).closed())
        .variant("bar", collection("Bar").property(integer("bar")));
    let nested = collection("Holder").property(array("list", SchemaObject::one_of(union.clone())));
    vec![
        rule("oneOf", SchemaObject::one_of(union.clone()))
            .accepts(
                r#"{"type": "bar", "bar": 2} | {"type": "foo", "foo": "baz"} | {"type": "bar", "bar": 2, "foo": 1}"#,
            )
            .rejects(r#"{"type": "foo", "foo": 2} | {"type": "bar", "bar": "quux"} | {"bar": 2} | {} | [] | "foo""#)
            .rejects(r#"{"type": "foo", "foo": "baz", "bar": 2} | {"type": "quux"} | {"type": 1, "bar": 2}"#),
        rule("anyOf", SchemaObject::one_of(union).nullable())
            .accepts(r#"null | {"type": "bar", "bar": 2}"#)
            .rejects(r#"{} | "null" | 0"#),
        rule("anyOf", SchemaObject::any_of([SchemaObject::integer(), SchemaObject::number().minimum(2)]))
            .accepts("1 | 2.5 | 3")
            .rejects(r#"1.5 | "a" | null"#),
        rule(
            "anyOf",
            SchemaObject::any_of([SchemaObject::string().max_length(2), SchemaObject::string().min_length(4)]),
        )
        .accepts(r#""fo" | "foobar""#)
        .rejects(r#""foo" | 3"#),
        rule(
            "anyOf",
            SchemaObject::any_of([
                SchemaObject::object(collection("").property(integer("bar"))),
                SchemaObject::object(collection("").property(string("foo"))),
            ]),
        )
        .accepts(r#"{"bar": 2} | {"foo": "baz"} | {"foo": "baz", "bar": 2} | {"foo": 2, "bar": 2}"#)
        .rejects(r#"{"foo": 2, "bar": "quux"} | {} | [] | null"#),
        rule("anyOf", SchemaObject::any_of([SchemaObject::any_of([SchemaObject::any().constant(())])]))
            .accepts("null")
            .rejects("123 | false"),
        rule("oneOf", nested)
            .accepts(r#"{"list": []} | {"list": [{"type": "foo", "foo": ""}, {"type": "bar", "bar": 1}]}"#)
            .rejects(r#"{"list": [{"type": "foo", "foo": ""}, {"type": "bar", "bar": ""}]} | {"list": [null]}"#),
        rule(
            "anyOf",
            collection("Nullable").property(object("a", collection("Inner").property(boolean("b"))).nullable()),
        )
        .accepts(r#"{"a": null} | {"a": {"b": true}}"#)
        .rejects(r#"{"a": {}} | {"a": {"b": null}} | {}"#),
    ]
}
