//! `#[schema(changes)]`: partial updates.

use restwright::Schema;
use restwright::schema::{Patch, SchemaSide};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{published, read};

/// An animal.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, Schema)]
#[serde(rename_all = "camelCase")]
#[schema(changes(derive(Clone, Debug, Serialize)), validate = not_its_own_owner)]
struct Pet {
    #[property(read_only)]
    #[serde(default)]
    id: i64,
    /// What it is called.
    #[property(min_length = 1, max_length = 10)]
    nick_name: String,
    #[property(exclusive_minimum = 0)]
    weight_kg: Option<f64>,
    #[serde(default, rename = "labels")]
    #[property(max_items = 2, items(min_length = 1))]
    tags: Vec<String>,
    #[serde(default = "one")]
    #[property(minimum = 1)]
    legs: u8,
    owner: Owner,
    second_owner: Option<Owner>,
    kennel: Kennel,
    #[serde(flatten)]
    papers: Papers,
    #[serde(skip)]
    cache: u8,
}

#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, Schema)]
#[schema(changes(name = "OwnerUpdate", derive(Clone, Debug, Serialize)))]
struct Owner {
    #[property(min_length = 1, validate = not_blank)]
    name: String,
    city: Option<String>,
}

/// Replaced as a whole.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, Schema)]
struct Kennel {
    row: u8,
    place: u8,
}

#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, Schema)]
#[schema(changes(derive(Clone, Debug, Serialize)), name = "Documents")]
struct Papers {
    #[property(pattern = "^[0-9]+$")]
    passport: String,
    chip: Option<i64>,
}

fn one() -> u8 {
    1
}

fn not_blank(name: &str) -> Result<(), &'static str> {
    if name.trim().is_empty() { Err("must not be blank") } else { Ok(()) }
}

fn not_its_own_owner(pet: &Pet) -> Result<(), &'static str> {
    if pet.nick_name == pet.owner.name { Err("must not own itself") } else { Ok(()) }
}

fn rex() -> Pet {
    Pet {
        id: 7,
        nick_name: "Rex".to_owned(),
        weight_kg: Some(30.0),
        tags: vec!["good".to_owned()],
        legs: 4,
        owner: Owner { name: "Ann".to_owned(), city: Some("Bonn".to_owned()) },
        second_owner: None,
        kennel: Kennel { row: 1, place: 2 },
        papers: Papers { passport: "12".to_owned(), chip: Some(1) },
        cache: 9,
    }
}

/// The changed pet, or the pointers and codes of the violations of reading or applying.
fn changed(pet: &Pet, changes: &Value) -> Result<Pet, Vec<String>> {
    let changes: PetChanges = read(&changes.to_string())?;
    changes.apply(pet).map_err(|violations| {
        violations.iter().map(|violation| format!("{} {}", violation.pointer, violation.code.as_str())).collect()
    })
}

#[test]
fn what_is_absent_stays_and_nested_structs_merge() {
    assert_eq!(changed(&rex(), &json!({})), Ok(rex()));
    let changes = json!({"nickName": "Max", "owner": {"city": null}, "labels": ["calm", "old"], "chip": null});
    let expected = Pet {
        nick_name: "Max".to_owned(),
        owner: Owner { name: "Ann".to_owned(), city: None },
        tags: vec!["calm".to_owned(), "old".to_owned()],
        papers: Papers { passport: "12".to_owned(), chip: None },
        ..rex()
    };
    assert_eq!(changed(&rex(), &changes), Ok(expected));
    let changes = json!({"kennel": {"row": 3, "place": 4}, "passport": "34"});
    let papers = Papers { passport: "34".to_owned(), ..rex().papers };
    assert_eq!(changed(&rex(), &changes), Ok(Pet { kennel: Kennel { row: 3, place: 4 }, papers, ..rex() }));
}

#[test]
fn null_clears_sets_the_default_or_is_a_violation() {
    let changes = json!({"weightKg": null, "labels": null, "legs": null});
    assert_eq!(changed(&rex(), &changes), Ok(Pet { weight_kg: None, tags: Vec::new(), legs: 1, ..rex() }));
    let changes = json!({"nickName": null, "owner": null, "kennel": null});
    assert_eq!(
        changed(&rex(), &changes),
        Err(["/nickName null", "/owner null", "/kennel null"].map(str::to_owned).to_vec())
    );
}

/// A visit, with defaults that its schema declares.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, Schema)]
#[schema(changes)]
struct Visit {
    #[property(minimum = 1, default = 2)]
    guests: u8,
    #[property(default = "none", max_length = 10)]
    note: String,
}

