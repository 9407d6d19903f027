//! Tests the JSON Schema documents and the errors that the registry creates from declarations.

use serde_json::{Value, json};

use crate::{
    Format, Mode, OneOf, Property, PropertyCollection, Registry, Schema, SchemaObject, SchemaSide, SchemaType, any,
    array, enumeration, int32, int64, integer, map, object, one_of, reference, string, typed, uint32, uint64,
};

/// Returns the errors that the registry finds in a collection.
fn errors(collection: &PropertyCollection) -> Vec<String> {
    let mut registry = Registry::new();
    let kind = registry.define_collection(collection);
    registry.compile(&kind, SchemaSide::Input, None);
    registry.errors().to_vec()
}

#[test]
fn reports_errors_with_their_place_and_remedy() {
    let order = |property: Property| PropertyCollection::new("Order").property(property);
    for (collection, expected) in [
        (
            order(integer("n").min_length(1)),
            "The property `n` of `Order`: `min_length` has no meaning for an integer; it supports minimum, maximum, exclusive_minimum, exclusive_maximum, multiple_of.",
        ),
        (
            order(string("s").minimum(1)),
            "The property `s` of `Order`: `minimum` has no meaning for a string; it supports min_length, max_length, pattern, format.",
        ),
        (
            order(any("a").format(Format::EMAIL)),
            "The property `a` of `Order`: `format` has no meaning for an any value; remove it.",
        ),
        (
            order(string("s").min_length(3).max_length(2)),
            "The property `s` of `Order`: `min_length` (3) is greater than `max_length` (2), so no value is valid; change one of them.",
        ),
        (
            order(integer("n").minimum(0.5)),
            "The property `n` of `Order`: `minimum` of an integer is 0.5; write a whole number.",
        ),
        (
            order(integer("n").multiple_of(0)),
            "The property `n` of `Order`: `multiple_of` is 0; write a step greater than 0.",
        ),
        (
            order(int32("n").maximum(3).exclusive_minimum(4)),
            "The property `n` of `Order`: `exclusive_minimum` (4) is greater than `maximum` (3), so no value is valid; change one of them.",
        ),
        (
            order(string("s").pattern("(?=a)")),
            "The property `s` of `Order`: the pattern (?=a) cannot be used: look-ahead is not supported; write a custom check for the condition.",
        ),
        (
            order(enumeration("e", ["a", "a"])),
            "The property `e` of `Order`: an enumeration contains a value twice; remove one.",
        ),
        (
            order(enumeration("e", [""; 0])),
            "The property `e` of `Order`: an enumeration without values allows nothing; add at least one value.",
        ),
        (
            order(integer("n").default_value("x")),
            "The default of the property `n` of `Order` violates its constraints: : must be an integer, not a string (type).",
        ),
        (
            order(string("s").min_length(2).constant("x")),
            "The constant of the property `s` of `Order` violates its constraints: : must have at least 2 characters (min_length).",
        ),
        (
            order(reference("r", "Missing")),
            "The property `r` of `Order` refers to `Missing`, which is not defined; define it, or correct the name.",
        ),
        (
            order(array("a", SchemaObject::integer().max_length(1))),
            "The property `a[]` of `Order`: `max_length` has no meaning for an integer; it supports minimum, maximum, exclusive_minimum, exclusive_maximum, multiple_of.",
        ),
        (
            order(string("s")).property(integer("s")),
            "The property `s` of `Order`: another property of the collection has the same name; rename one of them.",
        ),
        (
            order(string("s").alias("t")).property(integer("t")),
            "The property `t` of `Order`: another property of the collection has the same name; rename one of them.",
        ),
        (
            order(object("o", PropertyCollection::new("Order"))),
            "Two different schemas are named `Order`, one by a collection and one by a collection; rename one of them.",
        ),
        (
            order(object("o", PropertyCollection::new("Größe"))),
            "The schema name `Größe` is not a valid component name; use only ASCII letters, digits, dots, underscores and hyphens.",
        ),
        (
            order(one_of("o", OneOf::new("U", "t").variant("a", SchemaType::any()))),
            "The property `a` of `U`: a variant must be an object; use a collection.",
        ),
        (
            order(one_of(
                "o",
                OneOf::new("U", "t")
                    .variant("a", PropertyCollection::new("A"))
                    .variant("a", PropertyCollection::new("B")),
            )),
            "The property `a` of `U`: another variant has the same value; change one of them.",
        ),
    ] {
        assert_eq!(errors(&collection), [expected]);
    }
}

