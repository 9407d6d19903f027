//! Defines [`EnvelopePlan`], the response envelope that all kinds of pagination share. The envelope is `{"data": [..],
//! "pagination": {..}}`.

use std::marker::PhantomData;

use restwright_core::body::write_json;
use restwright_core::http::{HttpRequest, HttpResponse, StatusCode};
use restwright_core::operation::{HeaderObject, MediaTypeObject, Operation, SchemaUse};
use restwright_core::schema::{
    PropertyCollection, Schema, SchemaObject, SchemaSide, SchemaType, array, object, typed_schema,
};
use restwright_core::{BuildContext, BuildErrors, Result};
use serde::Serialize;

use super::Limits;
use super::link::{LinkHeader, Links};
use crate::filter::{FilterSet, SharedFilters};
use crate::sort::{SharedSort, SortSpec};

/// Checks, when the Api is built, that the response type matches the pagination `S` of the request.
pub(super) struct EnvelopeOf<S>(PhantomData<fn() -> S>);

impl<S: 'static> EnvelopeOf<S> {
    pub(super) fn impose(context: &mut BuildContext<'_>, response: &'static str) {
        context.impose(Self(PhantomData), response);
    }

    pub(super) fn check(context: &mut BuildContext<'_>, part: &str, response: &str) -> Result<(), BuildErrors> {
        match context.imposed::<Self>() {
            Some(_) => Ok(()),
            None => Err(BuildErrors::one(format!(
                "the response is `{response}`, but the request has no `{part}`; add a field `page: {part}` to the request, or return the response of its pagination"
            ))),
        }
    }
}

/// The schema and the settings of a list response, prepared at build time.
#[derive(Debug)]
pub struct EnvelopePlan {
    schema: SchemaUse,
    /// The `Link` header, or `None` if it is turned off.
    link: Option<HeaderObject>,
    largest_offset: u64,
}

impl EnvelopePlan {
    /// Compiles the envelope for items of type `T`. Its component is named after the items, followed by `suffix`.
    /// `relations` lists the relations in the `Link` header, for the OpenAPI document.
    ///
    /// # Errors
    /// Fails if the items lack a field that the request filters or sorts by.
    pub(super) fn new<T: Schema>(
        suffix: &str,
        pagination: PropertyCollection,
        relations: &str,
        context: &mut BuildContext<'_>,
    ) -> Result<Self, BuildErrors> {
        let item = SchemaObject::from(typed_schema::<T>(context.registry()));
        check_fields(item.schema_type(), context)?;
        // The request part already reports invalid limits.
        let largest_offset = Limits::of_route(context).unwrap_or_default().largest_offset();
        let envelope = PropertyCollection::new(format!("{}{suffix}", item.label()))
            .property(array("data", item).description("The items."))
            .property(object("pagination", pagination));
        // The registry stores the schema, so the operation stores only a reference.
        let envelope = context.registry().define_collection(&envelope);
        Ok(Self {
            schema: SchemaUse::output(SchemaObject::new(envelope)),
            link: LinkHeader::of_route(relations, context),
            largest_offset,
        })
    }

    pub(super) fn describe(&self, operation: &mut Operation) {
        let response = operation.response(StatusCode::OK);
        response.description.get_or_insert_with(|| "The requested items.".to_owned());
        response.content.push(MediaTypeObject::json(self.schema.clone()));
        if let Some(header) = &self.link {
            response.add_header(header.clone());
        }
    }

    /// Returns the maximum offset that a link in the `Link` header may contain.
    pub(super) fn largest_offset(&self) -> u64 {
        self.largest_offset
    }

    /// Sets the `Link` header of a response, unless the header is turned off. `add` adds the links. See
    /// [`Links::keeping`].
    pub(super) fn link(
        &self,
        response: &mut HttpResponse,
        request: &HttpRequest,
        without: &str,
        limit: u32,
        add: impl FnOnce(&mut Links),
    ) {
        if self.link.is_some() {
            let mut links = Links::keeping(request, without, limit);
            add(&mut links);
            links.write(response);
        }
    }
}

/// Checks that the items have every field that the request filters or sorts by. Skips items that are not objects.
fn check_fields(item: &SchemaType, context: &mut BuildContext<'_>) -> Result<(), BuildErrors> {
    let filters = context.operation_state::<SharedFilters>().clone();
    let sort = context.operation_state::<SharedSort>().clone();
    let Some(collection) = context.registry().collection(item) else { return Ok(()) };
    let known: Vec<_> = collection.properties().iter().map(|property| property.name_in(SchemaSide::Output)).collect();
    let mut errors = BuildErrors::new();
    let mut check = |what: &str, attribute: &str, field: &str| {
        if !known.contains(&field) {
            errors.push(format!(
                "{what} names the field `{field}`, which the items `{}` do not have (they have {}); use the same name in both, with `rename` or `rename_all` in `#[{attribute}(..)]` or `#[serde(..)]`, or declare the field as computed with `#[{attribute}(computed)]` or `.computed(\"{field}\")`",
                item.label(),
                known.join(", ")
            ));
        }
    };
    for field in filters.get().into_iter().flat_map(|set| FilterSet::item_fields(set)) {
        check("a filter", "filter", field);
    }
    for field in sort.get().into_iter().flat_map(|spec| SortSpec::item_fields(spec)) {
        check("the order", "sort", field);
    }
    errors.finish(Some(()))
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
