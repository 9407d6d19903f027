//! Defines [`GeneratedType`], the setting that names a generated type and adds derives to it.

use proc_macro2::Span;
use syn::Ident;

use crate::errors::Errors;
use crate::settings::Setting;
use crate::suggest;

/// The name of a generated type and the traits that it derives, from a setting such as
/// `changes(name = "PetUpdate", derive(Debug))`.
#[derive(Clone)]
pub(crate) struct GeneratedType {
    /// The source location of the setting.
    pub(crate) span: Span,
    pub(crate) name: Option<Ident>,
    pub(crate) derives: Vec<Ident>,
}

impl GeneratedType {
    /// Creates a setting that contains neither a name nor traits to derive.
    pub(crate) fn at(span: Span) -> Self {
        Self { span, name: None, derives: Vec::new() }
    }

    pub(crate) fn parse(setting: &Setting, errors: &mut Errors) -> Self {
        let mut found = Self::at(setting.span());
        if setting.is_list() {
            for inner in setting.list(errors) {
                match inner.name.to_string().as_str() {
                    "name" => found.name = type_name(&inner, errors),
                    "derive" => found.derives = inner.list(errors).into_iter().map(|derive| derive.name).collect(),
                    other => errors.push(inner.span(), suggest::unknown("setting", other, &["name", "derive"])),
                }
            }
        } else if !setting.is_flag() {
            found.name = type_name(setting, errors);
        }
        found
    }

    /// Returns the traits to derive that the setting contains, except the traits in `names`. The generated type always
    /// derives these traits.
    pub(crate) fn derives_beside(&self, names: &[&str]) -> impl Iterator<Item = &Ident> {
        self.derives.iter().filter(|derive| !names.iter().any(|name| *derive == name))
    }
}

fn type_name(setting: &Setting, errors: &mut Errors) -> Option<Ident> {
    let text = setting.text(errors)?;
    errors.take(text.parse())
}
