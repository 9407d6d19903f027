//! Checks the headers of a response.

use std::borrow::Cow;

use restwright_runtime::core::http::HeaderName;
use restwright_runtime::core::http::header::{CACHE_CONTROL, CONTENT_LENGTH, CONTENT_TYPE, VARY, WWW_AUTHENTICATE};
use restwright_runtime::core::operation::HeaderObject;

use super::compile;
use crate::response::TestResponse;

/// The response headers that an operation does not need to document, because the documented body implies them.
const IMPLIED: [HeaderName; 2] = [CONTENT_TYPE, CONTENT_LENGTH];

/// The header that problems do not need to document, because each problem has it, with `no-store`.
const IMPLIED_BY_PROBLEMS: HeaderName = CACHE_CONTROL;

pub(super) fn check<'h>(
    response: &TestResponse,
    described: impl Iterator<Item = &'h HeaderObject>,
    found: &mut Vec<String>,
) {
    let described: Vec<_> = described.collect();
    for header in &described {
        check_one(response, header, found);
    }
    let is_problem = response.status.is_client_error() || response.status.is_server_error();
    let is_implied = |name: &HeaderName| IMPLIED.contains(name) || is_problem && *name == IMPLIED_BY_PROBLEMS;
    for name in response.headers.keys().filter(|name| !is_implied(name)) {
        if !described.iter().any(|header| header.name.eq_ignore_ascii_case(name.as_str())) {
            found.push(format!("the header `{name}` is not documented"));
        }
    }
}

fn check_one(response: &TestResponse, header: &HeaderObject, found: &mut Vec<String>) {
    let values: Vec<_> = response.headers.get_all(&header.name).iter().collect();
    if values.is_empty() {
        if header.required {
            found.push(format!("the header `{}` is missing", header.name));
        }
        return;
    }
    let texts = values.iter().map(|value| std::str::from_utf8(value.as_bytes()).map(Cow::Borrowed));
    let Ok(mut texts) = texts.collect::<Result<Vec<_>, _>>() else {
        found.push(format!("the header `{}` is not UTF-8", header.name));
        return;
    };
    // Repeated headers form one value (RFC 9110, section 5.3).
    if [WWW_AUTHENTICATE, VARY].iter().any(|list| header.name.eq_ignore_ascii_case(list.as_str())) {
        texts = vec![Cow::Owned(texts.join(", "))];
    }
    if let Err(violations) = compile(response, &header.schema).read_text_value(&texts, usize::MAX) {
        for violation in violations {
            found.push(format!("the header `{}`: {}", header.name, violation.message));
        }
    }
}
