//! Files in requests and responses. [`Multipart`] is the format of forms with files. A [`FileResponse`] sends a file, bytes or a stream of known length, with ranges and conditional
//! requests. [`StaticFiles`] serves a folder.
//!
//! This crate is for authors of applications, who use it through the facade as `restwright::files`.

mod base64;
mod counted;
mod disposition;
mod file_pieces;
mod file_response;
mod folder_check;
mod items;
mod media_type;
mod multipart;
mod opened_file;
mod range;
mod static_files;
mod static_path;
mod validators;

pub use base64::Base64;
pub use file_response::FileResponse;
pub use items::{ItemStream, ItemsPlan};
pub use multipart::{FileStream, Multipart, UploadedFile};
pub use static_files::StaticFiles;
