//! Detects request parameters of an operation that conflict with each other or with an API key.

use restwright_core::operation::{ApiKeyLocation, Operation, ParameterLocation, ParameterObject, SecurityScheme};

/// Returns an error for each conflict between the parameters of an operation. Two parameters must not have the same
/// name. The name of a parameter must not be a flat spelling of another parameter. An authentication scheme must not
/// read its API key from a parameter of the operation.
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
                "the query parameter `{}` is read from `{key}`, from which the scheme `{name}` reads its key; rename the parameter",
                taken.name
            ))
        }
        _ => None,
    });
    among.chain(keys)
}

fn repeated(ParameterObject { location, name, .. }: &ParameterObject) -> String {
    format!("two parameters in the {location} are named `{name}`; read it once, or rename one of them")
}

fn flat(parameter: &ParameterObject, other: &ParameterObject) -> String {
    format!(
        "the query parameter `{}` conflicts with `{}`, whose flat spelling is `{}`; rename one of them",
        parameter.name,
        other.name,
        other.flat.as_deref().unwrap_or_default()
    )
}

/// Returns `true` if two parameters have the same name and location.
fn same(a: &ParameterObject, b: &ParameterObject) -> bool {
    let names =
        if a.location == ParameterLocation::Header { a.name.eq_ignore_ascii_case(&b.name) } else { a.name == b.name };
    names && a.location == b.location
}

/// Returns `true` if a flat spelling of the parameter `other` reserves the name of the query parameter `parameter`.
/// Parameters that have flat spellings themselves are not affected. For example, `filter[age][gte]` with the flat
/// spelling `age[gte]` reserves `age`.
fn belongs(parameter: &ParameterObject, other: &ParameterObject) -> bool {
    parameter.location == ParameterLocation::Query
        && parameter.flat.is_none()
        && other.flat.is_some()
        && takes(other, &parameter.name)
}

/// Returns `true` if a query parameter reads the entries of the query string that are named `name`. A parameter with
/// flat spellings is a filter. It reads every name with the same start as a spelling, because it also reports malformed
/// brackets, and so does `filter`, with which the long spelling of every filter starts.
fn takes(parameter: &ParameterObject, name: &str) -> bool {
    if parameter.location != ParameterLocation::Query {
        return false;
    }
    match &parameter.flat {
        None => parameter.name == name,
        Some(flat) => ["filter", &parameter.name, flat].into_iter().any(|spelling| start(spelling) == start(name)),
    }
}

/// Returns the part of a parameter name before the first bracket.
fn start(name: &str) -> &str {
    name.split_once('[').map_or(name, |(start, _)| start)
}
