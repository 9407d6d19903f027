//! Defines OpenAPI objects that describe a service, such as contact, licence, servers and tags.

use serde::Serialize;

/// The contact for questions about a service.
///
/// ```
/// use restwright_core::Configuration;
/// use restwright_core::operation::ContactObject;
///
/// let contact = ContactObject::new("The shelter").email("api@shelter.example").url("https://shelter.example/api");
/// let configuration = Configuration::new("animals", "1.0.0").contact(contact);
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct ContactObject {
    /// The name of a person or an organisation.
    pub name: String,
    /// The URL of a contact page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// The e-mail address of the contact.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub email: Option<String>,
}

impl ContactObject {
    /// Creates a contact with only a name.
    #[must_use]
    pub fn new(name: impl Into<String>) -> Self {
        Self { name: name.into(), url: None, email: None }
    }

    /// Sets the URL of a contact page.
    #[must_use]
    pub fn url(mut self, url: impl Into<String>) -> Self {
        self.url = Some(url.into());
        self
    }

    /// Sets the e-mail address of the contact.
    #[must_use]
    pub fn email(mut self, email: impl Into<String>) -> Self {
        self.email = Some(email.into());
        self
    }
}

/// The licence under which clients may use the service.
///
/// ```
/// use restwright_core::Configuration;
/// use restwright_core::operation::LicenseObject;
///
/// let open = Configuration::new("animals", "1.0.0").license(LicenseObject::spdx("CC-BY-4.0"));
/// let own = LicenseObject::at("Terms of the shelter", "https://shelter.example/licence");
/// let closed = Configuration::new("animals", "1.0.0").license(own);
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct LicenseObject {
    /// The name of the licence.
    pub name: String,
    /// The SPDX expression of the licence, such as `MIT OR Apache-2.0`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub identifier: Option<String>,
    /// The URL of the licence text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
}

impl LicenseObject {
    /// Creates a licence from an SPDX expression, such as `MIT OR Apache-2.0`. The expression is also its name.
    #[must_use]
    pub fn spdx(expression: impl Into<String>) -> Self {
        let expression = expression.into();
        Self { name: expression.clone(), identifier: Some(expression), url: None }
    }

    /// Creates a licence from its name and the URL of its text.
    #[must_use]
    pub fn at(name: impl Into<String>, url: impl Into<String>) -> Self {
        Self { name: name.into(), identifier: None, url: Some(url.into()) }
    }
}

/// A link to external documentation.
///
/// ```
/// use restwright_core::Configuration;
/// use restwright_core::operation::ExternalDocumentationObject;
///
/// let manual = ExternalDocumentationObject::new("https://shelter.example/manual").description("The manual.");
/// let configuration = Configuration::new("animals", "1.0.0").external_documentation(manual);
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct ExternalDocumentationObject {
    /// The URL of the documentation.
    pub url: String,
    /// The description of the link, in CommonMark.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
}

impl ExternalDocumentationObject {
    /// Creates a link to external documentation, without a description.
    #[must_use]
    pub fn new(url: impl Into<String>) -> Self {
        Self { url: url.into(), description: None }
    }

    /// Sets the description of the link, in CommonMark.
    #[must_use]
    pub fn description(mut self, description: impl Into<String>) -> Self {
        self.description = Some(description.into());
        self
    }
}

/// A URL of the service, with an optional description. A string converts into it.
///
/// ```
/// use restwright_core::Configuration;
/// use restwright_core::operation::ServerObject;
///
/// let configuration = Configuration::new("animals", "1.0.0")
///     .server(ServerObject::new("https://api.shelter.example").description("Production."))
///     .server("http://127.0.0.1:8080");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct ServerObject {
    /// The URL of the service, absolute or relative to the URL of the document.
    pub url: String,
    /// The description of the URL, in CommonMark.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
}

impl ServerObject {
    /// Creates a URL of the service, without a description.
    #[must_use]
    pub fn new(url: impl Into<String>) -> Self {
        Self { url: url.into(), description: None }
    }

    /// Sets the description of the URL, in CommonMark.
    #[must_use]
    pub fn description(mut self, description: impl Into<String>) -> Self {
        self.description = Some(description.into());
        self
    }
}

impl<T: Into<String>> From<T> for ServerObject {
    fn from(url: T) -> Self {
        Self::new(url)
    }
}

/// An OpenAPI tag. API documentation groups operations by tag. A string converts into it.
///
/// A tag is described only once: the first description of a name is used.
///
/// ```
/// use restwright_core::Route;
/// use restwright_core::operation::TagObject;
///
/// let route = Route::get("/animals").tag(TagObject::new("Animals").description("Everything that lives here."));
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct TagObject {
    /// The name of the tag.
    pub name: String,
    /// The description of the tag, in CommonMark.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// A link to external documentation of the tag.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub external_docs: Option<ExternalDocumentationObject>,
}

impl TagObject {
    /// Creates a tag without a description.
    #[must_use]
    pub fn new(name: impl Into<String>) -> Self {
        Self { name: name.into(), description: None, external_docs: None }
    }

    /// Sets the description of the tag, in CommonMark.
    #[must_use]
    pub fn description(mut self, description: impl Into<String>) -> Self {
        self.description = Some(description.into());
        self
    }

    /// Sets a link to external documentation of the tag.
    #[must_use]
    pub fn external_documentation(mut self, documentation: ExternalDocumentationObject) -> Self {
        self.external_docs = Some(documentation);
        self
    }
}

impl<T: Into<String>> From<T> for TagObject {
    fn from(name: T) -> Self {
        Self::new(name)
    }
}
