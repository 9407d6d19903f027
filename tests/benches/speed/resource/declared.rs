//! The resource declared in restwright.

use std::net::TcpListener;

use actix_web::{App, HttpServer};
use restwright::auth::Access;
use restwright::prelude::*;
use restwright::{ApiBuilder, Host};

use super::{Animal, store};

pub(crate) fn serve(listener: TcpListener) -> std::io::Result<()> {
    Ok(restwright::run(Host::new(api()).workers(1).listen(listener)?.serve())?)
}

pub(crate) fn serve_in_app(listener: TcpListener) -> std::io::Result<()> {
    let api = api();
    let server = HttpServer::new(move || App::new().service(restwright::service(api.clone())));
    actix_web::rt::System::new().block_on(server.workers(1).listen(listener)?.run())
}

fn api() -> Api {
    builder().build().expect("the declaration has no mistakes")
}

pub(crate) fn builder() -> ApiBuilder {
    Api::builder(Configuration::new("speed", "1.0.0")).resource::<Animal>(store(), Access::public())
}
