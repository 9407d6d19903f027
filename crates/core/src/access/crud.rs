//! Defines [`CrudAccess`], the access rules for the create, view, list, update and delete operations of a resource.

use restwright_schema::Mode;

use super::{Access, SchemeAccess};

/// The access rules of a resource, with one [`Access`] for each operation. [`Access::crud`] creates them. An [`Access`]
/// converts into rules that are the same for all operations.
///
/// ```
/// use restwright_core::auth::{Access, CrudAccess};
/// use restwright_core::schema::Mode;
///
/// let access = Access::crud("bearer", "pets").with(Mode::List, Access::public());
/// assert_eq!(access.get(Mode::View).to_string(), "bearer: pets:read");
/// assert_eq!(access.get(Mode::Update).to_string(), "bearer: pets:update");
/// assert!(access.get(Mode::List).is_public());
/// // Anybody may do anything.
/// let access = CrudAccess::from(Access::public());
/// ```
#[derive(Debug, Clone)]
#[must_use = "access has no effect until a resource declares it"]
pub struct CrudAccess {
    usual: Access,
    others: Vec<(Mode, Access)>,
}

impl Access {
    /// Creates rules that require authentication by `scheme` and one scope per operation. For the resource `pets`, view
    /// and list require `pets:read`. The other operations require `pets:create`, `pets:update` and `pets:delete`.
    pub fn crud(scheme: impl Into<String>, resource: &str) -> CrudAccess {
        let scheme = scheme.into();
        let scope = |action: &str| Self::authenticated(scheme.as_str()).all_scopes([format!("{resource}:{action}")]);
        CrudAccess::from(scope("read"))
            .with(Mode::Create, scope("create"))
            .with(Mode::Update, scope("update"))
            .with(Mode::Delete, scope("delete"))
    }
}

impl CrudAccess {
    /// Replaces the access rules of one operation.
    pub fn with(mut self, operation: Mode, access: impl Into<Access>) -> Self {
        self.others.retain(|(known, _)| *known != operation);
        self.others.push((operation, access.into()));
        self
    }

    /// Returns the access rules of one operation.
    #[must_use]
    pub fn get(&self, operation: Mode) -> &Access {
        self.others.iter().find(|(known, _)| *known == operation).map_or(&self.usual, |(_, access)| access)
    }
}

/// Converts an [`Access`] into rules that are the same for all operations of a resource.
impl From<Access> for CrudAccess {
    fn from(access: Access) -> Self {
        Self { usual: access, others: Vec::new() }
    }
}

/// Converts a [`SchemeAccess`] into rules that are the same for all operations of a resource.
impl From<SchemeAccess> for CrudAccess {
    fn from(access: SchemeAccess) -> Self {
        Access::from(access).into()
    }
}
