use serde_json::Value;

use crate::json::Json;

/// Reads a JSON text with [`JsonTokenizer`]. Returns `None` if the text is not JSON, or contains a number beyond the range of
/// doubles.
fn read(text: &str) -> Option<Value> {
    fn value(json: &Json<'_>) -> Option<Value> {
        Some(match json {
            Json::Null => Value::Null,
            Json::Huge { .. } => return None,
            Json::Boolean(value) => (*value).into(),
            Json::Number(number) => number.value.to_value(),
            Json::Text(text) => text.to_string().into(),
            Json::Array(items) => items.iter().map(value).collect::<Option<_>>()?,
            Json::Object(properties) => {
                let properties = properties.iter().map(|(name, json)| Some((name.to_string(), value(json)?)));
                Value::Object(properties.collect::<Option<_>>()?)
            }
        })
    }
    Json::parse(text).ok().and_then(|json| value(&json))
}

/// Checks that the reader and serde_json accept the same texts and return the same values.
fn check(text: &str) {
    assert_eq!(read(text), serde_json::from_str(text).ok(), "{text}");
}

#[test]
fn reads_json_like_serde_json() {
    let pieces = [
        "",
        " ",
        "\n",
        "{",
        "}",
        "[",
        "]",
        ",",
        ":",
        "\"",
        "\"a\"",
        "\"\\",
        "\\\"",
        "null",
        "nul",
        "true",
        "truex",
        "false",
        "0",
        "-",
        "-0",
        "01",
        "1.",
        "1.5",
        ".5",
        "1e",
        "1e+5",
        "1E-5",
        "+1",
        "12345678901234567890",
        "-9223372036854775809",
        "0.1e1",
        "\"\\u0041\"",
        "\"\\ud83d\\ude00\"",
        "\"\\ud83d\"",
        "\"\\ude00\"",
        "\"\\u12g4\"",
        "\"\\x\"",
        "\"é\\n\\/\"",
        "\"\u{1}\"",
        "\"\u{7f}\u{2028}\"",
        "\u{feff}",
        "NaN",
        "'a'",
        "/**/",
    ];
    for first in pieces {
        check(first);
        for second in pieces {
            check(&format!("{first}{second}"));
            for (before, between, after) in
                [("[", ",", "]"), ("{\"a\":", ",\"b\":", "}"), ("[", "", "]"), ("{", ":", "}")]
            {
                check(&format!("{before}{first}{between}{second}{after}"));
                check(&format!("{before} {first} {between} {second} {after} "));
            }
        }
    }
}

#[test]
fn reads_strings_of_every_length() {
    for length in 0..40 {
        for other in ["", "\\n", "\\u00e9", "é", "\u{1f600}", "\u{1f}", "\u{80}", "\\", "\""] {
            for after in 0..10 {
                check(&format!("\"{}{other}{}\"", "a".repeat(length), "é".repeat(after)));
            }
        }
    }
}

#[test]
fn rejects_json_that_ends_early() {
    let text = r#"{"a":[1,-2.5e3,"b\n\ud83d\ude00é",true,false,null,{}],"c":{"d":[]}}"#;
    assert!(read(text).is_some());
    for (end, _) in text.char_indices() {
        check(text.get(..end).unwrap());
        check(&format!("{}x", text.get(..end).unwrap()));
    }
}

#[test]
fn limits_nesting_like_serde_json() {
    for depth in [126, 127, 128, 129, 100_000] {
        for (open, close) in [("[", "]"), (r#"{"a":"#, "}")] {
            let inner = if open == "[" { "" } else { "1" };
            check(&format!("{}{inner}{}", open.repeat(depth), close.repeat(depth)));
            check(&open.repeat(depth));
        }
        // Values next to each other are not nested.
        check(&format!("[{}[]]", "[[]],".repeat(depth)));
    }
}

#[test]
fn accepts_the_syntax_of_numbers_beyond_doubles() {
    for text in ["1e400", "[-1e400]", "1e99999999999999999999"] {
        assert!(Json::parse(text).is_ok(), "{text}");
    }
    for text in ["1e400x", "[1e400", "{\"a\":1e400,}"] {
        let message = Json::parse(text).unwrap_err().to_string();
        assert!(!message.contains("out of range"), "{text}: {message}");
    }
}
