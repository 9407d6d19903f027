//! Parses the fields of a request or part, which are parameters, nested parts and a body.

use proc_macro2::{Ident, Span, TokenStream};
use quote::quote_spanned;
use syn::ext::IdentExt;
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::{Attribute, Data, DeriveInput, Fields, Generics, Member, Meta, Token, Type, parse_quote};

use crate::errors::Errors;
use crate::plan::{self, PlanValue};
use crate::property::PropertySettings;
use crate::{case, docs, marker, suggest, types};

/// A field, and the part of the request that it is read from.
pub(crate) struct RequestField<'f> {
    pub(crate) member: Member,
    ty: &'f Type,
    source: FieldSource,
}

enum FieldSource {
    Parameter {
        location: Ident,
        name: String,
        calls: TokenStream,
    },
    /// The body, with the arguments of `plan_in` if it has formats.
    Body(Option<TokenStream>),
    Part,
}

impl<'f> RequestField<'f> {
    pub(crate) fn parse(index: usize, field: &'f syn::Field, errors: &mut Errors) -> Self {
        let member = field.ident.clone().map_or_else(|| Member::from(index), Member::Named);
        let markers: Vec<_> = field.attrs.iter().filter(|attribute| is_marker(attribute)).collect();
        if let Some(second) = markers.get(1) {
            errors.push(second.path().span(), "a field must be read from one place; keep one of these attributes");
        }
        if let Some(path) = field.attrs.iter().find(|attribute| attribute.path().is_ident("path")) {
            errors.push(
                path.path().span(),
                "Rust reserves `#[path]` for modules; for a path parameter write `#[segment]`",
            );
        }
        let property = PropertySettings::parse(&field.attrs, errors);
        types::check_options(&field.ty, errors);
        let source = match markers.first() {
            Some(marker) if !marker.path().is_ident("body") => parameter(marker, field, property, errors),
            marker => {
                if !property.is_empty() {
                    let message = "`#[property(..)]` is for parameters; put it on the fields of this type";
                    errors.push(field.ty.span(), message);
                }
                marker.map_or(FieldSource::Part, |marker| FieldSource::Body(formats(marker, errors)))
            }
        };
        Self { member, ty: &field.ty, source }
    }

    pub(crate) fn is_body(&self) -> bool {
        matches!(self.source, FieldSource::Body(_))
    }

