//! Routes that share a prefix, middlewares, access and tags.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use restwright_core::auth::Access;
use restwright_core::operation::TagObject;
use restwright_core::runtime::SharedMiddleware;
use restwright_core::{Controller, Middleware, Route};

use super::{ApiBuilder, Module};
use crate::effective_access::GroupAccess;
use crate::pipeline::{DeclaredController, UnplannedController};

/// Controllers and groups under a common prefix.
///
/// Its access holds for every route inside, beside what groups inside and the routes themselves demand: each demand has to be
/// met. Under a public group a route may demand more; under one that demands credentials, a route or group that admits guests is
/// an error when the Api is built, unless the route [overrides](Route::override_access) the access. The group's middlewares stand
/// outside those of its routes.
/// ```
/// use restwright_runtime::Group;
///
/// let group = Group::new("/admin").tag("Administration").authorize("bearer", ["admin"]);
/// ```
#[derive(Default)]
pub struct Group {
    prefix: String,
    tags: Vec<TagObject>,
    access: Option<Access>,
    middlewares: Vec<SharedMiddleware>,
    settings: Vec<Setting>,
    members: Vec<Member>,
}

/// Adds a setting to a route that has none of its type.
type Setting = Arc<dyn Fn(Route) -> Route + Send + Sync>;

enum Member {
    Controller(Box<dyn DeclaredController>),
    Group(Group),
    Module(Box<dyn Module>),
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

    /// Adds the routes of a module, such as the endpoints of a resource, inside this group. Components and middlewares that the module registers are
    /// those of the whole Api.
    ///
    /// ```
    /// use restwright_runtime::{Api, ApiBuilder, Group, Module};
    /// use restwright_runtime::core::Configuration;
    ///
    /// struct Pets;
    ///
    /// impl Module for Pets {
    ///     fn register(&self, api: ApiBuilder) -> ApiBuilder {
    ///         api.group(Group::new("/pets"))
    ///     }
    /// }
    ///
    /// let group = Group::new("/v1").body_limit(64 * 1024).module(Pets);
    /// let api = Api::builder(Configuration::new("shop", "1.0.0")).group(group).build()?;
    /// # Ok::<(), restwright_runtime::core::BuildErrors>(())
    /// ```
    #[must_use]
    pub fn module(mut self, module: impl Module + 'static) -> Self {
        self.members.push(Member::Module(Box::new(module)));
        self
    }

    /// Sets the largest body in bytes of every route inside that has no limit of its own or of a group that is further in; see
    /// [`Route::body_limit`].
    #[must_use]
    pub fn body_limit(mut self, bytes: usize) -> Self {
        self.settings.push(Arc::new(move |route| match route.declaration().body_limit {
            Some(_) => route,
            None => route.body_limit(bytes),
        }));
        self
    }

    /// Sets the deadline of every route inside that has none of its own or of a group that is further in; see [`Route::deadline`].
    #[must_use]
    pub fn deadline(mut self, limit: Duration) -> Self {
        self.settings.push(Arc::new(move |route| match route.declaration().deadline {
            Some(_) => route,
            None => route.deadline(limit),
        }));
        self
    }

    /// Puts a middleware around every route inside.
    #[must_use]
    pub fn middleware(mut self, middleware: impl Middleware) -> Self {
        self.middlewares.push(Arc::new(middleware));
        self
    }

    /// Adds a setting to every route inside that has none of its type, its own or that of a group around it that is further in; see
    /// [`Route::with`].
    #[must_use]
    pub fn with<T: Clone + Send + Sync + 'static>(mut self, setting: T) -> Self {
        self.settings.push(Arc::new(move |route| match route.setting::<T>() {
            Some(_) => route,
            None => route.with(setting.clone()),
        }));
        self
    }

    /// Adds a tag to every route inside; a [`TagObject`] describes it.
    #[must_use]
    pub fn tag(mut self, tag: impl Into<TagObject>) -> Self {
        self.tags.push(tag.into());
        self
    }

    /// Lets anybody call the routes inside that demand nothing themselves.
    #[must_use]
    pub fn public(self) -> Self {
        self.access(Access::public())
    }

    /// Lets guests, and callers who prove by `scheme` who they are, call the routes inside that demand nothing more.
    #[must_use]
    pub fn optional(self, scheme: impl Into<String>) -> Self {
        self.access(Access::optional(scheme))
    }

    /// Demands of the callers of every route inside that they prove by `scheme` who they are and hold each of `scopes`.
    #[must_use]
    pub fn authorize<S: Into<String>>(self, scheme: impl Into<String>, scopes: impl IntoIterator<Item = S>) -> Self {
        self.access(Access::authenticated(scheme).all_scopes(scopes))
    }

    /// Declares who may call the routes inside, beside what they demand themselves.
    #[must_use]
    pub fn access(mut self, access: impl Into<Access>) -> Self {
        self.access = Some(access.into());
        self
    }

    /// Adds every controller inside to a builder, with what it inherits.
    pub(crate) fn flatten(self, outer: &Inherited, mut api: ApiBuilder) -> ApiBuilder {
        let mut inherited = outer.clone();
        inherited.prefix.push_str(&self.prefix);
        inherited.tags.extend(self.tags);
        inherited.middlewares.extend(self.middlewares);
        // The last of one group counts, as on a route.
        inherited.settings.splice(0..0, self.settings.into_iter().rev());
        if let Some(access) = self.access {
            inherited.accesses.push(GroupAccess { prefix: inherited.prefix.clone(), access });
        }
        for member in self.members {
            match member {
                Member::Controller(declaration) => api.declare(Declared::new(declaration, &inherited)),
                Member::Group(group) => api = group.flatten(&inherited, api),
                Member::Module(module) => api = api.module_within(inherited.clone(), &*module),
            }
        }
        api
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

/// The settings that routes inherit from the groups around them.
#[derive(Clone, Default)]
pub(crate) struct Inherited {
    prefix: String,
    tags: Vec<TagObject>,
    accesses: Vec<GroupAccess>,
    middlewares: Vec<SharedMiddleware>,
    /// From the inside out.
    settings: Vec<Setting>,
}

/// A controller with its route, everything inherited.
pub(crate) struct Declared {
    pub(crate) controller: Box<dyn DeclaredController>,
    pub(crate) route: Route,
    /// The accesses of the groups around it, from the outside in.
    pub(crate) group_accesses: Vec<GroupAccess>,
    /// The middlewares of the route itself.
    pub(crate) own_middlewares: Vec<SharedMiddleware>,
}

impl Declared {
    fn new(controller: Box<dyn DeclaredController>, inherited: &Inherited) -> Self {
        let mut route = inherited.settings.iter().fold(controller.route(), |route, setting| setting(route));
        let own_middlewares: Vec<_> = route.middlewares().to_vec();
        let middlewares = inherited.middlewares.iter().chain(&own_middlewares).cloned().collect();
        route.set_middlewares(middlewares);
        let declared = route.declaration_mut();
        declared.path.insert_str(0, &inherited.prefix);
        declared.tags.splice(0..0, inherited.tags.iter().cloned());
        Self { controller, route, group_accesses: inherited.accesses.clone(), own_middlewares }
    }
}
