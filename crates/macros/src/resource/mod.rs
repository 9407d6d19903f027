//! Implements `#[derive(Resource)]`, which generates bodies, responses, filters and sort fields from an entity struct.
//!
//! The struct is parsed into a [`Declaration`], then checked, then emitted in pieces. The derives of `Schema` and
//! `Record` emit the traits of the struct. The generated structs for requests and responses derive `Schema`. The last
//! piece is the implementation of `Resource`.

mod access;
mod attributes;
mod checks;
mod computed;
mod definition;
mod field;
mod filters;
mod implementation;
mod include;
mod names;
mod new;
mod output;
mod own;
mod pagination;
mod path;
mod reference;
mod search;
mod shapes;
mod sort;
mod stub;
mod unique;

use proc_macro2::TokenStream;
use syn::ext::IdentExt;
use syn::{Data, DeriveInput, Fields, Ident, LitStr};

use self::attributes::ResourceAttributes;
use self::field::ResourceField;
use self::output::Outputs;
use crate::errors::Errors;
use crate::serde_attributes::{self, Container};
use crate::{settings, suggest};

pub(crate) fn derive(input: &DeriveInput) -> TokenStream {
    let mut errors = Errors::default();
    let declared = Declaration::parse(input, &mut errors);
    let output = declared.map(|declared| emit(&declared, &mut errors)).unwrap_or_default();
    errors.finish(output, || stub::emit(input))
}

/// The parsed input of `#[derive(Resource)]`.
struct Declaration<'i> {
    input: &'i DeriveInput,
    own: ResourceAttributes,
    names: GeneratedNames,
    /// The expression for the struct's default value, if the struct has `#[serde(default)]`.
    default: Option<TokenStream>,
    fields: Vec<ResourceField<'i>>,
}

/// The names of the generated types.
struct GeneratedNames {
    new: Ident,
    changes: Ident,
    view: Ident,
    item: Ident,
    filters: Ident,
    sort: Ident,
}

impl<'i> Declaration<'i> {
    /// Parses the type that derives `Resource`. Returns `None` unless it is a struct with named fields and without
    /// generics.
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
        let own = ResourceAttributes::parse(&input.attrs, ident, errors);
        let types = &own.types;
        // The prefix of a type without a name in the module cannot hide a type of the application.
        let prefix = if own.has_new { "New" } else { "__New" };
        let names = GeneratedNames {
            new: names::of_type(&types.new, prefix, ident, ""),
            changes: names::of_type(&types.changes, "", ident, "Changes"),
            view: names::of_type(&types.view, "", ident, "View"),
            item: names::of_type(&types.item, "", ident, "Item"),
            filters: names::of_type(&types.filters, "", ident, "Filters"),
            sort: names::of_type(&types.sort, "", ident, "Sort"),
        };
        let rule = Container::parse(&input.attrs, &mut Errors::default()).rename_all;
        let fields = fields.named.iter().filter_map(|field| ResourceField::parse(field, rule, errors)).collect();
        let default = serde_attributes::default_of(&input.attrs);
        let declared = Self { input, own, names, default, fields };
        checks::run(&declared, errors);
        Some(declared)
    }

    /// Returns the path of the collection, such as `/shelter-animals`. It is the setting `path`, or the name of the
    /// definition with hyphens.
    fn path(&self) -> String {
        let default = || format!("/{}", self.table().replace('_', "-"));
        self.own.path.as_ref().map_or_else(default, LitStr::value)
    }

    /// Returns the name of the entity definition, which is also the table name. It is the setting `table`, or the
    /// plural of the struct's name.
    fn table(&self) -> String {
        self.own.table.as_ref().map_or_else(|| names::plural(&self.input.ident), LitStr::value)
    }

    /// Returns the error message for a name that is not the name of a stored field.
    fn unknown_field(&self, name: &Ident) -> String {
        let stored = self.fields.iter().filter(|field| field.is_recorded);
        let known: Vec<_> = stored.map(|field| field.ident.unraw().to_string()).collect();
        let known: Vec<_> = known.iter().map(String::as_str).collect();
        suggest::unknown("field", &name.unraw().to_string(), &known)
    }

    /// Returns the stored field that a name in `index(..)`, `unique(..)` or `search(..)` refers to.
    fn field_of_index(&self, name: &Ident) -> Option<&ResourceField<'i>> {
        self.fields.iter().find(|field| field.is_recorded && field.ident.unraw() == name.unraw())
    }

    /// Returns the `#[schema(name = ..)]` attribute for the type of the body of a create.
    fn schema_name_of_new(&self) -> Option<TokenStream> {
        self.schema_name("New", "").or_else(|| {
            let name = format!("New{}", self.input.ident.unraw());
            (!self.own.has_new).then(|| emit!(#[schema(name = #name)]))
        })
    }

    /// Returns the `#[schema(name = ..)]` attribute for a generated type, if the struct has this attribute.
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
    let named = emit!(#own #structs #filters #sort);
    match declared.own.has_new {
        true => emit!(#named #new #implementation),
        // No operation has this body, so its name is free for the application. `Endpoints` still need the type.
        false => emit!(#named const _: () = { #new #implementation };),
    }
}
