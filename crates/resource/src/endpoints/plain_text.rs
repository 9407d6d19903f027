//! [`PlainText`]: a body whose texts every store keeps.

use restwright_core::Result;
use restwright_core::body::ReadBody;
use restwright_core::http::IncomingBody;
use restwright_core::operation::Operation;
use restwright_core::part::RequestHead;
use restwright_core::problem::{RequestViolations, ViolationLocation};
use restwright_core::schema::{Code, Violation, pointer_to};
use restwright_core::{BuildContext, BuildErrors};
use serde_json::Value;

/// A body without the character NUL, which PostgreSQL does not keep, in any text: also in those within lists and nested objects, of which
/// a store does not know.
pub(super) struct PlainText<B>(pub(super) B);

impl<B: ReadBody> ReadBody for PlainText<B> {
    type Plan = B::Plan;

    fn plan(context: &mut BuildContext<'_>) -> Result<B::Plan, BuildErrors> {
        B::plan(context)
    }

    fn describe(plan: &B::Plan, operation: &mut Operation) {
        B::describe(plan, operation);
    }

    async fn read(
        plan: &B::Plan,
        head: &RequestHead<'_>,
        body: &mut IncomingBody,
        violations: &mut RequestViolations,
    ) -> Result<Option<Self>> {
        let Some(read) = B::read(plan, head, body, violations).await? else { return Ok(None) };
        // The body is buffered, and JSON has this character as an escape alone.
        let json = body.bytes().await?;
        if !json.contains(&b'\\') || !json.windows(ESCAPE.len()).any(|part| part == ESCAPE) {
            return Ok(Some(Self(read)));
        }
        let mut found = 0;
        report(&serde_json::from_slice(&json).unwrap_or_default(), "", &mut |pointer| {
            let violation = || Violation::new(pointer, Code::INVALID, "must not contain the character NUL");
            violations.push_with(ViolationLocation::Body, violation);
            found += 1;
        });
        Ok((found == 0).then_some(Self(read)))
    }
}

const ESCAPE: &[u8] = br"\u0000";

/// Reports the places of texts and names with NUL. JSON nests to a bounded depth.
fn report(value: &Value, pointer: &str, refuse: &mut impl FnMut(&str)) {
    match value {
        Value::String(text) if text.contains('\0') => refuse(pointer),
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                report(item, &format!("{pointer}/{index}"), refuse);
            }
        }
        Value::Object(members) => {
            for (name, member) in members {
                let pointer = format!("{pointer}{}", pointer_to(name));
                if name.contains('\0') { refuse(&pointer) } else { report(member, &pointer, refuse) }
            }
        }
        _ => {}
    }
}
