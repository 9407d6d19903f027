//! Implements `#[derive(Filters)]` for a struct with one filter per field.

use proc_macro2::{Ident, TokenStream};
use syn::ext::IdentExt;
use syn::spanned::Spanned;
use syn::{Data, DeriveInput, Fields, Type};

use crate::case::Case;
use crate::errors::Errors;
use crate::settings::Setting;
use crate::{docs, part, plan, property, settings, suggest, types};

/// The constraints on operands that `#[filter(..)]` accepts. They are written as in `#[property(..)]`.
pub(crate) const CONSTRAINTS: [&str; 10] = [
    "min_length",
    "max_length",
    "pattern",
    "format",
    "minimum",
    "maximum",
    "exclusive_minimum",
    "exclusive_maximum",
    "multiple_of",
    "scale",
];

/// The names of the filter operators in requests, each with its variant of `Operator`.
const OPERATORS: [(&str, &str); 13] = [
    ("eq", "Eq"),
    ("ne", "Ne"),
    ("in", "In"),
    ("gt", "Gt"),
    ("gte", "Gte"),
    ("lt", "Lt"),
    ("lte", "Lte"),
    ("between", "Between"),
    ("contains", "Contains"),
    ("starts_with", "StartsWith"),
    ("ends_with", "EndsWith"),
    ("is_null", "IsNull"),
    ("has", "Has"),
];

pub(crate) fn derive(input: &DeriveInput) -> TokenStream {
    let mut errors = Errors::default();
    let filters = parse(input, &mut errors);
    let output = emit(input, &filters);
    errors.finish(output, || stub(input))
}

struct FilterField<'f> {
    ident: &'f Ident,
    /// The type `T` in the field type `Filter<T>`.
    ty: &'f Type,
    name: String,
    operators: Vec<Ident>,
    /// The operator that applies if a request names no operator.
    default: Option<Ident>,
    is_computed: bool,
    /// The builder calls that add the constraints on operands.
    constraints: TokenStream,
    description: Option<String>,
    is_deprecated: bool,
}

fn parse<'i>(input: &'i DeriveInput, errors: &mut Errors) -> Vec<FilterField<'i>> {
    if !input.generics.params.is_empty() {
        errors.push(input.generics.span(), "filters cannot be generic; write concrete types");
    }
    let rule = Case::of_type(&input.attrs, "filter", errors);
    match &input.data {
        Data::Struct(data) if matches!(data.fields, Fields::Named(_)) => {
            data.fields.iter().filter_map(|field| FilterField::parse(field, rule, errors)).collect()
        }
        _ => {
            errors.push(
                input.ident.span(),
                "filters must be a struct with one named field per filter: `name: Filter<String>`",
            );
            Vec::new()
        }
    }
}

impl<'f> FilterField<'f> {
    fn parse(field: &'f syn::Field, rule: Option<Case>, errors: &mut Errors) -> Option<Self> {
        let ident = field.ident.as_ref()?;
        let name = ident.unraw().to_string();
        let mut filter = FilterField {
            ident,
            ty: &field.ty,
            name: rule.map_or_else(|| name.clone(), |rule| rule.field(&name)),
            operators: Vec::new(),
            default: None,
            is_computed: false,
            constraints: TokenStream::new(),
            description: docs::description(&field.attrs),
            is_deprecated: docs::is_deprecated(&field.attrs),
        };
        match types::argument_of(&field.ty, "Filter") {
            Some(ty) => filter.ty = ty,
            None => errors.push(field.ty.span(), "a filter field must have the type `Filter<..>`"),
        }
        let settings = settings::of(&field.attrs, "filter", errors);
        for setting in &settings {
            let name = setting.name.to_string();
            if name == "rename" {
                filter.name = setting.text(errors).map(|text| text.value()).unwrap_or_default();
            } else if name == "default" {
                filter.default = default_operator(setting, errors);
            } else if name == "computed" {
                filter.is_computed = setting.flag(errors);
            } else if CONSTRAINTS.contains(&name.as_str()) {
                filter.constraints.extend(property::call(setting, errors));
            } else if let Some(variant) = variant(&name) {
                setting.flag(errors);
                filter.operators.push(Ident::new(variant, setting.span()));
            } else {
                let operators = OPERATORS.iter().map(|(known, _)| *known);
                let known: Vec<_> = operators.chain(["rename", "default", "computed"]).chain(CONSTRAINTS).collect();
                errors.push(setting.span(), suggest::unknown("operator", &name, &known));
            }
        }
        if filter.operators.is_empty() && settings.is_empty() {
            errors.push(ident.span(), "a filter requires operators: write `#[filter(eq)]` or others on the field");
        }
        if let Some(default) = filter.default.as_ref().filter(|default| !filter.operators.contains(default)) {
            let message = "the default operator is not one of the filter's operators; add it to them";
            errors.push(default.span(), message);
        }
        Some(filter)
    }

