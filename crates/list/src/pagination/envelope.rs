//! What the three envelopes share: `{"data": [..], "pagination": {..}}`.

use std::marker::PhantomData;

use restwright_core::body::write_json;
use restwright_core::http::{HttpResponse, StatusCode};
use restwright_core::operation::{HeaderObject, MediaTypeObject, Operation, SchemaUse};
use restwright_core::schema::{PropertyCollection, Schema, array, object};
use restwright_core::{BuildContext, BuildErrors, Result};
use serde::Serialize;

/// What a pagination imposes on the response: that it is the envelope of the strategy `S`.
pub(super) struct Imposed<S>(PhantomData<fn() -> S>);

impl<S: 'static> Imposed<S> {
    pub(super) fn on(planner: &mut BuildContext<'_>, response: &'static str) {
        planner.impose(Self(PhantomData), response);
    }

    pub(super) fn check(planner: &mut BuildContext<'_>, part: &str, response: &str) -> Result<(), BuildErrors> {
        match planner.imposed::<Self>() {
            Some(_) => Ok(()),
            None => Err(BuildErrors::one(format!(
                "the response is `{response}` and the request has no `{part}`; add a field `page: {part}` to the request, or return the response of the pagination that it has"
            ))),
        }
    }
}

/// How an envelope is described.
#[derive(Debug)]
pub struct EnvelopePlan {
    schema: SchemaUse,
    header: HeaderObject,
}

impl EnvelopePlan {
    /// The envelope of items of the type `T`, named after them.
    pub(super) fn new<T: Schema>(
        suffix: &str,
        pagination: PropertyCollection,
        header: HeaderObject,
        planner: &mut BuildContext<'_>,
    ) -> Self {
        let item = T::schema_type(planner.registry());
        let envelope = PropertyCollection::new(format!("{}{suffix}", item.label()))
            .property(array("data", item))
            .property(object("pagination", pagination));
        Self { schema: SchemaUse::output(envelope), header }
    }

    pub(super) fn describe(&self, operation: &mut Operation) {
        let response = operation.response(StatusCode::OK);
        response.description.get_or_insert_with(|| "The items that were asked for.".to_owned());
        response.content.push(MediaTypeObject::json(self.schema.clone()));
        response.add_header(self.header.clone());
    }
}

pub(super) fn write<T: Serialize, P: Serialize>(items: &[T], pagination: &P) -> Result<HttpResponse> {
    #[derive(Serialize)]
    struct Envelope<'e, T, P> {
        data: &'e [T],
        pagination: &'e P,
    }
    let mut response = HttpResponse::new(StatusCode::OK);
    write_json(&Envelope { data: items, pagination }, &mut response)?;
    Ok(response)
}
