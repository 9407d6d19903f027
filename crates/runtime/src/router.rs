//! Finds the route of a request. A radix tree finds the path, and the method selects the route.

use std::collections::HashMap;
use std::ops::Range;

use http::{HeaderValue, Method};

use restwright_core::BuildErrors;
use restwright_core::route::{RouteDeclaration, Template};
use restwright_core::runtime::is_normal_tail;

/// A router that contains all paths of an Api.
#[derive(Debug, Default)]
pub(crate) struct Router {
    tree: matchit::Router<usize>,
    paths: Vec<RoutedPath>,
    known: HashMap<String, usize>,
}

#[derive(Debug)]
struct RoutedPath {
    template: Template,
    routes: MethodRoutes,
    /// The routes whose tail parameter accepts empty and `..` segments
    /// ([`any_tail`](restwright_core::Route::any_tail)).
    any_tail: MethodRoutes,
    /// The operation ids of the routes, in the order of the routes.
    operations: Vec<String>,
}

/// The routes of one path, by HTTP method.
#[derive(Debug)]
struct MethodRoutes {
    methods: Vec<(Method, usize)>,
    allow: HeaderValue,
}

/// The result of looking up the route for a path and a method.
#[derive(Debug)]
pub(crate) enum Matched<'r> {
    /// A route was found. Contains the index of the route and the positions of its parameters in the path.
    Route(usize, Vec<Range<usize>>),
    /// The path has routes only for other methods. Contains the value of the `Allow` header.
    MethodNotAllowed(&'r HeaderValue),
    /// The method is `OPTIONS`, and the path has no `OPTIONS` route. Contains the value of the `Allow` header.
    Options(&'r HeaderValue),
    /// No route has the path of the request.
    Nothing,
}

impl Router {
    /// Adds a route with the index `route`. `operation` is the `operationId` for error messages.
    pub(crate) fn insert(
        &mut self,
        RouteDeclaration { method, any_tail, .. }: &RouteDeclaration,
        template: &Template,
        route: usize,
        operation: &str,
    ) -> Result<(), BuildErrors> {
        if *any_tail && !template.has_tail() {
            return Err(BuildErrors::one(format!(
                "the path `{template}` has no tail; write one, such as `/files/{{*path}}`, or remove `.any_tail()`"
            )));
        }
        let anonymous = template.anonymous();
        let index = match self.known.get(&anonymous) {
            Some(index) => *index,
            None => {
                let index = self.paths.len();
                self.tree.insert(template.router_syntax(), index).map_err(|error| {
                    BuildErrors::one(format!("the path `{template}` conflicts with another one: {error}"))
                })?;
                self.known.insert(anonymous, index);
                self.paths.push(RoutedPath {
                    template: template.clone(),
                    routes: MethodRoutes::default(),
                    any_tail: MethodRoutes::default(),
                    operations: Vec::new(),
                });
                index
            }
        };
        let Some(path) = self.paths.get_mut(index) else { return Ok(()) };
        if path.template != *template {
            return Err(BuildErrors::one(format!(
                "the paths `{}` and `{template}` differ only in a parameter's name; use the same name in both",
                path.template
            )));
        }
        let mut known = path.routes.methods.iter().zip(&path.operations);
        if let Some((_, other)) = known.find(|((known, _), _)| known == method) {
            return Err(BuildErrors::one(format!(
                "the operations `{other}` and `{operation}` have the same method and path; remove one or change its method or path"
            )));
        }
        path.operations.push(operation.to_owned());
        path.routes.insert(method, route);
        if *any_tail {
            path.any_tail.insert(method, route);
        }
        Ok(())
    }

    /// Finds the route for a method and a path. The time depends on the length of the path and not on the number of
    /// routes.
    pub(crate) fn find(&self, method: &Method, path: &str) -> Matched<'_> {
        let Some((routes, parameters)) = self.at(path) else { return Matched::Nothing };
        let captures = || parameters.iter().map(|(_, value)| place(value, path)).collect();
        match routes.find(method) {
            Some(route) => Matched::Route(route, captures()),
            None if routes.methods.is_empty() => Matched::Nothing,
            None if method == Method::OPTIONS => Matched::Options(&routes.allow),
            None => Matched::MethodNotAllowed(&routes.allow),
        }
    }

    /// Returns the indexes of all routes with the path `path`.
    pub(crate) fn routes_at(&self, path: &str) -> impl Iterator<Item = usize> {
        let routes = self.at(path).map(|(routes, _)| routes.methods.iter());
        routes.into_iter().flatten().map(|(_, number)| *number)
    }

    fn at<'r, 'p>(&'r self, path: &'p str) -> Option<(&'r MethodRoutes, matchit::Params<'r, 'p>)> {
        let matched = self.tree.at(path).ok()?;
        let found = self.paths.get(*matched.value)?;
        let tail = matched.params.iter().last().filter(|_| found.template.has_tail());
        let routes = match tail {
            Some((_, tail)) if !is_normal_tail(tail) => &found.any_tail,
            _ => &found.routes,
        };
        Some((routes, matched.params))
    }
}

impl MethodRoutes {
    fn insert(&mut self, method: &Method, route: usize) {
        self.methods.push((method.clone(), route));
        self.allow = allow(&self.methods);
    }

    /// Returns the index of the route for an HTTP method. `GET` routes also serve `HEAD`.
    fn find(&self, method: &Method) -> Option<usize> {
        let route = |method: &Method| self.methods.iter().find(|(known, _)| known == method).map(|(_, route)| *route);
        route(method).or_else(|| if method == Method::HEAD { route(&Method::GET) } else { None })
    }
}

impl Default for MethodRoutes {
    fn default() -> Self {
        Self { methods: Vec::new(), allow: HeaderValue::from_static("OPTIONS") }
    }
}

