//! Defines [`PutResponse`], the response to a replacement.

use restwright_core::http::{HttpRequest, HttpResponse, StatusCode};
use restwright_core::operation::Operation;
use restwright_core::schema::SchemaObject;
use restwright_core::{BuildContext, BuildErrors, Result};

use super::shown::Unmasked;
use super::view::{View, describe};
use crate::definition::IdentifierKind;
use crate::endpoints::declare::settings::resource_of;
use crate::endpoints::erased::any_entity::AnyEntity;
use crate::endpoints::erased::member_changes::MemberChanges;

/// The response to a replacement, which contains the entity. The status is 200, or 201 if the entity was created. The response has no
/// `ETag`, because the stored entity contains more than the body that was sent (RFC 9110, section 9.3.4).
pub(in crate::endpoints) struct PutResponse {
    pub(in crate::endpoints) entity: Box<dyn AnyEntity>,
    pub(in crate::endpoints) is_created: bool,
}

pub(in crate::endpoints) struct PutPlan {
    body: SchemaObject,
    creates: bool,
}

impl Unmasked for PutResponse {
    type Plan = PutPlan;

    fn plan(context: &mut BuildContext<'_>) -> Result<PutPlan, BuildErrors> {
        let creates = matches!(resource_of(context)?.definition.identifier_kind(), IdentifierKind::Given(_));
        Ok(PutPlan { body: View::plan(context)?, creates })
    }

    fn describe(plan: &PutPlan, operation: &mut Operation) {
        for status in [StatusCode::OK, StatusCode::CREATED] {
            if status == StatusCode::OK || plan.creates {
                View::describe_body(&plan.body, describe(operation, status));
            }
        }
    }

    fn respond(self, _: &PutPlan, _: &HttpRequest, changes: Option<MemberChanges>) -> Result<HttpResponse> {
        let mut response = HttpResponse::new(if self.is_created { StatusCode::CREATED } else { StatusCode::OK });
        self.entity.respond(changes.as_ref(), &mut response)?;
        Ok(response)
    }
}
