//! Defines [`EffectiveAccess`], which combines the access rules of a route with the access rules of its enclosing
//! groups.

use std::fmt;

use restwright_core::auth::{Access, Requirement};
use restwright_core::operation::SecurityRequirement;
use restwright_core::{BuildErrors, Route};

/// The access rules that apply to a route. They are the rules of the route and the rules of its enclosing groups.
///
/// A request must meet all access rules, and one alternative of each rule. The OpenAPI document therefore lists every
/// combination of one alternative from each rule.
#[derive(Debug, Clone, Default)]
pub(crate) struct EffectiveAccess {
    /// The access rules that require credentials, outermost first. The list is empty for a public route.
    demands: Vec<DeclaredAccess>,
    /// The path prefixes of the groups whose access rules the route overrides.
    overridden: Vec<String>,
}

/// An access rule that requires credentials, with the route or group that declares the rule.
#[derive(Debug, Clone)]
struct DeclaredAccess {
    access: Access,
    source: AccessSource,
}

/// The route or group that declares an access rule.
#[derive(Debug, Clone)]
pub(crate) enum AccessSource {
    /// A group with its full path prefix.
    Group(String),
    Route,
}

/// An access rule that a group declares, with the path prefix of the group.
#[derive(Debug, Clone)]
pub(crate) struct GroupAccess {
    pub(crate) prefix: String,
    pub(crate) access: Access,
}

impl EffectiveAccess {
    /// Combines the access rules of a route with the access rules of its enclosing groups. The argument `groups` starts
    /// with the outermost group.
    pub(crate) fn new(groups: Vec<GroupAccess>, route: &Route) -> Result<Self, BuildErrors> {
        let declaration = route.declaration();
        let own = declaration.access.clone().map(|access| (AccessSource::Route, access));
        if declaration.overrides_access {
            let overridden = groups.into_iter().filter(|group| !group.access.is_public());
            let overridden = overridden.map(|group| group.prefix).collect();
            return Ok(Self { demands: demands(own), overridden });
        }
        let groups = groups.into_iter().map(|group| (AccessSource::Group(group.prefix), group.access));
        let declared: Vec<_> = groups.chain(own).collect();
        if declared.is_empty() {
            return Err(BuildErrors::one(
                "the route declares no access; add `.public()`, `.optional(scheme)` or `.authorize(scheme, scopes)` to it or to its group",
            ));
        }
        let mut errors = BuildErrors::new();
        let mut guarding: Option<&(AccessSource, Access)> = None;
        for one in &declared {
            match guarding {
                Some(outer) if one.1.admits_guests() => errors.push(loosening(outer, one)),
                None if !one.1.admits_guests() => guarding = Some(one),
                _ => {}
            }
        }
        errors.finish(Some(Self { demands: demands(declared), overridden: Vec::new() }))
    }

    /// Returns the access rules that require credentials, outermost first. The result is empty for a public route.
    pub(crate) fn demands(&self) -> impl Iterator<Item = &Access> {
        self.demands.iter().map(|demand| &demand.access)
    }

    pub(crate) fn is_public(&self) -> bool {
        self.demands.is_empty()
    }

    pub(crate) fn admits_guests(&self) -> bool {
        self.demands().all(Access::admits_guests)
    }

    pub(crate) fn requirements(&self) -> impl Iterator<Item = &Requirement> {
        self.demands().flat_map(Access::requirements)
    }

    /// Returns the OpenAPI security requirements of the route. They are all combinations of one alternative from each
    /// access rule.
    pub(crate) fn security(&self) -> Vec<SecurityRequirement> {
        let mut demands = self.demands();
        let first = demands.next().map(Access::security).unwrap_or_default();
        demands.fold(first, |outer, demand| {
            let inner = demand.security();
            let both = outer.iter().flat_map(|one| inner.iter().map(move |other| merged(one, other)));
            // An earlier alternative that needs only a part of these credentials accepts them already.
            both.fold(Vec::new(), |mut distinct: Vec<SecurityRequirement>, one| {
                if !distinct.iter().any(|earlier| earlier.schemes.keys().all(|name| one.schemes.contains_key(name))) {
                    distinct.push(one);
                }
                distinct
            })
        })
    }
}

fn demands(declared: impl IntoIterator<Item = (AccessSource, Access)>) -> Vec<DeclaredAccess> {
    let demanding = declared.into_iter().filter(|(_, access)| !access.is_public());
    demanding.map(|(source, access)| DeclaredAccess { access, source }).collect()
}

/// Combines two security requirements. The result contains the schemes and scopes of both requirements.
fn merged(one: &SecurityRequirement, other: &SecurityRequirement) -> SecurityRequirement {
    let mut both = one.clone();
    for (name, scopes) in &other.schemes {
        let held = both.schemes.entry(name.clone()).or_default();
        let missing: Vec<_> = scopes.iter().filter(|scope| !held.contains(scope)).cloned().collect();
        held.extend(missing);
    }
    both
}

/// Returns the error message for a route or group that allows guests although an enclosing group requires credentials.
fn loosening((outer, demanded): &(AccessSource, Access), (inner, access): &(AccessSource, Access)) -> String {
    let admits = if access.is_public() { "is public" } else { "admits guests" };
    let remedy = match inner {
        AccessSource::Route => {
            let instead = if access.is_public() { "Access::public()" } else { "Access::optional(..)" };
            format!("write `.override_access({instead})` on the route, or move it out of the group")
        }
        AccessSource::Group(_) => {
            "move it out of that group, or write `.override_access(..)` on each of its routes".to_owned()
        }
    };
    format!("the {inner} {admits}, but the {outer} around it requires `{demanded}`; {remedy}")
}

impl fmt::Display for AccessSource {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Group(prefix) if prefix.is_empty() => formatter.write_str("group without a prefix"),
            Self::Group(prefix) => write!(formatter, "group {prefix}"),
            Self::Route => formatter.write_str("route"),
        }
    }
}

/// Formats each access rule, followed by the route or group that declares the rule. Omits the route if only the route
/// declares a rule.
impl fmt::Display for EffectiveAccess {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_public() {
            formatter.write_str("public")?;
        }
        let alone = matches!(&*self.demands, [DeclaredAccess { source: AccessSource::Route, .. }]);
        for (position, demand) in self.demands.iter().enumerate() {
            write!(formatter, "{}{}", if position == 0 { "" } else { " and " }, demand.access)?;
            if !alone {
                write!(formatter, " ({})", demand.source)?;
            }
        }
        for (position, prefix) in self.overridden.iter().enumerate() {
            let group = AccessSource::Group(prefix.clone());
            write!(formatter, "{}{group}", if position == 0 { " (overrides " } else { ", " })?;
        }
        if self.overridden.is_empty() { Ok(()) } else { formatter.write_str(")") }
    }
}
