//! Defines [`Documentation`], which serves the OpenAPI document and a page that shows it.

mod asset;
mod file;
mod policy;
mod served;

use restwright_runtime::core::auth::Access;
use restwright_runtime::{ApiBuilder, Group, Module};

use crate::generate::Document;
use crate::generate::versions::{DocumentOptions, OpenApiVersion};
use file::File;
use served::{FileSlot, Served};

/// Serves the OpenAPI document at `/openapi.json`, and an interactive documentation page at `/docs`.
///
/// The document is also served at `/openapi-3.0.json` in OpenAPI 3.0 and at `/openapi-3.2.json` in OpenAPI 3.2. Both
/// are created on their first request and then kept. [`Document::with_options`] describes what they omit.
///
/// The page is [Swagger UI](https://github.com/swagger-api/swagger-ui), whose files are part of this crate. Its
/// `Content-Security-Policy` allows requests to the service, to the
/// [servers](restwright_runtime::core::Configuration::server) of the configuration, and to the token URLs of declared
/// OAuth 2.0 flows. The page loads nothing from other origins, with one exception: the configuration of a declared
/// OpenID Connect provider. The provider must then issue tokens at the same origin. The page's own routes are hidden
/// from the document.
///
/// "Authorize" on the page accepts API keys and bearer tokens, and obtains tokens from a provider with the
/// authorization code flow and PKCE (RFC 7636). Register the page at the provider as a public client with the redirect
/// URL `/docs/oauth2-redirect.html`. The provider must allow the page's origin (CORS).
///
/// Each operation has a link: `/docs#listPets` opens the operation `listPets`. The page describes the required
/// credentials of each operation. Its colours follow the light or dark scheme of the browser.
///
/// Every response has a strong `ETag` (RFC 9110, section 8.8.3), and a matching `If-None-Match` returns 304. The
/// compression of the Api compresses each file once for each coding. Two large files exist only as gzip. A client whose
/// `Accept-Encoding` rejects gzip receives 406 for them.
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
    /// Serves the documentation to everyone.
    #[must_use]
    pub fn public() -> Self {
        Self::access(Access::public())
    }

    /// Serves the documentation only to callers who authenticate with `scheme` and have all `scopes`.
    ///
    /// Use a scheme whose credentials the browser sends automatically, such as a cookie. A browser that opens the page
    /// cannot add a header such as `Authorization`.
    #[must_use]
    pub fn authorize<S: Into<String>>(scheme: impl Into<String>, scopes: impl IntoIterator<Item = S>) -> Self {
        Self::access(Access::authenticated(scheme).all_scopes(scopes))
    }

    /// Serves the documentation only to callers that `access` allows.
    #[must_use]
    pub fn access(access: impl Into<Access>) -> Self {
        Self { access: access.into(), client_id: String::new() }
    }

    /// Sets the OAuth 2.0 client id that the page sends in token requests (RFC 6749, section 2.2). By default, users
    /// enter the client id on the page.
    ///
    /// The client id is visible on the page and not a secret.
    #[must_use]
    pub fn client_id(mut self, id: impl Into<String>) -> Self {
        self.client_id = id.into();
        self
    }
}

impl Module for Documentation {
    fn register(&self, api: ApiBuilder) -> ApiBuilder {
        let (document, page) = (FileSlot::default(), FileSlot::default());
        let others = [OpenApiVersion::V3_0, OpenApiVersion::V3_2].map(|version| (version, FileSlot::default()));
        let mut group = Group::new("")
            .access(self.access.clone())
            .controller(Served::new(OpenApiVersion::V3_1.path(), document.clone()))
            .controller(Served::new("/docs", page.clone()))
            .controller(Served::new(
                "/docs/oauth2-redirect.html",
                FileSlot::of(File::page(asset::OAUTH2_REDIRECT.to_owned(), policy::OF_REDIRECT)),
            ));
        for (version, slot) in &others {
            group = group.controller(Served::new(version.path(), slot.clone()));
        }
        for asset in asset::ASSETS {
            group = group.controller(Served::new(asset.path, FileSlot::of(File::asset(asset))));
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

/// Escapes a string for use in a quoted HTML attribute.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('"', "&quot;").replace('<', "&lt;")
}
