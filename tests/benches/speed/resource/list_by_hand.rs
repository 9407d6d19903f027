//! The resource by hand: the list of animals, with filters and order as conditions for the store.

use std::sync::LazyLock;

use actix_web::http::header::LINK;
use actix_web::{HttpRequest, HttpResponse, web};
use restwright::list::{Comparison, Direction, Expression, Page, SearchText, SortBag, SortFields, Value};
use restwright::resource::{ListQuery, MemoryStore, Repository, Statement, Versioned};
use serde::de::IntoDeserializer;
use serde::de::value::StrDeserializer;
use serde::{Deserialize, Serialize};

use super::by_hand::{DEFINITION, malformed};
use super::{Animal, Species};
use crate::by_hand::Failure;

pub(super) fn query_config() -> web::QueryConfig {
    web::QueryConfig::default().error_handler(|error, _| malformed(error.to_string()).into())
}

/// Both spellings of each filter; serde refuses what is given twice.
#[derive(Deserialize)]
pub(super) struct Query {
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

static ORDER: LazyLock<SortFields> = LazyLock::new(|| {
    let fields = SortFields::by_identifier("id").field("name").field("weight_kg").field("created_at");
    fields.default("created_at", Direction::Descending)
});

impl Query {
    fn filter(&self) -> Result<Expression, Failure> {
        let mut all = Vec::new();
        let mut add = |field: &'static str, comparison| all.push(Expression::condition(field, comparison));
        if let Some(name) = &self.name {
            add("name", Comparison::Eq(name.clone().into()));
        }
        if let Some(name) = &self.name_contains {
            add("name", Comparison::Contains(SearchText::new(name.clone())));
        }
        if let Some(species) = self.species {
            add("species", Comparison::Eq(species.name().into()));
        }
        if let Some(names) = &self.species_in {
            let read = |name: &str| -> Result<Value<'static>, Failure> {
                let name: StrDeserializer<'_, serde::de::value::Error> = name.into_deserializer();
                let species = Species::deserialize(name).map_err(|error| malformed(error.to_string()))?;
                Ok(species.name().into())
            };
            add("species", Comparison::In(names.split(',').map(read).collect::<Result<_, Failure>>()?));
        }
        if [self.weight_from, self.weight_below].into_iter().flatten().any(|weight| !weight.is_finite()) {
            return Err(malformed("weight_kg is not a number".to_owned()));
        }
        if let Some(weight) = self.weight_from {
            add("weight_kg", Comparison::Gte(weight.into()));
        }
        if let Some(weight) = self.weight_below {
            add("weight_kg", Comparison::Lt(weight.into()));
        }
        Ok(Expression::All(all))
    }

    fn order(&self) -> Result<SortBag, Failure> {
        let requested =
            self.order_by.iter().flat_map(|names| names.split(',')).map(|name| match name.strip_prefix('-') {
                Some(name) => (name, Direction::Descending),
                None => (name.strip_prefix(['+', ' ']).unwrap_or(name), Direction::Ascending),
            });
        SortBag::among(&ORDER, requested)
            .ok_or_else(|| malformed("order_by names an unknown field, or one twice".to_owned()))
    }

    fn page(&self) -> Result<Page, Failure> {
        let (page, limit) = (self.page.unwrap_or(1), self.limit.unwrap_or(20));
        let page = Page::new(page, limit).filter(|page| page.limit() <= 100);
        page.ok_or_else(|| malformed("page or limit is out of range".to_owned()))
    }
}

impl Species {
    fn name(self) -> &'static str {
        match self {
            Self::Dog => "dog",
            Self::Cat => "cat",
            Self::Bird => "bird",
            Self::Fish => "fish",
            Self::Horse => "horse",
        }
    }
}

#[derive(Serialize)]
struct Listed {
    data: Vec<Animal>,
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

pub(super) async fn list(
    request: HttpRequest,
    query: web::Query<Query>,
    store: web::Data<MemoryStore>,
) -> Result<HttpResponse, Failure> {
    let (filter, order, page) = (query.filter()?, query.order()?, query.page()?);
    let wanted = ListQuery::new(filter, &order, &page);
    let listed = store.list(Statement::new(&DEFINITION), &wanted).await?;
    let total = Repository::count(&**store, Statement::new(&DEFINITION), &wanted.filter).await?;
    let data = listed.items.into_iter().map(|found: Versioned<Animal>| found.entity).collect();
    let (page, limit) = (page.number(), page.limit());
    let total_pages = total.div_ceil(limit.into());
    let has_more = page < total_pages;
    let pagination = Pagination { page, page_size: limit, total, total_pages, has_more };
    let links = links(request.query_string(), &pagination);
    Ok(HttpResponse::Ok().insert_header((LINK, links)).json(Listed { data, pagination }))
}

fn links(query: &str, pagination: &Pagination) -> String {
    let &Pagination { page, page_size: limit, total_pages, has_more, .. } = pagination;
    let mut kept = String::new();
    for pair in query.split('&') {
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
    links.join(", ")
}
