//! Conflicts of parameters: each has one reader.

use restwright_core::operation::{ApiKeyLocation, Operation, ParameterLocation, ParameterObject, SecurityScheme};

/// Returns the conflicts of readers that take one parameter: two parameters of one name, a parameter beside one whose flat
/// spelling it is, or one from which a scheme of the route reads its key.
pub(super) fn conflicts<'o>(
    operation: &'o Operation,
    scheme: impl Fn(&str) -> Option<SecurityScheme> + 'o,
) -> impl Iterator<Item = String> + 'o {
    let parameters = &operation.parameters;
    let among = parameters.iter().enumerate().filter_map(|(index, parameter)| {
        let earlier = parameters.iter().take(index).find(|earlier| same(earlier, parameter));
        let spelt = || parameters.iter().find(|other| belongs(parameter, other));
        earlier.map(|_| repeated(parameter)).or_else(|| spelt().map(|other| flat(parameter, other)))
    });
    let names = operation.security.iter().flat_map(|requirement| requirement.schemes.keys());
    let keys = names.filter_map(move |name| match scheme(name)? {
        SecurityScheme::ApiKey { location: ApiKeyLocation::Query, name: key, .. } => {
            let taken = parameters.iter().find(|parameter| takes(parameter, &key))?;
            Some(format!(
                "the query parameter `{}` is read from `{key}`, where the scheme `{name}` reads its key; give it another name",
                taken.name
            ))
        }
        _ => None,
    });
    among.chain(keys)
}

fn repeated(ParameterObject { location, name, .. }: &ParameterObject) -> String {
    format!("two parameters in the {location} are named `{name}`; read it once, or give one of them another name")
}

fn flat(parameter: &ParameterObject, other: &ParameterObject) -> String {
    format!(
        "the query parameter `{}` is also read as `{}`, which may be spelt `{}`; give one of them another name",
        parameter.name,
        other.name,
        other.flat.as_deref().unwrap_or_default()
    )
}

/// Returns whether two parameters have one name.
fn same(a: &ParameterObject, b: &ParameterObject) -> bool {
    let names =
        if a.location == ParameterLocation::Header { a.name.eq_ignore_ascii_case(&b.name) } else { a.name == b.name };
    names && a.location == b.location
}

/// Returns whether a parameter without a flat spelling has a name that belongs to one that has.
fn belongs(parameter: &ParameterObject, other: &ParameterObject) -> bool {
    parameter.location == ParameterLocation::Query
        && parameter.flat.is_none()
        && other.flat.is_some()
        && takes(other, &parameter.name)
}

/// Returns whether the query parameter is read from this name. One with a flat spelling takes every name that begins like
/// either, since it reports what is wrong in brackets.
fn takes(parameter: &ParameterObject, name: &str) -> bool {
    if parameter.location != ParameterLocation::Query {
        return false;
    }
    match &parameter.flat {
        None => parameter.name == name,
        Some(flat) => [&parameter.name, flat].into_iter().any(|spelling| start(spelling) == start(name)),
    }
}

/// A name up to its first bracket.
fn start(name: &str) -> &str {
    name.split_once('[').map_or(name, |(start, _)| start)
}
