//! The list by hand: serde reads the query, what serde cannot say is checked after it.

use std::fmt::{self, Display, Formatter};
use std::sync::LazyLock;

use actix_web::http::header;
use actix_web::{HttpRequest, HttpResponse, ResponseError, web};
use serde::de::value::StrDeserializer;
use serde::de::{Error, IntoDeserializer};
use serde::{Deserialize, Serialize};

pub(crate) fn configure(app: &mut web::ServiceConfig) {
    let query = web::QueryConfig::default().error_handler(|error, _| Refused(error.to_string()).into());
    let linked = async |request: HttpRequest, query| list(query, Some(&request)).await;
    let unlinked = async |query| list(query, None).await;
    app.app_data(query)
        .route("/pets", web::get().to(linked))
        .route("/pets/linked", web::get().to(unlinked))
        .route("/pets/unlinked", web::get().to(unlinked))
        .route("/pets/by-cursor", web::get().to(linked));
}

/// Both spellings of each filter; serde refuses what is given twice.
#[derive(Deserialize)]
struct Query {
    #[serde(rename = "filter[name]", alias = "filter[name][eq]", alias = "name", alias = "name[eq]")]
    name: Option<String>,
    #[serde(rename = "filter[name][contains]", alias = "name[contains]")]
    name_contains: Option<String>,
    #[serde(rename = "filter[species]", alias = "filter[species][eq]", alias = "species", alias = "species[eq]")]
    species: Option<Species>,
    #[serde(rename = "filter[species][in]", alias = "species[in]")]
    species_in: Option<String>,
    #[serde(rename = "filter[weight_kg][gte]", alias = "weight_kg[gte]")]
    weight_from: Option<f64>,
    #[serde(rename = "filter[weight_kg][lt]", alias = "weight_kg[lt]")]
    weight_below: Option<f64>,
    order_by: Option<String>,
    page: Option<u64>,
    limit: Option<u32>,
}

#[derive(Clone, Copy, PartialEq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
enum Species {
    Dog,
    Cat,
    Bird,
    Fish,
    Horse,
}

#[derive(Clone, Copy, PartialEq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Field {
    Name,
    Species,
    WeightKg,
    Id,
}

/// What the query says.
struct Asked {
    name: Option<String>,
    name_contains: Option<String>,
    species: Vec<Species>,
    weight: (Option<f64>, Option<f64>),
    order: Vec<(Field, bool)>,
    page: u64,
    limit: u32,
}

impl Query {
    fn check(self) -> Result<Asked, serde::de::value::Error> {
        let mut species: Vec<Species> = self.species.into_iter().collect();
        for name in self.species_in.iter().flat_map(|names| names.split(',')) {
            let name: StrDeserializer<'_, serde::de::value::Error> = name.into_deserializer();
            species.push(Species::deserialize(name)?);
        }
        let mut order: Vec<(Field, bool)> = Vec::new();
        for name in self.order_by.iter().flat_map(|names| names.split(',')) {
            let descending = name.strip_prefix('-');
            let name = descending.unwrap_or_else(|| name.strip_prefix(['+', ' ']).unwrap_or(name));
            let deserializer: StrDeserializer<'_, serde::de::value::Error> = name.into_deserializer();
            let field = Field::deserialize(deserializer)?;
            if order.iter().any(|(known, _)| *known == field) {
                return Err(Error::custom("order_by names a field twice"));
            }
            order.push((field, descending.is_some()));
        }
        if order.iter().all(|(field, _)| *field != Field::Id) {
            order.push((Field::Id, order.last().is_some_and(|(_, descending)| *descending)));
        }
        let (page, limit) = (self.page.unwrap_or(1), self.limit.unwrap_or(20));
        if page == 0 || !(1..=100).contains(&limit) || page.checked_mul(limit.into()).is_none() {
            return Err(Error::custom("page or limit is out of range"));
        }
        if self.weight_from.or(self.weight_below).is_some_and(|weight| !weight.is_finite()) {
            return Err(Error::custom("weight_kg is not a number"));
        }
        let weight = (self.weight_from, self.weight_below);
        Ok(Asked { name: self.name, name_contains: self.name_contains, species, weight, order, page, limit })
    }
}

#[derive(Serialize)]
struct Pet {
    id: u64,
    name: String,
    species: Species,
    weight_kg: f64,
}

static PETS: LazyLock<Vec<Pet>> = LazyLock::new(|| {
    let species = [Species::Dog, Species::Cat];
    let pet = |id| Pet { id, name: format!("Pet {id}"), species: species[id as usize % 2], weight_kg: 2.5 + id as f64 };
    (1..=1000).map(pet).collect()
});

#[derive(Serialize)]
struct Page<'p> {
    data: &'p [Pet],
    pagination: Pagination,
}

#[derive(Serialize)]
struct Pagination {
    page: u64,
    page_size: u32,
    total: u64,
    total_pages: u64,
    has_more: bool,
}

/// The response has links if there is a request for them.
async fn list(query: web::Query<Query>, request: Option<&HttpRequest>) -> Result<HttpResponse, Refused> {
    let asked = query.into_inner().check().map_err(|error| Refused(error.to_string()))?;
    let Asked { name, name_contains, species, weight, order, page, limit } = asked;
    // The items are precomputed for what is asked.
    std::hint::black_box((name, name_contains, species, weight, order.len()));
    let total = PETS.len() as u64;
    let skipped = (page - 1) * u64::from(limit);
    let data = &PETS[skipped.min(total) as usize..(skipped + u64::from(limit)).min(total) as usize];
    let total_pages = total.div_ceil(limit.into());
    let has_more = page < total_pages;
    let pagination = Pagination { page, page_size: limit, total, total_pages, has_more };
    let page_of_pets = Page { data, pagination };
    let Some(request) = request else { return Ok(HttpResponse::Ok().json(page_of_pets)) };
    let mut kept = String::new();
    for pair in request.query_string().split('&') {
        if !pair.starts_with("page=") && !pair.starts_with("limit=") {
            kept.push('&');
            kept.push_str(&pair.replace('[', "%5B").replace(']', "%5D"));
        }
    }
    let mut links = Vec::with_capacity(4);
    let mut add = |relation, page| links.push(format!("<?page={page}&limit={limit}{kept}>; rel=\"{relation}\""));
    add("first", 1);
    if page > 1 {
        add("prev", (page - 1).min(total_pages).max(1));
    }
    if has_more {
        add("next", page + 1);
    }
    add("last", total_pages.max(1));
    Ok(HttpResponse::Ok().insert_header((header::LINK, links.join(", "))).json(page_of_pets))
}

#[derive(Debug)]
struct Refused(String);

impl Display for Refused {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl ResponseError for Refused {
    fn error_response(&self) -> HttpResponse {
        HttpResponse::UnprocessableEntity().body(self.0.clone())
    }
}
