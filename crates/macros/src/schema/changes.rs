//! Emits the struct of a partial update, for `#[schema(changes)]`.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote_spanned};
use syn::spanned::Spanned;
use syn::{Attribute, Data, Fields, FieldsNamed, Ident, Type};

use super::SchemaDeclaration;
use super::field::SchemaField;
use crate::errors::Errors;
use crate::generated_type::GeneratedType;
use crate::{property, serde_attributes, settings, types};

/// Returns the name of the struct for the partial update.
fn type_name(changes: &GeneratedType, ident: &Ident) -> Ident {
    changes
        .name
        .clone()
        .unwrap_or_else(|| Ident::new(&format!("{}Changes", syn::ext::IdentExt::unraw(ident)), ident.span()))
}

/// Returns the code of the associated type `Schema::Changes`.
pub(super) fn associated(declared: &SchemaDeclaration<'_>) -> TokenStream {
    match &declared.own.changes {
        Some(changes) => type_name(changes, &declared.input.ident).into_token_stream(),
        None => emit!(Self),
    }
}

/// Emits the struct for the partial update, if the setting `changes` exists.
pub(super) fn emit(declared: &SchemaDeclaration<'_>, errors: &mut Errors) -> Option<TokenStream> {
    let changes = declared.own.changes.as_ref()?;
    let Data::Struct(syn::DataStruct { fields: Fields::Named(fields), .. }) = &declared.input.data else {
        errors.push(changes.span, NOT_NAMED);
        return None;
    };
    if declared.serde.transparent {
        errors.push(changes.span, NOT_NAMED);
        return None;
    }
    if !declared.input.generics.params.is_empty() {
        let message =
            "`changes` does not support generic structs; declare the partial update manually, as `Changes` shows";
        errors.push(changes.span, message);
        return None;
    }
    let container = ContainerDefault::parse(&declared.input.attrs);
    let parts =
        fields.named.iter().enumerate().map(|(index, field)| ChangedField::new(index, field, declared, &container));
    Some(emit_type(declared, changes, &parts.collect::<Vec<_>>(), fields))
}

const NOT_NAMED: &str = "`changes` is only for structs with named fields; other values are always replaced as a whole";

fn emit_type(
    declared: &SchemaDeclaration<'_>,
    changes: &GeneratedType,
    parts: &[ChangedField<'_>],
    fields: &FieldsNamed,
) -> TokenStream {
    let (ident, visibility) = (&declared.input.ident, &declared.input.vis);
    let name = type_name(changes, ident);
    let derives = changes.derives_beside(&["Clone"]);
    let doc = format!("Changes to `{ident}`. An absent property stays unchanged.");
    let schema_name = declared.own.name.as_ref().map(|given| {
        let text = format!("{}Changes", given.value());
        emit!(#[schema(name = #text)])
    });
    let serde = settings::kept(&declared.input.attrs, "serde", |name| {
        ["rename_all", "deny_unknown_fields", "crate"].contains(&name)
    });
    let closed = declared.own.closed_recursively.then(|| emit!(#[schema(closed_recursively)]));
    let members = parts.iter().filter_map(|part| part.declare());
    let assertions = parts.iter().filter_map(ChangedField::assert);
    let apply = parts.iter().filter_map(ChangedField::apply);
    let (creates, values): (Vec<_>, Vec<_>) = parts.iter().map(ChangedField::create).unzip();
    let idents = fields.named.iter().map(|field| &field.ident);
    // Uses the span of the attribute, so rustc reports there that the struct is not `Clone`.
    let call = emit_at!(changes.span=> ::restwright::derived::schema::Changes::apply(self, current));
    emit! {
        #[doc = #doc]
        #[derive(::core::clone::Clone, ::core::default::Default, ::serde::Deserialize, ::restwright::Schema #(, #derives)*)]
        #[schema(crate = "::restwright")]
        #(#[serde(#serde)])*
        #schema_name
        #closed
        #visibility struct #name {
            #(#members)*
        }

        #(const _: () = #assertions;)*

        #[allow(deprecated, reason = "the schema says so")]
        impl ::restwright::derived::schema::Changes<#ident> for #name {
            const PARTIAL: bool = true;

            fn apply_to(self, target: &mut #ident, checks: &mut ::restwright::derived::schema::Checks<'_>) {
                #(#apply)*
            }

            fn create(self, checks: &mut ::restwright::derived::schema::Checks<'_>) -> ::core::option::Option<#ident> {
                #(#creates)*
                ::core::option::Option::Some(#ident { #(#idents: #values),* })
            }
        }

        impl #name {
            /// Applies the changes to a copy of a value. The custom checks of the type then run on the result.
            ///
            /// # Errors
            /// Returns the violations of the result, for example a missing property of a nested object that the changes
            /// create.
            #[allow(dead_code, reason = "a change can be applied only through the trait")]
            #visibility fn apply(
                self,
                current: &#ident,
            ) -> ::core::result::Result<#ident, ::restwright::derived::schema::Violations> {
                #call
            }
        }
    }
}

