//! Tests the conversion of cells of CSV.

use super::tests::schema;
use super::*;
use crate::{
    CompiledSchema, OneOf, PropertyCollection, Registry, SchemaObject, SchemaSide, SchemaType, any, any_of, array,
    boolean, date, int64, number, object, string,
};

#[test]
fn columns_are_the_properties_that_clients_set() {
    let schema = schema();
    for name in [
        "name",
        "address[city]",
        "lines[0][count]",
        "tags[]",
        "labels[x]",
        "pair[1]",
        "pet[kind]",
        "pet[walks]",
        "extra[x][y]",
    ] {
        assert!(matches!(schema.csv_column(name), CsvColumn::Required | CsvColumn::Optional), "{name}");
    }
    for name in
        ["", "Name", "address.city", "address[town]", "lines[x]", "pair[2]", "pet[x]", "name[x]", "size[depth]", "x[y]"]
    {
        assert_eq!(schema.csv_column(name), CsvColumn::Unknown, "{name}");
    }
    let deep = format!("extra{}", "[a]".repeat(DEEPEST_NAME + 1));
    assert_eq!(schema.csv_column(&deep), CsvColumn::Unknown);
    let address = PropertyCollection::new("Address").property(string("city")).property(string("id").read_only());
    let row = PropertyCollection::new("Row")
        .property(int64("id").read_only())
        .property(string("secret").write_only())
        .property(object("address", address).optional())
        .response_only(["label"])
        .closed();
    let schema = Registry::new().compile(row, SchemaSide::Input, None);
    assert_eq!(["id", "label", "address[id]"].map(|name| schema.csv_column(name)), [CsvColumn::ReadOnly; 3]);
    // Other requests reject the property as unknown.
    let error = schema.read_value(br#"{"secret": "a", "label": "b"}"#, 10).unwrap_err().to_string();
    assert_eq!(error, "/label: is not a known property (unknown_property)");
    assert_eq!(schema.import_json(br#"{"secret": "a", "label": "b"}"#).as_deref(), Some(r#"{"secret":"a"}"#));
    assert_eq!(schema.csv_columns(), ["secret", "address", "address[city]"]);
}

#[test]
fn a_cell_of_another_variant_is_left_out() {
    let cat = PropertyCollection::new("Cat").property(boolean("indoor")).closed();
    let dog = PropertyCollection::new("Dog").property(int64("walks")).closed();
    let pet = OneOf::new("Pet", "kind").variant("cat", cat).variant("dog", dog);
    let schema = Registry::new().compile(SchemaType::from(pet), SchemaSide::Input, None);
    let cells = [
        ("kind", FormValue::Cell("dog".into())),
        ("indoor", FormValue::EmptyCell),
        ("walks", FormValue::Cell("2".into())),
    ];
    let json = schema.form_to_json(cells.map(|(name, value)| (Cow::Borrowed(name), value)), 10).unwrap();
    assert_eq!(json, r#"{"kind":"dog","walks":2}"#);
    assert_eq!(schema.csv_columns(), ["kind", "indoor", "kind", "walks"]);
}

#[test]
fn cells_have_the_booleans_and_times_of_data_tools() {
    let schema = schema();
    for (name, cell, expected) in [
        ("gift", "FALSE", r#"{"gift":false}"#),
        ("option", "1", r#"{"option":true}"#),
        ("option", r#"{"width":1}"#, r#"{"option":{"width":1}}"#),
        ("choice", "1", r#"{"choice":1}"#),
        ("at", "2026-01-31 10:00:00.5+00", r#"{"at":"2026-01-31T10:00:00.5+00:00"}"#),
        ("when", "2026-01-31 10:00:00.5+00", r#"{"when":"2026-01-31T10:00:00.5+00:00"}"#),
        ("note", "2026-01-31 10:00:00.5+00", r#"{"note":"2026-01-31 10:00:00.5+00"}"#),
    ] {
        assert_eq!(convert_cell(&schema, name, Some(cell)), expected, "{name} {cell}");
    }
}

/// Converts one cell of CSV. `None` is an empty cell.
fn convert_cell(schema: &CompiledSchema, name: &'static str, cell: Option<&'static str>) -> String {
    let value = cell.map_or(FormValue::EmptyCell, |text| FormValue::Cell(text.into()));
    schema.form_to_json([(Cow::Borrowed(name), value)], 10).unwrap()
}

#[test]
fn an_empty_cell_is_null_or_absent_and_quotes_are_an_empty_text() {
    let address = || PropertyCollection::new("Address").property(string("city")).property(string("zip").nullable());
    let union = || [SchemaObject::int64(), SchemaObject::date()];
    let row = PropertyCollection::new("Row")
        .property(string("code"))
        .property(string("name").nullable())
        .property(string("note").optional())
        .property(string("label").nullable().optional())
        .property(int64("count"))
        .property(int64("age").nullable())
        .property(number("price").optional())
        .property(date("day").nullable())
        .property(any("extra").nullable())
        .property(any_of("size", union()).nullable())
        .property(any_of("text", [SchemaObject::int64(), SchemaObject::string()]).nullable())
        .property(array("tags", SchemaObject::string()))
        .property(array("lines", SchemaObject::string()).nullable())
        .property(array("items", SchemaObject::string()).optional())
        .property(object("address", address()).nullable())
        .property(object("home", address()));
    let schema = Registry::new().compile(row, SchemaSide::Input, None);
    for (name, empty, quoted) in [
        ("code", r#"{"code":""}"#, r#"{"code":""}"#),
        ("name", r#"{"name":null}"#, r#"{"name":""}"#),
        ("note", "{}", r#"{"note":""}"#),
        ("label", r#"{"label":null}"#, r#"{"label":""}"#),
        ("count", r#"{"count":""}"#, r#"{"count":""}"#),
        // No empty text is a value of these types. Some programs quote all cells.
        ("age", r#"{"age":null}"#, r#"{"age":null}"#),
        ("price", "{}", "{}"),
        ("day", r#"{"day":null}"#, r#"{"day":null}"#),
        ("size", r#"{"size":null}"#, r#"{"size":null}"#),
        ("text", r#"{"text":null}"#, r#"{"text":""}"#),
        ("extra", r#"{"extra":null}"#, r#"{"extra":""}"#),
        ("tags", r#"{"tags":""}"#, r#"{"tags":""}"#),
        ("lines", r#"{"lines":null}"#, r#"{"lines":null}"#),
        ("items", "{}", "{}"),
        ("address", r#"{"address":null}"#, r#"{"address":null}"#),
        ("home", r#"{"home":""}"#, r#"{"home":""}"#),
        ("address[city]", r#"{"address":{"city":""}}"#, r#"{"address":{"city":""}}"#),
        ("address[zip]", r#"{"address":{"zip":null}}"#, r#"{"address":{"zip":""}}"#),
    ] {
        assert_eq!(convert_cell(&schema, name, None), empty, "{name}");
        assert_eq!(convert_cell(&schema, name, Some("")), quoted, "{name}");
        let is_text = empty.contains(r#":"""#);
        let expected = if is_text { CsvColumn::Required } else { CsvColumn::Optional };
        assert_eq!(schema.csv_column(name), expected, "{name}");
    }
}
