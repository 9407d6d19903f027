//! `#[derive(Request)]`: a struct of parts, parameters and at most one body.

use proc_macro2::{Ident, Span, TokenStream};
use syn::ext::IdentExt;
use syn::spanned::Spanned;
use syn::{Attribute, Data, DeriveInput, Fields, Generics, LitStr, Member, Meta, Type, parse_quote};

use crate::errors::Errors;
use crate::plan::{self, Piece};
use crate::property::{self, Property};
use crate::{case, docs, types};

pub(crate) fn derive(input: &DeriveInput) -> TokenStream {
    let mut errors = Errors::default();
    let fields = parse(input, &mut errors);
    let output = emit(input, &fields);
    errors.finish(output)
}

struct Field<'f> {
    member: Member,
    ty: &'f Type,
    source: Source,
}

enum Source {
    Parameter { location: Ident, name: String, calls: TokenStream },
    Body,
    Part,
}

fn parse<'i>(input: &'i DeriveInput, errors: &mut Errors) -> Vec<Field<'i>> {
    let Data::Struct(data) = &input.data else {
        errors.push(input.ident.span(), "a request is a struct: its fields are parts, parameters and at most one body");
        return Vec::new();
    };
    let fields = data.fields.iter().enumerate().map(|(index, field)| Field::parse(index, field, errors));
    let fields: Vec<_> = fields.collect();
    for second in fields.iter().filter(|field| matches!(field.source, Source::Body)).skip(1) {
        errors.push(second.member.span(), "a request has one body; put both into one type, or make this a parameter");
    }
    fields
}

impl<'f> Field<'f> {
    fn parse(index: usize, field: &'f syn::Field, errors: &mut Errors) -> Self {
        let member = field.ident.clone().map_or_else(|| Member::from(index), Member::Named);
        let markers: Vec<_> = field.attrs.iter().filter(|attribute| is_marker(attribute)).collect();
        if let Some(second) = markers.get(1) {
            errors.push(second.path().span(), "a field is read from one place; keep one of these attributes");
        }
        if let Some(path) = field.attrs.iter().find(|attribute| attribute.path().is_ident("path")) {
            errors
                .push(path.path().span(), "Rust keeps `#[path]` for modules; for a path parameter write `#[segment]`");
        }
        let property = Property::parse(&field.attrs, errors);
        let source = match markers.first() {
            Some(marker) if !marker.path().is_ident("body") => parameter(marker, field, property, errors),
            marker => {
                if !property.is_empty() {
                    let message = "`#[property(..)]` is for parameters; put it on the fields of this type";
                    errors.push(field.ty.span(), message);
                }
                if marker.is_some() { Source::Body } else { Source::Part }
            }
        };
        Self { member, ty: &field.ty, source }
    }