#[test]
fn reports_all_errors_together_and_once() {
    let bad = PropertyCollection::new("Bad").property(string("s").minimum(1)).property(integer("n").min_length(1));
    let mut registry = Registry::new();
    let kind = registry.define_collection(&bad);
    for face in [SchemaSide::Input, SchemaSide::Output] {
        registry.compile(&kind, face, None);
    }
    assert_eq!(registry.errors().len(), 2);
}

#[test]
fn rejects_a_name_that_refers_to_itself() {
    struct Loop;
    let mut registry = Registry::new();
    let kind = registry.define::<Loop, _>("Loop", |_| SchemaType::reference("Loop"));
    let shape = registry.compile(&kind, SchemaSide::Input, None);
    assert_eq!(registry.errors(), ["The schema `Loop` refers only to itself; declare its type."]);
    // Reading must still end.
    let _ = shape.read_value(b"1", 1);
}

#[test]
fn rejects_two_different_schemas_under_one_name() {
    struct First;
    struct Second;
    struct Third;
    let mut registry = Registry::new();
    let collection = || PropertyCollection::new("Pet").property(string("name"));
    registry.define::<First, _>("Pet", |_| collection());
    registry.define::<Second, _>("Pet", |_| collection());
    registry.define_collection(&collection());
    assert!(registry.errors().is_empty());
    registry.define::<Third, _>("Pet", |_| collection().closed());
    assert_eq!(registry.errors().len(), 1);
    assert!(
        registry.errors()[0].contains("First and one by restwright_schema::shape::registry::tests"),
        "{}",
        registry.errors()[0]
    );
}

#[test]
fn shares_a_component_only_if_both_sides_are_equal() {
    let mut registry = Registry::new();
    let address = PropertyCollection::new("Address").property(string("street"));
    let pet = PropertyCollection::new("Pet")
        .property(integer("id").read_only())
        .property(string("secret").write_only())
        .property(string("note").output_optional())
        .property(int32("age").default_value(1))
        .property(string("sent").input_name("given").output_name("stored"))
        .property(object("address", address));
    let kind = registry.define_collection(&pet);
    assert_eq!(registry.json_schema(&kind, SchemaSide::Input, None), json!({"$ref": "#/components/schemas/PetInput"}));
    assert_eq!(registry.json_schema(&kind, SchemaSide::Output, None), json!({"$ref": "#/components/schemas/Pet"}));
    let components = registry.components();
    assert_eq!(components.keys().collect::<Vec<_>>(), ["Address", "Pet", "PetInput"]);
    assert_eq!(components["PetInput"]["required"], json!(["secret", "note", "given", "address"]));
    assert_eq!(components["Pet"]["required"], json!(["id", "age", "stored", "address"]));
    assert_eq!(components["Pet"]["properties"]["id"]["readOnly"], json!(true));
}

