//! Answers of failure: each different one stands once among the components.

use std::collections::HashMap;

use restwright_core::http::StatusCode;
use restwright_core::operation::{Failure, HeaderObject};
use restwright_core::problem::{Problem, ProblemKind};
use serde_json::{Value, json};

use super::Writer;
use super::response::reason;
use crate::document::{MediaType, Response};

/// The failures that were written, by their status.
pub(super) struct Failures {
    problem: Value,
    written: HashMap<StatusCode, Vec<Written>>,
}

struct Written {
    failure: Failure,
    common: Vec<HeaderObject>,
    component: String,
}

impl Failures {
    /// `problem` is the schema of a problem.
    pub(super) fn new(problem: Value) -> Self {
        Self { problem, written: HashMap::new() }
    }

    fn known(&self, failure: &Failure, common: &[HeaderObject]) -> Option<&str> {
        let same = |written: &&Written| written.failure == *failure && written.common == common;
        self.written.get(&failure.status)?.iter().find(same).map(|written| written.component.as_str())
    }
}

impl Writer {
    /// The name of the component that describes a failure.
    pub(super) fn failure(&mut self, failure: Failure, common: &[HeaderObject]) -> String {
        if let Some(component) = self.failures.known(&failure, common) {
            return component.to_owned();
        }
        let response = Response {
            description: description(&failure),
            headers: self.headers(&failure.headers, common),
            content: [(Problem::MEDIA_TYPE.to_owned(), self.problem(&failure))].into(),
            links: Default::default(),
        };
        let component = self.free_name(name(&failure, common));
        self.components.responses.insert(component.clone(), response);
        let written = Written { component: component.clone(), common: common.to_vec(), failure };
        self.failures.written.entry(written.failure.status).or_default().push(written);
        component
    }

    /// A number makes the difference where one code has two statuses, or is described in two ways.
    fn free_name(&self, name: String) -> String {
        let taken = |name: &String| self.components.responses.contains_key(name);
        if !taken(&name) {
            return name;
        }
        (2_u64..).map(|number| format!("{name}-{number}")).find(|name| !taken(name)).unwrap_or(name)
    }

    fn problem(&self, failure: &Failure) -> MediaType {
        let codes: Vec<_> = failure.kinds.iter().map(|kind| &kind.code).collect();
        let status = failure.status.as_u16();
        let narrowed = json!({ "properties": { "status": { "const": status }, "code": { "enum": codes } } });
        let schema = json!({ "allOf": [self.failures.problem, narrowed] });
        MediaType { schema: Some(schema), ..MediaType::default() }
    }
}

/// `not_found` is `NotFound`; several codes are joined, and headers that are not the framework's own are added.
fn name(failure: &Failure, common: &[HeaderObject]) -> String {
    let codes: Vec<_> = failure.kinds.iter().map(|kind| pascal_case(&kind.code)).collect();
    let headers = common.iter().map(|header| &*header.name).filter(|name| *name != "X-Request-Id");
    let headers = headers.map(pascal_case).collect::<String>();
    let with = if headers.is_empty() { "" } else { "With" };
    format!("{}{with}{headers}", codes.join("Or"))
}

fn pascal_case(code: &str) -> String {
    let words = code.split(|character: char| !character.is_ascii_alphanumeric());
    words.fold(String::new(), |mut name, word| {
        let mut characters = word.chars();
        name.extend(characters.next().map(|first| first.to_ascii_uppercase()));
        name.push_str(characters.as_str());
        name
    })
}

fn description(failure: &Failure) -> String {
    let lines = failure.kinds.iter().map(|kind| format!("- {}", explained(kind)));
    match failure.kinds.as_slice() {
        [kind] => explained(kind),
        _ => format!("{}:\n\n{}", reason(failure.status), lines.collect::<Vec<_>>().join("\n")),
    }
}

fn explained(kind: &ProblemKind) -> String {
    match &kind.description {
        Some(description) => format!("`{}` ({}): {description}", kind.code, kind.title),
        None => format!("`{}`: {}.", kind.code, kind.title),
    }
}
