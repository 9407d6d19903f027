//! Defines [`Shapes`], which generates Rust types for the schemas that an application declares at run time.

mod code;
mod docs;
mod entity;
mod facts;
mod item;
mod names;
mod operation;
mod recursion;
mod types;

use restwright_runtime::Api;
use restwright_runtime::core::schema::SchemaSide;

use entity::DeclaredEntity;
use item::RustItem;
use operation::DeclaredOperation;
use types::RustTypes;

/// Generates Rust types for the schemas that an application declares at run time.
///
/// The types cover [`Input`](restwright_runtime::core::Input) and [`Output`](restwright_runtime::core::Output) of
/// operations, filter and sort fields of routes, and entities of resources.
///
/// The types are generated from the same schemas as the OpenAPI document. They have a fixed order, so the same
/// application always generates the same source, byte for byte.
///
/// ```
/// use restwright_generate::Shapes;
/// use restwright_runtime::Api;
/// use restwright_runtime::core::Configuration;
///
/// let api = Api::builder(Configuration::new("animals", "1.0.0")).build()?;
/// assert_eq!(Shapes::from_api(&api).to_rust(), "");
/// # Ok::<(), restwright_runtime::core::BuildErrors>(())
/// ```
#[derive(Debug)]
pub struct Shapes {
    items: Vec<RustItem>,
}

impl Shapes {
    /// Generates the types of all operations, including hidden operations.
    #[must_use]
    pub fn from_api(api: &Api) -> Self {
        let mut registry = api.registry().clone();
        let operations = api.routes().map(|route| DeclaredOperation::new(route.operation(), &mut registry));
        let operations: Vec<_> = operations.collect();
        let entities = DeclaredEntity::of_operations(api.routes().map(|route| route.operation()), &mut registry);
        let used = operations.iter().flat_map(DeclaredOperation::schemas);
        let used = used.chain(entities.iter().map(DeclaredEntity::schema));
        let mut types = RustTypes::new(registry.into_components(), used);
        let mut items: Vec<_> = operations.iter().flat_map(|operation| operation.items(&mut types)).collect();
        items.extend(entities.iter().map(|entity| entity.item(&mut types)));
        items.extend(types.into_items());
        recursion::box_recursive(&mut items);
        Self { items }
    }

    /// Returns `true` if the application declares no schemas at run time.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// Returns the Rust source of the types, in the format of rustfmt. The source is empty if nothing is declared at
    /// run time.
    ///
    /// The source uses full paths, so it needs no imports. The application must depend on `restwright`, on `serde` with
    /// the feature `derive`, and on `serde_json` if a schema allows any JSON value.
    #[must_use]
    pub fn to_rust(&self) -> String {
        self.items.iter().map(code::code).collect::<Vec<_>>().join("\n")
    }
}

/// A schema, and whether requests (input) or responses (output) use it.
type UsedSchema<'s> = (&'s serde_json::Value, SchemaSide);