    fn declare(&self) -> TokenStream {
        let Self { ty, name, operators, .. } = self;
        let description = self.description.iter();
        let deprecated = self.is_deprecated.then(|| emit!(.deprecated()));
        let typed = property::typed(ty, &emit!(context.registry()), name);
        let constraints = &self.constraints;
        let property = emit!(#typed #constraints #(.description(#description))* #deprecated .into_property());
        let default = self.default.iter();
        let computed = self.is_computed.then(|| emit!(.computed(#name)));
        emit! {
            .field(#property, [#(::restwright::derived::list::Operator::#operators),*])
            #(.default_operator(#name, ::restwright::derived::list::Operator::#default))*
            #computed
        }
    }
}

/// Returns the variant of `Operator` for the name of an operator in requests.
fn variant(name: &str) -> Option<&'static str> {
    OPERATORS.iter().find(|(known, _)| *known == name).map(|(_, variant)| *variant)
}

/// Returns the path of the operator that a setting such as `contains` names.
pub(crate) fn operator(setting: &Setting, errors: &mut Errors) -> Option<TokenStream> {
    let name = setting.name.to_string();
    let Some(variant) = variant(&name) else {
        let known: Vec<_> = OPERATORS.iter().map(|(known, _)| *known).collect();
        errors.push(setting.span(), suggest::unknown("operator", &name, &known));
        return None;
    };
    setting.flag(errors);
    let variant = Ident::new(variant, setting.span());
    Some(emit!(::restwright::derived::list::Operator::#variant))
}

/// Parses a default operator, such as `default = contains`.
fn default_operator(setting: &Setting, errors: &mut Errors) -> Option<Ident> {
    let given = setting.value(errors)?;
    let name = given.to_string();
    match variant(&name) {
        Some(variant) => Some(Ident::new(variant, given.span())),
        None => {
            let known: Vec<_> = OPERATORS.iter().map(|(known, _)| *known).collect();
            errors.push(given.span(), suggest::unknown("operator", &name, &known));
            None
        }
    }
}

fn emit(input: &DeriveInput, filters: &[FilterField<'_>]) -> TokenStream {
    let ident = &input.ident;
    let declared = filters.iter().map(FilterField::declare);
    let idents: Vec<_> = filters.iter().map(|filter| filter.ident).collect();
    let fields: Vec<_> = filters.iter().map(|filter| &filter.name).collect();
    let names = plan::names("field", filters.len());
    let positions = 0..filters.len();
    let conditions = if filters.is_empty() { emit!(_) } else { emit!(mut conditions) };
    let types = filters.iter().map(|filter| filter.ty);
    emit! {
        #[automatically_derived]
        #[allow(deprecated, reason = "the operation says so")]
        impl ::restwright::derived::core::Part for #ident {
            type Plan = ::restwright::derived::list::FilterPlan;

            fn plan(
                context: &mut ::restwright::derived::core::BuildContext<'_>,
            ) -> ::core::result::Result<Self::Plan, ::restwright::derived::core::BuildErrors> {
                let fields = ::restwright::derived::list::FilterFields::new() #(#declared)*;
                ::restwright::derived::list::FilterPlan::new(&fields, context)
            }

            fn describe(plan: &Self::Plan, operation: &mut ::restwright::derived::core::operation::Operation) {
                plan.describe(operation);
            }

            fn read(
                plan: &Self::Plan,
                head: &::restwright::derived::core::RequestHead<'_>,
                violations: &mut ::restwright::derived::core::problem::RequestViolations,
            ) -> ::core::option::Option<Self> {
                let #conditions = plan.read(head, violations)?;
                #(let #names = conditions.take(#positions, violations);)*
                ::core::option::Option::Some(Self { #(#idents: #names?),* })
            }
        }

        #[automatically_derived]
        #[allow(deprecated, unused_mut, reason = "the operation says so, and a struct may have no filters")]
        impl ::restwright::derived::list::Filters for #ident {
            fn conditions(&self) -> ::std::vec::Vec<::restwright::derived::list::Condition> {
                let mut conditions = ::std::vec::Vec::new();
                #(conditions.extend(self.#idents.conditions(#fields));)*
                conditions
            }

            fn read_expression(
                plan: &<Self as ::restwright::derived::core::Part>::Plan,
                head: &::restwright::derived::core::RequestHead<'_>,
                violations: &mut ::restwright::derived::core::problem::RequestViolations,
            ) -> ::core::option::Option<::restwright::derived::list::Expression> {
                let operands = [#((#fields, ::restwright::derived::list::check_operand::<#types> as ::restwright::derived::list::CheckOperand)),*];
                plan.read(head, violations)?.expression(&operands, violations)
            }
        }
    }
}

/// Returns placeholder impls for a type whose derive failed. Without these impls, rustc would report more errors.
pub(crate) fn stub(input: &DeriveInput) -> TokenStream {
    let ident = &input.ident;
    let (impl_generics, type_generics, where_clause) = input.generics.split_for_impl();
    let part = part::stub(input);
    emit! {
        #part

        impl #impl_generics ::restwright::derived::list::Filters for #ident #type_generics #where_clause {
            fn conditions(&self) -> ::std::vec::Vec<::restwright::derived::list::Condition> {
                ::std::vec::Vec::new()
            }
        }
    }
}
