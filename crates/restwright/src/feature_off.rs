//! Types of the prelude whose feature is off: using one is an error that names the feature.
//!
//! rustc names the feature by itself where a name is imported, as in `use restwright::auth::JwtAuthenticator`, but not
//! where the name would come from a glob.

#![allow(missing_docs, missing_debug_implementations, reason = "no value of these types exists")]

#[cfg(not(feature = "cursor"))]
pub mod cursor {
    pub type Cursor = hidden::Unavailable<hidden::Off>;
    pub type CursorResponse<T = ()> = hidden::Unavailable<hidden::Off, (T,)>;

    pub mod hidden {
        use std::marker::PhantomData;

        #[diagnostic::on_unimplemented(
            message = "this needs the feature `cursor` of restwright",
            label = "its feature is off",
            note = "enable it in Cargo.toml: `restwright = {{ .., features = [\"cursor\"] }}`"
        )]
        pub trait Feature {}

        pub struct Off;

        pub struct Unavailable<F: Feature, T = ()>(PhantomData<(F, T)>);
    }
}

#[cfg(not(feature = "list"))]
pub mod list {
    pub type Filter<T = ()> = hidden::Unavailable<hidden::Off, (T,)>;
    pub type Limits = hidden::Unavailable<hidden::Off>;
    pub type Offset = hidden::Unavailable<hidden::Off>;
    pub type OffsetResponse<T = (), C = ()> = hidden::Unavailable<hidden::Off, (T, C)>;
    pub type Page = hidden::Unavailable<hidden::Off>;
    pub type PageResponse<T = (), C = ()> = hidden::Unavailable<hidden::Off, (T, C)>;
    pub type SortBag<F = ()> = hidden::Unavailable<hidden::Off, (F,)>;

    pub mod hidden {
        use std::marker::PhantomData;

        #[diagnostic::on_unimplemented(
            message = "this needs the feature `list` of restwright",
            label = "its feature is off",
            note = "enable it in Cargo.toml: `restwright = {{ .., features = [\"list\"] }}`"
        )]
        pub trait Feature {}

        pub struct Off;

        pub struct Unavailable<F: Feature, T = ()>(PhantomData<(F, T)>);
    }
}

#[cfg(not(feature = "openapi"))]
pub mod openapi {
    pub type Documentation = hidden::Unavailable<hidden::Off>;

    pub mod hidden {
        use std::marker::PhantomData;

        #[diagnostic::on_unimplemented(
            message = "this needs the feature `openapi` of restwright",
            label = "its feature is off",
            note = "enable it in Cargo.toml: `restwright = {{ .., features = [\"openapi\"] }}`"
        )]
        pub trait Feature {}

        pub struct Off;

        pub struct Unavailable<F: Feature, T = ()>(PhantomData<(F, T)>);
    }
}

#[cfg(not(feature = "rate-limit"))]
pub mod rate_limit {
    pub type Quota = hidden::Unavailable<hidden::Off>;
    pub type RateLimit = hidden::Unavailable<hidden::Off>;

    pub mod hidden {
        use std::marker::PhantomData;

        #[diagnostic::on_unimplemented(
            message = "this needs the feature `rate-limit` of restwright",
            label = "its feature is off",
            note = "enable it in Cargo.toml: `restwright = {{ .., features = [\"rate-limit\"] }}`"
        )]
        pub trait Feature {}

        pub struct Off;

        pub struct Unavailable<F: Feature, T = ()>(PhantomData<(F, T)>);
    }
}
