//! Contains placeholders for prelude types whose Cargo feature is disabled. Using a placeholder causes a compile error that names the
//! feature.
//!
//! The features `cursor`, `list` and `rate-limit` have placeholders, because guides and examples use them most.
//!
//! For an explicit import such as `use restwright::auth::JwtAuthenticator`, rustc itself names the feature in its error message. For a name
//! from a glob import, rustc does not name the feature.

#![allow(missing_docs, missing_debug_implementations, reason = "no value of these types exists")]

/// Declares placeholders for request parts and responses. They implement the traits only if the feature is on, so a field or response of
/// their type causes exactly one error.
#[allow(unused_macros, reason = "every feature may be on")]
macro_rules! endpoint_types {
    ($message:literal, $note:literal) => {
        pub mod hidden {
            use std::marker::PhantomData;

            use crate::http::{HttpRequest, HttpResponse};
            use crate::operation::Operation;
            use crate::problem::RequestViolations;
            use crate::{BuildContext, BuildErrors, Part, Problem, RequestHead, Response, Result};

            #[diagnostic::on_unimplemented(message = $message, label = "its feature is off", note = $note)]
            pub trait Feature: 'static {}

            pub struct Off;

            pub struct Unavailable<F, T = ()>(PhantomData<(F, T)>);

            /// A placeholder for a type that is neither a request part nor a response.
            pub struct Unnamable<F: Feature, T = ()>(PhantomData<(F, T)>);

            impl<F: Feature, T: 'static> Part for Unavailable<F, T> {
                type Plan = ();

                fn plan(_: &mut BuildContext<'_>) -> Result<(), BuildErrors> {
                    Ok(())
                }

                fn describe((): &(), _: &mut Operation) {}

                fn read((): &(), _: &RequestHead<'_>, _: &mut RequestViolations) -> Option<Self> {
                    None
                }
            }

            impl<F: Feature, T: 'static> Response for Unavailable<F, T> {
                type Plan = ();

                fn plan(_: &mut BuildContext<'_>) -> Result<(), BuildErrors> {
                    Ok(())
                }

                fn describe((): &(), _: &mut Operation) {}

                fn respond(self, (): &(), _: &HttpRequest) -> Result<HttpResponse> {
                    Err(Problem::internal("the feature is off"))
                }
            }
        }
    };
}

#[cfg(not(feature = "cursor"))]
pub mod cursor {
    pub type Cursor = hidden::Unavailable<hidden::Off>;
    pub type CursorResponse<T = ()> = hidden::Unavailable<hidden::Off, (T,)>;

    endpoint_types!(
        "this requires the feature `cursor` of restwright",
        "enable it in Cargo.toml: `restwright = {{ .., features = [\"cursor\"] }}`"
    );
}

#[cfg(not(feature = "list"))]
pub mod list {
    pub type Filter<T = ()> = hidden::Unnamable<hidden::Off, (T,)>;
    pub type Limits = hidden::Unnamable<hidden::Off>;
    pub type Offset = hidden::Unavailable<hidden::Off>;
    pub type OffsetResponse<T = (), C = ()> = hidden::Unavailable<hidden::Off, (T, C)>;
    pub type Page = hidden::Unavailable<hidden::Off>;
    pub type PageResponse<T = (), C = ()> = hidden::Unavailable<hidden::Off, (T, C)>;
    pub type SortBag<F = ()> = hidden::Unavailable<hidden::Off, (F,)>;

    endpoint_types!(
        "this requires the feature `list` of restwright",
        "enable it in Cargo.toml: `restwright = {{ .., features = [\"list\"] }}`"
    );
}

#[cfg(not(feature = "rate-limit"))]
pub mod rate_limit {
    pub type ConcurrencyLimit = hidden::Unnamable<hidden::Off>;
    pub type Quota = hidden::Unnamable<hidden::Off>;
    pub type RateLimit = hidden::Unnamable<hidden::Off>;

    endpoint_types!(
        "this requires the feature `rate-limit` of restwright",
        "enable it in Cargo.toml: `restwright = {{ .., features = [\"rate-limit\"] }}`"
    );
}
