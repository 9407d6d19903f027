//! Serves files, forms with files, folders of static files, and streams of items.

#[doc(inline)]
pub use restwright_files::{
    Base64, FileContent, FileResponse, FileStore, FileStream, FolderStore, ItemStream, ListedFile, ListedFiles,
    Multipart, SharedFileStore, StaticFiles, UploadedFile,
};
