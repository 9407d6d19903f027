//! Emits `Resource::definition`, which returns the entity definition for stores.

use proc_macro2::TokenStream;
use quote::quote_spanned;
use syn::spanned::Spanned;

use super::field::{ResourceField, Role};
use super::{Declaration, access, search, unique};
use crate::property;

/// Returns the body of `Resource::definition`.
pub(super) fn emit(declared: &Declaration<'_>) -> TokenStream {
    let table = declared.table();
    let recorded = || declared.fields.iter().filter(|field| field.is_recorded);
    let identifier = recorded().find_map(|field| match field.role {
        Role::Identifier { is_given } => Some(identifier(field, is_given)),
        _ => None,
    });
    let others = recorded().filter(|field| !matches!(field.role, Role::Identifier { .. }));
    let fields = others.map(|field| {
        let value_type = value_type(field);
        let (ty, name) = (field.ty, &field.name);
        let is_nullable = is_nullable(field);
        let settings = settings(field);
        if field.is_value() {
            return emit! {
                let field = ::restwright::derived::resource::FieldDefinition::new(#name, #value_type);
                let field = if #is_nullable { field.nullable() } else { field };
                let definition = definition.field(field #settings);
            };
        }
        let renamed = renamed(field);
        let (scale, access) = (scale(field), access::calls(field));
        let items = field.items().map(|item| emit!(.items(<#item as ::restwright::derived::list::FieldValue>::VALUE_TYPE)));
        // A value that serde skips is missing.
        let may_be_absent = field.serde.skip_serializing_if;
        emit! {
            let value_type = <::restwright::derived::list::MaybeValue<#ty>>::VALUE_TYPE;
            let is_nullable = #is_nullable || (#may_be_absent && value_type.is_none());
            let value_type = value_type.unwrap_or(::restwright::derived::list::ValueType::Json);
            let field = ::restwright::derived::resource::FieldDefinition::new(#name, value_type) #scale #items #renamed #access;
            let definition = definition.field(if is_nullable { field.nullable() } else { field });
        }
    });
    let several = declared.own.indexes.iter().map(|fields| {
        fields.iter().filter_map(|name| declared.field_of_index(name)).map(|field| &field.name).collect::<Vec<_>>()
    });
    let single = declared.fields.iter().filter(|field| field.index.is_some()).map(|field| vec![&field.name]);
    let (unique, search) = (unique::calls(declared), search::call(declared));
    let calls = &declared.own.definition;
    let indexes = several.chain(single).map(|fields| emit!(.index([#(#fields),*])));
    emit! {
        #[allow(unused_imports, reason = "for types without a value")]
        use ::restwright::derived::list::NoValue as _;

        let definition = ::restwright::derived::resource::EntityDefinition::new(#table, #identifier);
        #(#fields)*
        definition #(#indexes)* #unique #search #calls
    }
}

// Uses the span of the user's type. rustc then reports one error for a type without a schema, and one for a type that
// is not a value.
fn value_type(field: &ResourceField<'_>) -> TokenStream {
    let ty = field.ty;
    quote_spanned!(ty.span()=> <#ty as ::restwright::derived::list::FieldValue>::VALUE_TYPE)
}

fn is_nullable(field: &ResourceField<'_>) -> TokenStream {
    let schema = property::schema_of(field.ty);
    quote_spanned!(field.ty.span()=> #schema::NULLABLE)
}

/// Returns the name and the `IdentifierKind` of the identifier, as arguments of `EntityDefinition::new`.
fn identifier(field: &ResourceField<'_>, is_given: bool) -> TokenStream {
    let (name, value_type) = (&field.name, value_type(field));
    let kind = match is_given {
        true => emit!(::restwright::derived::resource::IdentifierKind::Given(#value_type)),
        false => emit! {
            match #value_type {
                ::restwright::derived::list::ValueType::Integer => ::restwright::derived::resource::IdentifierKind::Integer,
                _ => ::restwright::derived::resource::IdentifierKind::Uuid,
            }
        },
    };
    emit!(#name, #kind)
}

/// Returns the method calls on `FieldDefinition` that apply the settings of a field.
fn settings(field: &ResourceField<'_>) -> TokenStream {
    let role = match &field.role {
        Role::Plain | Role::Identifier { .. } | Role::File => None,
        Role::Stamp(stamp) => {
            let call = syn::Ident::new(stamp, proc_macro2::Span::mixed_site());
            Some(emit!(.#call()))
        }
        Role::DeletedAt => Some(emit!(.deleted_at())),
        Role::Scope { .. } => Some(emit!(.scope())),
        Role::Parent(parent) => {
            let (target, on_delete) = (&parent.target, parent.on_delete());
            Some(emit!(.parent(<#target as ::restwright::derived::resource::Resource>::definition(), #on_delete)))
        }
    };
    let unique = field.unique.map(|_| emit!(.unique()));
    let searchable = field.is_searched().then(|| emit!(.searchable()));
    let sortable = field.sort.as_ref().map(|_| emit!(.sortable()));
    let references = field.references.as_ref().map(|reference| {
        let (target, on_delete) = (&reference.target, reference.on_delete());
        emit!(.references(<#target as ::restwright::derived::resource::Resource>::entity_name(), #on_delete))
    });
    let (scale, renamed, access) = (scale(field), renamed(field), access::calls(field));
    emit!(#scale #role #unique #searchable #sortable #references #renamed #access)
}

/// Returns the call for the digits after the point of a decimal.
fn scale(field: &ResourceField<'_>) -> Option<TokenStream> {
    let setting = field.constraints.iter().find(|setting| setting.name == "scale")?;
    let digits = setting.value(&mut crate::errors::Errors::default())?;
    Some(emit!(.scale(#digits)))
}

fn renamed(field: &ResourceField<'_>) -> Option<TokenStream> {
    field.renamed_from.as_ref().map(|former| emit!(.renamed_from(#former)))
}

/// Returns compile-time assertions on the types of fields that the service sets.
pub(super) fn assertions(declared: &Declaration<'_>) -> TokenStream {
    declared.fields.iter().filter_map(assertion).collect()
}

fn assertion(field: &ResourceField<'_>) -> Option<TokenStream> {
    let (value_type, span) = (value_type(field), field.ty.span());
    let is_one_of = |types: &[&str], message: &str| {
        let types = types.iter().map(|name| syn::Ident::new(name, proc_macro2::Span::mixed_site()));
        emit_at!(span=> const _: () = ::core::assert!(
            ::core::matches!(#value_type, #(::restwright::derived::list::ValueType::#types)|*),
            #message
        );)
    };
    let of_type = match &field.role {
        Role::Plain => return None,
        Role::File => {
            let inner = field.inner();
            return Some(
                emit_at!(inner.span()=> const _: fn(#inner) -> ::restwright::derived::resource::StoredFile = |file| file;),
            );
        }
        Role::DeletedAt => {
            let of_type = is_one_of(
                &["DateTime"],
                "the time of a deletion must be a date-time, such as `Option<jiff::Timestamp>`",
            );
            return Some(of_type);
        }
        Role::Identifier { is_given: false } => is_one_of(
            &["Uuid", "Integer"],
            "an identifier generated by the store must be a UUID or an integer; for identifiers sent by clients write `id(given)`",
        ),
        Role::Identifier { .. } | Role::Scope { .. } | Role::Parent(_) => TokenStream::new(),
        Role::Stamp("version") => is_one_of(&["Integer"], "a version must be an integer, such as `i64`"),
        Role::Stamp(_) => {
            is_one_of(&["DateTime"], "the time of a change must be a date-time, such as `jiff::Timestamp`")
        }
    };
    let is_nullable = is_nullable(field);
    let message = "fields that the service sets are never null; remove the `Option`";
    Some(emit_at!(span=> #of_type const _: () = ::core::assert!(!#is_nullable, #message);))
}

/// Returns statements that fail to compile if the type of a reference differs from the identifier type of its target.
pub(super) fn references(declared: &Declaration<'_>) -> TokenStream {
    let statements = declared.fields.iter().filter_map(|field| {
        let target = match (&field.role, &field.references) {
            (Role::Parent(parent), _) => &parent.target,
            (_, Some(reference)) => &reference.target,
            _ => return None,
        };
        let inner = field.inner();
        Some(emit_at! {inner.span()=>
            let _: fn(#inner) -> <#target as ::restwright::derived::resource::Resource>::Id = |id| id;
        })
    });
    statements.collect()
}
