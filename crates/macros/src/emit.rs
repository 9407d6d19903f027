//! Macros for the code that a derive emits.

use proc_macro2::{Span, TokenStream};

/// `quote!` whose local names do not collide with those of the user: a field may be called `registry` or `plan`.
macro_rules! emit {
    ($($tokens:tt)*) => {
        ::quote::quote_spanned! { ::proc_macro2::Span::mixed_site() => $($tokens)* }
    };
}

/// The same with a span in the user's code, at which rustc points when the emitted code does not compile.
macro_rules! emit_at {
    ($span:expr => $($tokens:tt)*) => {{
        let span = ::proc_macro2::Span::mixed_site().located_at($span);
        ::quote::quote_spanned! { span => $($tokens)* }
    }};
}

/// Returns tokens with the span of another place.
pub(crate) fn moved(tokens: TokenStream, to: Span) -> TokenStream {
    tokens
        .into_iter()
        .map(|mut token| {
            token.set_span(token.span().located_at(to));
            token
        })
        .collect()
}