/// The expression for the default value of a struct with `#[serde(default)]`. It provides the values of missing fields.
struct ContainerDefault(Option<TokenStream>);

impl ContainerDefault {
    fn parse(attributes: &[Attribute]) -> Self {
        Self(serde_attributes::default_of(attributes))
    }
}

/// A field of the struct, and the effect of the partial update on the field.
struct ChangedField<'p> {
    syntax: &'p syn::Field,
    field: SchemaField<'p>,
    name: String,
    /// The expression for the default value, which is used if the value is missing.
    default: Option<TokenStream>,
    kind: PartKind<'p>,
}

enum PartKind<'p> {
    /// The update does not change the field, because clients do not send it.
    Untouched,
    Flat,
    Optional(&'p Type),
    /// `null` sets the field to its default.
    Defaulted,
    /// `null` sets the field to the JSON value that its schema declares as the default.
    Declared(TokenStream),
    Required,
}

impl<'p> ChangedField<'p> {
    fn new(
        index: usize,
        syntax: &'p syn::Field,
        declared: &SchemaDeclaration<'_>,
        container: &ContainerDefault,
    ) -> Self {
        // The derive of the struct's schema has reported the errors of these attributes.
        let field = SchemaField::parse(index, syntax, &mut Errors::default());
        let name = field.names(declared.serde.rename_all).read;
        let ident = &syntax.ident;
        let owner = &declared.input.ident;
        let of_container = container.0.as_ref().map(|default| emit!({ let whole: #owner = #default; whole.#ident }));
        let default = serde_attributes::default_of(&syntax.attrs).or(of_container);
        let kind = if field.serde.skip || field.serde.skip_deserializing || field.property.is_read_only {
            PartKind::Untouched
        } else if field.serde.flatten.is_some() {
            PartKind::Flat
        } else if let Some(inner) = types::argument_of(&syntax.ty, "Option") {
            PartKind::Optional(inner)
        } else if default.is_some() {
            PartKind::Defaulted
        } else if let Some(declared) = property::default_of(&syntax.attrs) {
            PartKind::Declared(declared)
        } else {
            PartKind::Required
        };
        Self { syntax, field, name, default, kind }
    }

    /// Returns the declaration of this field in the struct for the partial update.
    fn declare(&self) -> Option<TokenStream> {
        let ty = match &self.kind {
            PartKind::Untouched => return None,
            PartKind::Flat => changes_of(&self.syntax.ty),
            PartKind::Optional(inner) => patch(&option(&changes_of(inner))),
            PartKind::Defaulted | PartKind::Declared(_) => patch(&option(&changes_of(&self.syntax.ty))),
            PartKind::Required => patch(&changes_of(&self.syntax.ty)),
        };
        let (ident, visibility) = (&self.syntax.ident, &self.syntax.vis);
        let attributes = &self.syntax.attrs;
        let docs = attributes.iter().filter(|one| one.path().is_ident("doc") || one.path().is_ident("deprecated"));
        let serde = settings::kept(attributes, "serde", |name| ["rename", "alias", "flatten"].contains(&name));
        let property = settings::kept(attributes, "property", |name| !["default", "validate"].contains(&name));
        let property = (!property.is_empty()).then(|| emit!(#[property(#(#property),*)]));
        let absent = (!matches!(self.kind, PartKind::Flat))
            .then(|| emit!(#[serde(default, skip_serializing_if = "::restwright::derived::schema::Patch::is_absent")]));
        Some(emit! {
            #(#docs)*
            #absent
            #(#[serde(#serde)])*
            #property
            #visibility #ident: #ty,
        })
    }

    /// Returns a compile-time assertion that the type of a flattened field also has `#[schema(changes)]`.
    fn assert(&self) -> Option<TokenStream> {
        let ty = match self.kind {
            PartKind::Flat => &self.syntax.ty,
            _ => return None,
        };
        let message = "the type of a flattened field also requires `#[schema(changes)]`";
        Some(emit_at! {ty.span()=> ::core::assert!(
            <<#ty as ::restwright::derived::schema::Schema>::Changes as ::restwright::derived::schema::Changes<#ty>>::PARTIAL,
            #message
        )})
    }

    fn apply(&self) -> Option<TokenStream> {
        let (ident, name, default) = (&self.syntax.ident, &self.name, &self.default);
        Some(match &self.kind {
            PartKind::Untouched => return None,
            PartKind::Flat => {
                emit!(::restwright::derived::schema::Changes::apply_to(self.#ident, &mut target.#ident, checks);)
            }
            PartKind::Optional(_) => emit!(self.#ident.change_option(#name, &mut target.#ident, checks);),
            PartKind::Defaulted => {
                emit!(self.#ident.change_or_default(#name, &mut target.#ident, || #default, checks);)
            }
            PartKind::Declared(default) => {
                emit!(self.#ident.change_or_declared(#name, &mut target.#ident, || #default, checks);)
            }
            PartKind::Required => emit!(self.#ident.change(#name, &mut target.#ident, checks);),
        })
    }

    /// Returns the code that creates this field in a new nested object. The code is a statement and the expression for
    /// its result.
    fn create(&self) -> (TokenStream, TokenStream) {
        let (ident, name, default) = (&self.syntax.ident, &self.name, &self.default);
        let statement = match (&self.kind, default) {
            (PartKind::Untouched, None) if self.field.serde.skip || self.field.serde.skip_deserializing => {
                return (TokenStream::new(), emit!(::core::default::Default::default()));
            }
            (PartKind::Untouched, None) => {
                let ty = &self.syntax.ty;
                emit!(let #ident = ::restwright::derived::schema::Patch::<#ty>::Absent.create(#name, checks);)
            }
            (PartKind::Untouched, Some(default)) => return (TokenStream::new(), default.clone()),
            (PartKind::Flat, _) => {
                emit!(let #ident = ::restwright::derived::schema::Changes::create(self.#ident, checks);)
            }
            (PartKind::Optional(_), None) => emit!(let #ident = self.#ident.create_option(#name, checks);),
            (PartKind::Optional(_), Some(default)) => emit! {
                let #ident = if self.#ident.is_absent() {
                    ::core::option::Option::Some(#default)
                } else {
                    self.#ident.create_option(#name, checks)
                };
            },
            (PartKind::Defaulted, _) => emit!(let #ident = self.#ident.create_or_default(#name, || #default, checks);),
            (PartKind::Declared(default), _) => {
                emit!(let #ident = self.#ident.create_or_declared(#name, || #default, checks);)
            }
            (PartKind::Required, _) => emit!(let #ident = self.#ident.create(#name, checks);),
        };
        (statement, emit!(#ident?))
    }
}

/// Returns the type of a field in a partial update. A plain type such as `String` stays the same. For other types it is
/// the associated type `Changes`. The code uses the span of the type, so rustc reports a missing schema once.
fn changes_of(ty: &Type) -> TokenStream {
    if types::is_plain(ty) {
        return ty.to_token_stream();
    }
    let schema = property::schema_of(ty);
    quote_spanned!(ty.span()=> #schema::Changes)
}

fn option(ty: &TokenStream) -> TokenStream {
    quote_spanned!(ty.span()=> ::core::option::Option<#ty>)
}

fn patch(ty: &TokenStream) -> TokenStream {
    quote_spanned!(ty.span()=> ::restwright::derived::schema::Patch<#ty>)
}
