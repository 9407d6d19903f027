//! Contains the guides in reading order. The tests run every example.
//!
//! Every build contains all pages. A link to an item of a disabled feature is dead; the pages on docs.rs are built with all features.
//!
//! A guide links to another guide with `[title][guide]`, so the link works on GitHub and here. On GitHub, the last
//! lines of the guide define the link as a file: `[guide]: guide.md`. Here, `links.txt` is included above each page,
//! and its definition as a page counts because it is the first.

#![cfg_attr(
    not(all(
        feature = "actix",
        feature = "actix-web",
        feature = "api-key",
        feature = "compression",
        feature = "cursor",
        feature = "files",
        feature = "idempotency",
        feature = "jwks",
        feature = "list",
        feature = "macros",
        feature = "metrics",
        feature = "openapi",
        feature = "opentelemetry",
        feature = "postgres",
        feature = "rate-limit",
        feature = "redis",
        feature = "resource",
        feature = "rust_decimal",
        feature = "sqlite",
        feature = "testing",
        feature = "unstable-extend",
        feature = "websocket",
    )),
    allow(rustdoc::broken_intra_doc_links, reason = "items of features that are off do not exist")
)]

/// Declares one module per guide, in reading order. The page of a guide ends with links to the items that it explains, which GitHub does
/// not show.
macro_rules! guides {
    ($($guide:ident: $($($kind:ident)? $item:literal),*;)*) => {$(
        #[doc = include_str!("links.txt")]
        #[doc = include_str!(concat!(stringify!($guide), ".md"))]
        #[doc = concat!(
            "\n## Reference\n",
            $("\n- [`", $item, "`](", $(stringify!($kind), "@",)? "crate::", $item, ")",)*
        )]
        pub mod $guide {}
    )*};
}

