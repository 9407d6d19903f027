//! Everything that is wrong with an input, reported together.

use std::fmt::Display;

use proc_macro2::{Span, TokenStream};

/// Mistakes that were found so far, each where it stands.
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

    /// Keeps the value, or adds what stood in its way.
    pub(crate) fn take<T>(&mut self, result: syn::Result<T>) -> Option<T> {
        result.map_err(|error| self.add(error)).ok()
    }

    /// What the derive emits: `output`, or an error at each mistake.
    pub(crate) fn finish(self, output: TokenStream) -> TokenStream {
        match self.first {
            Some(error) => error.to_compile_error(),
            None => output,
        }
    }
}
