#!/usr/bin/env bash
# Seconds and crates of the first `cargo run`, from nothing: of the example animals, and of a program on axum with the crates that do the
# same: sqlx on SQLite, garde, utoipa, tower_governor, tower-http. With compression and metrics, and without, as in the default features of
# animals. Downloads happen before the clock starts. Usage: first_run.sh [name ..]
#
# The workspace of animals builds without debug information, an application with everything, as cargo does by default. `axum-plain` is the
# program with the profile of the workspace, so it is the one to compare with.
set -euo pipefail
workspace=$(cd "$(dirname "$0")/../.." && pwd)
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT

main() {
    write_neighbour
    [ $# -gt 0 ] || set -- animals axum-plain axum animals-full axum-full
    echo "| first build | seconds | of processor time | crates |"
    echo "|---|--:|--:|--:|"
    for name in "$@"; do
        case $name in
            animals) measure "$name" "$workspace" --package animals --locked ;;
            animals-full) measure "$name" "$workspace" --package animals --locked --features compression,metrics ;;
            axum) measure "$name" "$root/neighbour" --no-default-features ;;
            axum-plain) CARGO_PROFILE_DEV_DEBUG=false measure "$name" "$root/neighbour" --no-default-features ;;
            axum-full) measure "$name" "$root/neighbour" ;;
            *) echo "$name is not animals, animals-full, axum, axum-plain or axum-full" >&2 && return 1 ;;
        esac
    done
}

measure() { # measure name folder [flags of cargo build ..]
    local TIMEFORMAT='%R %U %S' name=$1 times crates
    cd "$2"
    shift 2
    cargo fetch --quiet
    times=$({ time CARGO_TARGET_DIR=$root/target cargo build --offline "$@" >&2 2>"$root/log"; } 2>&1) ||
        { cat "$root/log"; return 1; }
    rm -rf "$root/target"
    # The application itself is not one of its crates.
    crates=$(($(grep -c Compiling "$root/log") - 1))
    awk -v name="$name" -v crates="$crates" '{ printf "| %s | %.0f | %.0f | %d |\n", name, $1, $2 + $3, crates }' <<<"$times"
}

