//! `#[derive(Resource)]`: one struct as an entity with its shapes, filters and order.
//!
//! The struct is parsed into a [`Declaration`], checked as a whole, and emitted in pieces. The derives of `Schema` and
//! `Record` emit the traits of the struct. Generated structs that derive `Schema` are the types that clients see. Last
//! comes the implementation of `Resource`.

mod access;
mod attributes;
mod checks;
mod definition;
mod field;
mod filters;
mod implementation;
mod names;
mod new;
mod output;
mod own;
mod pagination;
mod path;
mod reference;
mod shapes;
mod sort;
mod stub;

use proc_macro2::TokenStream;
use syn::ext::IdentExt;
use syn::{Data, DeriveInput, Fields, Ident, LitStr};

use self::attributes::Attributes;
use self::field::Field;
use self::output::Outputs;
use crate::errors::Errors;
use crate::serde_attributes::{self, Container};
use crate::settings;

pub(crate) fn derive(input: &DeriveInput) -> TokenStream {
    let mut errors = Errors::default();
    let declared = Declaration::parse(input, &mut errors);
    let output = declared.map(|declared| emit(&declared, &mut errors)).unwrap_or_default();
    errors.finish(output, || stub::emit(input))
}

/// The declaration of a resource.
struct Declaration<'i> {
    input: &'i DeriveInput,
    own: Attributes,
    names: Names,
    /// The default of the whole struct, as serde reads it.
    default: Option<TokenStream>,
    fields: Vec<Field<'i>>,
}

/// The names of the generated types.
struct Names {
    new: Ident,
    changes: Ident,
    view: Ident,
    item: Ident,
    filters: Ident,
    sort: Ident,
}

impl<'i> Declaration<'i> {
    /// Returns `None` unless the type is a struct with named fields and without parameters.
    fn parse(input: &'i DeriveInput, errors: &mut Errors) -> Option<Self> {
        let ident = &input.ident;
        let Data::Struct(syn::DataStruct { fields: Fields::Named(fields), .. }) = &input.data else {
            errors.push(
                ident.span(),
                "a resource must be a struct with named fields; put an enum into one of its fields",
            );
            return None;
        };
        if !input.generics.params.is_empty() {
            let message = "a resource cannot be generic; write concrete types, or implement `Resource` manually";
            errors.push(ident.span(), message);
            return None;
        }
        let own = Attributes::parse(&input.attrs, ident, errors);
        let types = &own.types;
        let names = Names {
            new: names::of_type(&types.new, "New", ident, ""),
            changes: names::of_type(&types.changes, "", ident, "Changes"),
            view: names::of_type(&types.view, "", ident, "View"),
            item: names::of_type(&types.item, "", ident, "Item"),
            filters: names::of_type(&types.filters, "", ident, "Filters"),
            sort: names::of_type(&types.sort, "", ident, "Sort"),
        };
        let rule = Container::parse(&input.attrs, &mut Errors::default()).rename_all;
        let fields = fields.named.iter().filter_map(|field| Field::parse(field, rule, errors)).collect();
        let default = serde_attributes::default_of(&input.attrs);
        let declared = Self { input, own, names, default, fields };
        checks::run(&declared, errors);
        Some(declared)
    }

    /// Returns the name of the definition.
    fn table(&self) -> String {
        self.own.table.as_ref().map_or_else(|| names::plural(&self.input.ident), LitStr::value)
    }

    /// Returns the field that an index refers to.
    fn field_of_index(&self, name: &Ident) -> Option<&Field<'i>> {
        self.fields.iter().find(|field| field.is_recorded && field.ident.unraw() == name.unraw())
    }

    /// Returns the `#[schema(name)]` attribute of a generated type, if the schema of the struct has a name.
    fn schema_name(&self, prefix: &str, suffix: &str) -> Option<TokenStream> {
        let mut unseen = Errors::default();
        let settings = settings::of(&self.input.attrs, "schema", &mut unseen);
        let given = settings.iter().find(|setting| setting.name == "name").and_then(|name| name.text(&mut unseen));
        let name = format!("{prefix}{}{suffix}", given.as_ref().map(LitStr::value)?);
        Some(emit!(#[schema(name = #name)]))
    }
}

fn emit(declared: &Declaration<'_>, errors: &mut Errors) -> TokenStream {
    let outputs = Outputs::new(declared);
    let own = own::emit(declared, errors);
    let new = new::emit(declared);
    let structs = &outputs.structs;
    let filters = filters::emit(declared);
    let sort = sort::emit(declared);
    let implementation = implementation::emit(declared, &outputs);
    emit!(#own #new #structs #filters #sort #implementation)
}
