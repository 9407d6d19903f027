//! Keywords of values without properties.

use restwright_schema::SchemaObject;
use serde_json::json;

use super::{Rule, rule};

const INTEGER_RANGE: &str = "An integer has 64 signed bits.";

pub(super) fn rules() -> Vec<Rule> {
    [types(), strings(), numbers(), values(), lists(), unique_items()].into_iter().flatten().collect()
}

fn types() -> Vec<Rule> {
    vec![
        rule("type", SchemaObject::integer())
            .accepts("1 | 1.0 | -0.0 | 1e2")
            .rejects(r#"1.1 | "foo" | "1" | {} | [] | true | null"#),
        rule("type", SchemaObject::number())
            .accepts("1 | 1.0 | 1.1 | -1e-3")
            .rejects(r#""foo" | "1" | {} | [] | true | null"#),
        rule("type", SchemaObject::string()).accepts(r#""foo" | "1" | """#).rejects("1 | 1.1 | {} | [] | true | null"),
        rule("type", SchemaObject::map(SchemaObject::any()))
            .accepts(r#"{} | {"foo": 1}"#)
            .rejects(r#"1 | 1.1 | "foo" | [] | true | null"#),
        rule("type", SchemaObject::array(SchemaObject::any()))
            .accepts("[] | [null]")
            .rejects(r#"1 | 1.1 | "foo" | {} | true | null"#),
        rule("type", SchemaObject::boolean())
            .accepts("true | false")
            .rejects(r#"1 | 0 | 1.1 | "foo" | "" | {} | [] | null"#),
        rule("type", SchemaObject::string().nullable()).accepts(r#""foo" | null"#).rejects("0 | false | [] | {}"),
        rule("type", SchemaObject::array(SchemaObject::any()).nullable())
            .accepts("[1, 2, 3] | null")
            .rejects(r#"123 | "foo" | {"foo": 123}"#),
        rule("type", SchemaObject::boolean().nullable()).accepts("true | null").rejects(r#"0 | "" | "null""#),
        rule("boolean_schema", SchemaObject::any())
            .accepts(r#"1 | "foo" | true | false | null | {"foo": "bar"} | {} | ["foo"] | []"#),
    ]
}

fn strings() -> Vec<Rule> {
    vec![
        rule("minLength", SchemaObject::string().min_length(2))
            .accepts(r#""foo" | "fo" | "💩💩""#)
            .rejects(r#""f" | "💩" | """#),
        rule("maxLength", SchemaObject::string().max_length(2))
            .accepts(r#""f" | "fo" | "💩💩" | "\ud83d\udca9\ud83d\udca9""#)
            .rejects(r#""foo" | "💩💩💩" | "e\u0301e""#),
        rule("maxLength", SchemaObject::string().max_length(0)).accepts(r#""""#).rejects(r#""f""#),
        rule("pattern", SchemaObject::string().pattern("^a*$")).accepts(r#""aaa" | """#).rejects(r#""abc" | true"#),
        rule("pattern", SchemaObject::string().pattern("a+")).accepts(r#""xxaayy""#).rejects(r#""xxyy" | """#),
        rule("pattern", SchemaObject::string().pattern("^[^a]$")).accepts(r#""b" | "\n" | "💩""#).rejects(r#""a""#),
        rule("pattern", SchemaObject::string().nullable().pattern("^a$")).accepts(r#""a" | null"#).rejects(r#""b""#),
        rule("optional/non-bmp-regex", SchemaObject::string().pattern("^🐲*$"))
            .accepts(r#""" | "🐲" | "🐲🐲""#)
            .rejects(r#""🐉" | "🐉🐉" | "D" | "DD""#),
        rule("optional/ecmascript-regex", SchemaObject::string().pattern("^abc$"))
            .accepts(r#""abc""#)
            .rejects(r#""abc\n" | "\nabc""#),
        rule("optional/ecmascript-regex", SchemaObject::string().pattern(r"^\t$"))
            .accepts(r#""\t" | "\u0009""#)
            .rejects(r#""\\t" | "t""#),
        rule("optional/ecmascript-regex", SchemaObject::string().pattern(r"^\d$"))
            .accepts(r#""0""#)
            .rejects(r#""߀" | "a""#),
        rule("optional/ecmascript-regex", SchemaObject::string().pattern(r"^\D$"))
            .accepts(r#""߀" | "a""#)
            .rejects(r#""0""#),
        rule("optional/ecmascript-regex", SchemaObject::string().pattern(r"^\w$"))
            .accepts(r#""a" | "_""#)
            .rejects(r#""é" | "-""#),
        rule("optional/ecmascript-regex", SchemaObject::string().pattern(r"^\W$"))
            .accepts(r#""é" | "-""#)
            .rejects(r#""a""#),
        rule("optional/ecmascript-regex", SchemaObject::string().pattern(r"^\s$"))
            .accepts(r#"" " | "\t" | "\u000b" | "\f" | "\u00a0" | "\ufeff" | "\n" | "\u2028" | "\u2003""#)
            .rejects(r#""\u0001" | "\u2013" | "\u0085""#),
        rule("optional/ecmascript-regex", SchemaObject::string().pattern(r"^\S$"))
            .accepts(r#""\u0001" | "\u2013""#)
            .rejects(r#"" " | "\t" | "\u000b" | "\f" | "\u00a0" | "\ufeff" | "\n" | "\u2029" | "\u2003""#),
        rule("optional/ecmascript-regex", SchemaObject::string().pattern("[a-z]cole"))
            .accepts(r#""l'ecole""#)
            .rejects(r#""L'ECOLE" | "l'école""#),
        rule("optional/ecmascript-regex", SchemaObject::string().pattern("^.$"))
            .accepts(r#""a" | "💩""#)
            .rejects(r#""" | "aa" | "\n" | "\r" | "\u2028""#),
        rule("optional/ecmascript-regex", SchemaObject::string().pattern("^(?:a|bc){1,2}?$"))
            .accepts(r#""a" | "bc" | "abc""#)
            .rejects(r#""b" | "aaa""#),
    ]
}

fn numbers() -> Vec<Rule> {
    vec![
        rule("minimum", SchemaObject::number().minimum(1.1)).accepts("2.6 | 1.1").rejects(r#"0.6 | "x""#),
        rule("minimum", SchemaObject::number().minimum(-2)).accepts("-1 | 0 | -2 | -2.0").rejects("-2.0001 | -3"),
        rule("maximum", SchemaObject::number().maximum(3.0)).accepts("2.6 | 3.0 | 3").rejects(r#"3.5 | "x""#),
        rule("maximum", SchemaObject::number().maximum(300)).accepts("299.97 | 300 | 300.00").rejects("300.5"),
        rule("exclusiveMinimum", SchemaObject::number().exclusive_minimum(1.1)).accepts("1.2").rejects("1.1 | 0.6"),
        rule("exclusiveMaximum", SchemaObject::number().exclusive_maximum(3.0)).accepts("2.2").rejects("3.0 | 3 | 3.5"),
        rule("multipleOf", SchemaObject::integer().multiple_of(2)).accepts("10 | 0 | -4").rejects(r#"7 | "foo""#),
        rule("multipleOf", SchemaObject::number().multiple_of(1.5)).accepts("0 | 4.5").rejects("35"),
        rule("multipleOf", SchemaObject::number().multiple_of(0.0001)).accepts("0.0075").rejects("0.00751"),
        rule("multipleOf", SchemaObject::number().multiple_of(1e-8)).accepts("12391239123"),
        rule("optional/float-overflow", SchemaObject::number().multiple_of(0.5)).accepts("1e308"),
        rule("optional/bignum", SchemaObject::integer())
            .accepts("9007199254740993 | 9223372036854775807 | -9223372036854775808")
            .accepts("12345678910111213141516171819202122232425262728293031 | -9223372036854775809")
            .except("12345678910111213141516171819202122232425262728293031", INTEGER_RANGE)
            .except("-9223372036854775809", INTEGER_RANGE),
        rule("optional/bignum", SchemaObject::number())
            .accepts("98249283749234923498293171823948729348710298301928331"),
        rule("optional/bignum", SchemaObject::number().maximum(18_446_744_073_709_551_615_u64))
            .accepts("18446744073709551600"),
        rule("optional/bignum", SchemaObject::number().exclusive_maximum(9.727_837_981_879_871e26))
            .rejects("972783798187987123879878123.188781371"),
        rule("optional/bignum", SchemaObject::number().minimum(-18_446_744_073_709_551_615.0_f64))
            .accepts("-18446744073709551600"),
        rule("optional/bignum", SchemaObject::integer().minimum(9_007_199_254_740_992_i64))
            .accepts("9007199254740992 | 9007199254740993")
            .rejects("9007199254740991"),
        rule("format int32", SchemaObject::int32()).accepts("2147483647 | -2147483648").rejects("2147483648"),
    ]
}

fn values() -> Vec<Rule> {
    vec![
        rule("enum", SchemaObject::enumeration([1, 2, 3])).accepts("1 | 3.0").rejects(r#"4 | "1" | null"#),
        rule("enum", SchemaObject::enumeration(["foo", "bar"])).accepts(r#""foo""#).rejects(r#""fo" | "Foo" | 1"#),
        rule("enum", SchemaObject::enumeration([0])).accepts("0 | 0.0").rejects("false | [0]"),
        rule("enum", SchemaObject::enumeration([1])).accepts("1 | 1.0").rejects("true | [1]"),
        rule("enum", SchemaObject::enumeration(["foo"]).nullable()).accepts(r#""foo" | null"#).rejects(r#""null" | 0"#),
        rule("enum", SchemaObject::enumeration(["hello\0there"]))
            .accepts(r#""hello\u0000there""#)
            .rejects(r#""hellothere""#),
        rule("const", SchemaObject::integer().constant(2)).accepts("2 | 2.0").rejects(r#"5 | "a""#),
        rule("const", SchemaObject::string().constant("hello\0there"))
            .accepts(r#""hello\u0000there""#)
            .rejects(r#""hellothere""#),
        rule("const", SchemaObject::number().constant(-2.0)).accepts("-2 | -2.0").rejects("2 | 2.0 | -2.00001"),
        rule("const", SchemaObject::any().constant(json!({ "foo": "bar", "baz": "bax" })))
            .accepts(r#"{"foo": "bar", "baz": "bax"} | {"baz": "bax", "foo": "bar"}"#)
            .rejects(r#"{"foo": "bar"} | [1, 2]"#),
        rule("const", SchemaObject::any().constant(json!([{ "foo": "bar" }])))
            .accepts(r#"[{"foo": "bar"}]"#)
            .rejects("[2] | [1, 2, 3]"),
        rule("const", SchemaObject::any().constant(false)).accepts("false").rejects("0 | 0.0"),
        rule("const", SchemaObject::any().constant(true)).accepts("true").rejects("1 | 1.0"),
        rule("const", SchemaObject::any().constant(json!([false]))).accepts("[false]").rejects("[0] | [0.0]"),
        rule("const", SchemaObject::any().constant(json!([true]))).accepts("[true]").rejects("[1] | [1.0]"),
        rule("const", SchemaObject::any().constant(json!({ "a": false })))
            .accepts(r#"{"a": false}"#)
            .rejects(r#"{"a": 0} | {"a": 0.0}"#),
        rule("const", SchemaObject::any().constant(json!({ "a": true })))
            .accepts(r#"{"a": true}"#)
            .rejects(r#"{"a": 1} | {"a": 1.0}"#),
        rule("const", SchemaObject::any().constant(0)).accepts("0 | 0.0").rejects(r#"false | {} | [] | """#),
        rule("const", SchemaObject::any().constant(1)).accepts("1 | 1.0").rejects("true"),
        rule("const", SchemaObject::any().constant(9_007_199_254_740_992_i64))
            .accepts("9007199254740992 | 9007199254740992.0")
            .rejects("9007199254740991 | 9007199254740991.0"),
    ]
}

fn lists() -> Vec<Rule> {
    let numbers = SchemaObject::array(SchemaObject::array(SchemaObject::array(SchemaObject::number())));
    vec![
        rule("items", SchemaObject::array(SchemaObject::integer()))
            .accepts("[1, 2, 3] | []")
            .rejects(r#"[1, "x"] | {"0": "invalid", "length": 1}"#),
        rule("items", SchemaObject::array(numbers))
            .accepts("[[[[1]], [[2], [3]]], [[[4], [5], [6]]]]")
            .rejects(r#"[[[["1"]], [[2], [3]]], [[[4], [5], [6]]]] | [[[1], [2], [3]], [[4], [5], [6]]]"#),
        rule("items", SchemaObject::array(SchemaObject::boolean().nullable())).accepts("[null]").rejects("[0]"),
        rule("prefixItems", SchemaObject::tuple([SchemaObject::integer(), SchemaObject::string()]))
            .accepts(r#"[1, "foo"] | [1.0, ""]"#)
            .rejects(r#"["foo", 1] | [1] | [] | [1, "foo", true] | {"0": 1, "1": "foo", "length": 2} | null"#),
        rule("prefixItems", SchemaObject::tuple([SchemaObject::any().nullable()]))
            .accepts("[null]")
            .rejects("[] | null"),
        rule("prefixItems", SchemaObject::tuple([SchemaObject::tuple([SchemaObject::boolean()])]))
            .accepts("[[true]]")
            .rejects("[[]] | [true] | [[1]]"),
        rule("minItems", SchemaObject::array(SchemaObject::any()).min_items(1))
            .accepts("[1, 2] | [1]")
            .rejects(r#"[] | """#),
        rule("maxItems", SchemaObject::array(SchemaObject::any()).max_items(2))
            .accepts("[1] | [1, 2] | []")
            .rejects(r#"[1, 2, 3] | "foobar""#),
        rule("maxItems", SchemaObject::array(SchemaObject::any()).min_items(2).max_items(2))
            .accepts("[1, [2, 3]]")
            .rejects("[1] | [1, 2, 3]"),
    ]
}

fn unique_items() -> Vec<Rule> {
    vec![
        rule("uniqueItems", SchemaObject::array(SchemaObject::any()).unique_items())
            .accepts(
                r#"[1, 2] | [0, false] | [1, true] | ["foo", "bar", "baz"] | [{"foo": "bar"}, {"foo": "baz"}] | [[1], [true]]"#,
            )
            .accepts(r#"[[0], [false]] | [[[1], "foo"], [[true], "foo"]] | [[[0], "foo"], [[false], "foo"]]"#)
            .accepts(r#"[{"foo": {"bar": {"baz": true}}}, {"foo": {"bar": {"baz": false}}}] | [["foo"], ["bar"]]"#)
            .accepts(r#"[{}, [1], true, null, 1, "{}"] | [{"a": 1, "b": 2}, {"a": 2, "b": 1}] | [{"a": 1}, {"a": true}]"#)
            .accepts(r#"[{"a": false}, {"a": 0}] | [] | [1] | [1, "1"] | [null, "null"] | [{}, []]"#)
            .rejects(
                r#"[1, 1] | [1, 2, 1] | [1.0, 1.00, 1] | ["foo", "bar", "foo"] | [{"foo": "bar"}, {"foo": "bar"}] | [[1], [2], [1]]"#,
            )
            .rejects(r#"[{"foo": "bar", "bar": "foo"}, {"bar": "foo", "foo": "bar"}] | [["foo"], ["foo"]]"#)
            .rejects(r#"[{"foo": {"bar": {"baz": true}}}, {"foo": {"bar": {"baz": true}}}] | [["foo"], ["bar"], ["foo"]]"#)
            .rejects(r#"[{}, [1], true, null, {}, 1] | [true, true] | [null, null] | ["a", "\u0061"]"#)
            .rejects(r#"[{"a": {"b": 1.0}}, {"a": {"b": 1}}] | [0, -0.0]"#),
        rule("uniqueItems", SchemaObject::array(SchemaObject::integer()).unique_items())
            .accepts("[1, 2, 3] | [9007199254740992, 9007199254740993]")
            .rejects(r#"[1, 1.0] | [1, "1"]"#),
        rule("uniqueItems", SchemaObject::array(SchemaObject::string().nullable()).unique_items())
            .accepts(r#"["a", null] | ["é", "e\u0301"]"#)
            .rejects(r#"[null, null] | ["a", "a"]"#),
    ]
}