write_neighbour() {
    mkdir -p "$root/neighbour/src"
    cat >"$root/neighbour/Cargo.toml" <<-'TOML'
		[package]
		name = "neighbour"
		version = "0.1.0"
		edition = "2024"

		[features]
		default = ["compression", "metrics"]
		compression = [
		    "tower-http/compression-br",
		    "tower-http/compression-gzip",
		    "tower-http/compression-zstd",
		    "tower-http/decompression-gzip",
		    "tower-http/decompression-zstd",
		]
		metrics = ["dep:axum-prometheus"]

		[dependencies]
		axum = "0.8"
		axum-prometheus = { version = "0.10", optional = true }
		chrono = { version = "0.4", features = ["serde"] }
		garde = { version = "0.23", features = ["derive"] }
		serde = { version = "1", features = ["derive"] }
		sqlx = { version = "0.9", default-features = false, features = ["chrono", "derive", "runtime-tokio", "sqlite", "uuid"] }
		tokio = { version = "1", features = ["macros", "net", "rt-multi-thread"] }
		tower-http = { version = "0.7", features = ["cors", "trace"] }
		tower_governor = { version = "0.8", default-features = false, features = ["axum"] }
		tracing-subscriber = "0.3"
		utoipa = { version = "5", features = ["axum_extras", "chrono", "uuid"] }
		uuid = { version = "1", features = ["serde", "v7"] }

		[workspace]
	TOML
    cat >"$root/neighbour/src/main.rs" <<-'RUST'
		use axum::extract::{Path, Query, State};
		use axum::http::StatusCode;
		use axum::routing::get;
		use axum::{Json, Router};
		use chrono::{DateTime, NaiveDate, Utc};
		use garde::Validate;
		use serde::{Deserialize, Serialize};
		use sqlx::sqlite::{SqliteConnectOptions, SqlitePool, SqliteRow};
		use sqlx::{FromRow, QueryBuilder, Row, Sqlite};
		use std::net::SocketAddr;
		use std::sync::Arc;
		use tower_governor::{GovernorLayer, governor::GovernorConfigBuilder};
		use tower_http::{cors::CorsLayer, trace::TraceLayer};
		use utoipa::{IntoParams, OpenApi, ToSchema};
		use uuid::Uuid;

		#[derive(Serialize, ToSchema)]
		struct Animal {
		    id: Uuid,
		    name: String,
		    species: Species,
		    weight_kg: Option<f64>,
		    born_on: Option<NaiveDate>,
		    created_at: DateTime<Utc>,
		}

		#[derive(Clone, Copy, Deserialize, Serialize, ToSchema, sqlx::Type)]
		#[serde(rename_all = "lowercase")]
		#[sqlx(rename_all = "lowercase")]
		enum Species {
		    Bird,
		    Cat,
		    Dog,
		}

		#[derive(Deserialize, ToSchema, Validate)]
		#[garde(allow_unvalidated)]
		#[serde(deny_unknown_fields)]
		struct NewAnimal {
		    #[garde(length(min = 1, max = 100))]
		    #[schema(min_length = 1, max_length = 100)]
		    name: String,
		    species: Species,
		    #[garde(range(min = 0.0))]
		    #[schema(minimum = 0)]
		    weight_kg: Option<f64>,
		    born_on: Option<NaiveDate>,
		}

		#[derive(Deserialize, IntoParams)]
		struct List {
		    name: Option<String>,
		    species: Option<Species>,
		    page: Option<u32>,
		}

		type Failure = (StatusCode, String);

		fn failed(error: impl ToString) -> Failure {
		    (StatusCode::INTERNAL_SERVER_ERROR, error.to_string())
		}

		impl FromRow<'_, SqliteRow> for Animal {
		    fn from_row(row: &SqliteRow) -> sqlx::Result<Self> {
		        Ok(Self {
		            id: row.try_get("id")?,
		            name: row.try_get("name")?,
		            species: row.try_get("species")?,
		            weight_kg: row.try_get("weight_kg")?,
		            born_on: row.try_get("born_on")?,
		            created_at: row.try_get("created_at")?,
		        })
		    }
		}

		#[utoipa::path(get, path = "/animals", params(List), responses((status = 200, body = [Animal])))]
		async fn list(State(pool): State<SqlitePool>, Query(list): Query<List>) -> Result<Json<Vec<Animal>>, Failure> {
		    let mut query = QueryBuilder::<Sqlite>::new("SELECT * FROM animals WHERE TRUE");
		    if let Some(name) = list.name {
		        query.push(" AND name = ").push_bind(name);
		    }
		    if let Some(species) = list.species {
		        query.push(" AND species = ").push_bind(species);
		    }
		    query.push(" ORDER BY created_at DESC LIMIT 20 OFFSET ").push_bind(i64::from(list.page.unwrap_or(1).max(1) - 1) * 20);
		    query.build_query_as().fetch_all(&pool).await.map(Json).map_err(failed)
		}

		#[utoipa::path(post, path = "/animals", request_body = NewAnimal, responses((status = 201, body = Animal)))]
		async fn create(State(pool): State<SqlitePool>, Json(new): Json<NewAnimal>) -> Result<(StatusCode, Json<Animal>), Failure> {
		    new.validate().map_err(|report| (StatusCode::UNPROCESSABLE_ENTITY, report.to_string()))?;
		    let NewAnimal { name, species, weight_kg, born_on } = new;
		    let animal = Animal { id: Uuid::now_v7(), name, species, weight_kg, born_on, created_at: Utc::now() };
		    sqlx::query("INSERT INTO animals (id, name, species, weight_kg, born_on, created_at) VALUES (?, ?, ?, ?, ?, ?)")
		        .bind(animal.id)
		        .bind(&animal.name)
		        .bind(animal.species)
		        .bind(animal.weight_kg)
		        .bind(animal.born_on)
		        .bind(animal.created_at)
		        .execute(&pool)
		        .await
		        .map_err(failed)?;
		    Ok((StatusCode::CREATED, Json(animal)))
		}

		#[utoipa::path(get, path = "/animals/{id}", params(("id" = Uuid, Path)), responses((status = 200, body = Animal)))]
		async fn view(State(pool): State<SqlitePool>, Path(id): Path<Uuid>) -> Result<Json<Animal>, Failure> {
		    let animal = sqlx::query_as("SELECT * FROM animals WHERE id = ?").bind(id).fetch_optional(&pool).await;
		    animal.map_err(failed)?.map(Json).ok_or((StatusCode::NOT_FOUND, "not found".to_owned()))
		}

		#[utoipa::path(patch, path = "/animals/{id}", params(("id" = Uuid, Path)), request_body = NewAnimal, responses((status = 200, body = Animal)))]
		async fn update(state: State<SqlitePool>, Path(id): Path<Uuid>, Json(new): Json<NewAnimal>) -> Result<Json<Animal>, Failure> {
		    new.validate().map_err(|report| (StatusCode::UNPROCESSABLE_ENTITY, report.to_string()))?;
		    sqlx::query("UPDATE animals SET name = ?, species = ?, weight_kg = ?, born_on = ? WHERE id = ?")
		        .bind(new.name)
		        .bind(new.species)
		        .bind(new.weight_kg)
		        .bind(new.born_on)
		        .bind(id)
		        .execute(&*state)
		        .await
		        .map_err(failed)?;
		    view(state, Path(id)).await
		}

		#[utoipa::path(delete, path = "/animals/{id}", params(("id" = Uuid, Path)), responses((status = 204)))]
		async fn delete(State(pool): State<SqlitePool>, Path(id): Path<Uuid>) -> Result<StatusCode, Failure> {
		    sqlx::query("DELETE FROM animals WHERE id = ?").bind(id).execute(&pool).await.map_err(failed)?;
		    Ok(StatusCode::NO_CONTENT)
		}

		#[derive(OpenApi)]
		#[openapi(paths(list, create, view, update, delete))]
		struct Document;

		#[tokio::main]
		async fn main() -> Result<(), Box<dyn std::error::Error>> {
		    tracing_subscriber::fmt().init();
		    let options = SqliteConnectOptions::new().filename("animals.db").create_if_missing(true);
		    let pool = SqlitePool::connect_with(options).await?;
		    let table = "CREATE TABLE IF NOT EXISTS animals (id BLOB PRIMARY KEY, name TEXT NOT NULL, species TEXT NOT NULL, \
		                 weight_kg REAL, born_on TEXT, created_at TEXT NOT NULL)";
		    sqlx::query(table).execute(&pool).await?;
		    let limit = GovernorConfigBuilder::default().per_second(10).burst_size(600).finish().ok_or("no limit")?;
		    let app = Router::new()
		        .route("/animals", get(list).post(create))
		        .route("/animals/{id}", get(view).patch(update).delete(delete))
		        .route("/openapi.json", get(async || Json(Document::openapi())))
		        .with_state(pool)
		        .layer(GovernorLayer::new(Arc::new(limit)))
		        .layer(CorsLayer::new())
		        .layer(TraceLayer::new_for_http());
		    #[cfg(feature = "compression")]
		    let app = app
		        .layer(tower_http::compression::CompressionLayer::new())
		        .layer(tower_http::decompression::RequestDecompressionLayer::new());
		    #[cfg(feature = "metrics")]
		    let app = {
		        let (layer, metrics) = axum_prometheus::PrometheusMetricLayer::pair();
		        app.route("/metrics", get(async move || metrics.render())).layer(layer)
		    };
		    let listener = tokio::net::TcpListener::bind("127.0.0.1:8080").await?;
		    println!("animals respond at http://{}", listener.local_addr()?);
		    axum::serve(listener, app.into_make_service_with_connect_info::<SocketAddr>()).await?;
		    Ok(())
		}
	RUST
}

main "$@"
