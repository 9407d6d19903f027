//! Defines [`StaticFiles`], which serves the files of a folder.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use http::HeaderValue;
use http::header::{ACCEPT, ACCEPT_ENCODING, CACHE_CONTROL, VARY};
use restwright_runtime::core::http::{HttpRequest, HttpResponse, coding_weight};
use restwright_runtime::core::operation::{Operation, ParameterLocation};
use restwright_runtime::core::part::ParameterPlan;
use restwright_runtime::core::problem::catalogue;
use restwright_runtime::core::schema::{Property, SchemaObject};
use restwright_runtime::core::{BuildContext, BuildErrors, Problem, Reader, Request, Response, Result, Route};
use restwright_runtime::{ApiBuilder, Module};
use tokio::task::spawn_blocking;

use crate::file_response::FileResponse;
use crate::folder_check::FolderCheck;
use crate::media_type::media_type;
use crate::opened_file::{OpenedFile, problem};
use crate::static_path::find;

/// A module that serves the files of a folder, such as the build of a single-page application.
///
/// Put it into a [`Group`](restwright_runtime::Group), which has the path and the access. The path of the group itself is
/// `index.html`. The routes are not in the document.
///
/// - No path leaves the folder: `..`, encoded slashes, NUL, and links to files outside are a 404. Names that start with a
///   dot are a 404 too, and so are links to them.
/// - Each file has `Cache-Control: no-cache`, so browsers ask again with its `ETag`. Files in a folder with
///   [fingerprints](Self::immutable_below) are kept for a year.
/// - `app.js.br`, `app.js.zst` and `app.js.gz` are sent in place of `app.js` to clients that accept these codings.
/// - Ranges and conditional requests work as in a [`FileResponse`].
/// - The server does not start if the folder does not exist.
///
/// ```
/// use restwright_files::StaticFiles;
/// use restwright_runtime::core::Configuration;
/// use restwright_runtime::{Api, Group};
///
/// let page = StaticFiles::new("dist").spa("index.html").immutable_below("assets");
/// let api = Api::builder(Configuration::new("shop", "1.0.0"))
///     .group(Group::new("/app").public().module(page))
///     .build()?;
/// # Ok::<(), restwright_runtime::core::BuildErrors>(())
/// ```
#[derive(Debug, Clone)]
#[must_use = "it has no effect until it is registered with `.module(..)`"]
pub struct StaticFiles(Folder);

#[derive(Debug, Clone)]
struct Folder {
    path: PathBuf,
    fallback: Option<String>,
    immutable: Vec<String>,
}

/// The content codings of stored files with their extensions, in the order of preference.
const STORED_CODINGS: [(&str, &str); 3] = [("br", "br"), ("zstd", "zst"), ("gzip", "gz")];

const INDEX: &str = "index.html";

impl StaticFiles {
    /// Creates the module for a folder. A relative path starts at the working directory of the process.
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Self(Folder { path: folder.into(), fallback: None, immutable: Vec::new() })
    }

    /// Sends this file of the folder for paths that have no file, for a single-page application that has its own routes.
    ///
    /// It is sent with a 200 to clients that accept `text/html`, unless the last segment of the path contains a dot. A
    /// missing script or image is therefore still a 404.
    pub fn spa(mut self, file: impl Into<String>) -> Self {
        self.0.fallback = Some(file.into());
        self
    }

    /// Declares that the names below a folder contain a fingerprint of the content, as bundlers create them. Browsers keep
    /// these files for a year without a further request. Shared caches keep them too, unless the module is in a group
    /// that is not public: the files are then `private`.
    pub fn immutable_below(mut self, folder: impl Into<String>) -> Self {
        self.0.immutable.push(folder.into().trim_matches('/').to_owned());
        self
    }
}

/// The number of folders in an Api, from which the ids of their routes are made.
#[derive(Default)]
struct FolderCount(u32);

impl Module for StaticFiles {
    fn register(&self, mut api: ApiBuilder) -> ApiBuilder {
        let folder = Arc::new(self.0.clone());
        let FolderCount(count) = api.module_state();
        *count += 1;
        let name = format!("staticFiles{count}");
        let check = FolderCheck::new(*count, self.0.path.clone());
        let root = folder.clone();
        let root = Route::get("/")
            .id(format!("{name}Index"))
            .hidden()
            .handler(async move |request: FileRequest| root.clone().respond(request).await);
        let files = Route::get("/{*path}")
            .id(name)
            .hidden()
            .handler(async move |request: FileRequest| folder.clone().respond(request).await);
        api.controller(root).controller(files).component(check)
    }
}

