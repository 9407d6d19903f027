//! The access that a route declares.

use crate::operation::SecurityRequirement;

/// Who may call a route; one that declares none does not start.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Access {
    pub(crate) schemes: Vec<Vec<String>>,
    pub(crate) guests: bool,
    pub(crate) requirement: Requirement,
}

/// What a caller needs beyond being known.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Requirement {
    /// Nothing more.
    Authenticated,
    /// Each of these scopes.
    AllScopes(Vec<String>),
    /// At least one of these scopes.
    AnyScope(Vec<String>),
}

impl Access {
    /// Anybody; no credentials are read.
    #[must_use]
    pub fn public() -> Self {
        Self { schemes: Vec::new(), guests: true, requirement: Requirement::Authenticated }
    }

    /// A guest, or a caller who proves by `scheme` who they are; wrong credentials are a 401.
    #[must_use]
    pub fn optional(scheme: impl Into<String>) -> Self {
        Self { schemes: vec![vec![scheme.into()]], guests: true, requirement: Requirement::Authenticated }
    }

    /// Only a caller who proves by `scheme` who they are.
    #[must_use]
    pub fn authenticated(scheme: impl Into<String>) -> Self {
        Self { schemes: vec![vec![scheme.into()]], guests: false, requirement: Requirement::Authenticated }
    }

    /// Adds an alternative scheme; they are tried in their order, and the first with credentials decides.
    #[must_use]
    pub fn or(mut self, scheme: impl Into<String>) -> Self {
        self.schemes.push(vec![scheme.into()]);
        self
    }

    /// Demands another scheme together with the last one; the identity is the first one's, with the scopes of both.
    #[must_use]
    pub fn and(mut self, scheme: impl Into<String>) -> Self {
        match self.schemes.last_mut() {
            Some(together) => together.push(scheme.into()),
            None => self.schemes.push(vec![scheme.into()]),
        }
        self
    }

    /// Demands each of these scopes.
    #[must_use]
    pub fn all_scopes<S: Into<String>>(mut self, scopes: impl IntoIterator<Item = S>) -> Self {
        self.requirement = Requirement::AllScopes(scopes.into_iter().map(Into::into).collect());
        self
    }

    /// Demands at least one of these scopes.
    #[must_use]
    pub fn any_scope<S: Into<String>>(mut self, scopes: impl IntoIterator<Item = S>) -> Self {
        self.requirement = Requirement::AnyScope(scopes.into_iter().map(Into::into).collect());
        self
    }

    /// Whether no credentials are read.
    #[must_use]
    pub fn is_public(&self) -> bool {
        self.schemes.is_empty()
    }

    /// The scheme names: alternatives of conjunctions.
    #[must_use]
    pub fn schemes(&self) -> &[Vec<String>] {
        &self.schemes
    }

    /// What a caller needs beyond being known.
    #[must_use]
    pub fn requirement(&self) -> &Requirement {
        &self.requirement
    }

    /// The same, in the vocabulary of documents.
    #[must_use]
    pub fn security(&self) -> Vec<SecurityRequirement> {
        let scopes = match &self.requirement {
            Requirement::AllScopes(scopes) => scopes.clone(),
            Requirement::AnyScope(_) | Requirement::Authenticated => Vec::new(),
        };
        let alternatives = self.schemes.iter().map(|together| SecurityRequirement {
            schemes: together.iter().map(|scheme| (scheme.clone(), scopes.clone())).collect(),
        });
        let guest = (self.guests && !self.is_public()).then(SecurityRequirement::default);
        alternatives.chain(guest).collect()
    }
}
