//! Contains a model of API operations that is based on the objects of OpenAPI 3.1.
//!
//! Middlewares and authenticators describe themselves in the document with it.

#[doc(inline)]
pub use restwright_core::operation::{
    ApiKeyLocation, ContactObject, ExternalDocumentationObject, FailureResponse, HeaderObject, LicenseObject,
    OAuthFlow, OAuthFlowKind, Operation, ParameterLocation, ParameterObject, ResponseObject, SchemaUse, SecurityScheme,
    ServerObject, TagObject,
};
