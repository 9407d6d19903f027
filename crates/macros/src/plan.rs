//! Emits the associated type `Plan` and the function `plan` of a request, part or response.
//!
//! The plan is prepared while the Api is built. It is a tuple with one value per field. A single value is not wrapped
//! in a tuple.

use proc_macro2::{Ident, Span, TokenStream};
use quote::format_ident;
use syn::Index;

/// A value in the associated type `Plan`, with its type and the expression that creates it.
pub(crate) struct PlanValue {
    pub(crate) ty: TokenStream,
    /// The expression that creates the value. It has the type `Result<#ty, BuildErrors>` and uses `context`.
    pub(crate) make: TokenStream,
}

/// Returns the code of the associated type `Plan` and the function `plan`.
pub(crate) fn items(values: &[PlanValue]) -> TokenStream {
    let types: Vec<_> = values.iter().map(|value| &value.ty).collect();
    let makes: Vec<_> = values.iter().map(|value| &value.make).collect();
    let context = emit!(context: &mut ::restwright::derived::core::BuildContext<'_>);
    let result = emit!(::core::result::Result<Self::Plan, ::restwright::derived::core::BuildErrors>);
    match (types.as_slice(), makes.as_slice()) {
        ([], _) => emit! {
            type Plan = ();

            fn plan(_: &mut ::restwright::derived::core::BuildContext<'_>) -> #result {
                ::core::result::Result::Ok(())
            }
        },
        ([ty], [make]) => emit! {
            type Plan = #ty;

            fn plan(#context) -> #result {
                #make
            }
        },
        _ => {
            let names = names("plan", values.len());
            emit! {
                type Plan = (#(#types),*);

                fn plan(#context) -> #result {
                    let mut errors = ::restwright::derived::core::BuildErrors::new();
                    #(
                        let #names = #makes;
                        let #names = errors.take(#names);
                    )*
                    match (#(#names),*) {
                        (#(::core::option::Option::Some(#names)),*) => {
                            errors.finish(::core::option::Option::Some((#(#names),*)))
                        }
                        _ => errors.finish(::core::option::Option::None),
                    }
                }
            }
        }
    }
}

/// Returns the expression that borrows one value of the function parameter `plan`.
pub(crate) fn value(index: usize, count: usize) -> TokenStream {
    if count == 1 {
        return emit!(plan);
    }
    let index = Index { index: u32::try_from(index).unwrap_or(u32::MAX), span: Span::mixed_site() };
    emit!(&plan.#index)
}

/// Returns `count` variable names with a prefix, such as `plan_0` and `plan_1`.
pub(crate) fn names(prefix: &str, count: usize) -> Vec<Ident> {
    (0..count).map(|index| format_ident!("{prefix}_{index}", span = Span::mixed_site())).collect()
}
