//! `#[derive(Filters)]`, `#[derive(Sort)]` and `#[derive(Record)]` by hand: `cargo run -p restwright-list --example by_hand`.

use restwright_core::operation::Operation;
use restwright_core::problem::RequestViolations;
use restwright_core::schema::typed;
use restwright_core::{BuildContext, BuildErrors, Part, RequestHead, Route};
use restwright_list::{
    Condition, Direction, FieldValue, Filter, FilterFields, FilterPlan, Filters, Operator, Record, Sort, SortFields,
    Value, ValueType,
};

/// ```ignore
/// #[derive(Filters)]
/// struct PetFilters {
///     /// The name.
///     #[filter(eq, contains, default = contains)]
///     name: Filter<String>,
///     #[filter(gte, lt, is_null, minimum = 0)]
///     weight_kg: Filter<f64>,
/// }
/// ```
#[derive(Default)]
struct PetFilters {
    name: Filter<String>,
    weight_kg: Filter<f64>,
}

impl Part for PetFilters {
    type Plan = FilterPlan;

    fn plan(context: &mut BuildContext<'_>) -> Result<FilterPlan, BuildErrors> {
        let name = typed::<String>(context.registry(), "name").description("The name.");
        let weight_kg = typed::<f64>(context.registry(), "weight_kg").minimum(0);
        let fields = FilterFields::new()
            .field(name, [Operator::Eq, Operator::Contains])
            .default_operator("name", Operator::Contains)
            .field(weight_kg, [Operator::Gte, Operator::Lt, Operator::IsNull]);
        FilterPlan::new(&fields, context)
    }

    fn describe(plan: &FilterPlan, operation: &mut Operation) {
        plan.describe(operation);
    }

    fn read(plan: &FilterPlan, head: &RequestHead<'_>, violations: &mut RequestViolations) -> Option<Self> {
        let mut conditions = plan.read(head, violations)?;
        let name = conditions.take(0, violations);
        let weight_kg = conditions.take(1, violations);
        Some(Self { name: name?, weight_kg: weight_kg? })
    }
}

impl Filters for PetFilters {
    fn conditions(&self) -> Vec<Condition> {
        self.name.conditions("name").chain(self.weight_kg.conditions("weight_kg")).collect()
    }
}

/// ```ignore
/// #[derive(Clone, Copy, Sort)]
/// enum PetSort {
///     #[sort(default = desc)]
///     WeightKg,
///     #[sort(id)]
///     Id,
/// }
/// ```
#[derive(Clone, Copy)]
enum PetSort {
    WeightKg,
    Id,
}

impl Sort for PetSort {
    fn declare(_: &Route) -> Result<SortFields, BuildErrors> {
        Ok(SortFields::with_identifier_at(["weight_kg", "id"], 1).default("weight_kg", Direction::Descending))
    }

    fn at(_: &SortFields, index: usize) -> Option<Self> {
        [Self::WeightKg, Self::Id].get(index).copied()
    }

    fn name(&self) -> &str {
        match self {
            Self::WeightKg => "weight_kg",
            Self::Id => "id",
        }
    }
}

/// ```ignore
/// #[derive(Record)]
/// struct Pet {
///     id: i64,
///     #[serde(flatten)]
///     details: Details,
/// }
///
/// #[derive(Record)]
/// struct Details {
///     #[serde(rename = "kind")]
///     species: Species,
///     weight_kg: Option<f64>,
///     #[record(skip)]
///     tags: Vec<String>,
/// }
///
/// // `Schema` makes an enumeration, or a struct around one value, the value of a field.
/// #[derive(Schema)]
/// #[serde(rename_all = "lowercase")]
/// enum Species {
///     Cat,
///     Dog,
/// }
/// ```
struct Pet {
    id: i64,
    details: Details,
}

impl Record for Pet {
    fn has_field(field: &str) -> bool {
        match field {
            "id" => true,
            _ => Details::has_field(field),
        }
    }

    fn value(&self, field: &str) -> Value<'_> {
        match field {
            "id" => Value::from(&self.id),
            _ => self.details.value(field),
        }
    }
}

struct Details {
    species: Species,
    weight_kg: Option<f64>,
    tags: Vec<String>,
}

impl Record for Details {
    fn has_field(field: &str) -> bool {
        matches!(field, "kind" | "weight_kg")
    }

    fn value(&self, field: &str) -> Value<'_> {
        match field {
            "kind" => Value::from(&self.species),
            "weight_kg" => Value::from(&self.weight_kg),
            _ => Value::Null,
        }
    }
}

enum Species {
    Cat,
    Dog,
}

impl FieldValue for Species {
    const VALUE_TYPE: ValueType = ValueType::Enumeration;

    fn to_value(&self) -> Value<'_> {
        match self {
            Self::Cat => Value::from("cat"),
            Self::Dog => Value::from("dog"),
        }
    }

    fn from_value(value: Value<'_>) -> Option<Self> {
        match value.as_text()? {
            "cat" => Some(Self::Cat),
            "dog" => Some(Self::Dog),
            _ => None,
        }
    }
}

fn main() {
    let tags = vec!["old".to_owned()];
    let cat = Pet { id: 7, details: Details { species: Species::Cat, weight_kg: None, tags } };
    assert_eq!(["id", "kind", "tags"].map(|field| cat.value(field)), [7.into(), "cat".into(), Value::Null]);
    assert_eq!(["id", "kind", "tags"].map(Pet::has_field), [true, true, false]);
    assert!(cat.details.weight_kg.is_none() && cat.details.tags.len() == 1);
    assert_eq!(Species::Dog.to_value(), "dog".into());
    assert!(PetFilters::default().conditions().is_empty());
    assert_eq!([PetSort::WeightKg, PetSort::Id].map(|field| field.name().len()), [9, 2]);
}
