//! Files in requests and responses. [`Multipart`] is the format of forms with files. A [`FileResponse`] sends a file, bytes or a stream of known length, with ranges and conditional
//! requests. [`StaticFiles`] serves a folder. A [`FileStore`] stores the files of resources.
//!
//! This crate is for authors of applications, who use it through the facade as `restwright::files`.

mod base64;
mod counted;
mod disposition;
mod file_content;
mod file_pieces;
mod file_response;
mod file_store;
mod folder_check;
mod folder_store;
mod items;
mod media_type;
mod multipart;
mod opened_file;
mod range;
mod signature;
mod static_files;
mod static_path;
mod validators;

pub use base64::Base64;
pub use file_content::FileContent;
pub use file_response::FileResponse;
pub use file_store::{FileStore, ListedFile, ListedFiles, SharedFileStore};
pub use folder_store::FolderStore;
pub use items::{ItemStream, ItemsPlan};
pub use multipart::{FileStream, Multipart, UploadedFile};
pub use static_files::StaticFiles;
