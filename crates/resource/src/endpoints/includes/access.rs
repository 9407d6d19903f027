//! Checks that a caller may read the entities that a relation embeds.

use std::sync::Arc;

use restwright_core::auth::{Access, Identity, Requirement};
use restwright_core::problem::catalogue;
use restwright_core::schema::Mode;
use restwright_core::{BuildContext, Problem, Result};

use super::resolved::Resolved;
use super::source::Source;

/// Checks that a caller may view the related entities. A relation to many entities also requires the access to list them.
///
/// A caller who may not read the entities at their own path cannot embed them.
pub(super) fn check(source: &Source, modes: &[Mode], path: &str, caller: &Identity) -> Result<()> {
    for mode in modes {
        let Some(accesses) = source.accesses(*mode) else {
            return Err(Problem::internal(format!("the access of `{}` is not known", source.info.path)));
        };
        accesses.iter().try_for_each(|access| meet(access, path, caller))?;
    }
    Ok(())
}

fn meet(access: &Access, path: &str, caller: &Identity) -> Result<()> {
    let guest = Identity::guest();
    let knows = |scheme: &String| caller.of_scheme(scheme).is_some();
    let known = access.schemes().iter().find(|together| !together.is_empty() && together.iter().all(knows));
    let subject = match known.and_then(|together| caller.of_scheme(together.first()?)) {
        Some(subject) => subject,
        None if !access.admits_guests() => return Err(forbidden(path, "")),
        // A request to the resource would not identify the caller.
        None if caller.is_guest() => caller,
        None => &guest,
    };
    for requirement in access.requirements() {
        if matches!(requirement, Requirement::Policy(_)) {
            return Err(Problem::internal("an include cannot check the policy of an access"));
        }
        if let Some(lack) = requirement.lacking(subject) {
            return Err(forbidden(path, &lack.sentence()).member(lack.member, lack.names));
        }
    }
    Ok(())
}

fn forbidden(path: &str, reason: &str) -> Problem {
    let detail = format!("You may not read `{path}`. {reason}");
    Problem::new(catalogue::FORBIDDEN)
        .detail(detail.trim_end())
        .detail_key("forbidden.include")
        .detail_param("include", path.to_owned())
}

/// Reports a build error if an include cannot check whether the caller may access the related entities. A policy decides only about
/// requests to its own route, and a public operation does not identify its callers. The check runs at the end of the build.
pub(super) fn check_last(relation: &Arc<Resolved>, context: &mut BuildContext<'_>) {
    for nested in &relation.nested {
        check_last(nested, context);
    }
    let relation = Arc::clone(relation);
    let is_public = context.accesses().is_empty();
    context.check_last(move |errors| {
        let (name, definition) = (&relation.name, relation.source.info.definition.name());
        let accesses = || relation.modes().iter().filter_map(|mode| relation.source.accesses(*mode)).flatten();
        let mut requirements = accesses().flat_map(Access::requirements);
        if requirements.any(|requirement| matches!(requirement, Requirement::Policy(_))) {
            errors.push(format!(
                "the relation `{name}` embeds entities of `{definition}`, whose access has a policy, and an include cannot check it; require a scope, a \
                 permission or a role instead, or remove the relation"
            ));
        }
        if is_public && accesses().any(|access| !access.admits_guests()) {
            errors.push(format!(
                "the relation `{name}` embeds entities of `{definition}`, whose access requires credentials, but the operation that embeds them is public, so \
                 every include would be a 403; require credentials for it, or remove the relation"
            ));
        }
    });
}
