//! The document and the page that shows it, served by the application itself.

mod asset;
mod file;
mod policy;
mod served;

use restwright_runtime::core::auth::Access;
use restwright_runtime::{ApiBuilder, Group, Module};

use crate::generate::Document;
use crate::versions::{DocumentOptions, OpenApiVersion};
use file::File;
use served::{Served, Slot};

/// Serves the document at `/openapi.json`, and at `/docs` a page that shows it and tries it out.
///
/// The same document is at `/openapi-3.0.json` in OpenAPI 3.0 and at `/openapi-3.2.json` in OpenAPI 3.2. Both are made when they are first
/// requested, and then kept. [`Document::with_options`] describes what they lack.
///
/// The page is [Swagger UI](https://github.com/swagger-api/swagger-ui), whose files are part of this crate. Its
/// `Content-Security-Policy` allows the service and, for what is tried out, the
/// [servers](restwright_runtime::core::Configuration::server) of the configuration and where the declared OAuth 2.0 flows issue tokens.
/// It loads nothing from outside by itself, except the configuration of an OpenID Connect provider where one is declared; tokens
/// then have to be issued at the same origin. Its own routes are hidden from the document.
///
/// "Authorize" on the page takes API keys and bearer tokens, and gets a token from a provider by an authorization code with
/// PKCE (RFC 7636). The page has to be registered at the provider as a public client with the redirect address
/// `/docs/oauth2-redirect.html`, and the provider has to admit the page's origin (CORS).
///
/// An operation has an address: `/docs#listPets` opens the operation `listPets`. The page shows the access of each operation in
/// words, and its colours follow the light or dark scheme of the browser.
///
/// Every response has a strong `ETag` (RFC 9110, section 8.8.3), and a matching `If-None-Match` gets a 304. The compression of the Api
/// compresses each file once for each coding. Two large files exist only as gzip: a client whose `Accept-Encoding` rejects gzip
/// gets a 406 for them.
///
/// ```
/// use restwright_runtime::core::Configuration;
/// use restwright_runtime::Api;
/// use restwright_openapi::Documentation;
///
/// let api = Api::builder(Configuration::new("animals", "1.0.0")).module(&Documentation::public()).build()?;
/// assert!(api.explain().contains("/openapi.json"));
/// # Ok::<(), restwright_runtime::core::BuildErrors>(())
/// ```
#[derive(Debug, Clone)]
pub struct Documentation {
    access: Access,
    client_id: String,
}

impl Documentation {
    /// Shows the documentation to anybody.
    #[must_use]
    pub fn public() -> Self {
        Self::access(Access::public())
    }

    /// Shows the documentation to callers who authenticate by `scheme` and hold each of `scopes`.
    ///
    /// A browser sends only what it sends by itself, such as a cookie; the page cannot add a header to the request for
    /// itself.
    #[must_use]
    pub fn authorize<S: Into<String>>(scheme: impl Into<String>, scopes: impl IntoIterator<Item = S>) -> Self {
        Self::access(Access::authenticated(scheme).all_scopes(scopes))
    }

    /// Shows the documentation to callers that `access` admits.
    #[must_use]
    pub fn access(access: impl Into<Access>) -> Self {
        Self { access: access.into(), client_id: String::new() }
    }

    /// Sets the client identifier with which the page requests tokens (RFC 6749, section 2.2); by default its user enters one.
    ///
    /// It is on the page and no secret.
    #[must_use]
    pub fn client_id(mut self, id: impl Into<String>) -> Self {
        self.client_id = id.into();
        self
    }
}

impl Module for Documentation {
    fn register(&self, api: ApiBuilder) -> ApiBuilder {
        let (document, page) = (Slot::default(), Slot::default());
        let others = [OpenApiVersion::V3_0, OpenApiVersion::V3_2].map(|version| (version, Slot::default()));
        let mut group = Group::new("")
            .access(self.access.clone())
            .controller(Served::new(OpenApiVersion::V3_1.path(), document.clone()))
            .controller(Served::new("/docs", page.clone()))
            .controller(Served::new(
                "/docs/oauth2-redirect.html",
                Slot::of(File::page(asset::OAUTH2_REDIRECT.to_owned(), policy::OF_REDIRECT)),
            ));
        for (version, slot) in &others {
            group = group.controller(Served::new(version.path(), slot.clone()));
        }
        for asset in asset::ASSETS {
            group = group.controller(Served::new(asset.path, Slot::of(File::asset(asset))));
        }
        let html = asset::PAGE.replace("{client_id}", &escaped(&self.client_id));
        api.group(group).when_built(move |api| {
            let described = Document::from_api(api);
            page.fill(File::page(html, &policy::of_page(&described)));
            document.fill(File::document(&described));
            for (version, slot) in others {
                let api = api.downgrade();
                let options = DocumentOptions::new(version);
                slot.fill_on_first_use(move || {
                    Some(File::document(&Document::with_options(&api.upgrade()?, &options)))
                });
            }
        })
    }
}

/// Escapes a text for quotation marks in HTML.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('"', "&quot;").replace('<', "&lt;")
}
