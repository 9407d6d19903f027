//! Implements `#[derive(Schema)]`, which describes the JSON that serde reads and writes for a type.

use proc_macro2::TokenStream;
use syn::spanned::Spanned;
use syn::{Data, DeriveInput, Fields, Generics, LitStr, Type, parse_quote};

use crate::errors::Errors;
use crate::serde_attributes::Container;

mod assertions;
mod attributes;
mod changes;
mod enums;
mod field;
mod name;
mod one_of;
mod structs;
mod stub;
mod untagged;
mod validator;

use assertions::Assertions;
use attributes::SchemaAttributes;
use field::check_of;
use name::SchemaName;

pub(crate) fn derive(input: &DeriveInput) -> TokenStream {
    let mut errors = Errors::default();
    let declared = SchemaDeclaration::parse(input, &mut errors);
    let mut output = parse(&declared, &mut errors).map(|schema| emit(&declared, &schema)).unwrap_or_default();
    output.extend(changes::emit(&declared, &mut errors));
    errors.finish(output, || stub::emit(input, &changes::associated(&declared)))
}

/// Returns the `Schema` impl of a resource. `shown` is a copy of its struct for responses, and `changed` is a copy for
/// the partial update. Both contain the name of the partial update.
pub(crate) fn of_resource(shown: &DeriveInput, changed: &DeriveInput, errors: &mut Errors) -> TokenStream {
    let declared = SchemaDeclaration::parse(shown, errors);
    let mut output = parse(&declared, errors).map(|schema| emit(&declared, &schema)).unwrap_or_default();
    // The first parse has already reported the other errors.
    let mut unseen = Errors::default();
    output.extend(changes::emit(&SchemaDeclaration::parse(changed, &mut unseen), errors));
    output
}

/// Returns placeholder impls for a resource whose declaration has errors.
pub(crate) fn stub(input: &DeriveInput) -> TokenStream {
    stub::emit(input, &emit!(Self))
}

/// The parsed declaration of a type that derives `Schema`.
struct SchemaDeclaration<'i> {
    input: &'i DeriveInput,
    serde: Container,
    own: SchemaAttributes,
    name: SchemaName,
}

impl<'i> SchemaDeclaration<'i> {
    fn parse(input: &'i DeriveInput, errors: &mut Errors) -> Self {
        let serde = Container::parse(&input.attrs, errors);
        let own = SchemaAttributes::parse(&input.attrs, errors);
        let given = own.name.as_ref().map(LitStr::value);
        let name = SchemaName::new(input, given.as_deref().or(serde.rename.for_both()));
        Self { input, serde, own, name }
    }

    /// Reports an error for the setting `as` on a type that is not a newtype.
    fn refuse_as(&self, errors: &mut Errors) {
        if let Some(ty) = &self.own.as_type {
            errors.push(ty.span(), "`as` is for a struct around one value; write `struct Name(Type);`");
        }
    }
}

/// The generated code for the items of a `Schema` impl.
#[derive(Default)]
struct DerivedSchema {
    /// The expression for the schema's definition. It is a collection, a one-of, an enumeration or the schema of
    /// another type.
    definition: TokenStream,
    constants: TokenStream,
    /// The body of the function `run_checks`, which may be empty.
    checks: TokenStream,
    /// The function `refuse_failures`, if it differs from the default.
    refuse_failures: Option<TokenStream>,
    assertions: Assertions,
    /// The `FieldValue` impl, if lists can filter and sort by the type.
    value: Option<FieldValueConversion>,
    /// The `MapKey` impl, if the type can be the key of a map.
    key: Option<MapKeyConversion>,
}

struct MapKeyConversion {
    /// The inner type of a newtype, or `None` for an enumeration. The inner type must be a key.
    of: Option<Type>,
    name: TokenStream,
}

struct FieldValueConversion {
    /// The inner type of a newtype, or `None` for an enumeration. The inner type must be a single value.
    of: Option<Type>,
    to_value: TokenStream,
    from_value: TokenStream,
}

fn parse(declared: &SchemaDeclaration<'_>, errors: &mut Errors) -> Option<DerivedSchema> {
    match &declared.input.data {
        Data::Struct(data) => match &data.fields {
            Fields::Named(fields) if !declared.serde.transparent => Some(structs::named(declared, fields, errors)),
            Fields::Unnamed(fields) if fields.unnamed.len() > 1 && !declared.serde.transparent => {
                Some(structs::tuple(declared, fields, errors))
            }
            fields => structs::newtype(declared, fields, errors),
        },
        Data::Enum(data) => enums::parse(declared, data, errors),
        Data::Union(data) => {
            errors.push(data.union_token.span, "a union has no JSON schema; use an enum");
            None
        }
    }
}

