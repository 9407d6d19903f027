//! Builds a table that shows the response status of every operation for every caller.

use std::fmt;

use restwright_runtime::core::http::{Method, StatusCode};
use restwright_runtime::core::route::RouteInfo;
use serde_json::{Value, json};

use crate::client::TestClient;

/// An entity, as a pair of its label and its path, such as `("private", "/tickets/1")`.
type LabelledEntity = (String, String);

/// Builds an [`AccessMatrix`]. Created by [`TestClient::access_matrix`].
#[must_use = "no request is sent before `send`"]
pub struct AccessMatrixBuilder<F> {
    open: F,
    callers: Vec<(String, Vec<(String, String)>)>,
    bodies: Vec<(String, Value)>,
}

impl TestClient {
    /// Builds a table that shows the response status of every operation for each caller and each entity.
    ///
    /// `open` returns a client and the paths of its entities, each with a label. A path such as the `Location` of a created entity is used
    /// for every operation that it fits. For example, `/tickets/1` is used for `/tickets/{id}` and `/tickets/{id}/close`. Operations of the
    /// documentation are left out.
    ///
    /// `open` is called again after each request that may have changed something, so no request sees the changes of another: after a 5xx, and
    /// after each `POST`, `PUT`, `PATCH` and `DELETE`, unless the status is 401, 403, 404, 405, 406, 413 or 415. A request with the status 429
    /// is sent again to a new Api. A `GET` that changes something must not matter to the other requests. In `open`, build the Api on stores in
    /// memory.
    ///
    #[cfg_attr(not(doctest), doc = include_str!("doc_examples/test_client_access_matrix.md"))]
    pub fn access_matrix<L, F>(open: F) -> AccessMatrixBuilder<F>
    where
        L: Into<String>,
        F: Fn() -> (Self, Vec<(L, String)>),
    {
        AccessMatrixBuilder { open, callers: Vec::new(), bodies: Vec::new() }
    }
}

impl<L: Into<String>, F: Fn() -> (TestClient, Vec<(L, String)>)> AccessMatrixBuilder<F> {
    /// Adds a caller that sends these headers with each request. For a guest, pass no headers.
    pub fn caller(mut self, name: &str, headers: &[(&str, &str)]) -> Self {
        let headers = headers.iter().map(|&(name, value)| (name.to_owned(), value.to_owned())).collect();
        self.callers.push((name.to_owned(), headers));
        self
    }

    /// Sets the JSON body of the requests to an operation. The default is `{}`.
    ///
    /// A status such as 422 for `{}` means that the caller may call the operation.
    pub fn body(mut self, operation_id: &str, body: Value) -> Self {
        self.bodies.push((operation_id.to_owned(), body));
        self
    }

    /// Sends the requests of all callers to all operations, and returns the table.
    ///
    /// # Panics
    /// Panics in async code, if a body is for an unknown operation, if a path fits no operation, and if an operation with path parameters fits no
    /// path.
    #[track_caller]
    pub fn send(self) -> AccessMatrix {
        let (client, places) = (self.open)();
        let places: Vec<LabelledEntity> = places.into_iter().map(|(label, path)| (label.into(), path)).collect();
        let routes = client.api().routes().filter(|route| !route.operation().is_documentation);
        let mut targets: Vec<TargetOperation> = routes.map(TargetOperation::new).collect();
        targets.sort_by(|one, other| one.template.cmp(&other.template));
        for (id, _) in &self.bodies {
            assert!(targets.iter().any(|target| target.id == *id), "no operation has the id `{id}` (in `.body(..)`)");
        }
        for (label, path) in &places {
            let fits = targets.iter().any(|target| target.path(path).is_some());
            assert!(fits, "no operation has a path parameter for `{path}` (the identifier `{label}`)");
        }
        client.stop();
        let mut opened = None;
        let mut rows = Vec::new();
        for target in &targets {
            if target.has_parameters() {
                let fitting = places.iter().filter(|(_, path)| target.path(path).is_some());
                let first = rows.len();
                rows.extend(fitting.map(|(label, _)| self.row(target, Some(label), &mut opened)));
                let operation = target.name();
                assert!(
                    rows.len() > first,
                    "no identifier fits `{operation}`; return the path of an entity from the function"
                );
            } else {
                rows.push(self.row(target, None, &mut opened));
            }
        }
        if let Some(opened) = opened {
            opened.client.stop();
        }
        AccessMatrix { callers: self.callers.into_iter().map(|(name, _)| name).collect(), rows }
    }

    #[track_caller]
    fn row(&self, target: &TargetOperation, label: Option<&str>, opened: &mut Option<Opened>) -> MatrixRow {
        let default = json!({});
        let body = self.bodies.iter().find(|(id, _)| *id == target.id).map_or(&default, |(_, body)| body);
        let statuses = self.callers.iter().map(|(_, headers)| {
            loop {
                let is_new = opened.is_none();
                let current = opened.take().unwrap_or_else(|| self.opened());
                let status = current.send(target, label, headers, body);
                let is_limited = status == StatusCode::TOO_MANY_REQUESTS && !is_new;
                let is_rejected = [401, 403, 404, 405, 406, 413, 415].contains(&status.as_u16());
                let may_change = if target.method.is_safe() { status.is_server_error() } else { !is_rejected };
                if is_limited || may_change {
                    current.client.stop();
                } else {
                    *opened = Some(current);
                }
                if !is_limited {
                    return status;
                }
            }
        });
        let statuses = statuses.collect();
        MatrixRow {
            operation: format!("{} {}", target.method, target.template),
            identifier: label.unwrap_or("-").to_owned(),
            statuses,
        }
    }

