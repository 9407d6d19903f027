//! Parses a field of a resource and the settings in its attributes.

use proc_macro2::{Span, TokenStream};
use syn::ext::IdentExt;
use syn::{Attribute, Ident, LitStr, Type};

use super::access::FieldRequirement;
use super::reference::FieldReference;
use super::shapes::ShapeSet;
use super::sort::SortSetting;
use super::unique::Unique;
use crate::errors::Errors;
use crate::serde_attributes::{self, Cases};
use crate::settings::{self, Setting};
use crate::{property, suggest, types};

pub(super) struct ResourceField<'f> {
    pub(super) ident: &'f Ident,
    pub(super) ty: &'f Type,
    pub(super) syntax: &'f syn::Field,
    /// The JSON name of the field. The entity definition, the filters and the sort fields use the same name.
    pub(super) name: String,
    pub(super) serde: serde_attributes::SerdeField,
    /// The settings in `#[property(..)]` that are not specific to resources, such as `min_length`.
    pub(super) constraints: Vec<Setting>,
    pub(super) role: Role,
    /// The constraints of a file, such as `max_size`.
    pub(super) file: Vec<Setting>,
    pub(super) role_span: Span,
    pub(super) shapes: ShapeSet,
    pub(super) filter: Option<Setting>,
    /// The span of the setting `index`, if the field has the setting. It creates an index for filters on the field.
    pub(super) index: Option<Span>,
    pub(super) sort: Option<SortSetting>,
    pub(super) unique: Option<Span>,
    /// The setting `unique(..)`. Its fields and this field together form a unique constraint.
    pub(super) unique_within: Option<Unique>,
    pub(super) references: Option<FieldReference>,
    /// The name of the field in earlier versions.
    pub(super) renamed_from: Option<LitStr>,
    /// The permission, scope or role that a caller must have to read the field.
    pub(super) read: Option<FieldRequirement>,
    /// The permission, scope or role that a caller must have to write the field.
    pub(super) write: Option<FieldRequirement>,
    /// `false` if the field has `#[record(skip)]`. Otherwise the record contains the field if its type is a single
    /// value.
    pub(super) is_recorded: bool,
}

/// The filter operators that search for a substring.
const SEARCHES: [&str; 3] = ["contains", "starts_with", "ends_with"];

/// The constraints of a file.
const OF_FILES: [&str; 3] = ["max_size", "accept", "check_content"];

/// The filter operators that can use an index on the field. Their matches are adjacent in the index.
const BY_VALUES: [&str; 9] = ["eq", "in", "gt", "gte", "lt", "lte", "between", "is_null", "has"];

/// The role of a field, which determines who sets its value.
pub(super) enum Role {
    /// A field without a role. Clients send the value.
    Plain,
    Identifier {
        is_given: bool,
    },
    /// A field with the role `created_at`, `updated_at` or `version`. The endpoints or the store set the value.
    Stamp(&'static str),
    /// A field with the role `deleted_at`. The store sets the time of the deletion.
    DeletedAt,
    /// A field with the role `scope`. If `claim` is set, the endpoints copy the value from this claim of the caller.
    Scope {
        claim: Option<LitStr>,
    },
    /// A field with the role `parent`. The endpoints copy the value from a path parameter.
    Parent(Box<FieldReference>),
    /// A field with the role `file`. Clients upload the file with a separate operation.
    File,
}

impl<'f> ResourceField<'f> {
    pub(super) fn parse(syntax: &'f syn::Field, rule: Cases, errors: &mut Errors) -> Option<Self> {
        let ident = syntax.ident.as_ref()?;
        // The derive of `Schema` reports the errors of these attributes.
        let serde = serde_attributes::SerdeField::parse(&syntax.attrs, &mut Errors::default());
        if let Some(flatten) = serde.flatten {
            let message = "stores do not support flattened structs; declare the fields directly, or nest the struct without `flatten`";
            errors.push(flatten, message);
        }
        refuse_skips(syntax, errors);
        let skip =
            settings::of(&syntax.attrs, "record", &mut Errors::default()).iter().any(|setting| setting.name == "skip");
        let mut field = Self {
            ident,
            ty: &syntax.ty,
            syntax,
            name: serde.names(&ident.unraw().to_string(), rule).written,
            constraints: Vec::new(),
            role: Role::Plain,
            file: Vec::new(),
            role_span: ident.span(),
            shapes: ShapeSet::ALL,
            filter: None,
            index: None,
            sort: None,
            unique: None,
            unique_within: None,
            references: None,
            renamed_from: None,
            read: None,
            write: None,
            is_recorded: !skip,
            serde,
        };
        field.read_settings(errors);
        Some(field)
    }

