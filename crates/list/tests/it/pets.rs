//! Pets that have a field of every type, and the three lists of them.

use std::sync::{Arc, Mutex};

use jiff::Timestamp;
use jiff::civil::Date;
use restwright::list::{
    Cursor, CursorKey, CursorResponse, Filter, FilterBag, FilterFields, Limits, Offset, OffsetResponse, Operator, Page,
    PageResponse, SortBag, SortFields, Uncounted, apply,
};
use restwright::prelude::*;
use restwright::schema::{Property, number, string};
use restwright::testing::TestClient;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::compared::Compared;

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, Schema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Species {
    Cat,
    Dog,
    Fish,
}

#[derive(Clone, Debug, Serialize, Deserialize, Schema, Record)]
pub(crate) struct Pet {
    pub(crate) id: i64,
    pub(crate) name: String,
    pub(crate) nickname: Option<String>,
    pub(crate) species: Option<Species>,
    pub(crate) age: Option<u8>,
    pub(crate) weight_kg: Option<f64>,
    pub(crate) height_m: Option<f32>,
    pub(crate) calm: Option<bool>,
    pub(crate) born: Option<Date>,
    pub(crate) seen: Option<Timestamp>,
    pub(crate) chip: Option<Uuid>,
}

#[derive(Clone, Debug, Default, Filters)]
pub(crate) struct PetFilters {
    /// The name.
    #[filter(eq, ne, in, gt, gte, lt, lte, between, contains, starts_with, ends_with, is_null)]
    pub(crate) name: Filter<String>,
    #[filter(eq, ne, in, gt, gte, lt, lte, between, contains, starts_with, ends_with, is_null)]
    pub(crate) nickname: Filter<String>,
    #[filter(eq, ne, in, is_null)]
    pub(crate) species: Filter<Species>,
    #[filter(eq, ne, in, gt, gte, lt, lte, between, is_null)]
    pub(crate) age: Filter<u8>,
    #[filter(eq, ne, in, gt, gte, lt, lte, between, is_null, rename = "weight_kg")]
    pub(crate) weight: Filter<f64>,
    #[filter(eq, ne, in, gt, gte, lt, lte, between, is_null)]
    pub(crate) height_m: Filter<f32>,
    #[filter(eq, ne, is_null)]
    pub(crate) calm: Filter<bool>,
    #[filter(eq, ne, in, gt, gte, lt, lte, between, is_null)]
    pub(crate) born: Filter<Date>,
    #[filter(eq, ne, in, gt, gte, lt, lte, between, is_null)]
    pub(crate) seen: Filter<Timestamp>,
    #[filter(eq, ne, in, is_null)]
    pub(crate) chip: Filter<Uuid>,
    #[filter(eq)]
    pub(crate) id: Filter<i64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Sort)]
pub(crate) enum PetSort {
    Name,
    Nickname,
    Age,
    #[sort(default = desc)]
    WeightKg,
    #[sort(default)]
    Born,
    #[sort(id)]
    Id,
}

/// What is listed; a test may change it between two requests.
pub(crate) type Shelter = Arc<Mutex<Vec<Pet>>>;

#[derive(Request)]
pub(crate) struct ByPage {
    pub(crate) filters: Compared<PetFilters>,
    pub(crate) sort: SortBag<PetSort>,
    pub(crate) page: Page,
}

pub(crate) struct ListByPage(pub(crate) Shelter);

impl Controller for ListByPage {
    type Request = ByPage;
    type Response = PageResponse<Pet>;

    fn route(&self) -> Route {
        Route::get("/pets").public()
    }

    async fn handle(&self, ByPage { filters: Compared(filters), sort, page }: ByPage) -> Result<PageResponse<Pet>> {
        Ok(page.respond(apply(&filters, &sort, &page, &*self.0.lock().unwrap()).cloned()))
    }
}

pub(crate) struct ListUncounted(Shelter);

impl Controller for ListUncounted {
    type Request = ByPage;
    type Response = PageResponse<Pet, Uncounted>;

    fn route(&self) -> Route {
        Route::get("/pets/uncounted").public()
    }

    async fn handle(
        &self,
        ByPage { filters: Compared(filters), sort, page }: ByPage,
    ) -> Result<PageResponse<Pet, Uncounted>> {
        Ok(page.respond(apply(&filters, &sort, &page, &*self.0.lock().unwrap()).cloned().without_total()))
    }
}

#[derive(Request)]
pub(crate) struct ByOffset {
    pub(crate) offset: Offset,
    pub(crate) filters: PetFilters,
    pub(crate) sort: SortBag<PetSort>,
}

pub(crate) struct ListByOffset(pub(crate) Shelter);

impl Controller for ListByOffset {
    type Request = ByOffset;
    type Response = OffsetResponse<Pet>;

    fn route(&self) -> Route {
        Route::get("/pets/by-offset").public()
    }

    async fn handle(&self, ByOffset { offset, filters, sort }: ByOffset) -> Result<OffsetResponse<Pet>> {
        Ok(offset.respond(apply(&filters, &sort, &offset, &*self.0.lock().unwrap()).cloned()))
    }
}