    /// How it is planned.
    fn piece(&self) -> Piece {
        let ty = self.ty;
        match &self.source {
            Source::Parameter { location, name, calls } => Piece {
                ty: emit!(::restwright::core::part::ParameterPlan<#ty>),
                make: {
                    let typed = property::typed(ty, &emit!(planner.registry()), name);
                    emit! {{
                        let property = #typed #calls;
                        planner.parameter::<#ty>(::restwright::core::operation::ParameterLocation::#location, property)
                    }}
                },
            },
            Source::Body => of_trait(&emit!(::restwright::core::body::ReadBody), ty),
            Source::Part => of_trait(&emit!(::restwright::core::Part), ty),
        }
    }

    fn describe(&self, plan: &TokenStream) -> TokenStream {
        let ty = self.ty;
        match &self.source {
            Source::Parameter { .. } => emit!(::restwright::core::part::ParameterPlan::describe(#plan, operation);),
            Source::Body => {
                emit_at!(ty.span()=> <#ty as ::restwright::core::body::ReadBody>::describe(#plan, operation);)
            }
            Source::Part => emit_at!(ty.span()=> <#ty as ::restwright::core::Part>::describe(#plan, operation);),
        }
    }

    fn read(&self, plan: &TokenStream) -> TokenStream {
        let ty = self.ty;
        match &self.source {
            Source::Parameter { .. } => emit_at!(ty.span()=> reader.parameter(#plan)),
            Source::Body => emit_at!(ty.span()=> reader.body::<#ty>(#plan).await?),
            Source::Part => emit_at!(ty.span()=> reader.part::<#ty>(#plan)),
        }
    }
}

fn is_marker(attribute: &Attribute) -> bool {
    ["segment", "query", "header", "cookie", "body"].iter().any(|name| attribute.path().is_ident(name))
}

/// A single value: `#[query]` under the field's name, or `#[query("name")]`.
fn parameter(marker: &Attribute, field: &syn::Field, property: Property, errors: &mut Errors) -> Source {
    for setting in &property.of_bodies {
        let message = format!("`{setting}` is for properties of bodies; a parameter is read, whatever the mode");
        let validate = "a parameter has no checks of its own here; give it a type with `#[schema(validate = ..)]`";
        errors.push(setting.span(), if setting == "validate" { validate } else { &message });
    }
    let is_header = marker.path().is_ident("header");
    let location = match () {
        () if is_header => "Header",
        () if marker.path().is_ident("query") => "Query",
        () if marker.path().is_ident("cookie") => "Cookie",
        () => "Path",
    };
    let name = given_name(marker, errors).or_else(|| {
        let ident = field.ident.as_ref()?.unraw().to_string();
        Some(if is_header { case::header(&ident) } else { ident })
    });
    let name = name.unwrap_or_else(|| {
        errors.push(
            marker.path().span(),
            "a field without a name cannot name its parameter; write the name: `#[query(\"name\")]`",
        );
        String::new()
    });
    let description = docs::description(&field.attrs).filter(|_| !property.is_described).into_iter();
    let deprecated = docs::is_deprecated(&field.attrs).then(|| emit!(.deprecated()));
    let calls = property.calls;
    let calls = emit!(#calls #(.description(#description))* #deprecated);
    Source::Parameter { location: Ident::new(location, Span::mixed_site()), name, calls }
}

/// The `name` of `#[query("name")]`.
pub(crate) fn given_name(marker: &Attribute, errors: &mut Errors) -> Option<String> {
    match &marker.meta {
        Meta::Path(_) => None,
        _ => match marker.parse_args::<LitStr>() {
            Ok(name) if !name.value().is_empty() => Some(name.value()),
            _ => {
                let kind = marker.path().get_ident().map(ToString::to_string).unwrap_or_default();
                errors.push(marker.path().span(), format!("write the name in quotes: `#[{kind}(\"name\")]`"));
                None
            }
        },
    }
}

/// The plan of a type that plans itself.
fn of_trait(name: &TokenStream, ty: &Type) -> Piece {
    // At the type, so that rustc points there when the type does not implement the trait.
    let span = ty.span();
    Piece { ty: emit_at!(span=> <#ty as #name>::Plan), make: emit_at!(span=> <#ty as #name>::plan(planner)) }
}

fn emit(input: &DeriveInput, fields: &[Field<'_>]) -> TokenStream {
    let ident = &input.ident;
    let generics = bounded(&input.generics, fields);
    let (impl_generics, type_generics, where_clause) = generics.split_for_impl();
    let plan_items = plan::items(&fields.iter().map(Field::piece).collect::<Vec<_>>());
    let plans = (0..fields.len()).map(|index| plan::part(index, fields.len()));
    let plans: Vec<_> = plans.collect();
    let described = fields.iter().zip(&plans).map(|(field, plan)| field.describe(plan));
    let names = plan::names("field", fields.len());
    let members = fields.iter().map(|field| &field.member);
    let is_unit = matches!(&input.data, Data::Struct(data) if matches!(data.fields, Fields::Unit));
    let built = if is_unit { emit!(Self) } else { emit!(Self { #(#members: #names),* }) };

    // The body last: it is the only one that is waited for.
    let mut order: Vec<_> = fields.iter().zip(&plans).zip(&names).collect();
    order.sort_by_key(|((field, _), _)| matches!(field.source, Source::Body));
    let reads = order.iter().map(|((field, plan), name)| {
        let read = field.read(plan);
        emit!(let #name = #read;)
    });
    let answer = match names.as_slice() {
        [] => emit!(::core::result::Result::Ok(::core::option::Option::Some(#built))),
        [name] => emit!(::core::result::Result::Ok(#name.map(|#name| #built))),
        names => emit! {
            match (#(#names),*) {
                (#(::core::option::Option::Some(#names)),*) => {
                    ::core::result::Result::Ok(::core::option::Option::Some(#built))
                }
                _ => ::core::result::Result::Ok(::core::option::Option::None),
            }
        },
    };
    let (plan, operation, reader) = match fields {
        [] => (emit!(_), emit!(_), emit!(_)),
        _ => (emit!(plan), emit!(operation), emit!(reader)),
    };
    emit! {
        #[automatically_derived]
        #[allow(deprecated, reason = "the operation says so")]
        impl #impl_generics ::restwright::core::Request for #ident #type_generics #where_clause {
            #plan_items

            fn describe(#plan: &Self::Plan, #operation: &mut ::restwright::core::operation::Operation) {
                #(#described)*
            }

            async fn read(
                #plan: &Self::Plan,
                #reader: &mut ::restwright::core::Reader<'_>,
            ) -> ::restwright::core::Result<::core::option::Option<Self>> {
                #(#reads)*
                #answer
            }
        }
    }
}

/// What the parameters of a generic request must be for its fields to be read.
fn bounded(generics: &Generics, fields: &[Field<'_>]) -> Generics {
    let mut bounded = generics.clone();
    for parameter in bounded.type_params_mut() {
        parameter.bounds.push(parse_quote!('static));
    }
    for field in fields.iter().filter(|field| types::mentions(field.ty, generics)) {
        let ty = field.ty;
        let predicate = match &field.source {
            Source::Parameter { .. } => continue,
            Source::Body => parse_quote!(#ty: ::restwright::core::body::ReadBody),
            Source::Part => parse_quote!(#ty: ::restwright::core::Part),
        };
        bounded.make_where_clause().predicates.push(predicate);
    }
    bounded
}
