//! The roles of callers, and what each role may do.

use restwright::auth::ApiKey;

/// The role of a caller in an organisation. Each role may do everything that the role before it may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Role {
    /// Reads public tickets and their comments.
    Viewer,
    /// Creates tickets and comments, and changes the own ones. Reads estimates.
    Member,
    /// Reads and changes everything in the organisation. Writes estimates.
    Admin,
}

impl Role {
    fn scopes(self) -> impl Iterator<Item = String> {
        let all = |resource: &'static str, [change, manage]: [Self; 2]| {
            let actions = [("read", Self::Viewer), ("create", change), ("update", change), ("delete", manage)];
            let may = actions.into_iter().filter(move |(_, least)| self >= *least);
            may.map(move |(action, _)| format!("{resource}:{action}"))
        };
        all("organisations", [Self::Admin, Self::Admin])
            .chain(all("projects", [Self::Admin, Self::Admin]))
            .chain(all("tickets", [Self::Member, Self::Admin]))
            .chain(all("comments", [Self::Member, Self::Member]))
    }

    fn permissions(self) -> impl Iterator<Item = &'static str> {
        let all = [("estimates:read", Self::Member), ("estimates:write", Self::Admin), ("tickets:all", Self::Admin)];
        all.into_iter().filter(move |(_, least)| self >= *least).map(|(permission, _)| permission)
    }
}

/// Assigns an API key to a person in an organisation.
#[must_use]
pub fn key_of(key: ApiKey, person: &str, organisation: &str, role: Role) -> ApiKey {
    key.subject(person).scopes(role.scopes()).permissions(role.permissions()).claim("organisation", organisation)
}