impl Folder {
    async fn respond(self: Arc<Self>, request: FileRequest) -> Result<StaticFile> {
        let found = spawn_blocking(move || self.find(&request)).await.map_err(Problem::internal)?.map_err(problem)?;
        let file = FileResponse::from(found.file);
        let file = match found.coding {
            Some(coding) => file.coding(coding),
            None => file,
        };
        Ok(StaticFile { file, is_immutable: found.is_immutable, varies: found.varies })
    }

    /// Opens the file of a request on the current thread.
    fn find(&self, request: &FileRequest) -> io::Result<SelectedFile> {
        let path = if request.path.is_empty() { INDEX } else { &request.path };
        let is_route = request.accepts_html && !path.rsplit('/').next().unwrap_or_default().contains('.');
        let (path, found) = match (find(&self.path, path), &self.fallback) {
            (Ok(found), _) => (path, found),
            (Err(_), Some(fallback)) if is_route => (fallback.as_str(), find(&self.path, fallback)?),
            (Err(error), _) => return Err(error),
        };
        let is_below = |folder: &String| path.strip_prefix(folder.as_str()).is_some_and(|rest| rest.starts_with('/'));
        let is_immutable = self.immutable.iter().any(is_below);
        let stored: Vec<_> = STORED_CODINGS
            .into_iter()
            .filter_map(|(coding, extension)| Some((coding, find(&self.path, &format!("{path}.{extension}")).ok()?)))
            .collect();
        let best = stored
            .iter()
            .map(|(coding, path)| (coding_weight(&request.codings, coding), *coding, path))
            .filter(|(weight, ..)| *weight > 0)
            .reduce(|best, other| if other.0 > best.0 { other } else { best });
        let (file, coding) = match best {
            Some((_, coding, path)) => (OpenedFile::open(path)?.coded(coding, media_type(&found)), Some(coding)),
            None => (OpenedFile::open(&found)?, None),
        };
        Ok(SelectedFile { file, coding, is_immutable, varies: !stored.is_empty() })
    }
}

/// The file that a request selects.
struct SelectedFile {
    file: OpenedFile,
    coding: Option<&'static str>,
    is_immutable: bool,
    /// True if the file is stored in several codings.
    varies: bool,
}

/// The parts of a request that select a file.
struct FileRequest {
    path: String,
    accepts_html: bool,
    codings: String,
}

/// The name of the parameter in the path.
const PATH: &str = "path";

impl Request for FileRequest {
    type Plan = Option<ParameterPlan<String>>;

    fn plan(context: &mut BuildContext<'_>) -> Result<Self::Plan, BuildErrors> {
        let has_path = context.template().position_of(PATH).is_some();
        has_path
            .then(|| context.parameter(ParameterLocation::Path, Property::new(PATH, SchemaObject::string())))
            .transpose()
    }

    fn describe(_: &Self::Plan, operation: &mut Operation) {
        operation.add_problem(catalogue::NOT_FOUND);
    }

    async fn read(plan: &Self::Plan, reader: &mut Reader<'_>) -> Result<Option<Self>> {
        let path = match plan {
            Some(plan) => reader.parameter(plan),
            None => Some(String::new()),
        };
        let request = reader.head().0.request();
        let header = |name| String::from_utf8_lossy(&request.header_values(name).join(&b',')).into_owned();
        Ok(path.map(|path| Self {
            path,
            accepts_html: header(&ACCEPT).contains("text/html"),
            codings: header(&ACCEPT_ENCODING),
        }))
    }
}

/// A [`FileResponse`] with the headers of a static file.
struct StaticFile {
    file: FileResponse,
    is_immutable: bool,
    varies: bool,
}

impl Response for StaticFile {
    type Plan = ();

    fn plan(_: &mut BuildContext<'_>) -> Result<(), BuildErrors> {
        Ok(())
    }

    fn describe((): &(), operation: &mut Operation) {
        FileResponse::describe(&(), operation);
    }

    fn respond(self, (): &(), request: &HttpRequest) -> Result<HttpResponse> {
        let mut response = self.file.respond(&(), request)?;
        let is_public = request.route().is_none_or(|route| route.operation().security.is_empty());
        let cache = match (self.is_immutable, is_public) {
            (true, true) => "public, max-age=31536000, immutable",
            (true, false) => "private, max-age=31536000, immutable",
            (false, true) => "no-cache",
            (false, false) => "private, no-cache",
        };
        response.insert_absent_header(&CACHE_CONTROL, &HeaderValue::from_static(cache));
        if self.varies {
            response.headers_mut().append(VARY, HeaderValue::from_static("Accept-Encoding"));
        }
        Ok(response)
    }
}