    fn read_settings(&mut self, errors: &mut Errors) {
        let settings = settings::of(&self.syntax.attrs, "property", errors);
        let mut modes = ShapeSet::ALL;
        let mut write_only = None;
        for (position, setting) in settings.into_iter().enumerate() {
            let name = setting.name.to_string();
            let is_own = property::OF_RESOURCES.contains(&name.as_str());
            if is_own && self.is_repeated(position, &name) {
                errors.push(setting.span(), format!("`{name}` occurs twice; remove one"));
                continue;
            }
            match name.as_str() {
                "id" => {
                    let is_given = self.is_given(&setting, errors);
                    self.set_role(Role::Identifier { is_given }, &setting, errors);
                }
                "created_at" | "updated_at" | "version" => {
                    setting.flag(errors);
                    let stamp = ["created_at", "updated_at"].into_iter().find(|stamp| name == *stamp);
                    self.set_role(Role::Stamp(stamp.unwrap_or("version")), &setting, errors);
                }
                "deleted_at" => {
                    setting.flag(errors);
                    self.set_role(Role::DeletedAt, &setting, errors);
                }
                "scope" => {
                    let claim = if setting.is_flag() { None } else { setting.text(errors) };
                    self.set_role(Role::Scope { claim }, &setting, errors);
                }
                "parent" => {
                    if let Some(parent) = FieldReference::parse(&setting, errors) {
                        self.set_role(Role::Parent(Box::new(parent)), &setting, errors);
                    }
                }
                "file" => {
                    setting.flag(errors);
                    self.set_role(Role::File, &setting, errors);
                }
                "references" => self.references = FieldReference::parse(&setting, errors),
                "unique" if setting.is_flag() => self.unique = Some(setting.span()),
                "unique" if setting.is_list() => self.unique_within = Some(Unique::parse(&setting, errors)),
                "unique" => {
                    let message = "`unique` accepts no value, and applies within the scope of the entity: write `#[property(unique)]`, or \
                                   `#[property(unique(project_id))]` for values that are unique within another field";
                    errors.push(setting.span(), message);
                }
                "renamed_from" => self.renamed_from = setting.text(errors),
                "read" => self.read = FieldRequirement::parse(&setting, errors),
                "write" => self.write = FieldRequirement::parse(&setting, errors),
                "filter" => {
                    let listed = if setting.is_list() { setting.list(&mut Errors::default()) } else { Vec::new() };
                    self.index = listed.iter().find(|inner| inner.name == "index").map(|index| {
                        index.flag(errors);
                        index.span()
                    });
                    self.filter = filter(setting, self.inner(), errors);
                }
                "sort" => self.sort = Some(SortSetting::parse(&setting, errors)),
                "read_only" => {
                    setting.flag(errors);
                    modes = modes.and(ShapeSet::READ);
                }
                "write_only" => {
                    setting.flag(errors);
                    write_only = Some(setting.span());
                    modes = modes.and(ShapeSet::WRITTEN);
                }
                "exclude" => modes = modes.without(ShapeSet::parse(&setting, errors)),
                "modes" => modes = modes.and(ShapeSet::parse(&setting, errors)),
                known if property::KNOWN.contains(&known) => self.constraints.push(setting),
                other => {
                    let known: Vec<_> = property::OF_RESOURCES.iter().chain(&property::KNOWN).copied().collect();
                    errors.push(setting.span(), suggest::unknown("property attribute", other, &known));
                }
            }
        }
        if matches!(self.role, Role::File) {
            let of_file = |setting: &Setting| OF_FILES.iter().any(|name| setting.name == name);
            (self.file, self.constraints) = std::mem::take(&mut self.constraints).into_iter().partition(of_file);
        }
        self.shapes = modes.and(match self.role {
            Role::Plain => ShapeSet::ALL,
            Role::Identifier { is_given: true } => ShapeSet { update: false, ..ShapeSet::ALL },
            Role::DeletedAt => ShapeSet::NONE,
            _ => ShapeSet::READ,
        });
        if let Some(span) = write_only.filter(|_| !self.shapes.is_written()) {
            let message =
                "clients do not send this field, because the service sets it; to hide it write `exclude(view, list)`";
            errors.push(span, message);
        }
    }

    /// Returns whether one of the first `position` settings in the `#[property(..)]` attributes has this name.
    fn is_repeated(&self, position: usize, name: &str) -> bool {
        let settings = settings::of(&self.syntax.attrs, "property", &mut Errors::default());
        settings.iter().take(position).any(|before| before.name == name)
    }

    fn set_role(&mut self, role: Role, setting: &Setting, errors: &mut Errors) {
        if !matches!(self.role, Role::Plain) {
            errors.push(
                setting.span(),
                format!("the field already has another role; remove that role or `{}`", setting.name),
            );
            return;
        }
        self.role = role;
        self.role_span = setting.span();
    }

    /// Parses the setting `id` or `id(given)`. Returns `true` for `id(given)`.
    fn is_given(&self, setting: &Setting, errors: &mut Errors) -> bool {
        if setting.is_flag() {
            return false;
        }
        for kind in setting.list(errors) {
            if kind.name != "given" {
                let message = suggest::unknown("origin of identifiers", &kind.name.to_string(), &["given"]);
                errors.push(kind.span(), message);
            }
        }
        true
    }

    /// Returns whether the type must be a single value, such as a string, because a store or list compares it.
    pub(super) fn is_value(&self) -> bool {
        let is_listed = self.filter.is_some() && self.items().is_none() || self.sort.is_some();
        let is_unique = self.unique.is_some() || self.unique_within.is_some();
        is_listed || is_unique || self.references.is_some() || !matches!(self.role, Role::Plain)
    }

