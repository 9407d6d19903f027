#!/usr/bin/env bash
# Seconds and crates of a clean debug build of one small JSON endpoint: on restwright's default features, on actix-web's with serde and
# validator, on axum's with utoipa and garde, and on poem-openapi's. Downloads happen before the clock starts. Usage: clean_build.sh [name ..]
set -euo pipefail
restwright=$(cd "$(dirname "$0")/.." && pwd)
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT

main() {
    write_restwright
    write_actix_web
    write_axum
    write_poem_openapi
    [ $# -gt 0 ] || set -- restwright actix-web axum poem-openapi
    echo "| clean debug build | seconds | of processor time | crates |"
    echo "|---|--:|--:|--:|"
    for name in "$@"; do
        measure "$name"
    done
}

measure() { # measure name
    cd "$root/$1"
    cargo fetch --quiet
    local TIMEFORMAT='%R %U %S' times crates
    times=$({ time CARGO_TARGET_DIR=$root/$1/target cargo build --quiet --offline >&2 2>"$root/log"; } 2>&1) ||
        { cat "$root/log"; return 1; }
    crates=$(cargo tree --offline -e normal,build --prefix none --no-dedupe --format '{p}' | sort -u | wc -l)
    # The application itself is not one of its crates.
    awk -v name="$1" -v crates="$((crates - 1))" '{ printf "| %s | %.0f | %.0f | %d |\n", name, $1, $2 + $3, crates }' <<<"$times"
}

package() { # package name; the manifest's dependencies come from standard input
    mkdir -p "$root/$1/src"
    {
        printf '[package]\nname = "hello"\nversion = "0.1.0"\nedition = "2024"\n[dependencies]\n'
        cat
        echo '[workspace]'
    } >"$root/$1/Cargo.toml"
}

write_actix_web() {
    package actix-web <<-'TOML'
		actix-web = "4"
		serde = { version = "1", features = ["derive"] }
		validator = { version = "0.21", features = ["derive"] }
	TOML
    cat >"$root/actix-web/src/main.rs" <<-'RUST'
		use actix_web::{App, HttpServer, Responder, post, web};
		use serde::{Deserialize, Serialize};
		use validator::Validate;

		#[derive(Deserialize, Serialize, Validate)]
		struct Greeting {
		    #[validate(length(min = 1, max = 100))]
		    name: String,
		}

		#[post("/greetings")]
		async fn greet(greeting: web::Json<Greeting>) -> actix_web::Result<impl Responder> {
		    greeting.validate().map_err(actix_web::error::ErrorUnprocessableEntity)?;
		    Ok(greeting)
		}

		#[actix_web::main]
		async fn main() -> std::io::Result<()> {
		    HttpServer::new(|| App::new().service(greet)).bind("127.0.0.1:8080")?.run().await
		}
	RUST
}

write_axum() {
    package axum <<-'TOML'
		axum = "0.8"
		garde = { version = "0.22", features = ["derive"] }
		serde = { version = "1", features = ["derive"] }
		tokio = { version = "1", features = ["macros", "net", "rt-multi-thread"] }
		utoipa = { version = "5", features = ["axum_extras"] }
	TOML
    cat >"$root/axum/src/main.rs" <<-'RUST'
		use axum::http::StatusCode;
		use axum::routing::{get, post};
		use axum::{Json, Router};
		use garde::Validate;
		use serde::{Deserialize, Serialize};
		use utoipa::{OpenApi, ToSchema};

		#[derive(Deserialize, Serialize, ToSchema, Validate)]
		struct Greeting {
		    #[garde(length(min = 1, max = 100))]
		    #[schema(min_length = 1, max_length = 100)]
		    name: String,
		}

		#[utoipa::path(post, path = "/greetings", request_body = Greeting, responses((status = 200, body = Greeting)))]
		async fn greet(Json(greeting): Json<Greeting>) -> Result<Json<Greeting>, (StatusCode, String)> {
		    greeting.validate().map_err(|report| (StatusCode::UNPROCESSABLE_ENTITY, report.to_string()))?;
		    Ok(Json(greeting))
		}

		#[derive(OpenApi)]
		#[openapi(paths(greet))]
		struct Document;

		#[tokio::main]
		async fn main() -> std::io::Result<()> {
		    let app = Router::new()
		        .route("/greetings", post(greet))
		        .route("/openapi.json", get(async || Json(Document::openapi())));
		    let listener = tokio::net::TcpListener::bind("127.0.0.1:8080").await?;
		    axum::serve(listener, app).await
		}
	RUST
}

write_poem_openapi() {
    package poem-openapi <<-'TOML'
		poem = "3"
		poem-openapi = "5"
		tokio = { version = "1", features = ["macros", "rt-multi-thread"] }
	TOML
    cat >"$root/poem-openapi/src/main.rs" <<-'RUST'
		use poem::{Route, Server, listener::TcpListener};
		use poem_openapi::{Object, OpenApi, OpenApiService, payload::Json};

		#[derive(Object)]
		struct Greeting {
		    #[oai(validator(min_length = 1, max_length = 100))]
		    name: String,
		}

		struct Api;

		#[OpenApi]
		impl Api {
		    #[oai(path = "/greetings", method = "post")]
		    async fn greet(&self, greeting: Json<Greeting>) -> Json<Greeting> {
		        greeting
		    }
		}

		#[tokio::main]
		async fn main() -> std::io::Result<()> {
		    let service = OpenApiService::new(Api, "Hello", "1.0").server("http://127.0.0.1:8080");
		    let document = service.spec_endpoint();
		    let app = Route::new().nest("/", service).nest("/openapi.json", document);
		    Server::new(TcpListener::bind("127.0.0.1:8080")).run(app).await
		}
	RUST
}

write_restwright() {
    package restwright <<-TOML
		restwright = { path = "$restwright" }
		serde = { version = "1", features = ["derive"] }
	TOML
    cat >"$root/restwright/src/main.rs" <<-'RUST'
		use restwright::prelude::*;
		use serde::{Deserialize, Serialize};

		#[derive(Deserialize, Serialize, Schema)]
		struct Greeting {
		    #[property(min_length = 1, max_length = 100)]
		    name: String,
		}

		#[derive(Request)]
		struct GreetRequest {
		    #[body]
		    greeting: Greeting,
		}

		#[derive(Response)]
		#[response(status = 200)]
		struct GreetResponse {
		    #[body]
		    greeting: Greeting,
		}

		struct Greet;

		impl Controller for Greet {
		    type Request = GreetRequest;
		    type Response = GreetResponse;

		    fn route(&self) -> Route {
		        Route::post("/greetings").public()
		    }

		    async fn handle(&self, GreetRequest { greeting }: GreetRequest) -> Result<GreetResponse> {
		        Ok(GreetResponse { greeting })
		    }
		}

		fn main() -> Result<(), Box<dyn std::error::Error>> {
		    let api = Api::builder(Configuration::new("hello", "1.0.0"))
		        .controller(Greet)
		        .module(&Documentation::public())
		        .build()?;
		    Ok(restwright::run(restwright::serve(api, "127.0.0.1:8080"))?)
		}
	RUST
}

main "$@"