fn emit(declared: &SchemaDeclaration<'_>, schema: &DerivedSchema) -> TokenStream {
    let DerivedSchema { definition, constants, checks, refuse_failures, assertions, value, key } = schema;
    let ident = &declared.input.ident;
    let generics = bounded(declared);
    let (impl_generics, type_generics, where_clause) = generics.split_for_impl();
    let changes = changes::associated(declared);
    let define = declared.name.define(definition);
    let functions = declared.own.checks.iter().map(|check| check_of(check, &emit!(self)));
    let own_checks: Vec<_> = validator::run(&declared.own).into_iter().chain(functions).collect();
    let run_checks = (!checks.is_empty() || !own_checks.is_empty()).then(|| {
        emit! {
            fn run_checks(&self, checks: &mut ::restwright::derived::schema::Checks<'_>) {
                #checks
                #(#own_checks)*
            }
        }
    });
    let Assertions { outside, inside } = assertions;
    let key = key.as_ref().map(|key| emit_key(declared, key));
    let field_value = value.as_ref().filter(|_| cfg!(feature = "list")).map(|value| emit_value(declared, value));
    emit! {
        #(const _: () = #outside;)*

        #[automatically_derived]
        #[allow(deprecated, reason = "the schema says so")]
        impl #impl_generics ::restwright::derived::schema::Schema for #ident #type_generics #where_clause {
            type Changes = #changes;

            #constants

            fn schema_type(registry: &mut ::restwright::derived::schema::Registry) -> ::restwright::derived::schema::SchemaType {
                #(const { #inside };)*
                #define
            }

            #run_checks

            #refuse_failures
        }

        #field_value

        #key
    }
}

/// Returns the generics of the type, whose parameters have schemas.
fn bounded(declared: &SchemaDeclaration<'_>) -> Generics {
    let mut generics = declared.input.generics.clone();
    for parameter in generics.type_params_mut() {
        parameter.bounds.push(parse_quote!(::restwright::derived::schema::Schema));
    }
    generics
}

fn emit_key(declared: &SchemaDeclaration<'_>, MapKeyConversion { of, name }: &MapKeyConversion) -> TokenStream {
    let ident = &declared.input.ident;
    let mut generics = bounded(declared);
    if let Some(of) = of {
        // Adds a lifetime to the bound, because rustc rejects an unsatisfied bound without generic parameters.
        let bound = parse_quote!(for<'__restwright> #of: ::restwright::derived::schema::MapKey);
        generics.make_where_clause().predicates.push(bound);
    }
    let (impl_generics, type_generics, where_clause) = generics.split_for_impl();
    emit! {
        #[automatically_derived]
        #[allow(deprecated, reason = "the schema says so")]
        impl #impl_generics ::restwright::derived::schema::MapKey for #ident #type_generics #where_clause {
            fn property_name(&self) -> ::std::borrow::Cow<'_, str> {
                #name
            }
        }
    }
}

fn emit_value(
    declared: &SchemaDeclaration<'_>,
    FieldValueConversion { of, to_value, from_value }: &FieldValueConversion,
) -> TokenStream {
    let ident = &declared.input.ident;
    let mut generics = declared.input.generics.clone();
    let value_type = match of {
        Some(of) => emit!(<#of as ::restwright::derived::list::FieldValue>::VALUE_TYPE),
        None => emit!(::restwright::derived::list::ValueType::Enumeration),
    };
    if let Some(of) = of {
        // Adds a lifetime to the bound, because rustc rejects an unsatisfied bound without generic parameters.
        generics
            .make_where_clause()
            .predicates
            .push(parse_quote!(for<'__restwright> #of: ::restwright::derived::list::FieldValue));
    }
    let (impl_generics, type_generics, where_clause) = generics.split_for_impl();
    emit! {
        #[automatically_derived]
        #[allow(deprecated, reason = "the schema says so")]
        impl #impl_generics ::restwright::derived::list::FieldValue for #ident #type_generics #where_clause {
            const VALUE_TYPE: ::restwright::derived::list::ValueType = #value_type;

            fn to_value(&self) -> ::restwright::derived::list::Value<'_> {
                #to_value
            }

            fn from_value(value: ::restwright::derived::list::Value<'_>) -> ::core::option::Option<Self> {
                #from_value
            }
        }
    }
}
