//! Defines [`Errors`], which collects all errors in the input of a derive before they are reported.

use std::fmt::Display;

use proc_macro2::{Span, TokenStream};

/// The errors that a derive has found so far, each with its span.
#[derive(Debug, Default)]
pub(crate) struct Errors {
    first: Option<syn::Error>,
}

impl Errors {
    /// Adds an error at a span.
    pub(crate) fn push(&mut self, span: Span, message: impl Display) {
        self.add(syn::Error::new(span, message));
    }

    /// Adds an error that `syn` returned.
    pub(crate) fn add(&mut self, error: syn::Error) {
        match &mut self.first {
            Some(first) => first.combine(error),
            None => self.first = Some(error),
        }
    }

    /// Returns the value of a successful result. If the result is an error, adds the error and returns `None`.
    pub(crate) fn take<T>(&mut self, result: syn::Result<T>) -> Option<T> {
        result.map_err(|error| self.add(error)).ok()
    }

    /// Returns `output` if there are no errors. Otherwise returns code that reports all errors, followed by `stub`.
    ///
    /// A stub implements the traits that other code needs from the type. Without a stub, rustc would report further
    /// errors at each use of the type.
    pub(crate) fn finish(self, output: TokenStream, stub: impl FnOnce() -> TokenStream) -> TokenStream {
        match self.first {
            Some(error) => {
                let (errors, stub) = (error.to_compile_error(), stub());
                emit!(#errors #stub)
            }
            None => output,
        }
    }
}

/// Returns the error message about an attribute that requires a disabled feature.
pub(crate) fn needs_feature(attribute: &str, feature: &str) -> String {
    format!(
        "`{attribute}` needs the feature `{feature}` of restwright; enable it in Cargo.toml: `restwright = {{ .., features = [\"{feature}\"] }}`"
    )
}
