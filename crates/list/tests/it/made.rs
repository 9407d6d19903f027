//! Filters, orders and paginations that are made without a request equal the ones of a request.

use std::sync::{Arc, Mutex};

use jiff::Timestamp;
use jiff::civil::date;
use restwright::list::{
    Comparison, Counted, Cursor, Direction, Expression, FieldName, Filter, FilterBag, ListSlice, Offset, Page,
    PageResponse, Pagination, SortBag, SortFields, apply,
};
use restwright::prelude::*;
use restwright::testing::TestClient;
use uuid::Uuid;

use crate::compared::Compared;
use crate::pets::{
    ByCursor, ByOffset, ByPage, ListByCursor, ListByOffset, ListByPage, Pet, PetFilters, PetSort, Species, five,
};

/// Keeps what it read.
struct Listen(Arc<Mutex<Option<Heard>>>);

#[derive(Request)]
struct Heard {
    filters: PetFilters,
    sort: SortBag<PetSort>,
    page: Page,
}

impl Controller for Listen {
    type Request = Heard;
    type Response = PageResponse<Pet>;

    fn route(&self) -> Route {
        Route::get("/").public()
    }

    async fn handle(&self, request: Heard) -> Result<PageResponse<Pet>> {
        let response = request.page.respond(ListSlice::new(&request.page, []).counted(0));
        *self.0.lock().unwrap() = Some(request);
        Ok(response)
    }
}

fn heard(query: &str) -> Heard {
    let listen = Listen(Arc::default());
    let heard = listen.0.clone();
    let api = Api::builder(Configuration::new("tests", "1.0.0")).controller(listen).build().unwrap();
    TestClient::new(api).get(format!("/?{query}")).send().assert_status(200);
    heard.lock().unwrap().take().unwrap()
}

