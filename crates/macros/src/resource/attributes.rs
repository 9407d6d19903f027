//! Parses `#[resource(..)]` on the struct.

use proc_macro2::{Span, TokenStream};
use syn::{Attribute, Ident, LitStr};

use super::include;
use super::pagination::PaginationSettings;
use super::unique::Unique;
use super::{computed, path, search};
use crate::errors::Errors;
use crate::generated_type::GeneratedType;
use crate::property;
use crate::settings::{self, Setting};
use crate::suggest;

/// The settings of `#[resource(..)]`.
pub(super) struct ResourceAttributes {
    pub(super) path: Option<LitStr>,
    pub(super) name: Option<LitStr>,
    pub(super) table: Option<LitStr>,
    pub(super) pagination: PaginationSettings,
    /// `true` if the resource supports replacements (`PUT`).
    pub(super) has_put: bool,
    /// `true` if an operation has the body of a create, or the attribute names its type.
    pub(super) has_new: bool,
    /// `true` if unknown properties in bodies are ignored.
    pub(super) ignores_unknown: bool,
    /// The names of the computed properties and of the relations, which responses contain in addition to the fields.
    pub(super) added: Vec<String>,
    /// The method calls on `Endpoints` that apply settings of the attribute.
    pub(super) calls: TokenStream,
    /// The field names of each index.
    pub(super) indexes: Vec<Vec<Ident>>,
    /// The unique constraints over several fields.
    pub(super) unique: Vec<Unique>,
    /// The names of the fields in which clients can search with the query parameter `q`.
    pub(super) search: Vec<Ident>,
    /// The method calls on `EntityDefinition` that apply settings of the attribute.
    pub(super) definition: TokenStream,
    pub(super) types: GeneratedTypes,
}

/// The names of the generated types, and the traits that they derive.
pub(super) struct GeneratedTypes {
    pub(super) new: GeneratedType,
    pub(super) changes: GeneratedType,
    pub(super) view: GeneratedType,
    pub(super) item: GeneratedType,
    pub(super) filters: GeneratedType,
    pub(super) sort: GeneratedType,
}

impl GeneratedTypes {
    fn at(span: Span) -> Self {
        let usual = || GeneratedType::at(span);
        Self { new: usual(), changes: usual(), view: usual(), item: usual(), filters: usual(), sort: usual() }
    }
}

impl ResourceAttributes {
    pub(super) fn parse(attributes: &[Attribute], ident: &Ident, errors: &mut Errors) -> Self {
        let mut found = Self {
            path: None,
            name: None,
            table: None,
            pagination: PaginationSettings::default(),
            has_put: false,
            has_new: true,
            ignores_unknown: false,
            added: Vec::new(),
            calls: TokenStream::new(),
            indexes: Vec::new(),
            unique: Vec::new(),
            search: Vec::new(),
            definition: TokenStream::new(),
            types: GeneratedTypes::at(ident.span()),
        };
        let settings = settings::of(attributes, "resource", errors);
        for (position, setting) in settings.iter().enumerate() {
            let is_repeated = settings.iter().take(position).any(|before| before.name == setting.name);
            if is_repeated && setting.name != "index" && setting.name != "unique" {
                errors.push(setting.span(), format!("`{}` occurs twice; remove one", setting.name));
                continue;
            }
            found.add(setting, errors);
        }
        let is_named = |names: &[&str]| settings.iter().any(|setting| names.iter().any(|name| setting.name == name));
        found.has_new |= is_named(&["new", "put", "batch"]);
        found
    }

