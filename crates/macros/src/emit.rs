//! Defines `emit!` and `emit_at!`, which quote code like `quote!` and `quote_spanned!`.

use proc_macro2::{Span, TokenStream};

/// Quotes code like `quote!`, but local variables in the code cannot collide with the user's names, such as a field
/// named `plan`.
macro_rules! emit {
    ($($tokens:tt)*) => {
        ::quote::quote_spanned! { ::proc_macro2::Span::mixed_site() => $($tokens)* }
    };
}

/// Quotes code like `emit!`, with a span from the user's code. rustc reports errors in the emitted code at this span.
macro_rules! emit_at {
    ($span:expr => $($tokens:tt)*) => {{
        let span = ::proc_macro2::Span::mixed_site().located_at($span);
        ::quote::quote_spanned! { span => $($tokens)* }
    }};
}

/// Changes the source location at which rustc reports errors in the tokens.
pub(crate) fn moved(tokens: TokenStream, to: Span) -> TokenStream {
    tokens
        .into_iter()
        .map(|mut token| {
            token.set_span(token.span().located_at(to));
            token
        })
        .collect()
}