guides! {
    first_endpoint: "Data", "Documentation", "Host", "testing::TestClient", "Clock", "service";
    configuration: "Configuration", "language::LanguageSettings", "auth::Authenticator", "Group", "Api",
        "BuildErrorKind", "BuildErrors", "Module", "Component", "Host", "ApiBuilder";
    documents: "openapi::DocumentOptions", "openapi::Document", "operation::TagObject";
    shapes: derive "Schema", "schema::Patch", "schema::PropertyCollection", "Input", "Output", "schema::Bag",
        "list::Filter", "resource::EntityBag";
    requests_and_responses: trait "Part", "auth::Identity", derive "Part", "Route", "body::RawBody",
        "body::StreamedBody", "Data", "Created", "NoContent", "Location", "body::StreamingBody", "body::Bytes",
        trait "Request", trait "Response", "BuildContext";
    uploads_and_streams: "body::RawBody", "body::StreamedBody", "Configuration", "body::StreamingBody",
        "body::Stream", "body::Bytes", "Host", "StopSignal", "Api", "Route";
    forms: "files::UploadedFile", "files::FileStream", "files::Multipart", "body::UrlEncoded";
    events: "EventStream", "Event", "body::StreamingBody", "Host";
    websocket: "websocket::WebSocketUpgrade", "websocket::WebSocket", "websocket::Message", "websocket::MessageRate",
        "testing::TestWebSocket";
    files: "files::FileResponse", "files::StaticFiles", "Host";
    conditional_requests: "conditional::Tagged", "conditional::Preconditions",
        "conditional::PreconditionRequired", "conditional::EntityTag";
    caching: "production::Caching", "production::Deprecated";
    compression: "production::Compression", "production::RequestLog", "production::Caching",
        "production::Uncompressed", "production::BodyAsSent";
    errors: derive "Problem", struct "Problem", "problem::ProblemKind", "Configuration", "schema::Code",
        "problem::ErrorForm", "problem::ProblemView";
    languages: "language::LanguageSettings", "language::Translation", struct "Problem", "Api", "language::Locale";
    middlewares: "Middleware", "Stage", "AfterAuthentication", "Next", "Api";
    filtering: "list::Filter", "list::apply", "list::Record", "list::Operator", "list::PageResponse",
        "list::OffsetResponse", "list::CursorResponse", "list::fold", "list::codes", "Configuration",
        "http::HttpRequest", "Route", "list::FilterBag", "list::Value", "list::Expression", "list::RecordFields";
    sorting: "list::SortBag", "list::PageResponse", "list::OffsetResponse", "list::CursorResponse";
    pagination: "list::Page", "list::Offset", "list::Cursor", "http::HttpRequest", "list::LinkHeader",
        "list::Window", "list::Record", "list::Position", "list::ListSlice", "list::apply";
    resources: derive "Resource", "resource::Endpoints", "auth::Access", "resource::HookContext",
        "resource::NoBody", "Group", trait "resource::Resource", "resource::FieldDefinition", "resource::EntityStore";
    tenants: "resource::Endpoints", "auth::Identity", "resource::FieldDefinition", "resource::OnDelete",
        "resource::IdentifierKind", "resource::EntityStore";
    relations: "resource::Relation", "resource::Endpoints";
    who_sees_what: "resource::RowPolicy", "resource::Rows", "resource::EntityStore";
    hooks: "resource::Hooks", "resource::Endpoints", trait "resource::Resource", "resource::HookContext",
        struct "Problem", "resource::Presenter", "resource::EntityStore", "resource::Scope", "resource::OnDelete";
    money: "schema::decimal", "resource::FieldDefinition", "list::Operator", "list::with_scale";
    batches: "resource::Endpoints", "Configuration";
    exports: "resource::Export", "resource::Endpoints", "files::ItemStream";
    data_tools: "resource::Export", "files::ItemStream";
    stored_files: "resource::StoredFile", "resource::Endpoints", "files::FileStore", "files::FolderStore";
    manual_crud: "resource::EntityStore", "resource::Endpoints", "auth::Access", "resource::Hooks";
    run_time_resources: "PropertyCollection", "resource::ResourceDefinition", "resource::EntityBag",
        "resource::HookContext";
    own_store: "resource::Store", "resource::Repository", "resource::Statement", "list::ValueType",
        "list::Expression", "list::apply", "list::fold";
    databases: "sql::SqlStore", "testing::TestClient", "Api", "resource::Hooks", "resource::Store";
    migrations: "sql::SqlStore";
    existing_table: "sql::TableMapping";
    transactions: "resource::HookContext", "sql::SqlStore", "resource::OnDelete", "resource::Store", "resource::EntityStore";
    scaling_out: "sql::SqlStore", "list::CursorKey", "sql::StorePart";
    idempotency: "resource::idempotency::Idempotency", "sql::SqlIdempotency", "sql::SqlStore",
        "extend::resource::idempotency::IdempotencyStore", "resource::idempotency::MemoryIdempotencyStore";
    public_endpoints: "Group", "Configuration";
    custom_authenticators: "auth::Authenticator", "http::HttpRequest", "auth::Authentication",
        "auth::bearer_token", "ComponentClock";
    authorisation: "auth::Access", "Group", "Configuration", "auth::Identity", "auth::Policy";
    identity: "auth::Identity", "auth::Caller", "http::HttpRequest";
    json_web_tokens: "auth::Issuer", "auth::Jwks", "auth::KeyProvider", "Api", "testing::TestIssuer", "Clock",
        "auth::JwtAuthenticator";
    api_keys: "auth::ApiKeys";
    rate_limiting: "rate_limit::Quota", "rate_limit::RateLimitFields", "rate_limit::TightestLimit",
        "Configuration", "rate_limit::ConcurrencyLimit", "Route", "client_address::ClientAddress",
        "rate_limit::RateLimit", "rate_limit::WhenUnavailable", "extend::rate_limit::LimiterStore", "ComponentClock",
        "rate_limit::MemoryLimiter";
    behind_browsers: "production::SecurityHeaders", "production::Cors";
    database_pool: "Api", "Component";
    limits_and_attacks: "Host", "Route", "Configuration", "production::Compression", "list::Limits",
        "resource::Endpoints", "rate_limit::MemoryLimiter", "rate_limit::ConcurrencyLimit",
        "auth::JwtAuthenticator", "auth::Jwks", "resource::idempotency::MemoryIdempotencyStore";
    owasp_api_security: "Api", "auth::Access", "resource::EntityStore", "rate_limit::RateLimit", "production::Preset",
        "schema::CompiledSchema";
    logs_and_tracing: "production::RequestLog", "production::Tracing", "client_address::TrustedProxies",
        "production::Otlp", "telemetry::init", "telemetry::Telemetry", "production::TraceContext",
        "telemetry::LogFilter";
    metrics: "production::Metrics", "Component", "Host", "Configuration", "serve";
    operations: "production::Metrics", "Host", "sql::SqlStore", "Configuration";
    clients: "openapi::Document";
    health_and_shutdown: "production::Health", "Component", "StopHandle", "Host", "StopSignal";
    deployment: "production::Metrics", "Host", "Route", "client_address::ClientAddress", "Documentation";
    reverse_proxies: "client_address::TrustedProxies", "Configuration";
    actix_web_app: "service", "Configuration", "serve", "Api";
    recipes: "resource::EntityStore";
    from_axum: "Controller", "Route", "auth::Identity", trait "Part", "Middleware", "Group", "serve", "Api",
        "testing::TestClient";
    from_actix_web: "Configuration", "Route", "Controller", trait "Part", "Middleware", "Group", "serve", "Host",
        "testing::TestClient";
    from_fastapi: "list::apply", "Controller", "Route", struct "Problem", "Group", "Module", "Component",
        "testing::TestClient", "Documentation";
    application_in_django: derive "Resource", "auth::Access", "testing::TestClient";
    application_in_fastapi: derive "Resource", "auth::Access", "testing::TestClient";
}
