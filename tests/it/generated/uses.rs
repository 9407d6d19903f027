//! The generated types in use. Every field of every type is named, so a change of any of them does not compile.

use restwright::list::{Comparison, FieldName, Filter, FilterBag, Filters, Sort, SortBag};
use restwright::prelude::*;
use restwright::schema::Bag;
use restwright::{Input, Output};
use restwright_testing::TestClient;
use serde_json::{Value, json};

use super::declared::{self, Handlers};
use super::shapes::*;

fn api() -> Api {
    declared::api(Handlers([create_pet, view_pet, replace_pet, hostile, hidden, plain], list_pets))
}

fn create_pet(input: Input) -> Result<Output> {
    let CreatePetRequest { body } = input.try_into()?;
    let PetCreateInput {
        name,
        secret,
        colour,
        breed,
        legs,
        steps,
        stars,
        rank,
        weight_kg,
        ratio,
        vaccinated,
        found_at,
        tag,
        mood,
        grade,
        tags,
        notes,
        labels,
        extra,
        kind,
        chip,
        typed,
        mother,
        children,
        friend,
    } = body;
    let kind = match kind {
        Kind::Cat(KindCat { indoor }) => Kind::Cat(KindCat { indoor: !indoor }),
        Kind::Dog(KindDog { size: KindDogSize::Small }) => Kind::Dog(KindDog { size: KindDogSize::Large }),
        Kind::Dog(KindDog { size: KindDogSize::Large }) => Kind::Dog(KindDog { size: KindDogSize::Small }),
    };
    let mood = match mood {
        PetMood::Calm => PetMood::VeryWild,
        PetMood::VeryWild => PetMood::Value1st,
        PetMood::Value1st => PetMood::Value,
        PetMood::Value => PetMood::Calm,
    };
    let notes =
        notes.map(|notes| notes.into_iter().map(|PetNotesItem { text }| PetNotesItem { text: text + "!" }).collect());
    let labels =
        labels.map(|labels| labels.into_iter().map(|(name, Label { text })| (name + "!", Label { text })).collect());
    let PetChip { number, is_read } = chip;
    let Typed { name: of_code } = typed;
    let mother = mother.map(|parent| {
        let ParentCreateInput { child } = *parent;
        assert!(child.is_none());
        Box::new(Parent { child: None })
    });
    let pet = Pet {
        id: 7,
        name: format!("{name} {}", secret.unwrap_or_default()),
        colour,
        breed,
        legs: Some(legs),
        steps,
        stars,
        rank,
        weight_kg,
        ratio,
        vaccinated,
        born: None,
        found_at,
        tag,
        mood,
        grade,
        tags,
        notes,
        labels,
        extra,
        kind,
        chip: PetChip { number, is_read },
        typed: Typed { name: of_code },
        mother,
        children: children.map(|_| Vec::new()),
        friend: friend.map(|_| unreachable!("the test sends none")),
    };
    let headers = CreatePetHeaders201 { location: "/pets/7".to_owned(), x_total: Some(3) };
    CreatePetResponse201 { headers, body: PetCreated { data: pet } }.try_into()
}

fn view_pet(input: Input) -> Result<Output> {
    let ViewPetRequest { path, query, headers, cookies } = input.try_into()?;
    let ViewPetPath { id } = path;
    let ViewPetQuery { fields, depth } = query;
    let ViewPetHeaders { x_trace } = headers;
    let ViewPetCookies { session } = cookies;
    let fields = fields.into_iter().flatten().map(|field| match field {
        ViewPetQueryFieldsItem::Name => 'n',
        ViewPetQueryFieldsItem::Id => 'i',
    });
    let why = format!("{id} {} {depth} {x_trace:?} {session:?}", fields.collect::<String>());
    if id == 404 {
        return ViewPetResponse200 { body: None }.try_into();
    }
    ViewPetResponse203 { body: ViewPetBody203 { why } }.try_into()
}

fn replace_pet(input: Input) -> Result<Output> {
    let ReplacePetRequest { path: ReplacePetPath { tag_id }, body } = input.try_into()?;
    assert_eq!(tag_id, "67e55044-10b1-426f-9247-bb680e5fe0c8");
    assert_eq!(body.map(|Label { text }| text).as_deref(), Some("a").filter(|_| tag_id.is_empty()));
    ReplacePetResponse204 {}.try_into()
}

