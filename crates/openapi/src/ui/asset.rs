//! Contains the files of the documentation page. `assets/README.md` lists their sources.

/// A file of the documentation page that is embedded in the binary.
#[derive(Debug)]
pub(super) struct Asset {
    pub(super) path: &'static str,
    pub(super) content_type: &'static str,
    pub(super) bytes: &'static [u8],
    pub(super) compressed: bool,
    /// `true` if the path of the file changes with each version of the content.
    pub(super) versioned: bool,
}

/// The HTML of the documentation page. `{client_id}` is a placeholder for the client id.
pub(super) const PAGE: &str = include_str!("../../assets/page.html");

pub(super) const OAUTH2_REDIRECT: &str = include_str!("../../assets/oauth2-redirect.html");

const CSS: &str = "text/css; charset=utf-8";
const JAVASCRIPT: &str = "text/javascript; charset=utf-8";

pub(super) const ASSETS: &[Asset] = &[
    Asset {
        path: "/docs/swagger-ui-5.35.0.js",
        content_type: JAVASCRIPT,
        bytes: include_bytes!("../../assets/swagger-ui-bundle.js.gz"),
        compressed: true,
        versioned: true,
    },
    Asset {
        path: "/docs/swagger-ui-5.35.0.css",
        content_type: CSS,
        bytes: include_bytes!("../../assets/swagger-ui.css.gz"),
        compressed: true,
        versioned: true,
    },
    own("/docs/page.css", CSS, include_bytes!("../../assets/page.css")),
    own("/docs/access.js", JAVASCRIPT, include_bytes!("../../assets/access.js")),
    own("/docs/address.js", JAVASCRIPT, include_bytes!("../../assets/address.js")),
    own("/docs/folding.js", JAVASCRIPT, include_bytes!("../../assets/folding.js")),
    own("/docs/start.js", JAVASCRIPT, include_bytes!("../../assets/start.js")),
    own("/docs/oauth2-redirect.js", JAVASCRIPT, include_bytes!("../../assets/oauth2-redirect.js")),
];

const fn own(path: &'static str, content_type: &'static str, bytes: &'static [u8]) -> Asset {
    Asset { path, content_type, bytes, compressed: false, versioned: false }
}
