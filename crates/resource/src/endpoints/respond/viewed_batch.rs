//! Defines [`ViewedBatch`], the response to a batch.

use restwright_core::http::{HttpRequest, HttpResponse, StatusCode};
use restwright_core::operation::Operation;
use restwright_core::runtime::write_data;
use restwright_core::schema::{Mode, SchemaObject};
use restwright_core::{BuildContext, BuildErrors, Result};

use super::shown::Unmasked;
use super::view::{View, describe};
use crate::endpoints::declare::settings::{OperationSettings, resource_of};
use crate::endpoints::erased::any_entity::AnyEntity;
use crate::endpoints::erased::member_changes::MemberChanges;

/// A response that contains the entities of a batch in the order of the request. The status is 201 after a create, and 200 after an update.
pub(in crate::endpoints) struct ViewedBatch(pub(in crate::endpoints) Vec<Box<dyn AnyEntity>>);

impl Unmasked for ViewedBatch {
    type Plan = (SchemaObject, StatusCode);

    fn plan(context: &mut BuildContext<'_>) -> Result<Self::Plan, BuildErrors> {
        let settings = context.route().setting::<OperationSettings>();
        let creates = settings.is_some_and(|settings| settings.mode == Mode::Create);
        let status = if creates { StatusCode::CREATED } else { StatusCode::OK };
        Ok((resource_of(context)?.kind.data_schema(true, context.registry()), status))
    }

    fn describe((schema, status): &Self::Plan, operation: &mut Operation) {
        View::describe_body(schema, describe(operation, *status));
    }

    fn respond(
        self,
        (_, status): &Self::Plan,
        _: &HttpRequest,
        changes: Option<MemberChanges>,
    ) -> Result<HttpResponse> {
        let view = |(index, entity): (usize, Box<dyn AnyEntity>)| match &changes {
            None => entity.into_view(false),
            Some(changes) => changes.apply(index, entity.into_view(changes.removes_members())),
        };
        let views = self.0.into_iter().enumerate().map(view).collect::<Result<Vec<_>>>()?;
        let mut response = HttpResponse::new(*status);
        write_data(&views, &mut response)?;
        Ok(response)
    }
}