    fn add(&mut self, setting: &Setting, errors: &mut Errors) {
        let name = setting.name.to_string();
        match name.as_str() {
            "path" => self.path = setting.text(errors).filter(|path| path::check(path, errors)),
            "name" => self.name = setting.text(errors).filter(|name| is_name(name, errors)),
            "table" => self.table = setting.text(errors),
            "pagination" => self.pagination = PaginationSettings::parse(setting, errors),
            "tag" => {
                if let Some(tag) = setting.text(errors) {
                    self.calls.extend(emit!(.tag(#tag)));
                }
            }
            "put" | "batch" | "json_patch" | "require_preconditions" => {
                setting.flag(errors);
                self.has_put |= name == "put";
                let call = Ident::new(&name, Span::mixed_site().located_at(setting.span()));
                self.calls.extend(emit!(.#call()));
            }
            "ignore_unknown_properties" => {
                setting.flag(errors);
                self.ignores_unknown = true;
            }
            "export" => {
                let mut export = emit!(::restwright::derived::resource::Export::new());
                let options = if setting.is_flag() { Vec::new() } else { setting.list(errors) };
                for option in options {
                    option.flag(errors);
                    match option.name.to_string().as_str() {
                        "escape_formulas" => export.extend(emit!(.escape_formulas())),
                        "row_count" => export.extend(emit!(.row_count())),
                        other => {
                            let message =
                                suggest::unknown("setting of an export", other, &["escape_formulas", "row_count"]);
                            errors.push(option.span(), message);
                        }
                    }
                }
                self.calls.extend(emit!(.export(#export)));
            }
            "delete" => {
                for shown in setting.list(errors) {
                    match shown.name.to_string().as_str() {
                        "view" => self.calls.extend(emit!(.delete_returns_entity())),
                        other => errors.push(shown.span(), suggest::unknown("response to a delete", other, &["view"])),
                    }
                }
            }
            "without" => {
                for operation in setting.list(errors) {
                    operation.flag(errors);
                    match OPERATIONS.iter().find(|(known, _)| operation.name == known) {
                        Some((name, mode)) => {
                            self.has_new &= *name != "create";
                            let mode = Ident::new(mode, Span::mixed_site());
                            self.calls.extend(emit!(.without(::restwright::derived::schema::Mode::#mode)));
                        }
                        None => {
                            let known = OPERATIONS.map(|(known, _)| known);
                            let message = suggest::unknown("operation", &operation.name.to_string(), &known);
                            errors.push(operation.span(), message);
                        }
                    }
                }
            }
            "index" => {
                let fields = setting.list(errors);
                for field in &fields {
                    field.flag(errors);
                }
                if fields.is_empty() && setting.is_list() {
                    errors.push(setting.span(), "an index requires fields: write `index(status, created_at)`");
                }
                self.indexes.push(fields.into_iter().map(|field| field.name).collect());
            }
            "search" => self.search = search::parse(setting, errors),
            "unique" => self.unique.push(Unique::parse(setting, errors)),
            "include" => {
                for relation in include::relations(setting, errors) {
                    self.calls.extend(emit!(.include(#relation)));
                }
                self.added.extend(include::names(setting));
            }
            "computed" => {
                self.calls.extend(computed::calls(setting, errors));
                self.added.extend(computed::names(setting));
            }
            "policy" => {
                if let Some(policy) = setting.value(errors) {
                    self.definition.extend(emit!(.policy::<Self>(#policy)));
                }
            }
            "reveals" | "cascades" => {
                let names = setting.list(errors);
                for name in &names {
                    name.flag(errors);
                }
                let call = Ident::new(&name, Span::mixed_site().located_at(setting.span()));
                let names = names.iter().map(|name| name.name.to_string());
                self.definition.extend(emit!(.#call([#(#names),*])));
            }
            "new" => self.types.new = GeneratedType::parse(setting, errors),
            "changes" => self.types.changes = GeneratedType::parse(setting, errors),
            "view" => self.types.view = GeneratedType::parse(setting, errors),
            "item" => self.types.item = GeneratedType::parse(setting, errors),
            "filters" => self.types.filters = GeneratedType::parse(setting, errors),
            "sort" => self.types.sort = GeneratedType::parse(setting, errors),
            of_field if property::OF_RESOURCES.contains(&of_field) => {
                let message =
                    format!("`{of_field}` is a setting of a field: write `#[property({of_field})]` on the field");
                errors.push(setting.span(), message);
            }
            other => errors.push(setting.span(), suggest::unknown("resource attribute", other, &KNOWN)),
        }
    }
}

/// Checks that the name of a resource is in Pascal case, because operation ids contain it.
fn is_name(name: &LitStr, errors: &mut Errors) -> bool {
    let is_name = name.parse::<Ident>().is_ok() && name.value().starts_with(char::is_uppercase);
    if !is_name {
        errors.push(name.span(), "the name of a resource must be in Pascal case: write `name = \"ShelterAnimal\"`");
    }
    is_name
}

/// The operations that `without(..)` accepts, each with its variant of `Mode`.
const OPERATIONS: [(&str, &str); 5] =
    [("create", "Create"), ("view", "View"), ("list", "List"), ("update", "Update"), ("delete", "Delete")];

const KNOWN: [&str; 27] = [
    "path",
    "name",
    "table",
    "tag",
    "pagination",
    "put",
    "batch",
    "json_patch",
    "export",
    "delete",
    "without",
    "require_preconditions",
    "ignore_unknown_properties",
    "index",
    "unique",
    "search",
    "include",
    "computed",
    "policy",
    "reveals",
    "cascades",
    "new",
    "changes",
    "view",
    "item",
    "filters",
    "sort",
];