#[test]
fn names_a_component_after_a_mode_that_omits_properties() {
    let mut registry = Registry::new();
    let item = PropertyCollection::new("Item").property(string("sku")).property(string("note").modes([Mode::View]));
    let order = PropertyCollection::new("Order")
        .property(array("items", item))
        .property(object("customer", PropertyCollection::new("Customer").property(string("name"))));
    let kind = registry.define_collection(&order);
    registry.json_schema(&kind, SchemaSide::Input, Some(Mode::Create));
    registry.json_schema(&kind, SchemaSide::Output, Some(Mode::View));
    let components = registry.components();
    assert_eq!(components.keys().collect::<Vec<_>>(), ["Customer", "Item", "ItemCreate", "Order", "OrderCreate"]);
    assert!(components["ItemCreate"]["properties"].get("note").is_none());
    let shape = registry.compile(&kind, SchemaSide::Input, Some(Mode::Create));
    let value = shape.read_value(br#"{"items":[{"sku":"a","note":"b"}],"customer":{"name":"c"}}"#, 1);
    assert_eq!(value, Ok(json!({"items": [{"sku": "a"}], "customer": {"name": "c"}})));
}

#[test]
fn rejects_components_with_the_same_name() {
    let mut registry = Registry::new();
    let pet = PropertyCollection::new("Pet").property(string("id").modes([Mode::View]));
    let kind = registry.define_collection(&pet);
    registry.json_schema(&kind, SchemaSide::Input, Some(Mode::Create));
    let other = registry.define_collection(&PropertyCollection::new("PetCreate"));
    registry.json_schema(&other, SchemaSide::Input, None);
    assert_eq!(
        registry.errors(),
        ["The schemas `Pet` and `PetCreate` both have the component `PetCreate`; rename one of them."]
    );
}

#[test]
fn publishes_the_checked_constraints() {
    let mut registry = Registry::new();
    let category =
        PropertyCollection::new("Category").property(array("children", SchemaObject::reference("Category")).optional());
    registry.define_collection(&category);
    for (property, expected) in [
        (int32("n"), json!({"type": "integer", "format": "int32", "minimum": i32::MIN, "maximum": i32::MAX})),
        (int64("n"), json!({"type": "integer", "format": "int64"})),
        (uint32("n"), json!({"type": "integer", "format": "int64", "minimum": 0, "maximum": u32::MAX})),
        (uint64("n"), json!({"type": "integer", "format": "int64", "minimum": 0})),
        (
            uint64("n").exclusive_maximum(9),
            json!({"type": "integer", "format": "int64", "minimum": 0, "exclusiveMaximum": 9}),
        ),
        (int32("n").minimum(1), json!({"type": "integer", "format": "int32", "minimum": 1, "maximum": i32::MAX})),
        (string("s").nullable(), json!({"type": ["string", "null"]})),
        (
            enumeration("e", ["a"]).nullable().description("d"),
            json!({"anyOf": [{"type": "string", "enum": ["a"]}, {"type": "null"}], "description": "d"}),
        ),
        (
            reference("c", "Category").nullable().title("T").deprecated(),
            json!({"anyOf": [{"$ref": "#/components/schemas/Category"}, {"type": "null"}], "title": "T", "deprecated": true}),
        ),
        (
            map("m", SchemaObject::any()).min_properties(1).example(json!({"a": 1})),
            json!({"type": "object", "additionalProperties": {}, "minProperties": 1, "examples": [{"a": 1}]}),
        ),
        (
            array("a", SchemaObject::string()).unique_items().default_value(json!([])),
            json!({"type": "array", "items": {"type": "string"}, "uniqueItems": true, "default": []}),
        ),
        (string("s").constant("x"), json!({"type": "string", "const": "x"})),
        (any("a").nullable(), json!({})),
    ] {
        assert_eq!(registry.json_schema(property.schema(), SchemaSide::Output, None), expected);
    }
}

#[test]
fn publishes_a_union_with_its_discriminator() {
    let mut registry = Registry::new();
    let union = OneOf::new("Figure", "type")
        .variant("circle", PropertyCollection::new("Circle").property(int32("radius")))
        .variant("no-figure", PropertyCollection::new("Empty"));
    let kind = SchemaType::from(union);
    registry.json_schema(&kind, SchemaSide::Output, None);
    let components = registry.components();
    assert_eq!(components.keys().collect::<Vec<_>>(), ["Figure", "FigureCircle", "FigureNoFigure"]);
    assert_eq!(components["Figure"]["discriminator"]["mapping"]["no-figure"], "#/components/schemas/FigureNoFigure");
    assert_eq!(
        components["FigureCircle"]["properties"]["type"],
        json!({"type": "string", "const": "circle", "description": "Selects the variant `circle`."})
    );
    assert_eq!(components["FigureCircle"]["required"], json!(["type", "radius"]));
}

#[test]
fn keeps_the_schemas_of_types_with_the_same_name_apart() {
    let (first, second) = (
        {
            struct Pet;
            impl Schema for Pet {
                type Changes = Self;

                fn schema_type(registry: &mut Registry) -> SchemaType {
                    registry.define::<Self, _>("Cat", |_| PropertyCollection::new("Cat").property(string("name")))
                }
            }
            property_of::<Pet>()
        },
        {
            struct Pet;
            impl Schema for Pet {
                type Changes = Self;

                fn schema_type(registry: &mut Registry) -> SchemaType {
                    registry.define::<Self, _>("Dog", |_| PropertyCollection::new("Dog").property(int32("age")))
                }
            }
            property_of::<Pet>()
        },
    );
    assert_ne!(first, second);
    let mut registry = Registry::new();
    assert_eq!(registry.json_schema(first.schema(), SchemaSide::Input, None)["$ref"], "#/components/schemas/Cat");
    assert_eq!(registry.json_schema(second.schema(), SchemaSide::Input, None)["$ref"], "#/components/schemas/Dog");
    assert_eq!(registry.errors(), [""; 0]);
}

fn property_of<T: Schema>() -> Property {
    Property::of::<T>("pet")
}

#[test]
fn rejects_two_types_with_different_schemas_under_one_name() {
    struct Cat;
    struct Dog;
    impl Schema for Cat {
        type Changes = Self;

        fn schema_type(registry: &mut Registry) -> SchemaType {
            registry.define::<Self, _>("Pet", |_| PropertyCollection::new("Pet").property(string("name")))
        }
    }
    impl Schema for Dog {
        type Changes = Self;

        fn schema_type(registry: &mut Registry) -> SchemaType {
            registry.define::<Self, _>("Pet", |_| PropertyCollection::new("Pet").property(int32("age")))
        }
    }
    let mut registry = Registry::new();
    Cat::schema_type(&mut registry);
    Dog::schema_type(&mut registry);
    assert!(
        registry.errors()[0].starts_with("Two different schemas are named `Pet`, one by"),
        "{:?}",
        registry.errors()
    );
}

#[test]
fn treats_a_borrowing_type_as_one_type() {
    struct Name<'n>(&'n str);
    impl Schema for Name<'_> {
        type Changes = Self;

        fn schema_type(registry: &mut Registry) -> SchemaType {
            registry.define::<Self, _>("Name", |_| SchemaObject::string())
        }
    }
    fn define<'n>(_: &Name<'n>, registry: &mut Registry) -> SchemaType {
        Name::<'n>::schema_type(registry)
    }
    let (text, mut registry) = (String::from("Rex"), Registry::new());
    let borrowed = Name(&text);
    assert_eq!(define(&borrowed, &mut registry), Name::<'static>::schema_type(&mut registry));
    assert_eq!(borrowed.0, "Rex");
}

