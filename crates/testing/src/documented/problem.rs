//! Bodies of failure.

use restwright_runtime::core::http::Method;
use restwright_runtime::core::http::header::CONTENT_TYPE;
use restwright_runtime::core::problem::{Problem, ProblemKind, define_shape};
use restwright_runtime::core::schema::{ReadError, SchemaSide};
use serde_json::Value;

use crate::response::TestResponse;

pub(super) fn check(response: &TestResponse, kinds: &[ProblemKind], found: &mut Vec<String>) {
    let content_type = response.header(CONTENT_TYPE.as_str()).unwrap_or_default();
    if content_type != Problem::MEDIA_TYPE {
        found.push(format!("the media type is `{content_type}`, not `{}`", Problem::MEDIA_TYPE));
        return;
    }
    if response.method == Method::HEAD {
        return;
    }
    let shape = {
        let mut registry = response.registry.borrow_mut();
        let problem = define_shape(&mut registry);
        registry.compile(&problem, SchemaSide::Output, None)
    };
    match shape.read_value(&response.body, 100) {
        Ok(problem) => check_members(response, kinds, &problem, found),
        Err(ReadError::Syntax { message, .. }) => found.push(format!("the problem is not JSON: {message}")),
        Err(ReadError::Violations(violations)) => {
            found.extend(violations.iter().map(|one| format!("the problem at `{}`: {}", one.pointer, one.message)));
        }
    }
}

fn check_members(response: &TestResponse, kinds: &[ProblemKind], problem: &Value, found: &mut Vec<String>) {
    if problem.get("status").and_then(Value::as_u64) != Some(response.status.as_u16().into()) {
        found.push("the problem's `status` is not that of the response".to_owned());
    }
    let code = problem.get("code").and_then(Value::as_str).unwrap_or_default();
    match kinds.iter().find(|kind| kind.code == code) {
        Some(kind) => {
            if problem.get("title").and_then(Value::as_str) != Some(&*kind.title) {
                found.push(format!("the problem's `title` is not that of `{code}`: {}", kind.title));
            }
        }
        None => {
            let codes: Vec<_> = kinds.iter().map(|kind| &*kind.code).collect();
            let status = response.status.as_str();
            found.push(format!("the code `{code}` is not among those described for {status}: {}", codes.join(", ")));
        }
    }
}