    /// Returns the type of the items, if the filter of this field is `has`.
    pub(super) fn items(&self) -> Option<&'f Type> {
        let operators = self.filter.as_ref()?.list(&mut Errors::default());
        operators.iter().any(|operator| operator.name == "has").then_some(())?;
        types::argument_of(self.inner(), "Vec")
    }

    /// Returns whether a filter on this field searches for a substring.
    pub(super) fn is_searched(&self) -> bool {
        let operators = self.filter.iter().flat_map(|filter| filter.list(&mut Errors::default()));
        operators.into_iter().any(|operator| SEARCHES.iter().any(|search| operator.name == search))
    }

    /// Returns whether a filter on this field has an operator that can use an index.
    pub(super) fn is_filtered_by_values(&self) -> bool {
        let settings = self.filter.iter().flat_map(|filter| filter.list(&mut Errors::default()));
        settings.into_iter().any(|setting| BY_VALUES.iter().any(|operator| setting.name == operator))
    }

    /// Returns whether a replacement (`PUT`) sets the field. The endpoints compare an identifier that clients choose
    /// with the path.
    pub(super) fn is_replaced(&self) -> bool {
        self.shapes.create && (self.shapes.update || matches!(self.role, Role::Identifier { .. }))
    }

    /// Returns the type of the field without `Option`.
    pub(super) fn inner(&self) -> &'f Type {
        types::argument_of(self.ty, "Option").unwrap_or(self.ty)
    }

    /// Returns the attributes for the doc comment and `#[deprecated]` of the field.
    pub(super) fn docs(&self) -> impl Iterator<Item = &'f Attribute> {
        let is_doc = |one: &&Attribute| one.path().is_ident("doc") || one.path().is_ident("deprecated");
        self.syntax.attrs.iter().filter(is_doc)
    }

    /// Returns the `#[property(..)]` attribute of the field, except the constraints that the argument `without` lists.
    /// Adds `read_only` if `is_read_only` is `true`.
    pub(super) fn property(&self, without: &[&str], is_read_only: bool) -> Option<TokenStream> {
        let kept = self.constraints.iter().filter(|setting| !without.iter().any(|name| setting.name == name));
        let read_only = is_read_only.then(|| emit!(read_only));
        let settings: Vec<_> = kept.map(|setting| emit!(#setting)).chain(read_only).collect();
        (!settings.is_empty()).then(|| emit!(#[property(#(#settings),*)]))
    }

    /// Returns the expression for the initial value of a field that clients do not send. It is serde's default for the
    /// field, or else the default of the struct, or else `Default`.
    pub(super) fn initial(&self, container: Option<&TokenStream>) -> TokenStream {
        let (ident, ty) = (self.ident, self.ty);
        match (serde_attributes::default_of(&self.syntax.attrs), container) {
            (Some(default), _) => default,
            (None, Some(container)) => emit!({ let whole: Self = #container; whole.#ident }),
            (None, None) => emit_at!(syn::spanned::Spanned::span(ty)=> <#ty as ::core::default::Default>::default()),
        }
    }
}

/// Parses a setting such as `filter(eq, in)`. `#[derive(Filters)]` checks the operators.
fn filter(setting: Setting, ty: &Type, errors: &mut Errors) -> Option<Setting> {
    if !setting.is_list() || setting.tokens().is_empty() {
        errors.push(setting.span(), "a filter requires operators: write `filter(eq)` or others");
        return None;
    }
    let listed = setting.list(&mut Errors::default());
    if let Some(has) = listed.iter().find(|inner| inner.name == "has") {
        let is_alone = listed.iter().all(|inner| inner.name == "has" || inner.name == "index");
        if types::argument_of(ty, "Vec").is_none() || !is_alone {
            errors.push(
                has.span(),
                "`has` is the only operator of a list, which must be a `Vec` or an `Option<Vec<..>>`: write `filter(has)`",
            );
            return None;
        }
    }
    if let Some(rename) = setting.list(&mut Errors::default()).iter().find(|inner| inner.name == "rename") {
        errors.push(
            rename.span(),
            "a filter has the name of its field; rename the field with `#[serde(rename = \"..\")]`",
        );
        return None;
    }
    Some(setting)
}

/// Reports an error for serde attributes that skip a field, because stores read and write entities with serde.
fn refuse_skips(syntax: &syn::Field, errors: &mut Errors) {
    for setting in settings::of(&syntax.attrs, "serde", &mut Errors::default()) {
        let name = setting.name.to_string();
        let instead = match name.as_str() {
            "skip" => {
                "move it out of the resource, or hide it from clients with `#[property(exclude(create, update, view, list))]`"
            }
            "skip_serializing" => "write `#[property(write_only)]` instead, which hides it from clients only",
            "skip_deserializing" => "write `#[property(read_only)]` instead, which hides it from clients only",
            _ => continue,
        };
        errors
            .push(setting.span(), format!("stores would lose the value of a field with `#[serde({name})]`; {instead}"));
    }
}
