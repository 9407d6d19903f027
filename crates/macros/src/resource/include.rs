//! Parses settings such as `include(customer(sort(name)), buyer = "buyer_id", comments(max = 20, include(author)))`.

use proc_macro2::TokenStream;
use syn::ext::IdentExt;

use crate::errors::Errors;
use crate::filters;
use crate::settings::Setting;
use crate::suggest;

/// Returns an expression of the type `Relation` for each relation in the setting.
pub(super) fn relations(setting: &Setting, errors: &mut Errors) -> Vec<TokenStream> {
    let relations = setting.list(errors);
    if relations.is_empty() && setting.is_list() {
        errors.push(setting.span(), "`include` requires relations: write `include(customer, comments(max = 20))`");
    }
    relations.iter().map(|relation| self::relation(relation, errors)).collect()
}

/// Returns the names of the relations in the setting.
pub(super) fn names(setting: &Setting) -> Vec<String> {
    // `relations` reports the errors.
    setting.list(&mut Errors::default()).iter().map(|relation| relation.name.unraw().to_string()).collect()
}

fn relation(setting: &Setting, errors: &mut Errors) -> TokenStream {
    let name = setting.name.unraw().to_string();
    let one = emit!(::restwright::derived::resource::Relation::one(#name));
    if setting.is_flag() {
        return one;
    }
    if !setting.is_list() {
        let field = setting.text(errors);
        return emit!(#one.field(#field));
    }
    let settings = setting.list(errors);
    let max = settings.iter().find(|setting| setting.name == "max").and_then(|max| max.value(errors));
    let mut relation = match &max {
        Some(max) => emit!(::restwright::derived::resource::Relation::many(#name, #max)),
        None => one,
    };
    for setting in &settings {
        let name = setting.name.to_string();
        match name.as_str() {
            "max" => {}
            "by" => {
                let field = setting.text(errors);
                relation.extend(emit!(.field(#field)));
            }
            "of" | "order" if max.is_none() => {
                let message = format!(
                    "`{name}` is a setting of a relation to many entities, which requires `max`: write `max = 20`"
                );
                errors.push(setting.span(), message);
            }
            "of" => {
                let of = setting.text(errors);
                relation.extend(emit!(.of(#of)));
            }
            "order" => {
                let order = setting.text(errors);
                relation.extend(emit!(.order(#order)));
            }
            "include" => {
                for nested in relations(setting, errors) {
                    relation.extend(emit!(.include(#nested)));
                }
            }
            "filter" | "sort" if max.is_some() => {
                let message = format!("`{name}` is a setting of a relation to one entity; remove it or `max`");
                errors.push(setting.span(), message);
            }
            "filter" => {
                for field in setting.list(errors) {
                    let name = field.name.unraw().to_string();
                    if !field.is_list() {
                        let message = format!("a filter requires operators: write `filter({name}(eq, contains))`");
                        errors.push(field.span(), message);
                        continue;
                    }
                    let operators = field.list(errors);
                    let operators: Vec<_> =
                        operators.iter().filter_map(|operator| filters::operator(operator, errors)).collect();
                    relation.extend(emit!(.filter(#name, [#(#operators),*])));
                }
            }
            "sort" => {
                for field in setting.list(errors) {
                    field.flag(errors);
                    let name = field.name.unraw().to_string();
                    relation.extend(emit!(.sort(#name)));
                }
            }
            other => errors.push(
                setting.span(),
                suggest::unknown(
                    "setting of a relation",
                    other,
                    &["max", "by", "of", "order", "include", "filter", "sort"],
                ),
            ),
        }
    }
    relation
}
