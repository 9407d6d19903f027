//! What `#[derive(Filters)]` and `#[derive(Sort)]` write, by hand: `cargo run -p restwright-list --example by_hand`.

use restwright_core::operation::Operation;
use restwright_core::problem::RequestViolations;
use restwright_core::schema::Property;
use restwright_core::{Head, Part, Planner, Route, StartErrors};
use restwright_list::{Condition, Direction, Filter, FilterFields, FilterPlan, Filters, Operator, Sort, SortFields};

/// ```ignore
/// #[derive(Filters)]
/// struct PetFilters {
///     /// What it is called.
///     #[filter(eq, contains)]
///     name: Filter<String>,
///     #[filter(gte, lt, is_null)]
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

    fn plan(planner: &mut Planner<'_>) -> Result<FilterPlan, StartErrors> {
        let name = Property::of::<String>("name").description("What it is called.");
        let weight_kg = Property::of::<f64>("weight_kg");
        let fields = FilterFields::new()
            .field(name, [Operator::Eq, Operator::Contains])
            .field(weight_kg, [Operator::Gte, Operator::Lt, Operator::IsNull]);
        FilterPlan::new(&fields, planner)
    }

    fn describe(plan: &FilterPlan, operation: &mut Operation) {
        plan.describe(operation);
    }

    fn read(plan: &FilterPlan, head: &Head<'_>, violations: &mut RequestViolations) -> Option<Self> {
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
    fn declare(_: &Route) -> Result<SortFields, StartErrors> {
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

fn main() {
    assert!(PetFilters::default().conditions().is_empty());
    assert_eq!([PetSort::WeightKg, PetSort::Id].map(|field| field.name().len()), [9, 2]);
}
