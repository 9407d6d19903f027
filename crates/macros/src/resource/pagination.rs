//! Parses the setting `pagination`, such as `pagination = page(default = 20, max = 100)`.

use std::fmt::Display;
use std::str::FromStr;

use proc_macro2::{Ident, Span, TokenStream};
use syn::{LitBool, LitInt};

use crate::errors::{self, Errors};
use crate::settings::Setting;
use crate::suggest;

/// The pagination of a resource's list.
pub(super) struct PaginationSettings {
    /// The kind of the pagination, such as `Page`.
    kind: &'static str,
    /// The default and maximum number of items on a page, if limits are set.
    limits: Option<(u32, u32)>,
    max_offset: Option<u64>,
    /// `true` if responses do not contain the total number of items.
    has_no_total: bool,
}

impl Default for PaginationSettings {
    fn default() -> Self {
        Self { kind: "Page", limits: None, max_offset: None, has_no_total: false }
    }
}

/// The default page size if the setting omits `default`.
const DEFAULT: u32 = 20;
const MAXIMUM: u32 = 100;

impl PaginationSettings {
    pub(super) fn parse(setting: &Setting, errors: &mut Errors) -> Self {
        let mut found = Self::default();
        let Some(kind) = setting.inner(errors) else { return found };
        match kind.name.to_string().as_str() {
            "page" => {}
            "offset" => found.kind = "Offset",
            "cursor" if cfg!(feature = "cursor") => found.kind = "Cursor",
            "cursor" => errors.push(kind.span(), errors::needs_feature("pagination = cursor", "cursor")),
            other => {
                errors.push(kind.span(), suggest::unknown("pagination", other, &["page", "offset", "cursor"]));
                return found;
            }
        }
        if kind.is_flag() {
            return found;
        }
        let (mut default, mut maximum): (Option<u32>, Option<u32>) = (None, None);
        for limit in kind.list(errors) {
            match limit.name.to_string().as_str() {
                "default" => default = number(&limit, errors),
                "max" => maximum = number(&limit, errors),
                "max_offset" if found.kind == "Cursor" => {
                    errors.push(limit.span(), "a cursor skips no items; remove `max_offset`");
                }
                "max_offset" => found.max_offset = number(&limit, errors),
                "total" if found.kind == "Cursor" => {
                    errors.push(limit.span(), "a cursor counts no items; remove `total`");
                }
                "total" => found.has_no_total = !flag(&limit, errors),
                other => {
                    let known = ["default", "max", "max_offset", "total"];
                    errors.push(limit.span(), suggest::unknown("limit", other, &known));
                }
            }
        }
        if (default, maximum, found.max_offset) == (None, None, None) {
            return found;
        }
        let most = maximum.unwrap_or(MAXIMUM.max(default.unwrap_or(0)));
        let usual = default.unwrap_or(DEFAULT.min(most));
        if usual == 0 || usual > most {
            errors.push(kind.span(), "the default number of items must be from 1 to `max`");
        }
        found.limits = Some((usual, most));
        found
    }

    /// Returns the value of the pagination.
    pub(super) fn value(&self) -> TokenStream {
        let suffix = if self.has_no_total { "WithoutTotal" } else { "" };
        let kind = Ident::new(&format!("{}{suffix}", self.kind), Span::mixed_site());
        emit!(::restwright::derived::resource::ResourcePagination::#kind)
    }

    /// Returns the generated call to `Endpoints::limits`, if limits are set.
    pub(super) fn call(&self) -> Option<TokenStream> {
        let (default, maximum) = self.limits?;
        let max_offset = self.max_offset.map(|number| emit!(.max_offset(#number)));
        Some(emit!(.limits(::restwright::derived::list::Limits::new(#default, #maximum) #max_offset)))
    }
}

/// Parses the setting `total`. Returns `true` unless the value is `false`.
fn flag(setting: &Setting, errors: &mut Errors) -> bool {
    let Some(value) = setting.value(errors) else { return true };
    match syn::parse2::<LitBool>(value) {
        Ok(flag) => flag.value,
        Err(_) => {
            errors.push(setting.span(), format!("`{0}` requires `true` or `false`: write `{0} = false`", setting.name));
            true
        }
    }
}

fn number<N: FromStr<Err: Display>>(limit: &Setting, errors: &mut Errors) -> Option<N> {
    let value = limit.value(errors)?;
    match syn::parse2::<LitInt>(value).and_then(|number| number.base10_parse()) {
        Ok(number) => Some(number),
        Err(_) => {
            errors.push(limit.span(), format!("`{0}` requires a number: write `{0} = 50`", limit.name));
            None
        }
    }
}
