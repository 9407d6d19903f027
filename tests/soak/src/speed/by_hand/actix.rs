//! Animals on actix-web.

use std::net::TcpListener;

use actix_web::http::StatusCode;
use actix_web::http::header::{ETAG, LOCATION};
use actix_web::{App, HttpResponse, HttpServer, ResponseError, web};
use uuid::Uuid;

use super::{AnimalChanges, Animals, Data, Failure, ListQuery, NewAnimal};

pub async fn serve(listener: TcpListener, animals: impl Animals) -> std::io::Result<()> {
    let app = move || App::new().app_data(web::Data::new(animals.clone())).configure(configure_for(&animals));
    HttpServer::new(app).workers(1).listen(listener)?.run().await
}

fn configure_for<A: Animals>(_: &A) -> impl FnOnce(&mut web::ServiceConfig) + use<A> {
    |app| {
        app.app_data(web::JsonConfig::default().error_handler(|error, _| Failure::invalid(error).into()))
            .app_data(web::QueryConfig::default().error_handler(|error, _| Failure::invalid(error).into()))
            .service(web::resource("/animals").route(web::get().to(list::<A>)).route(web::post().to(create::<A>)))
            .service(
                web::resource("/animals/{id}").route(web::get().to(view::<A>)).route(web::patch().to(change::<A>)),
            );
    }
}

type Handled = Result<HttpResponse, Failure>;

async fn create<A: Animals>(animals: web::Data<A>, new: web::Json<NewAnimal>) -> Handled {
    let animal = super::create(&**animals, new.into_inner()).await?;
    let mut response = HttpResponse::Created();
    response.insert_header((LOCATION, format!("/animals/{}", animal.id))).insert_header((ETAG, tag(animal.version)));
    Ok(response.json(Data { data: animal }))
}

async fn view<A: Animals>(animals: web::Data<A>, id: web::Path<Uuid>) -> Handled {
    let animal = super::view(&**animals, *id).await?;
    Ok(HttpResponse::Ok().insert_header((ETAG, tag(animal.version))).json(Data { data: animal }))
}

async fn change<A: Animals>(animals: web::Data<A>, id: web::Path<Uuid>, changes: web::Json<AnimalChanges>) -> Handled {
    let animal = super::change(&**animals, *id, changes.into_inner()).await?;
    Ok(HttpResponse::Ok().insert_header((ETAG, tag(animal.version))).json(Data { data: animal }))
}

async fn list<A: Animals>(animals: web::Data<A>, query: web::Query<ListQuery>) -> Handled {
    Ok(HttpResponse::Ok().json(super::list(&**animals, query.into_inner()).await?))
}

fn tag(version: i64) -> String {
    format!("\"{version}\"")
}

impl std::fmt::Display for Failure {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(&self.detail)
    }
}

impl ResponseError for Failure {
    fn status_code(&self) -> StatusCode {
        StatusCode::from_u16(self.status).unwrap_or_default()
    }

    fn error_response(&self) -> HttpResponse {
        HttpResponse::build(self.status_code()).content_type("application/problem+json").body(self.body())
    }
}