#[test]
fn null_sets_a_declared_default() {
    let visit = Visit { guests: 7, note: "calm".to_owned() };
    for (changes, expected) in [
        (json!({}), visit.clone()),
        (json!({"guests": null}), Visit { guests: 2, ..visit.clone() }),
        (json!({"guests": 3, "note": null}), Visit { guests: 3, note: "none".to_owned() }),
    ] {
        let read: VisitChanges = read(&changes.to_string()).unwrap();
        assert_eq!(read.apply(&visit).unwrap(), expected, "{changes}");
    }
}

#[test]
fn constraints_hold_for_changes() {
    let changes = json!({"nickName": "", "weightKg": 0, "labels": ["", "b", "c"], "owner": {"name": ""}, "legs": 0, "passport": "x"});
    assert_eq!(
        changed(&rex(), &changes),
        Err([
            "/nickName min_length",
            "/weightKg exclusive_minimum",
            "/labels max_items",
            "/labels/0 min_length",
            "/owner/name min_length",
            "/legs minimum",
            "/passport pattern",
        ]
        .map(str::to_owned)
        .to_vec())
    );
    assert_eq!(changed(&rex(), &json!({"kennel": {"row": 1}})), Err(vec!["/kennel/place required".to_owned()]));
}

#[test]
fn the_type_s_own_checks_run_on_the_result() {
    assert_eq!(changed(&rex(), &json!({"nickName": "Ann"})), Err(vec![" invalid".to_owned()]));
    assert_eq!(changed(&rex(), &json!({"owner": {"name": " "}})), Err(vec!["/owner/name invalid".to_owned()]));
}

#[test]
fn an_absent_part_is_made_of_changes_that_have_everything() {
    assert_eq!(
        changed(&rex(), &json!({"secondOwner": {"city": "Ulm"}})),
        Err(vec!["/secondOwner/name required".to_owned()])
    );
    let second = Owner { name: "Bob".to_owned(), city: None };
    let changes = json!({"secondOwner": {"name": "Bob"}});
    assert_eq!(changed(&rex(), &changes), Ok(Pet { second_owner: Some(second), ..rex() }));
}

#[test]
fn read_only_and_skipped_fields_stay() {
    assert_eq!(changed(&rex(), &json!({"id": 8, "cache": 1})), Ok(rex()));
    let json = serde_json::to_value(PetChanges { nick_name: Patch::Value("Max".to_owned()), ..PetChanges::default() });
    assert_eq!(json.unwrap(), json!({"nickName": "Max"}));
}

#[test]
fn the_schema_has_names_constraints_and_descriptions() {
    let components = published::<PetChanges>(SchemaSide::Input);
    let schema = &components["PetChanges"];
    assert_eq!(schema.get("required"), None);
    assert_eq!(schema["description"], "Changes to `Pet`. An absent property stays unchanged.");
    let properties = &schema["properties"];
    assert_eq!(
        properties["nickName"],
        json!({"type": "string", "minLength": 1, "maxLength": 10, "description": "What it is called."})
    );
    assert_eq!(properties["labels"]["type"], json!(["array", "null"]));
    assert_eq!(properties["owner"], json!({"$ref": "#/components/schemas/OwnerUpdate"}));
    assert_eq!(properties["kennel"], json!({"$ref": "#/components/schemas/Kennel"}));
    assert_eq!(properties["passport"]["pattern"], "^[0-9]+$");
    assert_eq!((properties.get("id"), properties.get("cache")), (None, None));
    assert_eq!(published::<PapersChanges>(SchemaSide::Input)["DocumentsChanges"]["type"], "object");
    assert_eq!(published::<PetChanges>(SchemaSide::Output).get("PetChangesInput"), None);
}

#[derive(Clone, Debug, PartialEq, Deserialize, Schema)]
#[serde(default, deny_unknown_fields)]
#[schema(changes = "SettingsUpdate")]
struct Settings {
    theme: String,
    size: Option<u8>,
}

impl Default for Settings {
    fn default() -> Self {
        Self { theme: "light".to_owned(), size: Some(3) }
    }
}

#[test]
fn the_default_of_the_struct_is_that_of_its_fields() {
    let current = Settings { theme: "dark".to_owned(), size: None };
    let apply = |json: &str| read::<SettingsUpdate>(json).map(|changes| changes.apply(&current).unwrap());
    assert_eq!(apply(r#"{"theme": null}"#), Ok(Settings { theme: "light".to_owned(), size: None }));
    assert_eq!(apply(r#"{"sise": 1}"#), Err(vec!["/sise unknown_property".to_owned()]));
}
