//! Routes that share a prefix, middlewares, access and tags.

use std::fmt;
use std::sync::Arc;

use restwright_core::auth::Access;
use restwright_core::runtime::SharedMiddleware;
use restwright_core::{Controller, Middleware, Route};

use crate::endpoint::{DeclaredController, UnplannedController};

/// Controllers and groups under a common prefix.
///
/// Its access is that of every route inside that declares none; its middlewares stand outside those of its routes.
/// ```
/// use restwright_runtime::Group;
///
/// let group = Group::new("/admin").tag("Administration").authorize("bearer", ["admin"]);
/// ```
#[derive(Default)]
pub struct Group {
    prefix: String,
    tags: Vec<String>,
    access: Option<Access>,
    middlewares: Vec<SharedMiddleware>,
    members: Vec<Member>,
}

enum Member {
    Controller(Box<dyn DeclaredController>),
    Group(Group),
}

impl Group {
    /// A group under a prefix such as `/admin`; empty for none.
    #[must_use]
    pub fn new(prefix: impl Into<String>) -> Self {
        Self { prefix: prefix.into(), ..Self::default() }
    }

    /// Adds a controller.
    #[must_use]
    pub fn controller(mut self, controller: impl Controller) -> Self {
        self.members.push(Member::Controller(Box::new(UnplannedController(controller))));
        self
    }

    /// Adds a group inside this one.
    #[must_use]
    pub fn group(mut self, group: Group) -> Self {
        self.members.push(Member::Group(group));
        self
    }

    /// Puts a middleware around every route inside.
    #[must_use]
    pub fn middleware(mut self, middleware: impl Middleware) -> Self {
        self.middlewares.push(Arc::new(middleware));
        self
    }

    /// Adds a tag to every route inside.
    #[must_use]
    pub fn tag(mut self, tag: impl Into<String>) -> Self {
        self.tags.push(tag.into());
        self
    }

    /// Lets anybody call the routes inside that do not say otherwise.
    #[must_use]
    pub fn public(self) -> Self {
        self.access(Access::public())
    }

    /// Lets guests call the routes inside that do not say otherwise, and callers who prove by `scheme` who they are.
    #[must_use]
    pub fn optional(self, scheme: impl Into<String>) -> Self {
        self.access(Access::optional(scheme))
    }

    /// Guards the routes inside that do not say otherwise.
    #[must_use]
    pub fn authorize<S: Into<String>>(self, scheme: impl Into<String>, scopes: impl IntoIterator<Item = S>) -> Self {
        self.access(Access::authenticated(scheme).all_scopes(scopes))
    }

    /// Declares who may call the routes inside that do not say otherwise.
    #[must_use]
    pub fn access(mut self, access: Access) -> Self {
        self.access = Some(access);
        self
    }

    /// Every controller inside, with what it inherits.
    pub(crate) fn flatten(self, outer: &Inherited, declared: &mut Vec<Declared>) {
        let mut inherited = outer.clone();
        inherited.prefix.push_str(&self.prefix);
        inherited.tags.extend(self.tags);
        inherited.middlewares.extend(self.middlewares);
        inherited.access = self.access.or(inherited.access);
        for member in self.members {
            match member {
                Member::Controller(declaration) => declared.push(Declared::new(declaration, &inherited)),
                Member::Group(group) => group.flatten(&inherited, declared),
            }
        }
    }
}

impl fmt::Debug for Group {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Group")
            .field("prefix", &self.prefix)
            .field("members", &self.members.len())
            .finish_non_exhaustive()
    }
}

/// What routes take over from the groups around them.
#[derive(Clone, Default)]
pub(crate) struct Inherited {
    prefix: String,
    tags: Vec<String>,
    access: Option<Access>,
    middlewares: Vec<SharedMiddleware>,
}

/// A controller with its route, everything inherited.
pub(crate) struct Declared {
    pub(crate) controller: Box<dyn DeclaredController>,
    pub(crate) route: Route,
}

impl Declared {
    fn new(controller: Box<dyn DeclaredController>, inherited: &Inherited) -> Self {
        let mut route = controller.route();
        let middlewares = inherited.middlewares.iter().chain(route.middlewares()).cloned().collect();
        route.set_middlewares(middlewares);
        let declared = route.declaration_mut();
        declared.path.insert_str(0, &inherited.prefix);
        declared.tags.splice(0..0, inherited.tags.iter().cloned());
        declared.access = declared.access.take().or_else(|| inherited.access.clone());
        Self { controller, route }
    }
}
