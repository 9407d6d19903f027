//! Implements `#[derive(Problem)]` for an error enum or struct. Each variant is a problem kind with a status and a
//! code.

use proc_macro2::{Ident, Span, TokenStream};
use quote::ToTokens;
use syn::spanned::Spanned;
use syn::{Attribute, Data, DeriveInput, Fields, Index, LitStr, Member, Type};

use crate::errors::Errors;
use crate::message::FormatString;
use crate::status::StatusSetting;
use crate::{case, docs, settings, suggest};

pub(crate) fn derive(input: &DeriveInput) -> TokenStream {
    let mut errors = Errors::default();
    let kinds = parse(input, &mut errors);
    let output = emit(input, &kinds);
    errors.finish(output, || stub(input))
}

/// The problem kind of a variant, or of the struct.
struct DeclaredProblem<'k> {
    /// The name of the variant, or `None` for a struct.
    variant: Option<&'k Ident>,
    status: StatusSetting,
    code: LitStr,
    title: String,
    description: Option<String>,
    detail: Option<FormatString>,
    retry_after: Option<TokenStream>,
    source: Option<Member>,
    /// The type of the field with `#[from]`, if there is one.
    from: Option<&'k Type>,
}

fn parse<'i>(input: &'i DeriveInput, errors: &mut Errors) -> Vec<DeclaredProblem<'i>> {
    let kinds: Vec<_> = match &input.data {
        Data::Struct(data) => {
            DeclaredProblem::parse(None, &input.ident, &input.attrs, &data.fields, errors).into_iter().collect()
        }
        Data::Enum(data) => {
            for attribute in input.attrs.iter().filter(|attribute| attribute.path().is_ident("problem")) {
                errors.push(
                    attribute.path().span(),
                    "each variant is a separate problem; put `#[problem(..)]` on the variants",
                );
            }
            let variants = data.variants.iter().filter_map(|variant| {
                DeclaredProblem::parse(Some(&variant.ident), &variant.ident, &variant.attrs, &variant.fields, errors)
            });
            variants.collect()
        }
        Data::Union(data) => {
            errors.push(data.union_token.span, "a problem must be a struct, or an enum with one variant per kind");
            Vec::new()
        }
    };
    for (index, kind) in kinds.iter().enumerate() {
        if kinds.iter().take(index).any(|other| other.code.value() == kind.code.value()) {
            let message = format!("another variant already has the code `{}`; codes must be unique", kind.code.value());
            errors.push(kind.code.span(), message);
        }
    }
    kinds
}

impl<'k> DeclaredProblem<'k> {
    fn parse(
        variant: Option<&'k Ident>,
        ident: &'k Ident,
        attributes: &[Attribute],
        fields: &'k Fields,
        errors: &mut Errors,
    ) -> Option<Self> {
        let (mut status, mut code, mut title, mut detail, mut retry_after) = (None, None, None, None, None);
        let mut may_have_status = false;
        for setting in settings::of(attributes, "problem", errors) {
            match setting.name.to_string().as_str() {
                "status" => {
                    may_have_status = true;
                    status = StatusSetting::parse(&setting, errors);
                }
                "code" => code = setting.text(errors),
                "title" => title = setting.text(errors),
                "detail" => detail = setting.text(errors),
                "retry_after" => retry_after = setting.value(errors),
                other => {
                    // It may be a misspelt `status`, so the missing status is not reported.
                    may_have_status = true;
                    errors.push(setting.span(), suggest::unknown("problem attribute", other, &KNOWN));
                }
            }
        }
        if !may_have_status {
            errors.push(ident.span(), "the status is missing: write `#[problem(status = 404)]`");
        }
        let name = ident.to_string();
        let code = code.unwrap_or_else(|| LitStr::new(&case::snake(&name), ident.span()));
        if !is_code(&code.value()) {
            errors.push(
                code.span(),
                "a code must contain only letters, digits, `_`, `-` and `.`, because it can be part of a URI",
            );
        }
        let (source, from) = cause(fields, errors);
        let kind = Self {
            variant,
            status: status?,
            code,
            title: title.map_or_else(|| case::words(&name), |title| title.value()),
            description: docs::description(attributes),
            detail: detail.and_then(|detail| FormatString::parse(&detail, fields, errors)),
            retry_after,
            source,
            from,
        };
        if kind.status.code < 400 {
            let message =
                format!("{} is not a failure; the status of a problem must be from 400 to 599", kind.status.code);
            errors.push(kind.status.span, message);
        }
        Some(kind)
    }

