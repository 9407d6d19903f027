use restwright::schema::{Registry, SchemaSide, SchemaType};
use restwright::{Patch, Schema};
use serde::{Deserialize, Serialize};

use super::{published, read};

#[derive(Serialize, Deserialize, Schema)]
struct Pet {
    name: String,
}

#[derive(Serialize, Deserialize, Schema)]
struct Page<T> {
    data: Vec<T>,
    next: Option<Box<Page<T>>>,
}

#[derive(Serialize, Deserialize, Schema)]
#[serde(bound(deserialize = "T: Deserialize<'de>"))]
struct Change<T> {
    #[serde(default)]
    value: Patch<T>,
    other: T,
}

#[derive(Schema)]
#[allow(dead_code, reason = "its shape is what matters")]
struct Both<'b, L: Schema, R, const N: usize>
where
    R: std::fmt::Debug,
{
    left: &'b L,
    right: [R; N],
    text: std::borrow::Cow<'b, str>,
}

/// A type with a custom name.
#[derive(Serialize, Deserialize, Schema)]
#[schema(name = "Category")]
struct Tree {
    #[serde(default)]
    children: Vec<Tree>,
}

/// What holds itself.
#[derive(Schema)]
#[allow(dead_code, reason = "its shape is what matters")]
struct Chain(Option<Box<Chain>>);

/// A lifetime by the name that derived code once took.
#[derive(Schema)]
#[allow(dead_code, reason = "its shape is what matters")]
struct Word<'any>(&'any str);

fn name<T: Schema>() -> String {
    let mut registry = Registry::new();
    T::schema_type(&mut registry).referred().map(str::to_owned).unwrap_or_default()
}

#[test]
fn names_are_legible() {
    for (found, expected) in [
        (name::<Page<Pet>>(), "PagePet"),
        (name::<Page<Vec<Pet>>>(), "PageListOfPet"),
        (name::<Page<Page<i64>>>(), "PagePageInt64"),
        (name::<Both<'static, Pet, bool, 3>>(), "BothPetBoolean3"),
        (name::<Change<i64>>(), "ChangeInt64"),
        (name::<Tree>(), "Category"),
        (name::<Chain>(), "Chain"),
        (name::<Word<'static>>(), "Word"),
    ] {
        assert_eq!(found, expected);
    }
}

#[test]
fn recursive_shapes() {
    assert!(read::<Page<Pet>>(r#"{"data": [], "next": {"data": [{"name": "a"}]}}"#).is_ok());
    let wrong = read::<Page<Pet>>(r#"{"data": [], "next": {"data": [{"name": 1}]}}"#).err();
    assert_eq!(wrong.unwrap(), ["/next/data/0/name type"]);
    assert!(read::<Tree>(r#"{"children": [{"children": []}, {}]}"#).is_ok());
}

#[test]
fn a_type_around_a_generic_one_refers_to_it() {
    let components = published::<Page<Pet>>(SchemaSide::Output);
    assert_eq!(components["PagePet"]["properties"]["data"]["items"]["$ref"], "#/components/schemas/Pet");
    assert_eq!(SchemaType::reference("PagePet"), Page::<Pet>::schema_type(&mut Registry::new()));
}
