//! The response to a replacement.

use restwright_core::body::WriteBody;
use restwright_core::http::{HttpRequest, HttpResponse, StatusCode};
use restwright_core::operation::Operation;
use restwright_core::schema::SchemaObject;
use restwright_core::{BuildContext, BuildErrors, Data, Response, Result};

use super::created::describe;
use super::info::OperationSettings;
use crate::definition::IdentifierKind;
use crate::resource::Resource;

/// A 200 response with the entity in an envelope, or 201 if it was created. It has no `ETag`, since what is kept is not only what was
/// sent (RFC 9110, section 9.3.4).
pub(super) struct PutResponse<R: Resource> {
    status: StatusCode,
    view: R::View,
}

pub(super) struct PutPlan {
    body: SchemaObject,
    creates: bool,
}

impl<R: Resource> PutResponse<R> {
    pub(super) fn created(entity: R) -> Self {
        Self { status: StatusCode::CREATED, view: entity.into() }
    }

    pub(super) fn replaced(entity: R) -> Self {
        Self { status: StatusCode::OK, view: entity.into() }
    }
}

impl<R: Resource> Response for PutResponse<R> {
    type Plan = PutPlan;

    fn plan(context: &mut BuildContext<'_>) -> Result<PutPlan, BuildErrors> {
        let settings = context.route().setting::<OperationSettings>();
        let kind = settings.map(|settings| settings.resource.definition.identifier_kind());
        let creates = matches!(kind, Some(IdentifierKind::Given(_)));
        Ok(PutPlan { body: <Data<R::View> as WriteBody>::plan(context)?, creates })
    }

    fn describe(plan: &PutPlan, operation: &mut Operation) {
        for status in [StatusCode::OK, StatusCode::CREATED] {
            if status == StatusCode::OK || plan.creates {
                <Data<R::View> as WriteBody>::describe(&plan.body, describe(operation, status));
            }
        }
    }

    fn respond(self, plan: &PutPlan, _: &HttpRequest) -> Result<HttpResponse> {
        let mut response = HttpResponse::new(self.status);
        Data(self.view).write(&plan.body, &mut response)?;
        Ok(response)
    }
}
