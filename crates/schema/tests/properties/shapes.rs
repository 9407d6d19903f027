//! Random declarations, in a form from which similar JSON can be generated.

use restwright_schema::{
    Number, OneOf, Property, PropertyCollection, any, any_of, array, boolean, date, date_time, enumeration, float32,
    int32, int64, integer, map, number, object, one_of, reference, string, tuple, uint32, uint64, uuid,
};
use serde_json::Value;

use crate::choices::Choices;
use crate::samples::{CLOSED, Closed, FORMATS, FormatSample, PATTERNS, Sample};

#[derive(Clone, Debug)]
pub struct Field {
    pub name: String,
    pub kind: SchemaType,
    pub optional: bool,
    pub nullable: bool,
    pub read_only: bool,
    pub write_only: bool,
    pub input_name: Option<String>,
    pub constant: Option<Value>,
    pub default: Option<Value>,
}

#[derive(Clone, Debug)]
pub enum SchemaType {
    Text {
        min: Option<usize>,
        max: Option<usize>,
        pattern: Option<&'static Sample>,
        format: Option<&'static FormatSample>,
    },
    Integer {
        maker: usize,
        lowest: i128,
        highest: i128,
        min: Option<i64>,
        max: Option<i64>,
        step: Option<i64>,
    },
    Number {
        single: bool,
        min: Option<f64>,
        max: Option<f64>,
        exclusive: bool,
        step: Option<f64>,
    },
    Boolean,
    Date,
    DateTime,
    Uuid,
    Texts(Vec<&'static str>),
    Integers(Vec<i64>),
    Array {
        items: Box<Field>,
        min: Option<usize>,
        max: Option<usize>,
        unique: bool,
    },
    Object(Object),
    Map {
        values: Box<Field>,
        min: Option<usize>,
        max: Option<usize>,
    },
    OneOf {
        name: String,
        variants: Vec<(&'static str, Object)>,
    },
    Tuple(Vec<Field>),
    KeyedMap {
        keys: Box<Field>,
        values: Box<Field>,
    },
    AnyOf(Vec<Field>),
    Any,
    /// A reference to the root object.
    Recursion,
}

#[derive(Clone, Debug)]
pub struct Object {
    pub name: String,
    pub fields: Vec<Field>,
    pub closed: Closed,
    pub min: Option<usize>,
    pub max: Option<usize>,
}

pub const TAG: &str = "tag";

impl Field {
    pub fn random(choices: &mut Choices<'_>, name: String, depth: usize, counter: &mut usize) -> Self {
        let kind = SchemaType::random(choices, depth, counter);
        let mut field = Self {
            name,
            kind,
            optional: choices.once_in(3),
            nullable: choices.once_in(5),
            read_only: choices.once_in(12),
            write_only: false,
            input_name: None,
            constant: None,
            default: None,
        };
        field.write_only = !field.read_only && choices.once_in(12);
        if choices.once_in(12) {
            field.input_name = Some(format!("in_{}", field.name));
        }
        if choices.once_in(15) {
            field.constant = field.kind.constant(choices);
        } else if choices.once_in(12) {
            field.default = field.kind.default_value();
        }
        field
    }

    /// A schema without a name: an item or a value.
    fn element(choices: &mut Choices<'_>, depth: usize, counter: &mut usize) -> Box<Self> {
        let kind = SchemaType::random(choices, depth, counter);
        Box::new(Self {
            name: String::new(),
            kind,
            optional: false,
            nullable: choices.once_in(5),
            read_only: false,
            write_only: false,
            input_name: None,
            constant: None,
            default: None,
        })
    }

    pub fn property(&self) -> Property {
        let mut property = self.kind.property(self.name.clone());
        if self.optional {
            property = property.optional();
        }
        if self.nullable {
            property = property.nullable();
        }
        if self.read_only {
            property = property.read_only();
        }
        if self.write_only {
            property = property.write_only();
        }
        if let Some(name) = &self.input_name {
            property = property.input_name(name.clone());
        }
        if let Some(constant) = &self.constant {
            property = property.constant(constant.clone());
        }
        if let Some(default) = &self.default {
            property = property.default_value(default.clone());
        }
        property
    }
}

impl Object {
    pub fn random(choices: &mut Choices<'_>, depth: usize, counter: &mut usize) -> Self {
        *counter += 1;
        let name = format!("Shape{counter}");
        let names = ["a", "b", "name", "ä~/", "long name", "z"];
        // Sometimes more properties than fit a machine word.
        let count = if depth == 0 && choices.once_in(40) { 70 } else { choices.below(names.len()) };
        let fields = (0..count)
            .map(|index| {
                let name = names.get(index).map_or_else(|| format!("p{index}"), |name| (*name).to_owned());
                Field::random(choices, name, if count > 10 { 9 } else { depth + 1 }, counter)
            })
            .collect();
        let min = choices.once_in(10).then(|| choices.below(3));
        let max = choices.once_in(10).then(|| choices.below(5) + 2);
        Self { name, fields, closed: *choices.pick(&CLOSED), min, max }
    }

    pub fn collection(&self) -> PropertyCollection {
        let mut collection = PropertyCollection::new(self.name.clone());
        for field in &self.fields {
            collection = collection.property(field.property());
        }
        self.closed.applied_to(collection)
    }

    fn property(&self, name: String) -> Property {
        let mut property = object(name, self.collection());
        // These constraints on the property become part of the nested collection, which is then a separate schema.
        if let Some(min) = self.min {
            property = property.min_properties(min);
        }
        if let Some(max) = self.max {
            property = property.max_properties(max);
        }
        property
    }
}

impl SchemaType {
    fn random(choices: &mut Choices<'_>, depth: usize, counter: &mut usize) -> Self {
        let kinds = if depth > 3 { 9 } else { 19 };
        match choices.below(kinds) {
            0 => {
                let min = choices.once_in(3).then(|| choices.below(3));
                let max = choices.once_in(3).then(|| 2 + choices.below(4));
                match choices.below(4) {
                    0 => Self::Text { min, max, pattern: None, format: None },
                    1 => Self::Text { min: None, max, pattern: None, format: Some(choices.pick(FORMATS)) },
                    2 => Self::Text { min, max: None, pattern: Some(choices.pick(PATTERNS)), format: None },
                    _ => {
                        let (pattern, format) = (choices.pick(PATTERNS), choices.pick(FORMATS));
                        Self::Text { min, max, pattern: Some(pattern), format: Some(format) }
                    }
                }
            }
            1 => Self::random_integer(choices),
            2 => {
                let min = choices.once_in(3).then(|| *choices.pick(&[-2.5, 0.0, 0.1]));
                let max = choices.once_in(3).then(|| *choices.pick(&[3.5, 100.0, 1e10]));
                let step = choices.once_in(4).then(|| *choices.pick(&[0.1, 0.25, 2.0, 1.5]));
                Self::Number { single: choices.once_in(3), min, max, exclusive: choices.once_in(3), step }
            }
            3 => Self::Boolean,
            4 => Self::Date,
            5 => Self::DateTime,
            6 => Self::Uuid,
            7 => Self::Texts(["dog", "cat", "ä/~", ""][..=choices.below(4)].to_vec()),
            8 => Self::Integers([1, 2, -3, i64::MAX][..=choices.below(4)].to_vec()),
            9 | 10 => {
                let items = Field::element(choices, depth + 1, counter);
                let min = choices.once_in(4).then(|| choices.below(3));
                let max = choices.once_in(4).then(|| 2 + choices.below(3));
                Self::Array { items, min, max, unique: choices.once_in(5) }
            }
            11 | 12 => Self::Object(Object::random(choices, depth + 1, counter)),
            13 => {
                let values = Field::element(choices, depth + 1, counter);
                let min = choices.once_in(4).then(|| choices.below(3));
                let max = choices.once_in(4).then(|| 2 + choices.below(3));
                Self::Map { values, min, max }
            }
            14 if choices.once_in(2) => {
                *counter += 1;
                let name = format!("Union{counter}");
                let variants = ["circle", "square-2", "ä"][..=choices.below(3)]
                    .iter()
                    .map(|value| {
                        (*value, Object { min: None, max: None, ..Object::random(choices, depth + 1, counter) })
                    })
                    .collect();
                Self::OneOf { name, variants }
            }
            14 => Self::Recursion,
            15 => {
                let count = 1 + choices.below(3);
                Self::Tuple((0..count).map(|_| *Field::element(choices, depth + 1, counter)).collect())
            }
            16 => {
                let mut keys = Field::element(choices, 9, counter);
                keys.nullable = false;
                keys.kind = match choices.below(5) {
                    0 => Self::Texts(["dog", "ä/~", ""][..=choices.below(3)].to_vec()),
                    1 => Self::Date,
                    2 => Self::Uuid,
                    3 => Self::Text { min: Some(1), max: None, pattern: Some(choices.pick(PATTERNS)), format: None },
                    // The document does not contain the bounds of integers.
                    _ => Self::Integer { maker: 0, lowest: -20, highest: 20, min: None, max: None, step: None },
                };
                Self::KeyedMap { keys, values: Field::element(choices, depth + 1, counter) }
            }
            17 => {
                let count = 1 + choices.below(3);
                Self::AnyOf((0..count).map(|_| *Field::element(choices, depth + 2, counter)).collect())
            }
            _ => Self::Any,
        }
    }

    fn random_integer(choices: &mut Choices<'_>) -> Self {
        let ranges: [(i128, i128); 5] = [
            (i64::MIN.into(), i64::MAX.into()),
            (i32::MIN.into(), i32::MAX.into()),
            (i64::MIN.into(), i64::MAX.into()),
            (0, u32::MAX.into()),
            (0, i64::MAX.into()),
        ];
        let maker = choices.below(ranges.len());
        let (lowest, highest) = ranges[maker];
        let min = choices.once_in(3).then(|| *choices.pick(&[0, 1, 5]));
        let max = choices.once_in(3).then(|| *choices.pick(&[5, 10, 1_000_000]));
        let step = choices.once_in(4).then(|| *choices.pick(&[2, 3, 10]));
        Self::Integer { maker, lowest, highest, min, max, step }
    }

    fn property(&self, name: String) -> Property {
        match self {
            Self::Text { min, max, pattern, format } => {
                let mut property = string(name);
                property = apply(property, *min, Property::min_length);
                property = apply(property, *max, Property::max_length);
                property = apply(property, pattern.map(|sample| sample.pattern), |property, pattern| {
                    property.pattern(pattern)
                });
                apply(property, format.map(|sample| sample.format), Property::format)
            }
            Self::Integer { maker, min, max, step, .. } => {
                let makers = [integer, int32, int64, uint32, uint64];
                let mut property = makers[*maker](name);
                property = apply(property, *min, Property::minimum);
                property = apply(property, *max, Property::maximum);
                apply(property, *step, Property::multiple_of)
            }
            Self::Number { single, min, max, exclusive, step } => {
                let mut property = if *single { float32(name) } else { number(name) };
                let (min, max) = (min.map(Number::from), max.map(Number::from));
                if *exclusive {
                    property = apply(property, min, Property::exclusive_minimum);
                    property = apply(property, max, Property::exclusive_maximum);
                } else {
                    property = apply(property, min, Property::minimum);
                    property = apply(property, max, Property::maximum);
                }
                apply(property, *step, Property::multiple_of)
            }
            Self::Boolean => boolean(name),
            Self::Date => date(name),
            Self::DateTime => date_time(name),
            Self::Uuid => uuid(name),
            Self::Texts(values) => enumeration(name, values.iter().copied()),
            Self::Integers(values) => enumeration(name, values.iter().copied()),
            Self::Array { items, min, max, unique } => {
                let mut property = array(name, items.property().into_schema());
                property = apply(property, *min, Property::min_items);
                property = apply(property, *max, Property::max_items);
                if *unique { property.unique_items() } else { property }
            }
            Self::Object(object) => object.property(name),
            Self::Map { values, min, max } => {
                let mut property = map(name, values.property().into_schema());
                property = apply(property, *min, Property::min_properties);
                apply(property, *max, Property::max_properties)
            }
            Self::OneOf { name: union, variants } => {
                let mut declared = OneOf::new(union.clone(), TAG);
                for (value, object) in variants {
                    declared = declared.variant(*value, object.collection());
                }
                one_of(name, declared)
            }
            Self::Tuple(items) => tuple(name, items.iter().map(|item| item.property().into_schema())),
            Self::KeyedMap { keys, values } => {
                let keyed = restwright_schema::SchemaType::keyed_map(
                    keys.property().into_schema(),
                    values.property().into_schema(),
                );
                Property::new(name, keyed)
            }
            Self::AnyOf(variants) => any_of(name, variants.iter().map(|variant| variant.property().into_schema())),
            Self::Any => any(name),
            Self::Recursion => reference(name, "Shape1"),
        }
    }

    fn constant(&self, choices: &mut Choices<'_>) -> Option<Value> {
        Some(match self {
            Self::Text { .. } => Value::from(*choices.pick(&["x", "12345"])),
            Self::Integer { .. } => Value::from(*choices.pick(&[6, 0])),
            Self::Number { .. } => choices.pick(&[Value::from(2.5), Value::from(2)]).clone(),
            Self::Boolean => Value::from(true),
            Self::Array { .. } => serde_json::json!([1]),
            Self::Any => serde_json::json!({"a": [1.0, "x"]}),
            _ => return None,
        })
    }

    fn default_value(&self) -> Option<Value> {
        Some(match self {
            Self::Boolean => Value::from(true),
            Self::Uuid => Value::from("67e55044-10b1-426f-9247-bb680e5fe0c8"),
            Self::Any => serde_json::json!([1]),
            Self::Texts(values) => Value::from(values[0]),
            _ => return None,
        })
    }
}

fn apply<T>(property: Property, value: Option<T>, method: impl FnOnce(Property, T) -> Property) -> Property {
    match value {
        Some(value) => method(property, value),
        None => property,
    }
}
