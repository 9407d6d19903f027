//! A run-time declared resource with its generated types.

use restwright::prelude::*;
use restwright::resource::{EntityBag, HookContext, Hooks};
use restwright_testing::TestClient;
use serde_json::{Value, json};

use super::declared_resource::{api, visits};
use super::resource_shapes::*;

struct Normalised;

impl Hooks<EntityBag> for Normalised {
    async fn before_create(&self, _: &mut HookContext<'_>, entity: &mut EntityBag) -> Result<()> {
        let animal = AnimalEntity::try_from(&*entity)?;
        let AnimalEntity { id, name, species, visits, tags, chip, secret, slug, note, created_at } = animal;
        assert!(id.is_none() && slug.is_none());
        let name = name.trim().to_owned();
        let slug = Some(name.to_lowercase());
        let chip = chip.map(|ChipEntity { number, pin }| ChipEntity { number, pin: pin + "!" });
        let animal = AnimalEntity { id, name, species, visits, tags, chip, secret, slug, note, created_at };
        Ok(entity.write(&animal)?)
    }

    async fn before_update(&self, _: &mut HookContext<'_>, before: &EntityBag, entity: &mut EntityBag) -> Result<()> {
        let (before, mut animal) = (before.read::<AnimalEntity>()?, AnimalEntity::try_from(&*entity)?);
        assert_eq!((before.secret, before.chip.unwrap().pin.as_str()), (Some("s".to_owned()), "1234!"));
        // Fields that the service sets stay, and fields that the type omits are removed.
        (animal.id, animal.created_at, animal.note) = (None, None, None);
        animal.tags.get_or_insert_default().push(format!("{:?}", animal.species));
        Ok(entity.write(&animal)?)
    }
}

#[test]
fn hooks_read_and_write_typed_entities() {
    let client = TestClient::new(api(Normalised));
    let new = NewAnimal {
        name: " Ada ".to_owned(),
        species: NewAnimalSpecies::Dog,
        visits: 2,
        tags: None,
        chip: Some(ChipInput { number: "7".to_owned(), pin: "1234".to_owned() }),
        secret: Some("s".to_owned()),
        note: Some("calm".to_owned()),
    };
    let created = client.post("/animals").json(&new).send();
    let created: DataAnimal = created.assert_status(201).assert_documented().json();
    assert_eq!((created.data.name.as_str(), created.data.slug.as_str()), ("Ada", "ada"));
    let path = format!("/animals/{}", created.data.id);

    let changes =
        AnimalChanges { name: None, species: None, visits: Some(3), tags: None, chip: None, secret: None, note: None };
    client.patch(&path).json(&changes).send().assert_status(200).assert_documented();
    let shown: Value = client.get(&path).send().assert_status(200).json();
    let expected = json!({
        "id": created.data.id, "name": "Ada", "species": "dog", "visits": 3, "tags": ["Dog"], "chip": {"number": "7"},
        "slug": "ada", "created_at": created.data.created_at,
    });
    assert_eq!(shown["data"], expected);

    let listed = client.get("/animals?name=Ada&order_by=-name").send();
    let listed: AnimalItemPage = listed.assert_status(200).json();
    assert_eq!(listed.data[0].slug, "ada");
}

/// Code outside of endpoints creates entities from types with a definition.
#[test]
fn creates_an_entity_from_a_type() {
    let visit = VisitEntity { id: None, guest: "Ada".to_owned() };
    let bag = visits().entity(&visit).unwrap();
    assert_eq!(Value::from(bag.values().clone()), json!({"guest": "Ada"}));
    assert_eq!(VisitEntity::try_from(&bag).unwrap(), visit);
    assert!(AnimalEntity::try_from(&bag).unwrap_err().to_string().contains("name"));
    assert!(visits().entity("Ada").is_err());
}