#[test]
fn filters() {
    let none = PetFilters::default;
    let seen: Timestamp = "2024-05-01T12:00:00.5Z".parse().unwrap();
    for (query, made) in [
        ("", none()),
        ("name=Rex", PetFilters { name: Filter::eq("Rex".to_owned()), ..none() }),
        ("name[contains]=r%25", PetFilters { name: Filter::contains("r%"), ..none() }),
        (
            "name[starts_with]=R&name[ends_with]=x",
            PetFilters { name: Filter::starts_with("R").and(Filter::ends_with("x")), ..none() },
        ),
        (r"name[in]=a\,b,\\", PetFilters { name: Filter::one_of(["a,b".to_owned(), r"\".to_owned()]), ..none() }),
        ("species[ne]=dog", PetFilters { species: Filter::ne(Species::Dog), ..none() }),
        ("age[between]=1,9", PetFilters { age: Filter::between(1, 9), ..none() }),
        (
            "weight_kg[gt]=0.5&height_m[lte]=1.5",
            PetFilters { weight: Filter::gt(0.5), height_m: Filter::lte(1.5), ..none() },
        ),
        ("calm=true", PetFilters { calm: Filter::eq(true), ..none() }),
        ("born[gte]=2020-02-29", PetFilters { born: Filter::gte(date(2020, 2, 29)), ..none() }),
        ("seen[lt]=2024-05-01T12:00:00.5Z", PetFilters { seen: Filter::lt(seen), ..none() }),
        (
            "chip[in]=00000000-0000-0000-0000-000000000007",
            PetFilters { chip: Filter::one_of([Uuid::from_u128(7)]), ..none() },
        ),
        ("id=3", PetFilters { id: Filter::eq(3), ..none() }),
        ("age[is_null]=false", PetFilters { age: Filter::is_null(false), ..none() }),
    ] {
        let read = heard(query).filters;
        assert_eq!(format!("{made:?}"), format!("{read:?}"), "{query}");
        assert_eq!(made.expression(), read.expression(), "{query}");
    }
    let bag: FilterBag = [("name", Filter::contains("r%"))].into_iter().collect();
    assert_eq!(bag.expression(), heard("name[contains]=r%25").filters.expression());
    assert_eq!(bag.get("name").map(Filter::is_given), Some(true));
}

#[test]
fn orders() {
    let (up, down) = (Direction::Ascending, Direction::Descending);
    for (query, requested) in [
        ("", &[] as &[(PetSort, Direction)]),
        ("order_by=name", &[(PetSort::Name, up)]),
        ("order_by=-age,name", &[(PetSort::Age, down), (PetSort::Name, up)]),
        ("order_by=-id,name", &[(PetSort::Id, down), (PetSort::Name, up)]),
    ] {
        let made = SortBag::by(requested.iter().copied()).unwrap();
        assert_eq!(format!("{made:?}"), format!("{:?}", heard(query).sort), "{query}");
        let (by_name, by_id) = (made.by_name(), Pet::FIELDS.id.is_null(false));
        let summary = (made.to_string(), made.identifier().to_owned(), made.is_requested());
        assert_eq!((by_name.to_string(), by_name.identifier().to_owned(), by_name.is_requested()), summary);
        let (page, pets) = (Page::new(2, 2).unwrap(), five().lock().unwrap().clone());
        let ids = |listed: ListSlice<Pet>| listed.items.iter().map(|pet| pet.id).collect::<Vec<_>>();
        let by_window = apply(by_id.clone(), &by_name, &page.window(), pets.clone());
        assert_eq!(ids(by_window), ids(apply(by_id, &made, &page, pets.clone())), "{query}");
    }
    assert!(SortBag::by([(PetSort::Name, up), (PetSort::Name, down)]).is_none());

    let fields = SortFields::by_identifier("id").field("name").default("name", down);
    let among = |requested: &[(&'static str, Direction)]| {
        SortBag::among(&fields, requested.iter().copied()).map(|sort| (sort.to_string(), sort.is_requested()))
    };
    assert_eq!(among(&[]), Some(("-name,-id".to_owned(), false)));
    assert_eq!(among(&[("name", up)]), Some(("name,id".to_owned(), true)));
    assert_eq!(among(&[("name", up), ("name", up)]), None);
    assert_eq!(among(&[("wings", up)]), None);
    let declared_by_a_route = SortBag::among(&fields, []).unwrap().iter().next().unwrap().field.clone();
    assert!(SortBag::by([(declared_by_a_route, up)]).is_none());
}

#[test]
fn pages_and_offsets() {
    const MOST: u64 = i64::MAX as u64;
    assert_eq!(Page::new(2, 7), Some(heard("page=2&limit=7").page));
    for (number, limit, possible) in
        [(1, 1, true), (0, 1, false), (1, 0, false), (MOST, 1, true), (MOST, 2, false), (u64::MAX, u32::MAX, false)]
    {
        assert_eq!(Page::new(number, limit).is_some(), possible, "{number} {limit}");
    }
    for (offset, limit, possible) in
        [(0, 1, true), (0, 0, false), (MOST - 1, 1, true), (MOST, 1, false), (u64::MAX, u32::MAX, false)]
    {
        assert_eq!(Offset::new(offset, limit).is_some(), possible, "{offset} {limit}");
    }
}

fn ids(pets: &[Pet]) -> Vec<i64> {
    pets.iter().map(|pet| pet.id).collect()
}

/// A store that reads by the window, as one on a database does.
fn read_by_id(pagination: &impl Pagination) -> ListSlice<i64> {
    let mut pets = five().lock().unwrap().clone();
    pets.sort_by_key(|pet| pet.id);
    let total = pets.len() as u64;
    let window = pagination.window();
    if let Some(position) = window.position() {
        let beyond = position.expression();
        pets.retain(|pet| beyond.holds(pet));
    }
    if window.is_backward() {
        pets.reverse();
    }
    let [offset, read] = [window.offset(), window.read()].map(|count| usize::try_from(count).unwrap());
    let read = pets.into_iter().skip(offset).take(read);
    ListSlice::new(pagination, read.map(|pet| pet.id)).counted(total)
}

#[test]
fn a_store_reads_the_items_of_the_reference() {
    #[track_caller]
    fn check(pagination: &impl Pagination, ids: &[i64], previous: bool, next: bool) {
        let sort = SortBag::by([(PetSort::Id, Direction::Ascending)]).unwrap();
        let reference = apply(&(), &sort, pagination, &*five().lock().unwrap()).map(|pet| pet.id);
        let read = read_by_id(pagination);
        assert_eq!(read, reference);
        assert_eq!((read.items.as_slice(), read.has_previous(), read.has_next()), (ids, previous, next));
        let uncounted = read.without_total();
        assert_eq!((uncounted.has_previous(), uncounted.has_next()), (previous, next));
    }
    check(&Page::new(1, 2).unwrap(), &[1, 2], false, true);
    check(&Page::new(3, 2).unwrap(), &[5], true, false);
    check(&Offset::new(3, 2).unwrap(), &[4, 5], true, false);
    check(&Offset::new(9, 2).unwrap(), &[], true, false);
    let sort = SortBag::by([(PetSort::Id, Direction::Ascending)]).unwrap();
    let start = Cursor::first(&sort, 2).unwrap();
    let pets = five().lock().unwrap().clone();
    check(&start, &[1, 2], false, true);
    check(&start.after(&pets[1]), &[3, 4], true, true);
    check(&start.after(&pets[2]), &[4, 5], true, false);
    check(&start.before(&pets[2]), &[1, 2], false, true);
    check(&start.before(&pets[4]), &[3, 4], true, true);
    check(&start.before(&pets[0]), &[], false, true);
}

#[test]
fn a_total_says_what_was_not_read() {
    let page = Page::new(1, 2).unwrap();
    for (total, expected) in [(2, false), (3, true)] {
        let listed = ListSlice::new(&page, [1, 2]).counted(total);
        assert_eq!(listed.has_next(), expected);
        assert_eq!(listed.without_total().has_next(), expected);
    }
}

#[test]
fn conditions_of_the_service_beside_those_of_a_client() {
    let filters = PetFilters { age: Filter::gte(3), ..PetFilters::default() };
    let no_dogs = !Pet::FIELDS.species.eq(Species::Dog);
    assert_eq!(no_dogs, !Expression::condition("species", Comparison::Eq("dog".into())));
    let sort = SortBag::by([(PetSort::Id, Direction::Ascending)]).unwrap();
    let page = Page::new(1, 20).unwrap();
    let listed = apply(filters.expression().and(no_dogs), &sort, &page, &*five().lock().unwrap()).map(|pet| pet.id);
    assert_eq!(listed.items, [1]);
}

#[tokio::test]
async fn controllers_without_a_request() {
    let sort = || SortBag::by([(PetSort::Name, Direction::Ascending)]).unwrap();
    let filters = || PetFilters { species: Filter::one_of([Species::Cat, Species::Dog]), ..PetFilters::default() };

    let page = Page::new(2, 2).unwrap();
    let paged = ListByPage(five()).handle(ByPage { filters: Compared(filters()), sort: sort(), page }).await.unwrap();
    assert_eq!((ids(&paged.listed().items), paged.listed().totals, paged.page()), (vec![3], Counted(3), page));

    let offset = Offset::new(1, 1).unwrap();
    let request = ByOffset { filters: filters(), sort: sort(), offset };
    let cut = ListByOffset(five()).handle(request).await.unwrap();
    assert_eq!((ids(&cut.listed().items), cut.listed().totals, cut.offset()), (vec![2], Counted(3), offset));

    let start = Cursor::first(&sort(), 1).unwrap();
    let list = async |cursor: Cursor| {
        ListByCursor(five()).handle(ByCursor { filters: filters(), sort: sort(), cursor }).await.unwrap()
    };
    let first = list(start.clone()).await;
    let second = list(start.after(&first.items()[0])).await;
    let again = list(start.before(&second.items()[0])).await;
    assert_eq!([ids(first.items()), ids(second.items()), ids(again.items())], [[1], [2], [1]]);
    assert!(first.next_cursor().is_some() && first.previous_cursor().is_none());
    assert!(second.next_cursor().is_some() && second.previous_cursor().is_some());
    assert!(Cursor::first(&sort(), 0).is_none());
}

#[test]
fn a_bag_of_filters_is_read_and_written_as_types() {
    let seen: Timestamp = "2024-05-01T12:00:00Z".parse().unwrap();
    let mut bag = FilterBag::default();
    bag.insert("name", Filter::contains("re").and(Filter::eq("Rex".to_owned())));
    bag.insert("age", Filter::between(1_u64, u64::MAX));
    bag.insert("species", Filter::one_of([Species::Dog, Species::Cat]));
    bag.insert("seen", Filter::eq(seen));
    bag.insert("chip", Filter::eq(Uuid::from_u128(7)));
    bag.insert("weight", Filter::gt(0.5).and(Filter::is_null(true)));
    bag.insert("age", Filter::between(2_u64, u64::MAX));
    assert_eq!(bag.iter().count(), 6);
    for (field, expression) in [
        ("name", bag.read::<String>("name").map(|filter| filter.conditions("name").collect::<Vec<_>>())),
        ("age", bag.read::<u64>("age").map(|filter| filter.conditions("age").collect())),
        ("species", bag.read::<Species>("species").map(|filter| filter.conditions("species").collect())),
        ("seen", bag.read::<String>("seen").map(|filter| filter.conditions("seen").collect())),
        ("chip", bag.read::<Uuid>("chip").map(|filter| filter.conditions("chip").collect())),
        ("weight", bag.read::<f64>("weight").map(|filter| filter.conditions("weight").collect())),
    ] {
        let expected: Vec<_> = bag.get(field).unwrap().conditions(field).collect();
        assert_eq!(expression.unwrap(), expected, "{field}");
    }
    assert_eq!(bag.read::<u64>("age").unwrap().iter().next().unwrap().comparison(), &Comparison::Between(2, u64::MAX));
    assert_eq!(
        bag.read::<String>("chip").unwrap().equals().map(String::as_str),
        Some(&*Uuid::from_u128(7).to_string())
    );
    assert!(!bag.read::<bool>("none").unwrap().is_given());
    let problem = bag.read::<u8>("age").unwrap_err();
    assert!(format!("{problem:?}").contains("the filter `age`"), "{problem:?}");
}

#[test]
fn an_order_changes_the_form_of_its_fields() {
    let made = SortBag::by([(PetSort::Age, Direction::Descending)]).unwrap();
    let named = made.clone().try_map(|field| Ok::<_, ()>(FieldName::new(field.name().to_owned()))).unwrap();
    assert_eq!(format!("{named:?}"), format!("{:?}", made.by_name()));
    let refused = named.try_map(|field| if field.name() == "age" { Ok(PetSort::Age) } else { Err(field) });
    assert_eq!(refused.unwrap_err().name(), "id");
}
