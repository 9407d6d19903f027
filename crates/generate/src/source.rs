//! Defines [`ApiSource`], the trait for values that [`main`](super::main()) accepts.

use std::fmt::Display;

use restwright_runtime::Api;

/// A value that provides an Api. It is an `Api`, or the `Result` of building an Api.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an Api",
    label = "neither an `Api` nor a `Result<Api, _>`",
    note = "pass the value that the function which builds your Api returns, such as `Result<Api, BuildErrors>`"
)]
pub trait ApiSource: sealed::Sealed {
    /// Returns the Api, or the error message if building the Api failed.
    ///
    /// # Errors
    /// Returns the error message if the Api could not be built.
    fn api(self) -> Result<Api, String>;
}

impl ApiSource for Api {
    fn api(self) -> Result<Api, String> {
        Ok(self)
    }
}

impl<E: Display> ApiSource for Result<Api, E> {
    fn api(self) -> Result<Api, String> {
        self.map_err(|error| error.to_string())
    }
}

mod sealed {
    pub trait Sealed {}
    impl Sealed for super::Api {}
    impl<E> Sealed for Result<super::Api, E> {}
}
