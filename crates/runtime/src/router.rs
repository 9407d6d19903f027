//! Finding the route of a request: a radix tree over the paths, then the methods of the path.

use std::collections::HashMap;
use std::ops::Range;

use http::{HeaderValue, Method};

use restwright_core::BuildErrors;
use restwright_core::route::Template;

/// All paths of an Api.
#[derive(Debug, Default)]
pub(crate) struct Router {
    tree: matchit::Router<usize>,
    paths: Vec<Path>,
    known: HashMap<String, usize>,
}

#[derive(Debug)]
struct Path {
    template: String,
    methods: Vec<(Method, usize)>,
    /// The operation of each method, in the same order.
    operations: Vec<String>,
    allow: HeaderValue,
}

/// The routes at a path.
#[derive(Debug)]
pub(crate) enum Matched<'r> {
    /// The route with this number, and the places of its parameters in the path.
    Route(usize, Vec<Range<usize>>),
    /// Other methods only; `Allow` has them.
    MethodNotAllowed(&'r HeaderValue),
    /// `OPTIONS`, which no route declares here.
    Options(&'r HeaderValue),
    /// Nothing.
    Nothing,
}

impl Router {
    /// Adds the route with a number, which serves an operation.
    pub(crate) fn insert(
        &mut self,
        method: &Method,
        template: &Template,
        route: usize,
        operation: &str,
    ) -> Result<(), BuildErrors> {
        let anonymous = template.anonymous();
        let index = match self.known.get(&anonymous) {
            Some(index) => *index,
            None => {
                let index = self.paths.len();
                self.tree.insert(template.router_syntax(), index).map_err(|error| {
                    BuildErrors::one(format!("the path `{template}` conflicts with another one: {error}"))
                })?;
                self.known.insert(anonymous, index);
                self.paths.push(Path {
                    template: template.to_string(),
                    methods: Vec::new(),
                    operations: Vec::new(),
                    allow: HeaderValue::from_static("OPTIONS"),
                });
                index
            }
        };
        let Some(path) = self.paths.get_mut(index) else { return Ok(()) };
        if path.template != template.as_str() {
            return Err(BuildErrors::one(format!(
                "the paths `{}` and `{template}` differ only in a parameter's name; give it one name in both",
                path.template
            )));
        }
        let mut known = path.methods.iter().zip(&path.operations);
        if let Some((_, other)) = known.find(|((known, _), _)| known == method) {
            return Err(BuildErrors::one(format!(
                "the operations `{other}` and `{operation}` have the same method and path; remove one or change its method or path"
            )));
        }
        path.operations.push(operation.to_owned());
        path.methods.push((method.clone(), route));
        path.allow = allow(&path.methods);
        Ok(())
    }

    /// Finds the routes at `path`, in the time that its length takes, whatever the number of routes.
    pub(crate) fn find(&self, method: &Method, path: &str) -> Matched<'_> {
        let Ok(matched) = self.tree.at(path) else { return Matched::Nothing };
        let Some(Path { methods, allow, .. }) = self.paths.get(*matched.value) else { return Matched::Nothing };
        let route = |method: &Method| methods.iter().find(|(known, _)| known == method).map(|(_, route)| *route);
        let route = match route(method) {
            None if method == Method::OPTIONS => return Matched::Options(allow),
            None if method == Method::HEAD => route(&Method::GET),
            route => route,
        };
        let captures = || matched.params.iter().map(|(_, value)| place(value, path)).collect();
        route.map_or(Matched::MethodNotAllowed(allow), |route| Matched::Route(route, captures()))
    }
}

/// Returns the place of a part in the whole.
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
    use super::*;

    fn router(routes: &[(&str, &str)]) -> Result<Router, BuildErrors> {
        let mut router = Router::default();
        for (number, (method, path)) in routes.iter().enumerate() {
            router.insert(&method.parse().unwrap(), &Template::parse(path)?, number, &format!("operation{number}"))?;
        }
        Ok(router)
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
