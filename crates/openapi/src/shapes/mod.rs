//! The Rust types of what an application declares at run time.

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
use item::Item;
use operation::DeclaredOperation;
use types::Types;

/// The Rust types of everything that an application declares at run time: of the [`Input`](restwright_runtime::core::Input) and
/// [`Output`](restwright_runtime::core::Output) of each operation, of filters and orders whose fields its route declares, and of resources.
///
/// They are made from the same schemas as the document. Their order is that of the declarations, and then that of names, so that equal
/// applications have equal types, byte for byte.
///
/// ```
/// use restwright_openapi::Shapes;
/// use restwright_runtime::Api;
/// use restwright_runtime::core::Configuration;
///
/// let api = Api::builder(Configuration::new("animals", "1.0.0")).build()?;
/// assert_eq!(Shapes::from_api(&api).to_rust(), "");
/// # Ok::<(), restwright_runtime::core::BuildErrors>(())
/// ```
#[derive(Debug)]
pub struct Shapes {
    items: Vec<Item>,
}

impl Shapes {
    /// Makes the types of every operation, hidden ones included.
    #[must_use]
    pub fn from_api(api: &Api) -> Self {
        let mut registry = api.registry().clone();
        let operations = api.routes().map(|route| DeclaredOperation::new(route.operation(), &mut registry));
        let operations: Vec<_> = operations.collect();
        let entities = DeclaredEntity::of_operations(api.routes().map(|route| route.operation()), &mut registry);
        let used = operations.iter().flat_map(DeclaredOperation::schemas);
        let used = used.chain(entities.iter().map(DeclaredEntity::schema));
        let mut types = Types::new(registry.components(), used);
        let mut items: Vec<_> = operations.iter().flat_map(|operation| operation.items(&mut types)).collect();
        items.extend(entities.iter().map(|entity| entity.item(&mut types)));
        items.extend(types.into_items());
        recursion::box_recursive(&mut items);
        Self { items }
    }

    /// Returns `true` if nothing is declared at run time.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// Returns the items of a module, as rustfmt writes them; an empty text if nothing is declared at run time.
    ///
    /// They name everything by its whole path: of `restwright`, and of `serde` with its derives, and of `serde_json` where a value has
    /// any shape.
    #[must_use]
    pub fn to_rust(&self) -> String {
        self.items.iter().map(code::code).collect::<Vec<_>>().join("\n")
    }
}

/// A schema with the side on which it is used.
type UsedSchema<'s> = (&'s serde_json::Value, SchemaSide);
