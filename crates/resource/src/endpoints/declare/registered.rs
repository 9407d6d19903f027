//! Defines [`Registered`], which detects two resources with the same operations.

use restwright_core::schema::Mode;

use super::info::ResourceInfo;
use super::names::Names;
use crate::endpoints::Declared;

/// The resources that were already added to an Api.
#[derive(Default)]
pub(in crate::endpoints) struct Registered(Vec<RegisteredResource>);

struct RegisteredResource {
    path: String,
    names: Names,
    operations: Vec<Mode>,
}

impl Registered {
    /// Adds a resource to the Api. Returns an error if the resource shares an operation or an operation id with another resource.
    /// `path` includes the prefixes of the enclosing groups.
    pub(in crate::endpoints) fn add(&mut self, endpoints: &Declared, path: String) -> Result<(), String> {
        let ResourceInfo { definition, names, .. } = &endpoints.info;
        let all = [Mode::Create, Mode::View, Mode::List, Mode::Update, Mode::Delete].into_iter();
        let operations: Vec<_> = all.filter(|mode| !endpoints.without.contains(mode)).collect();
        for other in &self.0 {
            let is_shared = |mode: &&Mode| match mode {
                Mode::List => other.names.plural_id == names.plural_id,
                _ => other.names.id == names.id,
            };
            let mut common = operations.iter().filter(|mode| other.operations.contains(mode));
            if other.path == path && common.clone().next().is_some() {
                return Err(format!(
                    "the resource `{}` at `{path}` is registered twice; remove one, or leave out shared operations with \
                     `Endpoints::without`",
                    definition.name()
                ));
            }
            if common.any(|mode| is_shared(&mode)) {
                return Err(format!(
                    "the resources at `{}` and `{path}` are both named `{}`, so their operations would have the same ids; give one of them another name with `#[resource(name = \"..\")]` or `Endpoints::name`, and its list another name with `Endpoints::list_name`",
                    other.path, names.id
                ));
            }
        }
        self.0.push(RegisteredResource { path, names: names.clone(), operations });
        Ok(())
    }
}
