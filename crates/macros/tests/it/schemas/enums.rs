use restwright::Schema;
use restwright::schema::SchemaSide;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::{published, read, start_errors};

/// What it is.
#[derive(Debug, PartialEq, Serialize, Deserialize, Schema)]
#[serde(rename_all = "SCREAMING-KEBAB-CASE")]
enum Species {
    /// Barks,
    /// mostly.
    #[serde(alias = "hound")]
    SheepDog,
    #[serde(rename = "cat")]
    HouseCat,
    #[serde(skip)]
    #[allow(dead_code, reason = "skipped")]
    Unicorn(i64),
}

#[derive(Debug, PartialEq, Serialize, Deserialize, Schema)]
struct Circle {
    #[property(exclusive_minimum = 0)]
    radius: f64,
}

/// One of them.
#[derive(Debug, PartialEq, Serialize, Deserialize, Schema)]
#[serde(tag = "type", rename_all = "snake_case", rename_all_fields = "camelCase")]
enum Shape {
    Circle(Circle),
    /// With corners.
    Square {
        #[property(minimum = 1)]
        side_length: i32,
    },
    #[serde(alias = "dot")]
    Point,
}

#[derive(Debug, PartialEq, Serialize, Deserialize, Schema)]
#[serde(tag = "t", content = "c", deny_unknown_fields)]
enum Event {
    Circle(Circle),
    Counted(#[property(maximum = 3)] u8),
    Named { name: Option<String> },
    Nothing,
}

#[test]
fn units_are_an_enumeration() {
    assert_eq!(
        published::<Species>(SchemaSide::Output)["Species"],
        json!({
            "description": "What it is.\n\n- `SHEEP-DOG`: Barks, mostly.",
            "type": "string",
            "enum": ["SHEEP-DOG", "hound", "cat"],
            "x-enum-varnames": ["SpeciesSHEEPDOG", "SpeciesHound", "SpeciesCat"],
        })
    );
    assert_eq!(read::<Vec<Species>>(r#"["SHEEP-DOG", "hound", "cat"]"#).unwrap().len(), 3);
    assert_eq!(read::<Species>(r#""Unicorn""#).unwrap_err(), [" enum"]);
}

#[test]
fn a_tag_inside_makes_one_of_several_objects() {
    let components = published::<Shape>(SchemaSide::Input);
    assert_eq!(components["Shape"]["description"], "One of them.");
    assert_eq!(components["Shape"]["discriminator"]["propertyName"], "type");
    assert_eq!(
        components["ShapeSquare"],
        json!({
            "description": "With corners.",
            "type": "object",
            "properties": {
                "type": {"type": "string", "const": "square", "description": "Selects the variant `square`."},
                "sideLength": {"type": "integer", "format": "int32", "minimum": 1, "maximum": i32::MAX}
            },
            "required": ["type", "sideLength"]
        })
    );
    for (json, expected) in [
        (r#"{"type": "circle", "radius": 1}"#, Shape::Circle(Circle { radius: 1.0 })),
        (r#"{"sideLength": 2.0, "type": "square"}"#, Shape::Square { side_length: 2 }),
        (r#"{"type": "point"}"#, Shape::Point),
        (r#"{"type": "dot"}"#, Shape::Point),
    ] {
        assert_eq!(read::<Shape>(json), Ok(expected), "{json}");
    }
    for (json, expected) in [
        (r#"{"type": "circle", "radius": 0}"#, "/radius exclusive_minimum"),
        (r#"{"type": "square", "sideLength": 0}"#, "/sideLength minimum"),
        (r#"{"type": "line"}"#, "/type discriminator"),
        (r"{}", "/type required"),
    ] {
        assert_eq!(read::<Shape>(json), Err(vec![expected.to_owned()]), "{json}");
    }
}

#[test]
fn a_tag_beside_the_content() {
    for (json, expected) in [
        (r#"{"t": "Circle", "c": {"radius": 1}}"#, Event::Circle(Circle { radius: 1.0 })),
        (r#"{"c": 3, "t": "Counted"}"#, Event::Counted(3)),
        (r#"{"t": "Named", "c": {"name": "a"}}"#, Event::Named { name: Some("a".to_owned()) }),
        (r#"{"t": "Nothing"}"#, Event::Nothing),
        (r#"{"t": "Nothing", "c": null}"#, Event::Nothing),
    ] {
        assert_eq!(read::<Event>(json), Ok(expected), "{json}");
    }
    for (json, expected) in [
        (r#"{"t": "Circle", "c": {"radius": 0}}"#, "/c/radius exclusive_minimum"),
        (r#"{"t": "Counted", "c": 4}"#, "/c maximum"),
        (r#"{"t": "Counted"}"#, "/c required"),
        (r#"{"t": "Named", "c": {"other": 1}}"#, "/c/other unknown_property"),
        (r#"{"t": "Nothing", "d": 1}"#, "/d unknown_property"),
        (r#"{"t": "Nothing", "c": 1}"#, "/c const"),
    ] {
        assert_eq!(read::<Event>(json), Err(vec![expected.to_owned()]), "{json}");
    }
}

#[test]
fn a_variant_around_something_else_than_an_object_is_found_at_the_start() {
    #[derive(Serialize, Deserialize, Schema)]
    #[serde(tag = "type")]
    enum Wrong {
        Number(Species),
    }
    assert_eq!(start_errors::<Wrong>().len(), 1, "{:?}", start_errors::<Wrong>());
}
