//! Defines [`Group`], a group of routes that share a prefix, access rules, middlewares and tags.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use restwright_core::auth::Access;
use restwright_core::operation::TagObject;
use restwright_core::problem::ProblemKind;
use restwright_core::runtime::SharedMiddleware;
use restwright_core::{Controller, Middleware, ProblemSet, Route};

use super::{ApiBuilder, Module};
use crate::effective_access::GroupAccess;
use crate::pipeline::{DeclaredController, UnplannedController};

/// A group of routes that share a path prefix, access rules, middlewares and tags.
///
/// The group's access applies to every route inside, in addition to the access of inner groups and of the route. A request must
/// meet all of them. A route in a public group may require more. In a group that requires credentials, building the Api fails if
/// a route or an inner group admits guests, unless the route [overrides](Route::override_access) the access. The group's
/// middlewares run outside the middlewares of its routes.
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
    settings: Vec<RouteSetting>,
    members: Vec<GroupMember>,
}

/// A function that adds a setting to a route, unless the route already has a setting of the same type.
type RouteSetting = Arc<dyn Fn(Route) -> Route + Send + Sync>;

enum GroupMember {
    Controller(Box<dyn DeclaredController>),
    Group(Group),
    Module(Box<dyn Module>),
}

impl Group {
    /// Creates a group with a path prefix such as `/admin`. An empty string means no prefix.
    #[must_use]
    pub fn new(prefix: impl Into<String>) -> Self {
        Self { prefix: prefix.into(), ..Self::default() }
    }

    /// Adds a controller to the group.
    #[must_use]
    pub fn controller(mut self, controller: impl Controller) -> Self {
        self.members.push(GroupMember::Controller(Box::new(UnplannedController(controller))));
        self
    }

    /// Adds an inner group to the group. The prefix of the inner group follows the prefix of this group.
    #[must_use]
    pub fn group(mut self, group: Group) -> Self {
        self.members.push(GroupMember::Group(group));
        self
    }

    /// Adds the routes of a module, such as the endpoints of a resource, to this group. Components and middlewares that the
    /// module registers apply to the whole Api.
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
        self.members.push(GroupMember::Module(Box::new(module)));
        self
    }

    /// Sets the maximum body size in bytes for every route in the group. A limit on the route or on an inner group
    /// takes precedence; see [`Route::body_limit`].
    #[must_use]
    pub fn body_limit(mut self, bytes: usize) -> Self {
        self.settings.push(Arc::new(move |route| match route.declaration().body_limit {
            Some(_) => route,
            None => route.body_limit(bytes),
        }));
        self
    }

    /// Sets the time limit for handling a request, for every route in the group. A deadline on the route or on an inner
    /// group takes precedence; see [`Route::deadline`].
    #[must_use]
    pub fn deadline(mut self, limit: Duration) -> Self {
        self.settings.push(Arc::new(move |route| match route.declaration().deadline {
            Some(_) => route,
            None => route.deadline(limit),
        }));
        self
    }

    /// Adds a middleware to every route in the group.
    #[must_use]
    pub fn middleware(mut self, middleware: impl Middleware) -> Self {
        self.middlewares.push(Arc::new(middleware));
        self
    }

    /// Adds a setting to every route in the group. A setting of the same type on the route or on an inner group takes
    /// precedence; see [`Route::with`].
    #[must_use]
    pub fn with<T: Clone + Send + Sync + 'static>(mut self, setting: T) -> Self {
        self.settings.push(Arc::new(move |route| match route.setting::<T>() {
            Some(_) => route,
            None => route.with(setting.clone()),
        }));
        self
    }

    /// Documents the problems of the error type `P` for every route in the group; see [`Route::problems`].
    #[must_use]
    pub fn problems<P: ProblemSet>(self) -> Self {
        P::kinds().into_iter().fold(self, Self::problem)
    }

    /// Documents one problem for every route in the group; see [`Route::problem`].
    #[must_use]
    pub fn problem(mut self, kind: ProblemKind) -> Self {
        self.settings.push(Arc::new(move |route| route.problem(kind.clone())));
        self
    }

    /// Adds a tag to every route in the group. A [`TagObject`] also describes the tag.
    #[must_use]
    pub fn tag(mut self, tag: impl Into<TagObject>) -> Self {
        self.tags.push(tag.into());
        self
    }

    /// Allows requests without credentials on every route in the group. A route or an inner group can still require
    /// credentials.
    #[must_use]
    pub fn public(self) -> Self {
        self.access(Access::public())
    }

    /// Allows both guests and callers with valid credentials for `scheme` on every route in the group.
    #[must_use]
    pub fn optional(self, scheme: impl Into<String>) -> Self {
        self.access(Access::optional(scheme))
    }

    /// Requires credentials for `scheme` on every route in the group. The caller must have all `scopes`.
    #[must_use]
    pub fn authorize<S: Into<String>>(self, scheme: impl Into<String>, scopes: impl IntoIterator<Item = S>) -> Self {
        self.access(Access::authenticated(scheme).all_scopes(scopes))
    }

    /// Sets the access rules of every route in the group. A request must also satisfy the rules of the route.
    #[must_use]
    pub fn access(mut self, access: impl Into<Access>) -> Self {
        self.access = Some(access.into());
        self
    }

    /// Adds every controller in the group to a builder, with the settings that the controller inherits.
    pub(crate) fn flatten(self, outer: &Inherited, mut api: ApiBuilder) -> ApiBuilder {
        let mut inherited = outer.clone();
        inherited.prefix.push_str(&self.prefix);
        inherited.tags.extend(self.tags);
        inherited.middlewares.extend(self.middlewares);
        // The last setting of a group applies, as on a route.
        inherited.settings.splice(0..0, self.settings.into_iter().rev());
        if let Some(access) = self.access {
            inherited.accesses.push(GroupAccess { prefix: inherited.prefix.clone(), access });
        }
        for member in self.members {
            match member {
                GroupMember::Controller(declaration) => api.declare(DeclaredRoute::new(declaration, &inherited)),
                GroupMember::Group(group) => api = group.flatten(&inherited, api),
                GroupMember::Module(module) => api = api.module_within(inherited.clone(), &*module),
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

/// The settings that a route inherits from its enclosing groups.
#[derive(Clone, Default)]
pub(crate) struct Inherited {
    prefix: String,
    tags: Vec<TagObject>,
    accesses: Vec<GroupAccess>,
    middlewares: Vec<SharedMiddleware>,
    /// The inherited settings. Settings of inner groups come first, so they take precedence.
    settings: Vec<RouteSetting>,
}

impl Inherited {
    pub(crate) fn prefix(&self) -> &str {
        &self.prefix
    }
}

/// A controller with its route. The route contains all inherited settings.
pub(crate) struct DeclaredRoute {
    pub(crate) controller: Box<dyn DeclaredController>,
    pub(crate) route: Route,
    /// The access rules of the enclosing groups, outermost first.
    pub(crate) group_accesses: Vec<GroupAccess>,
    /// The middlewares that the route itself declares.
    pub(crate) own_middlewares: Vec<SharedMiddleware>,
}

impl DeclaredRoute {
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
