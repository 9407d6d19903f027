//! Runs the examples of the crates below this one as doctests.
//!
//! The examples are written for applications, so they need this crate. Their items include them from Markdown files,
//! except in doctests. In a failure, the name of the module contains the folder and the file of the example.

/// Declares one module per folder of examples, and one module per file in it.
macro_rules! doc_examples {
    ($($name:ident in $folder:literal: $($example:ident),*;)*) => {$(
        mod $name {$(
            #[doc = include_str!(concat!("../../", $folder, "/", stringify!($example), ".md"))]
            mod $example {}
        )*}
    )*};
}

doc_examples! {
    files in "files/src/doc_examples": base64, item_stream;
    macros in "macros/src/doc_examples": filters, record, schema, schema_changes, sort;
    derives in "macros/src/derives": part, problem, request, resource, response;
    rate_limit in "rate-limit/src/doc_examples": concurrency_limit, rate_limit, redis_limiter, tightest_limit;
    resource in "resource/src/doc_examples": caller_scope, computed_field, endpoints_action, endpoints_prepare_new,
        endpoints_prepared_action, entity_bag_write,
        entity_store, entity_store_first, entity_store_get_or_insert, entity_store_restore, exists, hooks, idempotency,
        presenter, resource,
        resource_definition, resources_resource, row_policy, rows, store_transaction, stored_file;
    testing in "testing/src/doc_examples": test_client_access_matrix, test_issuer;
}
