//! Mistakes in the input of a derive, reported together.

use std::fmt::Display;

use proc_macro2::{Span, TokenStream};

/// The mistakes that were found so far, each with its place.
#[derive(Debug, Default)]
pub(crate) struct Errors {
    first: Option<syn::Error>,
}

impl Errors {
    /// Adds a mistake at a span.
    pub(crate) fn push(&mut self, span: Span, message: impl Display) {
        self.add(syn::Error::new(span, message));
    }

    /// Adds a mistake that parsing found.
    pub(crate) fn add(&mut self, error: syn::Error) {
        match &mut self.first {
            Some(first) => first.combine(error),
            None => self.first = Some(error),
        }
    }

    /// Returns the value, or adds the error that stands in its place.
    pub(crate) fn take<T>(&mut self, result: syn::Result<T>) -> Option<T> {
        result.map_err(|error| self.add(error)).ok()
    }

    /// The code that the derive emits: `output`, or an error for each mistake beside `stub`.
    ///
    /// A stub implements what other code needs of the type, so that a mistake is reported once and not again wherever the
    /// type is used.
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

/// The message about a feature of the facade that is off.
pub(crate) fn needs_feature(attribute: &str, feature: &str) -> String {
    format!(
        "`{attribute}` needs the feature `{feature}` of restwright; enable it in Cargo.toml: `restwright = {{ .., features = [\"{feature}\"] }}`"
    )
}