    /// Returns the value that the field adds to the associated type `Plan`, with its type and its expression.
    pub(crate) fn plan_value(&self) -> PlanValue {
        let ty = self.ty;
        let span = ty.span();
        match &self.source {
            FieldSource::Parameter { location, name, calls } => PlanValue {
                ty: emit!(::restwright::derived::core::part::ParameterPlan<#ty>),
                make: {
                    // With the span of the user's type, so rustc points there if a setting does not fit it.
                    let value = quote_spanned!(span=> <#ty as ::restwright::derived::core::part::ParameterValue>);
                    let registry = emit!(context.registry());
                    let property = quote_spanned!(span=> #value::property(#registry, #name));
                    emit! {{
                        let property = #property #calls;
                        context.parameter::<#ty>(::restwright::derived::core::operation::ParameterLocation::#location, property)
                    }}
                },
            },
            _ => {
                let name = self.contract();
                // With the span of the type, so rustc points there if the type does not implement the trait.
                let make = match &self.source {
                    FieldSource::Body(Some(formats)) => emit_at!(span=> <#ty as #name>::plan_in(#formats, context)),
                    _ => emit_at!(span=> <#ty as #name>::plan(context)),
                };
                PlanValue { ty: emit_at!(span=> <#ty as #name>::Plan), make }
            }
        }
    }

    /// Returns the code that adds the field to the OpenAPI operation. `plan` is the expression for the field's plan.
    pub(crate) fn describe(&self, plan: &TokenStream) -> TokenStream {
        let ty = self.ty;
        match &self.source {
            FieldSource::Parameter { .. } => {
                emit!(::restwright::derived::core::part::ParameterPlan::describe(#plan, operation);)
            }
            _ => {
                let name = self.contract();
                emit_at!(ty.span()=> <#ty as #name>::describe(#plan, operation);)
            }
        }
    }

    /// Returns the code that reads the field from the request through the variable `reader`.
    pub(crate) fn read(&self, plan: &TokenStream) -> TokenStream {
        let ty = self.ty;
        match &self.source {
            FieldSource::Parameter { .. } => emit_at!(ty.span()=> reader.parameter(#plan)),
            FieldSource::Body(_) => emit_at!(ty.span()=> reader.body::<#ty>(#plan).await?),
            FieldSource::Part => emit_at!(ty.span()=> reader.part::<#ty>(#plan)),
        }
    }

    /// Returns the code that reads the field from the request head in the variable `head`.
    pub(crate) fn read_head(&self, plan: &TokenStream) -> TokenStream {
        let ty = self.ty;
        match &self.source {
            FieldSource::Parameter { .. } => {
                emit_at!(ty.span()=> ::restwright::derived::core::part::ParameterPlan::read(#plan, head, violations))
            }
            _ => emit_at!(ty.span()=> <#ty as ::restwright::derived::core::Part>::read(#plan, head, violations)),
        }
    }

    /// Returns the trait that the type of the field must implement.
    fn contract(&self) -> TokenStream {
        let span = self.ty.span();
        match self.source {
            FieldSource::Parameter { .. } => quote_spanned!(span=> ::restwright::derived::core::part::ParameterValue),
            FieldSource::Body(_) => quote_spanned!(span=> ::restwright::derived::core::body::ReadBody),
            FieldSource::Part => quote_spanned!(span=> ::restwright::derived::core::Part),
        }
    }
}

/// Parses the formats in an attribute such as `#[body(json, form)]`, and returns the arguments of `plan_in`.
fn formats(marker: &Attribute, errors: &mut Errors) -> Option<TokenStream> {
    if matches!(marker.meta, Meta::Path(_)) {
        return None;
    }
    let parsed = marker.parse_args_with(Punctuated::<Ident, Token![,]>::parse_terminated);
    let names = match parsed {
        Ok(names) if !names.is_empty() => names,
        _ => {
            errors.push(marker.path().span(), "write the formats of the body, such as `#[body(json, form)]`");
            return None;
        }
    };
    let mut others = Vec::new();
    for (index, name) in names.iter().enumerate() {
        if names.iter().take(index).any(|other| other == name) {
            errors.push(name.span(), format!("the format `{name}` is named twice"));
        }
        match name.to_string().as_str() {
            "json" => {}
            "form" => others.push(quote_spanned!(name.span()=> &::restwright::derived::core::body::UrlEncoded)),
            "multipart" => others.push(quote_spanned!(name.span()=> &::restwright::derived::files::Multipart)),
            other => {
                errors.push(name.span(), suggest::unknown("format of a body", other, &["json", "form", "multipart"]))
            }
        }
    }
    let is_json = names.iter().any(|name| name == "json");
    Some(emit!(#is_json, &[#(#others),*]))
}

/// Returns the code that creates the struct if every field was read. Each field is in a local variable.
pub(crate) fn build(input: &DeriveInput, fields: &[RequestField<'_>]) -> TokenStream {
    let names = plan::names("field", fields.len());
    let members = fields.iter().map(|field| &field.member);
    let is_unit = matches!(&input.data, Data::Struct(data) if matches!(data.fields, Fields::Unit));
    let built = if is_unit { emit!(Self) } else { emit!(Self { #(#members: #names),* }) };
    if fields.is_empty() {
        return emit!(::core::option::Option::Some(#built));
    }
    emit! {
        match (#(#names,)*) {
            (#(::core::option::Option::Some(#names),)*) => ::core::option::Option::Some(#built),
            _ => ::core::option::Option::None,
        }
    }
}

/// Adds a bound for each field type, so the emitted code can read the field.
///
/// Types without generic parameters get these bounds too. rustc then reports a wrong field type only at its bound.
pub(crate) fn bounded(generics: &Generics, fields: &[RequestField<'_>]) -> Generics {
    let mut bounded = with_static_parameters(generics);
    for field in fields {
        let (ty, contract) = (field.ty, field.contract());
        // With the span of the user's type, so rustc points there.
        let predicate = quote_spanned!(ty.span()=> #ty: #contract);
        bounded.make_where_clause().predicates.push(parse_quote!(#predicate));
    }
    bounded
}

/// Adds a `'static` bound to each type parameter.
pub(crate) fn with_static_parameters(generics: &Generics) -> Generics {
    let mut bounded = generics.clone();
    for parameter in bounded.type_params_mut() {
        parameter.bounds.push(parse_quote!('static));
    }
    bounded
}

/// Parses the fields of a struct. If the type is not a struct, the error message starts with `what`.
pub(crate) fn parse<'i>(input: &'i DeriveInput, what: &str, errors: &mut Errors) -> Vec<RequestField<'i>> {
    match &input.data {
        Data::Struct(data) => {
            data.fields.iter().enumerate().map(|(index, field)| RequestField::parse(index, field, errors)).collect()
        }
        _ => {
            errors.push(input.ident.span(), what);
            Vec::new()
        }
    }
}

fn is_marker(attribute: &Attribute) -> bool {
    ["segment", "query", "header", "cookie", "body"].iter().any(|name| attribute.path().is_ident(name))
}

/// Parses the attribute of a parameter, such as `#[query("name")]`. Without a name, the parameter has the name of the
/// field.
fn parameter(marker: &Attribute, field: &syn::Field, property: PropertySettings, errors: &mut Errors) -> FieldSource {
    for setting in &property.of_bodies {
        let message = format!("`{setting}` is for properties of bodies; a parameter has no mode");
        let validate = "a parameter cannot have custom checks here; use a type with `#[schema(validate = ..)]`";
        errors.push(setting.span(), if setting == "validate" { validate } else { &message });
    }
    let is_header = marker.path().is_ident("header");
    let location = match () {
        () if is_header => "Header",
        () if marker.path().is_ident("query") => "Query",
        () if marker.path().is_ident("cookie") => "Cookie",
        () => "Path",
    };
    let name = marker::written_name(marker, errors).or_else(|| {
        let ident = field.ident.as_ref()?.unraw().to_string();
        Some(if is_header { case::header(&ident) } else { ident })
    });
    let name = name.unwrap_or_else(|| {
        errors.push(
            marker.path().span(),
            "a field without a name requires the name of its parameter: write `#[query(\"name\")]`",
        );
        String::new()
    });
    let description = docs::description(&field.attrs).filter(|_| !property.is_described).into_iter();
    let deprecated = docs::is_deprecated(&field.attrs).then(|| emit!(.deprecated()));
    let calls = property.calls;
    let calls = emit!(#calls #(.description(#description))* #deprecated);
    FieldSource::Parameter { location: Ident::new(location, Span::mixed_site()), name, calls }
}