    /// Returns the expression that creates the `ProblemKind` of this variant or struct, without its description.
    fn tokens(&self) -> TokenStream {
        let Self { code, title, .. } = self;
        let status = self.status.tokens();
        emit!(::restwright::derived::core::problem::ProblemKind::new(#status, #code, #title))
    }

    /// Returns the expression that creates the `ProblemKind` of this variant or struct, with its description.
    fn described(&self) -> TokenStream {
        let kind = self.tokens();
        let description = self.description.iter();
        emit!(#kind #(.description(#description))*)
    }

    /// Returns the match arm that converts an error of this kind to a `Problem`.
    fn arm(&self, error: &Ident) -> TokenStream {
        let kind = self.tokens();
        let mut members: Vec<&Member> = self.detail.iter().flat_map(|detail| &detail.members).collect();
        members.extend(self.source.iter().filter(|source| !members.contains(source)).collect::<Vec<_>>());
        let bound = members.iter().map(|member| match member {
            Member::Named(ident) => emit!(#ident),
            Member::Unnamed(_) => {
                let name = binding(member);
                emit!(#member: #name)
            }
        });
        let ident = self.variant.into_iter();
        let detail = self.detail.as_ref().map(|detail| {
            let text = detail.tokens();
            let (names, values): (Vec<_>, Vec<_>) = detail.values().unzip();
            emit!(.detail(#text) #(.detail_param(#names, #values))*)
        });
        let retry_after = self.retry_after.iter();
        let source = self.source.iter().map(binding);
        emit! {
            #error #(::#ident)* { #(#bound,)* .. } =>
                ::restwright::derived::core::Problem::new(#kind) #detail #(.retry_after(#retry_after))* #(.source(#source))*,
        }
    }

    /// Returns the `From` impl for the type of the `#[from]` field, so `?` converts values of this type into the error.
    fn from(&self, input: &DeriveInput) -> Option<TokenStream> {
        let (ty, member) = (self.from?, self.source.as_ref()?);
        let ident = &input.ident;
        let (impl_generics, type_generics, where_clause) = input.generics.split_for_impl();
        let variant = self.variant.into_iter();
        Some(emit! {
            #[automatically_derived]
            impl #impl_generics ::core::convert::From<#ty> for #ident #type_generics #where_clause {
                fn from(source: #ty) -> Self {
                    Self #(::#variant)* { #member: source }
                }
            }
        })
    }
}

/// Returns the field with `#[source]` or `#[from]`. For a field with `#[from]`, also returns the field's type.
fn cause<'f>(fields: &'f Fields, errors: &mut Errors) -> (Option<Member>, Option<&'f Type>) {
    let (mut source, mut from) = (None, None);
    for (index, field) in fields.iter().enumerate() {
        let has = |name: &str| field.attrs.iter().any(|attribute| attribute.path().is_ident(name));
        if !has("source") && !has("from") {
            continue;
        }
        let index = Index { index: u32::try_from(index).unwrap_or(u32::MAX), span: field.ty.span() };
        let member = field.ident.clone().map_or(Member::Unnamed(index), Member::Named);
        if source.replace(member).is_some() {
            errors.push(
                field.ty.span(),
                "a problem must have only one cause; remove the attribute from one of the fields",
            );
        }
        if has("from") {
            from = Some(&field.ty);
            if fields.len() > 1 {
                errors.push(
                    field.ty.span(),
                    "`#[from]` requires that this is the only field; use `#[source]` if there are others",
                );
            }
        }
    }
    (source, from)
}

/// Returns the name of the variable that a match arm binds to a field. The format string of the message uses the same
/// name.
pub(crate) fn binding(member: &Member) -> Ident {
    match member {
        Member::Named(ident) => ident.clone(),
        Member::Unnamed(index) => {
            quote::format_ident!("_{}", index.index, span = Span::call_site().located_at(index.span))
        }
    }
}

fn is_code(code: &str) -> bool {
    !code.is_empty() && code.chars().all(|character| character.is_ascii_alphanumeric() || "_-.".contains(character))
}

fn emit(input: &DeriveInput, kinds: &[DeclaredProblem<'_>]) -> TokenStream {
    let ident = &input.ident;
    let (impl_generics, type_generics, where_clause) = input.generics.split_for_impl();
    let described = kinds.iter().map(DeclaredProblem::described);
    let arms = kinds.iter().map(|kind| kind.arm(ident));
    let from = kinds.iter().filter_map(|kind| kind.from(input));
    emit! {
        #[automatically_derived]
        impl #impl_generics ::restwright::derived::core::ProblemSet for #ident #type_generics #where_clause {
            fn kinds() -> ::std::vec::Vec<::restwright::derived::core::problem::ProblemKind> {
                ::std::vec![#(#described),*]
            }

            fn into_problem(self) -> ::restwright::derived::core::Problem {
                match self { #(#arms)* }
            }
        }

        #(#from)*
    }
}

/// Returns placeholder impls for a type whose derive failed. Without these impls, rustc would report more errors.
fn stub(input: &DeriveInput) -> TokenStream {
    let ident = &input.ident;
    let (impl_generics, type_generics, where_clause) = input.generics.split_for_impl();
    let fields: Vec<&syn::Field> = match &input.data {
        Data::Struct(data) => data.fields.iter().collect(),
        Data::Enum(data) => data.variants.iter().flat_map(|variant| &variant.fields).collect(),
        Data::Union(_) => Vec::new(),
    };
    let is_from = |field: &&&syn::Field| field.attrs.iter().any(|attribute| attribute.path().is_ident("from"));
    let causes: Vec<TokenStream> = fields.iter().filter(is_from).map(|field| field.ty.to_token_stream()).collect();
    // Emits one impl per type, because two `From` impls for the same type would be another error.
    let is_first = |(index, cause): &(usize, &TokenStream)| {
        !causes.iter().take(*index).any(|other| other.to_string() == cause.to_string())
    };
    let causes: Vec<_> = causes.iter().enumerate().filter(is_first).map(|(_, cause)| cause).collect();
    emit! {
        impl #impl_generics ::restwright::derived::core::ProblemSet for #ident #type_generics #where_clause {
            fn kinds() -> ::std::vec::Vec<::restwright::derived::core::problem::ProblemKind> {
                ::std::vec::Vec::new()
            }

            fn into_problem(self) -> ::restwright::derived::core::Problem {
                ::core::unreachable!()
            }
        }

        #(
            impl #impl_generics ::core::convert::From<#causes> for #ident #type_generics #where_clause {
                fn from(_: #causes) -> Self {
                    ::core::unreachable!()
                }
            }
        )*
    }
}

const KNOWN: [&str; 5] = ["status", "code", "title", "detail", "retry_after"];
