//! Writing the code that a derive emits.

/// `quote!` whose local names cannot meet those of the user: a field may be called `registry` or `plan`.
macro_rules! emit {
    ($($tokens:tt)*) => {
        ::quote::quote_spanned! { ::proc_macro2::Span::mixed_site() => $($tokens)* }
    };
}
