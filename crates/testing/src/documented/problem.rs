//! Checks the problem details in an error response against the description of the operation.

use restwright_runtime::core::Problem;
use restwright_runtime::core::http::Method;
use restwright_runtime::core::http::header::CONTENT_TYPE;
use restwright_runtime::core::problem::{ProblemKind, define_shape};
use restwright_runtime::core::runtime::SharedErrorForm;
use restwright_runtime::core::schema::{ReadError, SchemaSide};
use serde_json::Value;

use crate::response::TestResponse;

/// How a problem becomes a part of the document.
pub(super) const REMEDY: &str = "add `.problem(..)` or `.problems::<..>()` to the route or its group, or to the endpoints of the resource whose hook or action returns it";

/// Returns `true` if the body of a response is a problem.
pub(super) fn is_problem(response: &TestResponse) -> bool {
    response.formed_problem.is_some() || response.header(CONTENT_TYPE.as_str()) == Some(Problem::MEDIA_TYPE)
}

pub(super) fn check(response: &TestResponse, kinds: &[ProblemKind], found: &mut Vec<String>) {
    let form = response.error_form();
    let content_type = response.header(CONTENT_TYPE.as_str()).unwrap_or_default();
    let media_type = form.map_or(Problem::MEDIA_TYPE, SharedErrorForm::media_type);
    if content_type != media_type {
        found.push(format!("the media type is `{content_type}`, not `{media_type}`"));
        return;
    }
    if let Some(problem) = &response.formed_problem {
        check_code(response, kinds, &problem.kind.code, found);
    }
    if response.method == Method::HEAD {
        return;
    }
    let shape = {
        let mut registry = response.registry.borrow_mut();
        let problem = match form {
            Some(form) => form.define(&mut registry),
            None => define_shape(&mut registry),
        };
        registry.compile(&problem, SchemaSide::Output, None)
    };
    match shape.read_value(&response.body, 100) {
        Ok(_) if form.is_some() => {}
        Ok(problem) => check_members(response, kinds, &problem, found),
        Err(ReadError::Violations(violations)) => {
            found.extend(violations.iter().map(|one| format!("the problem at `{}`: {}", one.pointer, one.message)));
        }
        Err(error) => found.push(format!("the problem is not JSON at {error}")),
    }
}

fn check_members(response: &TestResponse, kinds: &[ProblemKind], problem: &Value, found: &mut Vec<String>) {
    if problem.get("status").and_then(Value::as_u64) != Some(response.status.as_u16().into()) {
        found.push("the problem's `status` differs from the status of the response".to_owned());
    }
    let code = problem.get("code").and_then(Value::as_str).unwrap_or_default();
    let title = problem.get("title").and_then(Value::as_str).unwrap_or_default();
    if let Some(kind) = check_code(response, kinds, code, found)
        && title != kind.title
        && !response.api.has_title(code, title)
    {
        found.push(format!("the problem's `title` is not the title of `{code}`: {}", kind.title));
    }
}

/// Checks that the operation documents the code of a problem, and returns the documented problem kind.
fn check_code<'k>(
    response: &TestResponse,
    kinds: &'k [ProblemKind],
    code: &str,
    found: &mut Vec<String>,
) -> Option<&'k ProblemKind> {
    let kind = kinds.iter().find(|kind| kind.code == code);
    if kind.is_none() {
        let codes: Vec<_> = kinds.iter().map(|kind| &*kind.code).collect();
        let status = response.status.as_str();
        found.push(format!(
            "the code `{code}` is not documented for {status} (documented: {}); {REMEDY}",
            codes.join(", ")
        ));
    }
    kind
}
