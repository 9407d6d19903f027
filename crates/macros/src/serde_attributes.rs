//! Parses `#[serde(..)]` attributes. Attributes with an unknown effect on the schema are errors.

use proc_macro2::{Span, TokenStream};
use syn::{Attribute, ExprPath, LitStr};

use crate::case::Case;
use crate::errors::Errors;
use crate::settings::{self, Setting};
use crate::suggest;

/// The settings of `#[serde(..)]` on a type.
#[derive(Default)]
pub(crate) struct Container {
    pub(crate) rename: Rename,
    pub(crate) rename_all: Cases,
    pub(crate) rename_all_fields: Cases,
    pub(crate) default: bool,
    pub(crate) deny_unknown_fields: Option<Span>,
    pub(crate) transparent: bool,
    pub(crate) tag: Option<LitStr>,
    pub(crate) content: Option<LitStr>,
    pub(crate) untagged: bool,
}

/// The settings of `#[serde(..)]` on a variant.
#[derive(Default)]
pub(crate) struct SerdeVariant {
    pub(crate) rename: Rename,
    pub(crate) aliases: Vec<LitStr>,
    pub(crate) rename_all: Cases,
    pub(crate) skip: bool,
}

/// The settings of `#[serde(..)]` on a field.
#[derive(Default)]
pub(crate) struct SerdeField {
    pub(crate) rename: Rename,
    pub(crate) aliases: Vec<LitStr>,
    pub(crate) default: bool,
    pub(crate) skip: bool,
    pub(crate) skip_serializing: bool,
    pub(crate) skip_deserializing: bool,
    pub(crate) skip_serializing_if: bool,
    pub(crate) flatten: Option<Span>,
}

/// The names in a `rename` setting, which may differ between output and input.
#[derive(Default)]
pub(crate) struct Rename {
    written: Option<String>,
    read: Option<String>,
}

/// The JSON names of a type, variant or field in output and in input.
#[derive(Debug, PartialEq)]
pub(crate) struct JsonNames {
    pub(crate) written: String,
    pub(crate) read: String,
}

/// The letter cases that `rename_all` sets for output and for input.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Cases {
    written: Option<Case>,
    read: Option<Case>,
}

impl Container {
    pub(crate) fn parse(attributes: &[Attribute], errors: &mut Errors) -> Self {
        let mut found = Self::default();
        for setting in settings::of(attributes, "serde", errors) {
            match setting.name.to_string().as_str() {
                "rename" => found.rename = rename(&setting, errors),
                "rename_all" => found.rename_all = cases(&setting, errors),
                "rename_all_fields" => found.rename_all_fields = cases(&setting, errors),
                "default" => found.default = true,
                "deny_unknown_fields" => found.deny_unknown_fields = Some(setting.span()),
                "transparent" => found.transparent = setting.flag(errors),
                "untagged" => found.untagged = setting.flag(errors),
                "tag" => found.tag = setting.text(errors),
                "content" => found.content = setting.text(errors),
                // These settings change no value.
                "bound" | "crate" | "expecting" => {}
                _ => refuse(&setting, &CONTAINER, errors),
            }
        }
        found
    }
}

impl SerdeVariant {
    pub(crate) fn parse(attributes: &[Attribute], errors: &mut Errors) -> Self {
        let mut found = Self::default();
        for setting in settings::of(attributes, "serde", errors) {
            match setting.name.to_string().as_str() {
                "rename" => found.rename = rename(&setting, errors),
                "alias" => found.aliases.extend(setting.text(errors)),
                "rename_all" => found.rename_all = cases(&setting, errors),
                "skip" => found.skip = setting.flag(errors),
                "bound" => {}
                _ => refuse(&setting, &VARIANT, errors),
            }
        }
        found
    }

    /// Returns the JSON name of a type or variant.
    pub(crate) fn name(&self, ident: &str, rule: Cases, span: Span, errors: &mut Errors) -> String {
        let names = self.rename.or(rule.apply(ident, Case::variant));
        if names.written != names.read {
            errors.push(span, "a variant must have the same name for reading and writing");
        }
        names.written
    }
}

impl SerdeField {
    pub(crate) fn parse(attributes: &[Attribute], errors: &mut Errors) -> Self {
        Self::parse_all(attributes, false, errors)
    }

    /// Parses the attributes of a field with the setting `as`, which may also have serde functions such as `with`.
    pub(crate) fn parse_with_functions(attributes: &[Attribute], errors: &mut Errors) -> Self {
        Self::parse_all(attributes, true, errors)
    }

    fn parse_all(attributes: &[Attribute], takes_functions: bool, errors: &mut Errors) -> Self {
        let mut found = Self::default();
        for setting in settings::of(attributes, "serde", errors) {
            match setting.name.to_string().as_str() {
                "with" | "serialize_with" | "deserialize_with" if takes_functions => {}
                "rename" => found.rename = rename(&setting, errors),
                "alias" => found.aliases.extend(setting.text(errors)),
                "default" => found.default = true,
                "skip" => found.skip = setting.flag(errors),
                "skip_serializing" => found.skip_serializing = setting.flag(errors),
                "skip_deserializing" => found.skip_deserializing = setting.flag(errors),
                "skip_serializing_if" => found.skip_serializing_if = setting.text(errors).is_some(),
                "flatten" => found.flatten = Some(setting.span()),
                "bound" => {}
                _ => refuse(&setting, &FIELD, errors),
            }
        }
        found.skip |= found.skip_serializing && found.skip_deserializing;
        found
    }

