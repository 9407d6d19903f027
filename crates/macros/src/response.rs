//! `#[derive(Response)]`: a struct with one status, or an enum with one per variant.

use proc_macro2::{Ident, Span, TokenStream};
use syn::ext::IdentExt;
use syn::spanned::Spanned;
use syn::{Attribute, Data, DeriveInput, Fields, Generics, LitStr, Member, Type, parse_quote};

use crate::emit::moved;
use crate::errors::Errors;
use crate::plan::{self, Piece};
use crate::request::given_name;
use crate::status::Status;
use crate::{case, docs, settings, suggest, types};

pub(crate) fn derive(input: &DeriveInput) -> TokenStream {
    let mut errors = Errors::default();
    let answers = parse(input, &mut errors);
    let output = emit(input, &answers);
    errors.finish(output)
}

/// A status with everything that goes with it.
struct Answer<'a> {
    /// The variant; `None` for a struct.
    variant: Option<&'a Ident>,
    status: Status,
    content_type: Option<LitStr>,
    description: Option<String>,
    headers: Vec<Header<'a>>,
    body: Body<'a>,
}

struct Header<'a> {
    member: Member,
    ty: &'a Type,
    name: String,
    description: Option<String>,
}

enum Body<'a> {
    None,
    /// The struct itself.
    Itself,
    Field(Member, &'a Type),
}

fn parse<'i>(input: &'i DeriveInput, errors: &mut Errors) -> Vec<Answer<'i>> {
    let answers: Vec<_> = match &input.data {
        Data::Struct(data) => {
            Answer::parse(None, &input.ident, &input.attrs, &data.fields, errors).into_iter().collect()
        }
        Data::Enum(data) => {
            for attribute in input.attrs.iter().filter(|attribute| attribute.path().is_ident("response")) {
                errors.push(
                    attribute.path().span(),
                    "each variant has a status of its own; put `#[response(..)]` on the variants",
                );
            }
            if data.variants.is_empty() {
                errors.push(input.ident.span(), "an enum without variants answers nothing; add a variant");
            }
            let variants = data.variants.iter().filter_map(|variant| {
                Answer::parse(Some(&variant.ident), &variant.ident, &variant.attrs, &variant.fields, errors)
            });
            variants.collect()
        }
        Data::Union(data) => {
            errors.push(data.union_token.span, "a response is a struct, or an enum with a status per variant");
            Vec::new()
        }
    };
    check_statuses(&answers, errors);
    answers
}

/// The document has one place for each status and media type.
fn check_statuses(answers: &[Answer<'_>], errors: &mut Errors) {
    for (index, answer) in answers.iter().enumerate() {
        let media_type = answer.content_type.as_ref().map(LitStr::value);
        let is_same = |other: &Answer<'_>| {
            other.status.code == answer.status.code && other.content_type.as_ref().map(LitStr::value) == media_type
        };
        if answers.iter().take(index).any(is_same) {
            let code = answer.status.code;
            let message = format!("another variant answers with {code}; put what tells them apart into one body");
            errors.push(answer.status.span, message);
        }
    }
}

impl<'a> Answer<'a> {
    fn parse(
        variant: Option<&'a Ident>,
        ident: &'a Ident,
        attributes: &[Attribute],
        fields: &'a Fields,
        errors: &mut Errors,
    ) -> Option<Self> {
        let (mut status, mut content_type, mut is_given) = (None, None, false);
        for setting in settings::of(attributes, "response", errors) {
            match setting.name.to_string().as_str() {
                "status" => {
                    is_given = true;
                    status = Status::parse(&setting, errors);
                }
                "content_type" => content_type = setting.text(errors),
                other => {
                    let known = ["status", "content_type"];
                    errors.push(setting.span(), suggest::unknown("response attribute", other, &known));
                }
            }
        }
        if !is_given {
            errors.push(ident.span(), "the status is missing: write `#[response(status = 200)]`");
        }
        let (headers, body) = parse_fields(variant.is_some(), fields, errors);
        let answer =
            Self { variant, status: status?, content_type, description: docs::description(attributes), headers, body };
        answer.check(ident.span(), errors);
        Some(answer)
    }

    fn check(&self, span: Span, errors: &mut Errors) {
        let Status { code, span: at, .. } = self.status;
        let has_body = !matches!(self.body, Body::None);
        if code >= 400 {
            let message = format!(
                "{code} is the status of a failure; return a `Problem`, and derive `Problem` for errors of your own"
            );
            errors.push(at, message);
        } else if has_body && self.status.is_without_body() {
            let message =
                format!("an answer with {code} has no body (RFC 9110, section 15); remove the fields, or use 200");
            errors.push(at, message);
        }
        if let Some(content_type) = &self.content_type {
            if !is_media_type(&content_type.value()) {
                errors.push(
                    content_type.span(),
                    "not a media type (RFC 9110, section 8.3.1); write one such as \"text/csv\"",
                );
            } else if !has_body {
                errors.push(span, "there is no body that could have this media type; remove `content_type`");
            }
        }
    }