#[test]
fn requires_always_written_properties_in_responses() {
    struct Pet;
    impl Schema for Pet {
        type Changes = Self;

        fn schema_type(registry: &mut Registry) -> SchemaType {
            registry.define::<Self, _>("Pet", |registry| {
                PropertyCollection::new("Pet")
                    .property(typed::<Option<i32>>(registry, "age"))
                    .property(typed::<Option<String>>(registry, "chip").output_optional())
                    .property(typed::<Vec<String>>(registry, "tags").input_optional())
                    .property(string("note").optional())
            })
        }
    }
    let schema = SchemaObject::of::<Pet>();
    let publish = |noted: &[SchemaSide]| {
        let mut registry = Registry::new();
        noted.iter().for_each(|side| registry.note_use(&schema, *side, None));
        let sides = if noted.is_empty() { &[SchemaSide::Input, SchemaSide::Output] } else { noted };
        sides.iter().for_each(|side| drop(registry.json_schema(&schema, *side, None)));
        let response = registry.compile(&schema, SchemaSide::Output, None);
        let holds = |value: Value| response.check_value(&value, 100).is_ok();
        let verdicts = [holds(json!({"age": null, "tags": []})), holds(json!({"tags": []})), holds(json!({"age": 1}))];
        assert_eq!(verdicts, [true, false, false]);
        let required = registry.into_components().into_iter().map(|(name, schema)| (name, schema["required"].clone()));
        required.collect::<Vec<_>>()
    };
    let expected = |components: &[(&str, Value)]| {
        components.iter().map(|(name, required)| ((*name).to_owned(), required.clone())).collect::<Vec<_>>()
    };
    let always = json!(["age", "tags"]);
    assert_eq!(publish(&[]), expected(&[("Pet", always.clone()), ("PetInput", Value::Null)]));
    assert_eq!(publish(&[SchemaSide::Output]), expected(&[("Pet", always)]));
    assert_eq!(publish(&[SchemaSide::Input]), expected(&[("Pet", Value::Null)]));
    assert_eq!(publish(&[SchemaSide::Output, SchemaSide::Input]), expected(&[("Pet", Value::Null)]));
}