fn hostile(input: Input) -> Result<Output> {
    let SelfRequest { body } = input.try_into()?;
    let Hostile {
        option: Option2 { some },
        self_,
        r#type,
        field_1st,
        a_b_2,
        a_b,
        a_b_3,
        gru00f6u00dfe,
        quoted,
        back_slash,
        field,
        r#async,
        self_2,
        a_very_long_name_of_a_property_that_rustfmt_would_break_if_it_was_not_told_to_leave_it_alone_as_it_is: long,
        kinds,
    } = body;
    let texts = [self_, r#type, field_1st, a_b_2, a_b, a_b_3, gru00f6u00dfe, quoted, back_slash, field, r#async];
    let texts = texts.into_iter().chain([self_2, long]).collect::<Vec<_>>();
    let kind = match kinds {
        HostileKinds::Self_ => 1,
        HostileKinds::AB => 2,
        HostileKinds::AB2 => 3,
        HostileKinds::Value => 4,
        HostileKinds::Ok => 5,
    };
    assert_eq!((some, kind, texts.concat().as_str()), (true, 3, "abcdefghijklm"));
    SelfResponse204 {}.try_into()
}

fn hidden(input: Input) -> Result<Output> {
    let HiddenRequest { body } = input.try_into()?;
    assert_eq!(body, [Label { text: "a".to_owned() }]);
    HiddenResponse204 {}.try_into()
}

fn plain(_: Input) -> Result<Output> {
    PlainResponse204 {}.try_into()
}

fn list_pets(filters: FilterBag, sort: SortBag) -> Result<Output> {
    let filters: ListPetsFilters = filters.try_into()?;
    let conditions = filters.conditions();
    let ListPetsFilters { name, born, legs, mood, a_b } = filters.clone();
    assert_eq!(FilterBag::from(filters).conditions(), conditions);
    let mood = mood.iter().flat_map(|given| match given.comparison() {
        Comparison::In(moods) => moods.clone(),
        _ => Vec::new(),
    });
    let mood = mood.map(|mood| match mood {
        ListPetsFiltersMood::Calm => "calm",
        ListPetsFiltersMood::Wild => "wild",
    });
    let name = name.iter().map(|given| given.raw()).collect::<Vec<_>>();
    let born = born.iter().filter_map(|given| given.comparison().values().first().map(|text| text.to_string()));
    let texts = [
        name.concat(),
        born.collect(),
        legs.equals().map(i32::to_string).unwrap_or_default(),
        mood.collect(),
        a_b.is_given().to_string(),
    ];
    let order = sort.try_map(ListPetsSort::try_from)?;
    let fields = order.iter().map(|entry| match entry.field {
        ListPetsSort::Id => 'i',
        ListPetsSort::Name => 'n',
        ListPetsSort::BornOn => 'b',
    });
    let labels = texts.into_iter().chain([fields.collect(), order.to_string()]).map(|text| Label { text });
    ListPetsResponse200 { body: labels.collect() }.try_into()
}

fn pet() -> Value {
    json!({
        "name": "Rex", "secret": "s", "colour": null, "breed": null, "steps": 4_294_967_295_u32, "rank": 5, "weightKg": 1.5,
        "ratio": 0.1, "vaccinated": true, "found_at": "2024-02-29T12:00:00Z", "tag": "67e55044-10b1-426f-9247-bb680e5fe0c8",
        "mood": "very wild", "grade": 2, "tags": ["a", "b"], "notes": [{ "text": "n" }], "labels": { "l": { "text": "t" } },
        "extra": [1, { "a": null }], "kind": { "species": "cat", "indoor": true }, "chip": { "number": "1", "is read": false },
        "typed": { "name": "T" }, "mother": {}, "children": []
    })
}

#[test]
fn a_body_is_read_and_written_by_its_types() {
    let created = TestClient::new(api()).post("/pets").json(&pet()).send();
    created.assert_status(201);
    assert_eq!(created.header("location"), Some("/pets/7"));
    assert_eq!(created.header("x-total"), Some("3"));
    let mut expected = pet();
    let members = expected.as_object_mut().unwrap();
    members.retain(|name, _| !["secret", "colour"].contains(&name.as_str()));
    members.extend([("id".to_owned(), json!(7)), ("name".to_owned(), json!("Rex s")), ("legs".to_owned(), json!(4))]);
    members.extend([("mood".to_owned(), json!("1st")), ("notes".to_owned(), json!([{ "text": "n!" }]))]);
    members.extend([("labels".to_owned(), json!({ "l!": { "text": "t" } }))]);
    members.extend([("kind".to_owned(), json!({ "species": "cat", "indoor": false }))]);
    assert_eq!(created.json::<Value>(), json!({ "data": expected }));
}

#[test]
fn parameters_are_read_by_their_location() {
    let client = TestClient::new(api());
    let why = |response: restwright_testing::TestResponse| response.assert_status(203).json::<Value>()["why"].clone();
    let request =
        client.get("/pets/7?fields=id&fields=name&depth=3").header("X-Trace", "t").header("Cookie", "session=s");
    assert_eq!(why(request.send()), "7 in 3 Some(\"t\") Some(\"s\")");
    assert_eq!(why(client.get("/pets/7").send()), "7  1 None None");
    assert_eq!(client.get("/pets/404").send().assert_status(200).json::<Value>(), Value::Null);
    client.put("/tags/67e55044-10b1-426f-9247-bb680e5fe0c8").send().assert_status(204);
    client.post("/hidden").json(&json!([{ "text": "a" }])).send().assert_status(204);
    client.get("/plain").send().assert_status(204);
}

#[test]
fn reads_names_that_are_not_identifiers() {
    let body = json!({
        "option": { "some": true }, "self": "a", "type": "b", "1st": "c", "a-b": "d", "a_b": "e", "a b": "f", "größe": "g",
        "\"quoted\"": "h", "back\\slash": "i", "": "j", "async": "k", "Self": "l",
        "a_very_long_name_of_a_property_that_rustfmt_would_break_if_it_was_not_told_to_leave_it_alone_as_it_is": "m",
        "kinds": "a-b"
    });
    TestClient::new(api()).post("/hostile").json(&body).send().assert_status(204);
}

#[test]
fn filters_and_order_are_read_by_their_types() {
    let query = "name[contains]=re&born[gte]=2024-02-29&legs=4&mood[in]=calm,wild&order_by=-bornOn,name";
    let listed = TestClient::new(api()).get(format!("/pets?{query}")).send().assert_status(200).json::<Value>();
    let texts: Vec<_> = listed.as_array().unwrap().iter().map(|label| label["text"].as_str().unwrap()).collect();
    assert_eq!(texts, ["re", "2024-02-29", "4", "calmwild", "false", "bni", "-bornOn,name,id"]);
}

#[test]
fn types_are_converted_from_and_to_bags() {
    let chip = PetChip { number: "1".to_owned(), is_read: true };
    let bag = Bag::try_from(chip.clone()).unwrap();
    assert_eq!(bag.value(), &json!({ "number": "1", "is read": true }));
    assert_eq!(PetChip::try_from(bag).unwrap(), chip);
    let error = PetChip::try_from(Bag::new(json!({ "number": 1, "is read": true }))).unwrap_err();
    assert_eq!(error.property(), "number");
    let kind = Kind::Dog(KindDog { size: KindDogSize::Small });
    let bag = Bag::try_from(kind.clone()).unwrap();
    assert_eq!(bag.value(), &json!({ "species": "dog", "size": "small" }));
    assert_eq!(Kind::try_from(bag).unwrap(), kind);
}

#[test]
fn an_unknown_field_and_a_wrong_type_are_internal_problems() {
    let problem = ListPetsSort::try_from(FieldName::new("age")).unwrap_err();
    assert!(format!("{problem:?}").contains("age"), "{problem:?}");
    assert_eq!(FieldName::from(ListPetsSort::BornOn).name(), "bornOn");
    let bag: FilterBag = [("legs", Filter::eq("four".to_owned().into()))].into_iter().collect();
    let problem = ListPetsFilters::try_from(bag).unwrap_err();
    assert!(format!("{problem:?}").contains("legs"), "{problem:?}");
}
