//! Items of features that are off, so that the guides link to a page that names the feature.
//!
//! They exist in documentation alone.

#![allow(non_camel_case_types, non_snake_case, missing_debug_implementations, reason = "names of items of all kinds")]

/// Declares items by feature, with the methods that the guides link to.
macro_rules! needs {
    ($feature:literal: $($item:ident $({ $($method:ident),+ })?),+) => {
        $(
            #[doc = concat!("Needs the feature `", $feature, "` of restwright.")]
            pub struct $item;

            $(impl $item {
                $(
                    #[doc = concat!("Needs the feature `", $feature, "` of restwright.")]
                    pub fn $method() {}
                )+
            })?
        )+
    };
}

#[cfg(not(feature = "actix"))]
pub mod actix {
    needs!("actix": Host { body_timeout, drain, grace, head_timeout, keep_alive, max_connections, max_connections_per_address, minimum_body_rate, workers }, StopHandle, serve);
}

#[cfg(not(feature = "actix-web"))]
pub mod actix_web {
    needs!("actix-web": service);
}

#[cfg(not(feature = "openapi"))]
pub mod openapi {
    needs!("openapi": Documentation { public });
}

#[cfg(not(feature = "macros"))]
pub mod macros {
    /// Needs the feature `macros` of restwright.
    #[macro_export]
    macro_rules! Part {
        () => {};
    }
    /// Needs the feature `macros` of restwright.
    #[macro_export]
    macro_rules! Problem {
        () => {};
    }
    /// Needs the feature `macros` of restwright.
    #[macro_export]
    macro_rules! Resource {
        () => {};
    }
    /// Needs the feature `macros` of restwright.
    #[macro_export]
    macro_rules! Schema {
        () => {};
    }
}

#[cfg(not(feature = "jwt"))]
pub mod jwt {
    needs!("jwt": Issuer { key, keys, public_key, shared_secret }, Jwks { cooldown, file, max_size, timeout }, KeyProvider { status },
        JwtAuthenticator { oauth_flow, open_id_connect, remember });
}

#[cfg(not(feature = "api-key"))]
pub mod api_key {
    needs!("api-key": ApiKeys);
}

#[cfg(not(feature = "list"))]
pub mod list {
    needs!("list": apply, codes, fold, Expression { condition }, Filter, FilterBag, FilterFields, Limits, LinkHeader, ListSlice { new },
        Offset { new }, OffsetResponse, Operator, Page { new }, PageResponse, Position { expression }, Record,
        RecordFields, SortBag { among, by }, SortFields, Value, ValueType, Window { read });
}

#[cfg(not(feature = "cursor"))]
pub mod cursor {
    needs!("cursor": Cursor { first }, CursorKey, CursorResponse);
}

/// Needs the feature `rate-limit` of restwright.
#[cfg(not(feature = "rate-limit"))]
pub mod rate_limit {
    needs!("rate-limit": ConcurrencyLimit, MemoryLimiter { max_keys }, Quota, RateLimit { after_authentication }, RateLimitFields, TightestLimit,
        WhenUnavailable { FailClosed, FailOpen });
}

#[cfg(not(feature = "caching"))]
pub mod caching {
    needs!("caching": Caching { tag });
}

#[cfg(not(feature = "compression"))]
pub mod compression {
    needs!("compression": BodyAsSent, Compression { codings, level, minimum_size }, Uncompressed);
}

#[cfg(not(feature = "cors"))]
pub mod cors {
    needs!("cors": Cors { any_origin, credentials, expose, headers, max_age, null_origin, origin, origins, subdomains });
}

#[cfg(not(feature = "deprecation"))]
pub mod deprecation {
    needs!("deprecation": Deprecated { link, sunset });
}

#[cfg(not(feature = "health"))]
pub mod health {
    needs!("health": Health { details });
}

#[cfg(not(feature = "metrics"))]
pub mod metrics {
    needs!("metrics": Metrics { access, authorize, listener, listener_at, public });
}

#[cfg(not(feature = "opentelemetry"))]
pub mod opentelemetry {
    needs!("opentelemetry": Otlp { header, ratio });
}

#[cfg(not(feature = "request-log"))]
pub mod request_log {
    needs!("request-log": LogOutput, RequestLog { level, one_in, subject, without });
}

#[cfg(not(feature = "preset"))]
pub mod preset {
    needs!("preset": Preset { production, tracing, request_log, metrics, cors, compression, security_headers, health });
}

#[cfg(not(feature = "trace-context"))]
pub mod trace_context {
    needs!("trace-context": TraceContext { outgoing }, TraceLink, Tracing);
}

#[cfg(not(feature = "security-headers"))]
pub mod security_headers {
    needs!("security-headers": SecurityHeaders { hsts, set, without });
}

#[cfg(not(feature = "resource"))]
pub mod resource {
    needs!("resource": Endpoints { action, batch, hook_timeout, lift_scope, list_name, require_preconditions, scope, scope_claim, without }, EntityBag { read, write },
        EntityDefinition, EntityStore, FieldDefinition { created_at, parent, references, updated_at }, HookContext { store_of, transaction }, Hooks { after_commit }, NoBody, Presenter,
        IdentifierKind, MemoryStore, OnDelete, Repository, Resource { change, create }, ResourceDefinition { entity }, ResourcePagination, Scope,
        Statement { is_for_update }, Store { begin, begin_attempt, begin_for_update, commit, connection, for_caller, retries, transaction });
}

/// Needs the feature `conformance` of restwright.
#[cfg(not(feature = "conformance"))]
pub mod conformance {
    needs!("conformance": store_conformance, Conformance { without });
}

/// Needs the feature `idempotency` of restwright.
#[cfg(not(feature = "idempotency"))]
pub mod idempotency {
    needs!("idempotency": Idempotency { partition, required }, IdempotencyStore { transaction }, MemoryIdempotencyStore);
}

#[cfg(not(all(feature = "sqlite", feature = "postgres", feature = "idempotency")))]
pub mod sql {
    #[cfg(not(feature = "sqlite"))]
    needs!("sqlite": SqliteStore);
    #[cfg(not(feature = "postgres"))]
    needs!("postgres": PostgresStore);
    #[cfg(not(all(feature = "sqlite", feature = "postgres")))]
    needs!("sqlite` and `postgres": SqlStore);
    #[cfg(not(all(feature = "idempotency", any(feature = "sqlite", feature = "postgres"))))]
    needs!("idempotency` and `sqlite` or `postgres": SqlIdempotency { keep_for, max_response_bytes });
    #[cfg(not(any(feature = "sqlite", feature = "postgres")))]
    needs!("sqlite` or `postgres": DatabaseStore { connections, ddl, migrate, pool, queue, read_from, requires, slow_statements, statement_timeout, table, wait }, StorePart, TableMapping { ascii_search, without_version });
}

#[cfg(not(feature = "testing"))]
pub mod testing {
    needs!("testing": TestClient);
}

#[cfg(not(all(feature = "testing", feature = "jwt")))]
pub mod testing_jwt {
    needs!("testing` and `jwt": TestIssuer);
}
