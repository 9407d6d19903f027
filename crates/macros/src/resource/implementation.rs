//! Emits the implementation of `Resource`.

use proc_macro2::TokenStream;
use syn::LitStr;
use syn::ext::IdentExt;

use super::definition;
use super::field::Role;
use super::output::Outputs;
use super::{Declaration, access};
use crate::errors::Errors;
use crate::{docs, property};

pub(super) fn emit(declared: &Declaration<'_>, Outputs { view, item, .. }: &Outputs) -> TokenStream {
    let ident = &declared.input.ident;
    let super::GeneratedNames { new, changes, filters, sort, .. } = &declared.names;
    let name = declared.own.name.as_ref().map_or_else(|| ident.unraw().to_string(), LitStr::value);
    let path = declared.path();
    let id = declared.fields.iter().find(|field| matches!(field.role, Role::Identifier { .. })).map(|field| field.ty);
    let pagination = declared.own.pagination.value();
    let definition = definition::emit(declared);
    let assertions = definition::assertions(declared);
    let references = definition::references(declared);
    let table = declared.table();
    let description = docs::description(&declared.input.attrs);
    let description = description.map(|text| emit!(const DESCRIPTION: &'static str = #text;));
    let create = create(declared);
    let replace = replace(declared);
    let copy_field = access::copy_field(&declared.fields);
    let configure = configure(declared);
    // Uses the span of the struct, so rustc reports a missing `Serialize` there. Emitted once, because the impl assumes
    // it.
    let serialize = emit_at! {ident.span()=>
        const _: fn() = || {
            fn is_serialize<T: ::serde::Serialize>() {}
            is_serialize::<#ident>();
        };
    };
    emit! {
        #assertions
        #serialize

        #[automatically_derived]
        #[allow(deprecated, reason = "an entity has all its fields")]
        impl ::restwright::derived::resource::Resource for #ident
        where
            for<'__restwright> #ident: ::core::clone::Clone + ::serde::Serialize,
        {
            const NAME: &'static str = #name;
            #description
            const PATH: &'static str = #path;
            const PAGINATION: ::restwright::derived::resource::ResourcePagination = #pagination;

            type Id = #id;
            type New = #new;
            type Update = #changes;
            type View = #view;
            type Item = #item;
            type Filters = #filters;
            type Sort = #sort;

            fn definition() -> ::restwright::derived::resource::EntityDefinition {
                #references
                #definition
            }

            fn entity_name() -> ::std::borrow::Cow<'static, str> {
                ::std::borrow::Cow::Borrowed(#table)
            }

            #create

            fn change(&mut self, changes: Self::Update, checks: &mut ::restwright::derived::schema::Checks<'_>) {
                ::restwright::derived::schema::Changes::apply_to(changes, self, checks);
            }

            #replace

            #copy_field

            #configure
        }
    }
}

fn create(declared: &Declaration<'_>) -> TokenStream {
    let values = declared.fields.iter().map(|field| {
        let ident = field.ident;
        if field.shapes.create {
            return emit!(#ident: new.#ident);
        }
        let initial = field.initial(declared.default.as_ref());
        emit!(#ident: #initial)
    });
    let new = new(declared);
    emit! {
        fn create(#new: Self::New) -> Self {
            Self { #(#values),* }
        }
    }
}

fn replace(declared: &Declaration<'_>) -> TokenStream {
    let idents = declared.fields.iter().filter(|field| field.is_replaced()).map(|field| field.ident);
    let new = if declared.fields.iter().any(|field| field.is_replaced()) { emit!(new) } else { emit!(_) };
    emit! {
        fn replace(&mut self, #new: Self::New) {
            #(self.#idents = new.#idents;)*
        }
    }
}

/// Returns the name of the parameter that receives the body of a create request. It is `new`, or `_` if the body has no
/// properties.
fn new(declared: &Declaration<'_>) -> TokenStream {
    if declared.fields.iter().any(|field| field.shapes.create) { emit!(new) } else { emit!(_) }
}

fn configure(declared: &Declaration<'_>) -> Option<TokenStream> {
    let calls = &declared.own.calls;
    let limits = declared.own.pagination.call();
    let scopes = declared.fields.iter().filter_map(|field| match &field.role {
        Role::Scope { claim: Some(claim) } => {
            let name = &field.name;
            Some(emit!(.scope_claim(#name, #claim)))
        }
        _ => None,
    });
    let files = declared.fields.iter().filter(|field| matches!(field.role, Role::File)).map(|field| {
        let (name, calls) =
            (&field.name, field.file.iter().map(|setting| property::call(setting, &mut Errors::default())));
        emit!(.file(::restwright::derived::schema::file(#name) #(#calls)*))
    });
    let calls = emit!(#limits #calls #(#scopes)* #(#files)*);
    (!calls.is_empty()).then(|| {
        emit! {
            fn configure(endpoints: ::restwright::derived::resource::Endpoints<Self>) -> ::restwright::derived::resource::Endpoints<Self> {
                endpoints #calls
            }
        }
    })
}