    /// How each of its headers and its body are planned.
    fn pieces(&self) -> Vec<Piece> {
        let mut pieces: Vec<_> = self.headers.iter().map(Header::piece).collect();
        pieces.extend(self.body.ty().map(|ty| {
            let implemented = emit_at!(ty.span()=> <#ty as ::restwright::core::body::WriteBody>);
            Piece {
                ty: emit_at!(ty.span()=> #implemented::Plan),
                make: emit_at!(ty.span()=> #implemented::plan(planner)),
            }
        }));
        pieces
    }

    fn describe(&self, plans: &[TokenStream]) -> TokenStream {
        let status = self.status.tokens();
        let description = self.description.iter();
        let headers = self.headers.iter().zip(plans).map(|(header, plan)| {
            let description = match &header.description {
                Some(text) => emit!(::core::option::Option::Some(#text)),
                None => emit!(::core::option::Option::None),
            };
            emit!(::restwright::core::HeaderPlan::describe(#plan, #description, response);)
        });
        let body = self.body.ty().zip(plans.last()).map(
            |(ty, plan)| emit_at!(ty.span()=> <#ty as ::restwright::core::body::WriteBody>::describe(#plan, response);),
        );
        let content_type = self.content_type.iter();
        let described = emit! {
            #(response.description = ::core::option::Option::Some(#description.to_owned());)*
            #(#headers)*
            #body
            #(if let ::core::option::Option::Some(content) = response.content.last_mut() {
                content.name = #content_type.to_owned();
            })*
        };
        if described.is_empty() {
            return emit!(operation.response(#status););
        }
        emit! {
            let response = operation.response(#status);
            #described
        }
    }

    fn respond(&self, plans: &[TokenStream]) -> TokenStream {
        let status = self.status.tokens();
        let is_variant = self.variant.is_some();
        let headers = self.headers.iter().zip(plans).map(|(header, plan)| {
            let value = value_of(&header.member, is_variant);
            let value = moved(emit!(&#value), header.ty.span());
            emit_at!(header.ty.span()=> ::restwright::core::HeaderPlan::write(#plan, #value, &mut response)?;)
        });
        let body = self.body.ty().zip(plans.last()).map(|(ty, plan)| {
            let value = match &self.body {
                Body::Field(member, _) => value_of(member, is_variant),
                _ => emit!(self),
            };
            emit_at!(ty.span()=> <#ty as ::restwright::core::body::WriteBody>::write(#value, #plan, &mut response)?;)
        });
        let content_type = self.content_type.iter();
        emit! {
            let mut response = ::restwright::core::http::HttpResponse::new(#status);
            #(#headers)*
            #body
            #(response.headers_mut().insert(
                ::restwright::core::http::header::CONTENT_TYPE,
                ::restwright::core::http::HeaderValue::from_static(#content_type),
            );)*
            ::core::result::Result::Ok(response)
        }
    }

    /// The members that are bound when a variant is matched.
    fn pattern(&self) -> TokenStream {
        let body = match &self.body {
            Body::Field(member, _) => Some(member),
            _ => None,
        };
        let members: Vec<_> = self.headers.iter().map(|header| &header.member).chain(body).collect();
        let names = members.iter().map(|member| value_of(member, true));
        let ident = self.variant;
        emit!(Self::#ident { #(#members: #names),* })
    }
}

impl Header<'_> {
    fn piece(&self) -> Piece {
        let Self { ty, name, .. } = self;
        let plan = emit_at!(ty.span()=> ::restwright::core::HeaderPlan::<#ty>);
        Piece { make: emit_at!(ty.span()=> #plan::new(#name, planner)), ty: plan }
    }
}

impl Body<'_> {
    fn ty(&self) -> Option<TokenStream> {
        match self {
            Self::None => None,
            Self::Itself => Some(emit!(Self)),
            Self::Field(_, ty) => Some(emit!(#ty)),
        }
    }
}

fn parse_fields<'a>(is_variant: bool, fields: &'a Fields, errors: &mut Errors) -> (Vec<Header<'a>>, Body<'a>) {
    let (mut headers, mut body) = (Vec::new(), Body::None);
    let is_marker = |attribute: &&Attribute| attribute.path().is_ident("header") || attribute.path().is_ident("body");
    let is_marked = |field: &syn::Field| field.attrs.iter().any(|attribute| is_marker(&attribute));
    if !is_variant && !fields.is_empty() && !fields.iter().any(is_marked) {
        return (headers, Body::Itself);
    }
    // `Pet(PetResponse)`
    let is_wrapper = is_variant && matches!(fields, Fields::Unnamed(_)) && fields.len() == 1;
    for (index, field) in fields.iter().enumerate() {
        let member = field.ident.clone().map_or_else(|| Member::from(index), Member::Named);
        let mut markers = field.attrs.iter().filter(is_marker);
        let marker = markers.next();
        if let Some(second) = markers.next() {
            errors.push(second.path().span(), "a field is a header or the body; keep one of these attributes");
        }
        match marker {
            Some(marker) if marker.path().is_ident("header") => headers.push(header(member, field, marker, errors)),
            None if !is_wrapper => {
                errors.push(member.span(), "neither a header nor the body; write `#[header(\"Name\")]` or `#[body]`");
            }
            _ if matches!(body, Body::None) => body = Body::Field(member, &field.ty),
            _ => errors.push(member.span(), "a response has one body; put both into one type"),
        }
    }
    (headers, body)
}

fn header<'a>(member: Member, field: &'a syn::Field, marker: &Attribute, errors: &mut Errors) -> Header<'a> {
    let name = given_name(marker, errors)
        .or_else(|| field.ident.as_ref().map(|ident| case::header(&ident.unraw().to_string())))
        .unwrap_or_else(|| {
            errors.push(
                marker.path().span(),
                "a field without a name cannot name its header; write `#[header(\"Name\")]`",
            );
            String::new()
        });
    Header { member, ty: &field.ty, name, description: docs::description(&field.attrs) }
}

/// A field of the struct, or what it is bound to in a variant.
fn value_of(member: &Member, is_variant: bool) -> TokenStream {
    if !is_variant {
        return emit!(self.#member);
    }
    let name = match member {
        Member::Named(ident) => quote::format_ident!("value_{}", ident.unraw(), span = Span::mixed_site()),
        Member::Unnamed(index) => quote::format_ident!("value_{}", index.index, span = Span::mixed_site()),
    };
    emit!(#name)
}

fn is_media_type(text: &str) -> bool {
    let essence = text.split(';').next().unwrap_or_default().trim_end();
    let is_token = |text: &str| {
        !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric() || "!#$%&'*+-.^_`|~".contains(c))
    };
    text.chars().all(|character| matches!(character, ' '..='~'))
        && essence.split_once('/').is_some_and(|(kind, subtype)| is_token(kind) && is_token(subtype))
}

fn emit(input: &DeriveInput, answers: &[Answer<'_>]) -> TokenStream {
    let ident = &input.ident;
    let generics = bounded(&input.generics, answers);
    let (impl_generics, type_generics, where_clause) = generics.split_for_impl();
    let pieces: Vec<_> = answers.iter().map(Answer::pieces).collect();
    let counts: Vec<_> = pieces.iter().map(Vec::len).collect();
    let pieces: Vec<_> = pieces.into_iter().flatten().collect();
    let mut plans = (0..pieces.len()).map(|index| plan::part(index, pieces.len()));
    let plans: Vec<Vec<_>> = counts.iter().map(|count| plans.by_ref().take(*count).collect()).collect();
    let plan_items = plan::items(&pieces);

    let described = answers.iter().zip(&plans).map(|(answer, plans)| answer.describe(plans));
    let responds = answers.iter().zip(&plans).map(|(answer, plans)| {
        let respond = answer.respond(plans);
        match answer.variant {
            None => respond,
            Some(_) => {
                let pattern = answer.pattern();
                emit!(#pattern => { #respond })
            }
        }
    });
    let respond = match &input.data {
        Data::Enum(_) => emit!(match self { #(#responds)* }),
        _ => emit!(#(#responds)*),
    };
    let plan = if pieces.is_empty() { emit!(_) } else { emit!(plan) };
    emit! {
        #[automatically_derived]
        impl #impl_generics ::restwright::core::Response for #ident #type_generics #where_clause {
            #plan_items

            fn describe(#plan: &Self::Plan, operation: &mut ::restwright::core::operation::Operation) {
                #(#described)*
            }

            fn respond(
                self,
                #plan: &Self::Plan,
                _: &::restwright::core::http::HttpRequest,
            ) -> ::restwright::core::Result<::restwright::core::http::HttpResponse> {
                #respond
            }
        }
    }
}

/// What the parameters of a generic response must be for its bodies to be written.
fn bounded(generics: &Generics, answers: &[Answer<'_>]) -> Generics {
    let mut bounded = generics.clone();
    for parameter in bounded.type_params_mut() {
        parameter.bounds.push(parse_quote!('static));
    }
    let is_generic = generics.type_params().next().is_some();
    for answer in answers.iter().filter(|_| is_generic) {
        let ty: Type = match &answer.body {
            Body::Field(_, ty) if types::mentions(ty, generics) => (*ty).clone(),
            Body::Itself => parse_quote!(Self),
            _ => continue,
        };
        bounded.make_where_clause().predicates.push(parse_quote!(#ty: ::restwright::core::body::WriteBody));
    }
    bounded
}