    /// Returns the JSON names of a field.
    pub(crate) fn names(&self, ident: &str, rule: Cases) -> JsonNames {
        self.rename.or(rule.apply(ident, Case::field))
    }
}

impl Rename {
    /// Returns the name if output and input use the same name, and `None` otherwise.
    pub(crate) fn for_both(&self) -> Option<&str> {
        self.written.as_deref().filter(|_| self.written == self.read)
    }

    fn or(&self, names: JsonNames) -> JsonNames {
        JsonNames {
            written: self.written.clone().unwrap_or(names.written),
            read: self.read.clone().unwrap_or(names.read),
        }
    }
}

impl Cases {
    /// Uses the letter cases of `other` where `self` sets none.
    pub(crate) fn or(self, other: Self) -> Self {
        Self { written: self.written.or(other.written), read: self.read.or(other.read) }
    }

    fn apply(self, ident: &str, apply: fn(Case, &str) -> String) -> JsonNames {
        let name = |case: Option<Case>| case.map_or_else(|| ident.to_owned(), |case| apply(case, ident));
        JsonNames { written: name(self.written), read: name(self.read) }
    }
}

/// Returns the expression for the default value that `#[serde(default)]` sets on a field or type.
pub(crate) fn default_of(attributes: &[Attribute]) -> Option<TokenStream> {
    let settings = settings::of(attributes, "serde", &mut Errors::default());
    let default = settings.iter().find(|setting| setting.name == "default")?;
    let path = if default.is_flag() { None } else { default.text(&mut Errors::default()) };
    Some(match path.and_then(|path: LitStr| path.parse::<ExprPath>().ok()) {
        Some(path) => emit!(#path()),
        None => emit!(::core::default::Default::default()),
    })
}

/// Returns the function in `#[serde(skip_serializing_if = "..")]` of a field.
pub(crate) fn skip_serializing_if(attributes: &[Attribute]) -> Option<ExprPath> {
    let settings = settings::of(attributes, "serde", &mut Errors::default());
    let setting = settings.iter().find(|setting| setting.name == "skip_serializing_if")?;
    setting.text(&mut Errors::default())?.parse().ok()
}

fn rename(setting: &Setting, errors: &mut Errors) -> Rename {
    let (written, read) = sides(setting, errors);
    Rename { written: written.map(|name| name.value()), read: read.map(|name| name.value()) }
}

fn cases(setting: &Setting, errors: &mut Errors) -> Cases {
    let (written, read) = sides(setting, errors);
    let same = !setting.is_list();
    let written = written.and_then(|rule| Case::of(&rule, errors));
    let read = if same { written } else { read.and_then(|rule| Case::of(&rule, errors)) };
    Cases { written, read }
}

/// Parses a setting such as `rename` into the names for output and input.
fn sides(setting: &Setting, errors: &mut Errors) -> (Option<LitStr>, Option<LitStr>) {
    if !setting.is_list() {
        let both = setting.text(errors);
        return (both.clone(), both);
    }
    let (mut written, mut read) = (None, None);
    for side in setting.list(errors) {
        match side.name.to_string().as_str() {
            "serialize" => written = side.text(errors),
            "deserialize" => read = side.text(errors),
            other => errors.push(side.span(), suggest::unknown("side", other, &["serialize", "deserialize"])),
        }
    }
    (written, read)
}

fn refuse(setting: &Setting, known: &[&str], errors: &mut Errors) {
    let name = setting.name.to_string();
    let message = match REFUSED.iter().find(|(refused, _)| *refused == name) {
        Some((_, instead)) => format!("`#[serde({name})]` has no schema: {instead}"),
        None => suggest::unknown("serde attribute", &name, known),
    };
    errors.push(setting.span(), message);
}

const CONTAINER: [&str; 9] = [
    "rename",
    "rename_all",
    "rename_all_fields",
    "default",
    "deny_unknown_fields",
    "transparent",
    "tag",
    "content",
    "untagged",
];

const VARIANT: [&str; 4] = ["rename", "rename_all", "alias", "skip"];

const FIELD: [&str; 8] =
    ["rename", "alias", "default", "skip", "skip_serializing", "skip_deserializing", "skip_serializing_if", "flatten"];

/// The serde attributes that the derive macros reject, each with advice for the error message.
const REFUSED: [(&str, &str); 16] = [
    ("with", ITS_OWN_TYPE),
    ("serialize_with", ITS_OWN_TYPE),
    ("deserialize_with", ITS_OWN_TYPE),
    ("from", BY_HAND),
    ("try_from", BY_HAND),
    ("into", BY_HAND),
    ("remote", "declare your own type with the same fields, and derive for that type"),
    ("getter", "declare your own type with the same fields, and derive for that type"),
    ("untagged", "only a whole enum can be untagged; write `#[serde(untagged)]` on the enum"),
    ("other", "any value would be allowed; declare each variant"),
    ("borrow", "values are read into owned types; use `String` or `Vec`"),
    ("field_identifier", BY_HAND),
    ("variant_identifier", BY_HAND),
    ("skip_serializing", "a variant must exist for both reading and writing, or for neither; use `#[serde(skip)]`"),
    ("skip_deserializing", "a variant must exist for both reading and writing, or for neither; use `#[serde(skip)]`"),
    ("non_exhaustive", BY_HAND),
];

const ITS_OWN_TYPE: &str = "the function can write any JSON; move the field into a newtype with `#[schema(as = Type)]`, which names a type with the same JSON";
const BY_HAND: &str = "the JSON has the form of another type; write `impl Schema` manually for this type";