    fn opened(&self) -> Opened {
        let (client, places) = (self.open)();
        // Ends streams that have no end, such as server-sent events.
        client.api().begin_stop();
        Opened { client, places: places.into_iter().map(|(label, path)| (label.into(), path)).collect() }
    }
}

/// An Api with its entities.
struct Opened {
    client: TestClient,
    places: Vec<LabelledEntity>,
}

impl Opened {
    /// Sends a request to an operation, and returns the status of the response.
    #[track_caller]
    fn send(
        &self,
        target: &TargetOperation,
        label: Option<&str>,
        headers: &[(String, String)],
        body: &Value,
    ) -> StatusCode {
        let place = self.places.iter().find(|(name, _)| Some(&**name) == label);
        let path = place.and_then(|(_, path)| target.path(path)).unwrap_or_else(|| target.template.clone());
        let request = self.client.request(target.method.clone(), path);
        let request = headers.iter().fold(request, |request, (name, value)| request.header(name, value));
        if target.has_body { request.json(body) } else { request }.send().status()
    }
}

impl<F> fmt::Debug for AccessMatrixBuilder<F> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("AccessMatrixBuilder").finish_non_exhaustive()
    }
}

/// An operation to which every caller sends requests.
struct TargetOperation {
    id: String,
    method: Method,
    template: String,
    has_body: bool,
}

impl TargetOperation {
    fn new(route: &RouteInfo) -> Self {
        let operation = route.operation();
        Self {
            id: operation.id.clone(),
            method: operation.method.clone(),
            template: route.template().as_str().to_owned(),
            has_body: operation.request_body.is_some(),
        }
    }

    fn name(&self) -> String {
        format!("{} {}", self.method, self.template)
    }

    fn has_parameters(&self) -> bool {
        self.template.contains('{')
    }

    /// Fills the path parameters of the operation with values from an entity's path. Returns `None` if the path does not contain a value
    /// for each parameter.
    fn path(&self, place: &str) -> Option<String> {
        let mut rest = self.template.split('/');
        for segment in place.split('/') {
            let expected = rest.next()?;
            if !expected.starts_with('{') && expected != segment {
                return None;
            }
        }
        let is_parameter = |segment: &str| segment.starts_with('{');
        let ends_with_identifier = self.template.split('/').nth(place.split('/').count() - 1).is_some_and(is_parameter);
        let rest: Vec<&str> = rest.collect();
        if !ends_with_identifier || rest.iter().copied().any(is_parameter) {
            return None;
        }
        Some(rest.into_iter().fold(place.to_owned(), |path, segment| path + "/" + segment))
    }
}

/// A table that shows the response status of every operation for each caller and each entity.
///
/// Its `Display` is a table with one line per operation and identifier, and one column per caller. Compare it in a test with
/// [`assert`](Self::assert), so a changed access is a changed line in a review.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AccessMatrix {
    callers: Vec<String>,
    rows: Vec<MatrixRow>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct MatrixRow {
    operation: String,
    identifier: String,
    statuses: Vec<StatusCode>,
}

impl AccessMatrix {
    /// Asserts that the table equals a string. Ignores differences in whitespace.
    ///
    /// # Panics
    /// Panics with the whole table and with the lines that differ.
    #[track_caller]
    pub fn assert(&self, expected: &str) {
        let normal = |table: &str| -> Vec<String> {
            let lines = table.lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "));
            lines.filter(|line| !line.is_empty()).collect()
        };
        let (found, expected) = (normal(&self.to_string()), normal(expected));
        let without = |lines: &[String], others: &[String]| {
            let lines = lines.iter().filter(|line| !others.contains(line)).map(String::as_str);
            lines.collect::<Vec<_>>().join("\n")
        };
        assert!(
            found == expected,
            "the access matrix differs.\nOnly found:\n{}\nOnly expected:\n{}\nThe whole table:\n{self}",
            without(&found, &expected),
            without(&expected, &found),
        );
    }
}

impl fmt::Display for AccessMatrix {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let heads = ["operation".to_owned(), "identifier".to_owned()].into_iter().chain(self.callers.iter().cloned());
        let mut lines = vec![heads.collect::<Vec<_>>()];
        for MatrixRow { operation, identifier, statuses } in &self.rows {
            let statuses = statuses.iter().map(|status| status.as_str().to_owned());
            lines.push([operation.clone(), identifier.clone()].into_iter().chain(statuses).collect());
        }
        let width =
            |column: usize| lines.iter().filter_map(|line| line.get(column)).map(String::len).max().unwrap_or(0);
        let widths: Vec<usize> = (0..self.callers.len() + 2).map(width).collect();
        for line in &lines {
            let cells = line.iter().zip(&widths).map(|(cell, &width)| format!("{cell:width$}"));
            writeln!(formatter, "{}", cells.collect::<Vec<_>>().join("  ").trim_end())?;
        }
        Ok(())
    }
}