#[derive(Request)]
pub(crate) struct ByCursor {
    pub(crate) cursor: Cursor,
    pub(crate) filters: PetFilters,
    pub(crate) sort: SortBag<PetSort>,
}

pub(crate) struct ListByCursor(pub(crate) Shelter);

impl Controller for ListByCursor {
    type Request = ByCursor;
    type Response = CursorResponse<Pet>;

    fn route(&self) -> Route {
        Route::get("/pets/by-cursor").public()
    }

    async fn handle(&self, ByCursor { cursor, filters, sort }: ByCursor) -> Result<CursorResponse<Pet>> {
        Ok(cursor.respond(apply(&filters, &sort, &cursor, &*self.0.lock().unwrap()).cloned()))
    }
}

#[derive(Request)]
pub(crate) struct OfOwner {
    #[segment]
    owner: String,
    sort: SortBag<PetSort>,
    filters: PetFilters,
    cursor: Cursor,
}

/// The same list under several paths.
pub(crate) struct ListOfOwner(Shelter);

impl Controller for ListOfOwner {
    type Request = OfOwner;
    type Response = CursorResponse<Pet>;

    fn route(&self) -> Route {
        Route::get("/owners/{owner}/pets").public()
    }

    async fn handle(&self, OfOwner { owner, sort, filters, cursor }: OfOwner) -> Result<CursorResponse<Pet>> {
        assert!(!owner.is_empty());
        Ok(cursor.respond(apply(&filters, &sort, &cursor, &*self.0.lock().unwrap()).cloned()))
    }
}

#[derive(Request)]
pub(crate) struct Declared {
    filters: FilterBag,
    sort: SortBag,
    page: Page,
}

pub(crate) struct ListDeclared(Shelter);

impl Controller for ListDeclared {
    type Request = Declared;
    type Response = PageResponse<Pet>;

    fn route(&self) -> Route {
        let filters = FilterFields::new()
            .field(string("name").max_length(3), [Operator::Eq, Operator::Contains])
            .field(Property::of::<Species>("species"), [Operator::In])
            .field(number("weight_kg").minimum(1), [Operator::Gte, Operator::IsNull]);
        let sort = SortFields::by_identifier("id").field("name");
        Route::get("/pets/declared").public().with(filters).with(sort).with(Limits::new(2, 3))
    }

    async fn handle(&self, Declared { filters, sort, page }: Declared) -> Result<PageResponse<Pet>> {
        assert_eq!(filters.get("nothing").map(|_| ()), None);
        Ok(page.respond(apply(&filters, &sort, &page, &*self.0.lock().unwrap()).cloned()))
    }
}

/// A client of every list of these pets.
pub(crate) fn client(pets: &Shelter) -> TestClient {
    client_with(pets, CursorKey::new([7; 32]))
}

/// A client of lists that ignore undeclared parameters.
pub(crate) fn lenient_client(pets: &Shelter) -> TestClient {
    client_of(pets, Configuration::new("pets", "1.0.0").with(CursorKey::new([7; 32])).lenient_query())
}

pub(crate) fn client_with(pets: &Shelter, key: CursorKey) -> TestClient {
    client_of(pets, Configuration::new("pets", "1.0.0").with(key))
}

fn client_of(pets: &Shelter, configuration: Configuration) -> TestClient {
    let api = Api::builder(configuration)
        .controller(ListByPage(pets.clone()))
        .controller(ListUncounted(pets.clone()))
        .controller(ListByOffset(pets.clone()))
        .controller(ListByCursor(pets.clone()))
        .controller(ListOfOwner(pets.clone()))
        .controller(ListDeclared(pets.clone()))
        .build();
    TestClient::new(api.unwrap())
}

/// Five pets; the last has nothing but a name.
pub(crate) fn five() -> Shelter {
    let of = |id: u8, name: &str, species, age, weight_kg: f32, calm, born: &str, seen: &str| Pet {
        id: id.into(),
        name: name.to_owned(),
        nickname: (id % 2 == 1).then(|| format!("{name}, the {id}.")),
        species: Some(species),
        age: Some(age),
        weight_kg: Some(weight_kg.to_string().parse().unwrap()),
        height_m: Some(weight_kg / 10.0),
        calm: Some(calm),
        born: Some(born.parse().unwrap()),
        seen: Some(seen.parse().unwrap()),
        chip: Some(Uuid::from_u128(id.into())),
    };
    let nothing = Pet {
        id: 5,
        name: "zoë".to_owned(),
        nickname: None,
        species: None,
        age: None,
        weight_kg: None,
        height_m: None,
        calm: None,
        born: None,
        seen: None,
        chip: None,
    };
    Arc::new(Mutex::new(vec![
        of(1, "Ada", Species::Cat, 3, 4.5, true, "2020-01-31", "2024-05-01T12:00:00Z"),
        of(2, "Rex", Species::Dog, 9, 30.0, false, "2014-07-01", "2024-05-01T12:00:00.5Z"),
        of(3, "ÄRGER 100%", Species::Dog, 3, 12.5, false, "2020-02-29", "2024-05-02T00:00:00+14:00"),
        of(4, "a_b\\c", Species::Fish, 1, 0.1, true, "2023-12-24", "2023-12-24T00:00:00Z"),
        nothing,
    ]))
}
