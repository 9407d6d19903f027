#!/usr/bin/env bash
# Seconds, crates and megabytes of the binary of a clean debug build of one small JSON endpoint: on restwright's default features, on
# actix-web's with serde and validator, on axum's with utoipa and garde, and on poem-openapi's; and of 20 endpoints with separate
# schemas, on restwright, on restwright without lists and resources, which are default features that they do not use, and on axum.
# Downloads happen before the clock starts. Usage: clean_build.sh [name ..]
#
# cargo builds what comes from a folder incrementally, for those who edit it: in up to 256 parts, each with debug information of the types that
# it names. restwright is built here as what comes from a registry or git, like the others; INCREMENTAL=1 builds it as a folder.
set -euo pipefail
restwright=$(cd "$(dirname "$0")/../../crates/restwright" && pwd)
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT

main() {
    write_restwright
    write_actix_web
    write_axum
    write_poem_openapi
    write_restwright_20 restwright-20
    write_restwright_20 endpoints-20 ', default-features = false, features = ["actix", "macros", "openapi"]'
    write_axum_20
    [ $# -gt 0 ] || set -- restwright actix-web axum poem-openapi restwright-20 endpoints-20 axum-20
    echo "| clean debug build | seconds | of processor time | crates | MB |"
    echo "|---|--:|--:|--:|--:|"
    for name in "$@"; do
        measure "$name"
    done
}

measure() { # measure name
    cd "$root/$1"
    cargo fetch --quiet
    local TIMEFORMAT='%R %U %S' times crates bytes
    times=$({ time CARGO_TARGET_DIR=$root/$1/target cargo build --quiet --offline >&2 2>"$root/log"; } 2>&1) ||
        { cat "$root/log"; return 1; }
    crates=$(cargo tree --offline -e normal,build --prefix none --no-dedupe --format '{p}' | sort -u | wc -l)
    # The application itself is not one of its crates.
    bytes=$(stat --format %s target/debug/hello)
    awk -v name="$1" -v crates="$((crates - 1))" -v bytes="$bytes" \
        '{ printf "| %s | %.0f | %.0f | %d | %.1f |\n", name, $1, $2 + $3, crates, bytes / 1e6 }' <<<"$times"
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

axum_dependencies() {
    cat <<-'TOML'
		axum = "0.8"
		garde = { version = "0.22", features = ["derive"] }
		serde = { version = "1", features = ["derive"] }
		tokio = { version = "1", features = ["macros", "net", "rt-multi-thread"] }
		utoipa = { version = "5", features = ["axum_extras"] }
	TOML
}

write_axum() {
    axum_dependencies | package axum
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

restwright_dependencies() { # restwright_dependencies [features of restwright]
    cat <<-TOML
		restwright = { path = "$restwright"${1:-} }
		serde = { version = "1", features = ["derive"] }
	TOML
    [ -n "${INCREMENTAL:-}" ] || printf '[profile.dev.package."*"]\nincremental = false\n'
}

write_restwright() {
    restwright_dependencies | package restwright
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

# 10 shapes, each with nested ones, and for each an endpoint that creates and one that views. Standard input, `@` as the number of each.
times_10() {
    local text number
    text=$(cat)
    for number in {0..9}; do echo "${text//@/$number}"; done
}

write_restwright_20() { # write_restwright_20 name [features]
    restwright_dependencies "${2:-}" | package "$1"
    {
        echo 'use restwright::prelude::*;'
        echo 'use serde::{Deserialize, Serialize};'
        times_10 <<-'RUST'
			/// An item that is created.
			#[derive(Deserialize, Schema)]
			struct NewItem@ {
			    #[property(min_length = 1, max_length = 100)]
			    name: String,
			    kind: Kind@,
			    #[property(minimum = 0, maximum = 10000)]
			    weight: f64,
			    #[property(max_items = 10)]
			    tags: Vec<String>,
			    note: Option<String>,
			    owner: Owner@,
			}

			#[derive(Deserialize, Serialize, Schema)]
			struct Item@ {
			    id: i64,
			    name: String,
			    kind: Kind@,
			    weight: f64,
			    tags: Vec<String>,
			    note: Option<String>,
			    owner: Owner@,
			}

			#[derive(Deserialize, Serialize, Schema)]
			#[serde(rename_all = "lowercase")]
			enum Kind@ { First, Second, Third }

			#[derive(Deserialize, Serialize, Schema)]
			struct Owner@ {
			    #[property(min_length = 1, max_length = 100)]
			    name: String,
			    age: Option<u32>,
			    address: Address@,
			}

			#[derive(Deserialize, Serialize, Schema)]
			struct Address@ {
			    #[property(min_length = 1, max_length = 200)]
			    street: String,
			    #[property(min_length = 1, max_length = 100)]
			    city: String,
			}

			#[derive(Request)]
			struct CreateRequest@ {
			    #[body]
			    item: NewItem@,
			}

			#[derive(Response)]
			#[response(status = 201)]
			struct CreateResponse@ {
			    #[header("Location")]
			    location: String,
			    #[body]
			    item: Item@,
			}

			#[derive(Request)]
			struct ViewRequest@ {
			    #[segment]
			    #[property(minimum = 1)]
			    id: i64,
			    #[query]
			    note: Option<String>,
			}

			async fn create@(CreateRequest@ { item }: CreateRequest@) -> Result<CreateResponse@> {
			    let NewItem@ { name, kind, weight, tags, note, owner } = item;
			    let item = Item@ { id: 1, name, kind, weight, tags, note, owner };
			    Ok(CreateResponse@ { location: format!("/items@/{}", item.id), item })
			}

			#[derive(Response)]
			#[response(status = 200)]
			struct ViewResponse@ {
			    #[body]
			    item: Item@,
			}

			async fn view@(ViewRequest@ { id, note }: ViewRequest@) -> Result<ViewResponse@> {
			    let address = Address@ { street: "High Street".to_owned(), city: "London".to_owned() };
			    let owner = Owner@ { name: "Ada".to_owned(), age: None, address };
			    let kind = Kind@::First;
			    let item = Item@ { id, name: "Rex".to_owned(), kind, weight: 1.0, tags: Vec::new(), note, owner };
			    Ok(ViewResponse@ { item })
			}
		RUST
        echo 'fn main() -> Result<(), Box<dyn std::error::Error>> {'
        echo '    let api = Api::builder(Configuration::new("hello", "1.0.0"))'
        times_10 <<-'RUST'
			        .controller(Route::post("/items@").id("create@").public().handler(create@))
			        .controller(Route::get("/items@/{id}").id("view@").public().handler(view@))
		RUST
        echo '        .module(&Documentation::public()).build()?;'
        echo '    Ok(restwright::run(restwright::serve(api, "127.0.0.1:8080"))?)'
        echo '}'
    } >"$root/$1/src/main.rs"
}

write_axum_20() {
    axum_dependencies | package axum-20
    {
        echo 'use axum::extract::{Path, Query};'
        echo 'use axum::http::{StatusCode, header};'
        echo 'use axum::response::IntoResponse;'
        echo 'use axum::routing::{get, post};'
        echo 'use axum::{Json, Router};'
        echo 'use garde::Validate;'
        echo 'use serde::{Deserialize, Serialize};'
        echo 'use utoipa::{IntoParams, OpenApi, ToSchema};'
        times_10 <<-'RUST'
			/// An item that is created.
			#[derive(Deserialize, ToSchema, Validate)]
			#[garde(allow_unvalidated)]
			struct NewItem@ {
			    #[garde(length(min = 1, max = 100))]
			    #[schema(min_length = 1, max_length = 100)]
			    name: String,
			    kind: Kind@,
			    #[garde(range(min = 0.0, max = 10000.0))]
			    #[schema(minimum = 0, maximum = 10000)]
			    weight: f64,
			    #[garde(length(max = 10))]
			    #[schema(max_items = 10)]
			    tags: Vec<String>,
			    note: Option<String>,
			    #[garde(dive)]
			    owner: Owner@,
			}

			#[derive(Deserialize, Serialize, ToSchema)]
			struct Item@ {
			    id: i64,
			    name: String,
			    kind: Kind@,
			    weight: f64,
			    tags: Vec<String>,
			    note: Option<String>,
			    owner: Owner@,
			}

			#[derive(Deserialize, Serialize, ToSchema)]
			#[serde(rename_all = "lowercase")]
			enum Kind@ { First, Second, Third }

			#[derive(Deserialize, Serialize, ToSchema, Validate)]
			#[garde(allow_unvalidated)]
			struct Owner@ {
			    #[garde(length(min = 1, max = 100))]
			    #[schema(min_length = 1, max_length = 100)]
			    name: String,
			    age: Option<u32>,
			    #[garde(dive)]
			    address: Address@,
			}

			#[derive(Deserialize, Serialize, ToSchema, Validate)]
			struct Address@ {
			    #[garde(length(min = 1, max = 200))]
			    #[schema(min_length = 1, max_length = 200)]
			    street: String,
			    #[garde(length(min = 1, max = 100))]
			    #[schema(min_length = 1, max_length = 100)]
			    city: String,
			}

			#[derive(Deserialize, IntoParams)]
			struct ViewQuery@ {
			    note: Option<String>,
			}

			#[utoipa::path(post, path = "/items@", request_body = NewItem@, responses((status = 201, body = Item@)))]
			async fn create@(Json(item): Json<NewItem@>) -> Result<impl IntoResponse, (StatusCode, String)> {
			    item.validate().map_err(|report| (StatusCode::UNPROCESSABLE_ENTITY, report.to_string()))?;
			    let NewItem@ { name, kind, weight, tags, note, owner } = item;
			    let item = Item@ { id: 1, name, kind, weight, tags, note, owner };
			    Ok((StatusCode::CREATED, [(header::LOCATION, format!("/items@/{}", item.id))], Json(item)))
			}

			#[utoipa::path(get, path = "/items@/{id}", params(("id" = i64, Path), ViewQuery@), responses((status = 200, body = Item@)))]
			async fn view@(
			    Path(id): Path<i64>,
			    Query(ViewQuery@ { note }): Query<ViewQuery@>,
			) -> Result<Json<Item@>, (StatusCode, String)> {
			    if id < 1 {
			        return Err((StatusCode::UNPROCESSABLE_ENTITY, "id".to_owned()));
			    }
			    let address = Address@ { street: "High Street".to_owned(), city: "London".to_owned() };
			    let owner = Owner@ { name: "Ada".to_owned(), age: None, address };
			    Ok(Json(Item@ { id, name: "Rex".to_owned(), kind: Kind@::First, weight: 1.0, tags: Vec::new(), note, owner }))
			}
		RUST
        echo '#[derive(OpenApi)]'
        echo '#[openapi(paths('
        times_10 <<<'create@, view@,'
        echo '))]'
        echo 'struct Document;'
        echo '#[tokio::main]'
        echo 'async fn main() -> std::io::Result<()> {'
        echo '    let app = Router::new()'
        times_10 <<<'        .route("/items@", post(create@)).route("/items@/{id}", get(view@))'
        echo '        .route("/openapi.json", get(async || Json(Document::openapi())));'
        echo '    let listener = tokio::net::TcpListener::bind("127.0.0.1:8080").await?;'
        echo '    axum::serve(listener, app).await'
        echo '}'
    } >"$root/axum-20/src/main.rs"
}

main "$@"