/// Returns the byte range of the substring `part` in the string `whole`.
fn place(part: &str, whole: &str) -> Range<usize> {
    let start = part.as_ptr().addr().saturating_sub(whole.as_ptr().addr());
    start..start + part.len()
}

fn allow(methods: &[(Method, usize)]) -> HeaderValue {
    let mut names: Vec<_> = methods.iter().map(|(method, _)| method.as_str()).collect();
    if names.contains(&"GET") {
        names.push("HEAD");
    }
    names.push("OPTIONS");
    names.sort_unstable();
    names.dedup();
    HeaderValue::from_str(&names.join(", ")).unwrap_or(HeaderValue::from_static("OPTIONS"))
}

#[cfg(test)]
mod tests {
    use restwright_core::Route;

    use super::*;

    fn router(routes: &[(&str, &str)]) -> Result<Router, BuildErrors> {
        let mut router = Router::default();
        for (number, (method, path)) in routes.iter().enumerate() {
            insert(&mut router, &Route::new(method.parse().unwrap(), *path), number)?;
        }
        Ok(router)
    }

    fn insert(router: &mut Router, route: &Route, number: usize) -> Result<(), BuildErrors> {
        let declaration = route.declaration();
        router.insert(declaration, &Template::parse(&declaration.path)?, number, &format!("operation{number}"))
    }

    #[test]
    fn routes_are_found() {
        let routes = [
            ("GET", "/"),
            ("GET", "/pets"),
            ("POST", "/pets"),
            ("GET", "/pets/{id}"),
            ("GET", "/pets/new"),
            ("GET", "/files/{*path}"),
            ("GET", "/käse"),
            ("GET", "/b%c3%a4r"),
            ("GET", "/pets/{id}/toys/{toy}/"),
        ];
        let router = router(&routes).unwrap();
        for (method, path, expected) in [
            ("GET", "/", "Route(0, [])"),
            ("GET", "/pets", "Route(1, [])"),
            ("HEAD", "/pets", "Route(1, [])"),
            ("POST", "/pets", "Route(2, [])"),
            ("GET", "/pets/7", "Route(3, [6..7])"),
            ("GET", "/pets/new", "Route(4, [])"),
            ("GET", "/files/a/b", "Route(5, [7..10])"),
            ("GET", "/k%C3%A4se", "Route(6, [])"),
            ("GET", "/b%C3%A4r", "Route(7, [])"),
            ("GET", "/pets/7/toys/%20/", "Route(8, [6..7, 13..16])"),
            ("GET", "/pets/", "Nothing"),
            ("GET", "/pets/7/x", "Nothing"),
            ("GET", "/none", "Nothing"),
            ("PUT", "/pets", r#"MethodNotAllowed("GET, HEAD, OPTIONS, POST")"#),
            ("HEAD", "/pets/7", "Route(3, [6..7])"),
            ("OPTIONS", "/pets/7", r#"Options("GET, HEAD, OPTIONS")"#),
        ] {
            let found = format!("{:?}", router.find(&method.parse().unwrap(), path));
            assert_eq!(found, expected, "{method} {path}");
        }
    }

    #[test]
    fn routes_a_tail_out_of_normal_form_only_to_any_tail_routes() {
        let mut router =
            router(&[("GET", "/files/{*path}"), ("GET", "/files/private/{name}"), ("GET", "/{id}")]).unwrap();
        for (number, (method, path)) in [("PUT", "/files/{*path}"), ("GET", "/objects/{*key}")].into_iter().enumerate()
        {
            let route = Route::new(method.parse().unwrap(), path).any_tail();
            insert(&mut router, &route, 3 + number).unwrap();
        }
        for (method, path, expected) in [
            ("GET", "/files/a/b", "Route(0, [7..10])"),
            ("HEAD", "/files/a/b", "Route(0, [7..10])"),
            ("PUT", "/files/a/b", "Route(3, [7..10])"),
            ("OPTIONS", "/files/a/b", r#"Options("GET, HEAD, OPTIONS, PUT")"#),
            ("GET", "/files/private/x", "Route(1, [15..16])"),
            ("PUT", "/files/a/../private/x", "Route(3, [7..21])"),
            ("PUT", "/files//private/x", "Route(3, [7..17])"),
            ("PUT", "/files/private%2Fx", "Route(3, [7..18])"),
            ("GET", "/files/private%2Fx", r#"MethodNotAllowed("OPTIONS, PUT")"#),
            ("HEAD", "/files/private%2Fx", r#"MethodNotAllowed("OPTIONS, PUT")"#),
            ("OPTIONS", "/files/private%2Fx", r#"Options("OPTIONS, PUT")"#),
            ("GET", "/objects//a/", "Route(4, [9..12])"),
            // A single segment is not a tail.
            ("GET", "/a%2F..", "Route(2, [1..7])"),
        ] {
            let found = format!("{:?}", router.find(&method.parse().unwrap(), path));
            assert_eq!(found, expected, "{method} {path}");
        }
        for (path, expected) in [("/files/a", &[0, 3][..]), ("/files//a", &[3]), ("/files/private/x", &[1]), ("/", &[])]
        {
            assert_eq!(router.routes_at(path).collect::<Vec<_>>(), expected, "{path}");
        }
    }

    #[test]
    fn conflicts_are_told() {
        for (routes, expected) in [
            ([("GET", "/a/{x}"), ("GET", "/a/{x}")], "`operation0` and `operation1` have the same method and path"),
            ([("GET", "/a/{x}"), ("PUT", "/a/{y}")], "differ only in a parameter's name"),
        ] {
            let message = router(&routes).unwrap_err().to_string();
            assert!(message.contains(expected), "{message}");
        }
    }
}
