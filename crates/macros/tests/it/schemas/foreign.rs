//! Newtypes around types of other crates.

use restwright::Schema;
use restwright::schema::SchemaSide;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::{published, read};

/// A type without a schema, as another crate may have it.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Version(String);

/// A release.
#[derive(Debug, PartialEq, Serialize, Deserialize, Schema)]
#[schema(as = String)]
struct Release(#[property(pattern = "^[0-9]+$", validate = is_new)] Version);

fn is_new(version: &Version) -> Result<(), &'static str> {
    if version.0 == "1" { Err("is too old") } else { Ok(()) }
}

#[derive(Debug, PartialEq, Serialize, Deserialize, Schema)]
#[serde(transparent)]
#[schema(as = Vec<u8>)]
struct Bytes(#[serde(with = "as_list")] std::ops::RangeInclusive<u8>);

mod as_list {
    use std::ops::RangeInclusive;

    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    pub(super) fn serialize<S: Serializer>(range: &RangeInclusive<u8>, serializer: S) -> Result<S::Ok, S::Error> {
        [*range.start(), *range.end()].serialize(serializer)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<RangeInclusive<u8>, D::Error> {
        let [start, end] = <[u8; 2]>::deserialize(deserializer)?;
        Ok(start..=end)
    }
}

#[test]
fn a_newtype_has_the_schema_of_the_type_that_it_names() {
    assert_eq!(
        published::<Release>(SchemaSide::Input)["Release"],
        json!({"type": "string", "pattern": "^[0-9]+$", "description": "A release."})
    );
    assert_eq!(read::<Release>("\"12\""), Ok(Release(Version("12".to_owned()))));
    assert_eq!(read::<Release>("\"x\""), Err(vec![" pattern".to_owned()]));
    assert_eq!(read::<Release>("\"1\""), Err(vec![" invalid".to_owned()]));
}

#[test]
fn a_function_of_serde_may_write_its_json() {
    assert_eq!(read::<Bytes>("[1, 2]"), Ok(Bytes(1..=2)));
    assert_eq!(read::<Bytes>("[1, 256]"), Err(vec!["/1 maximum".to_owned()]));
    assert_eq!(read::<Bytes>("[1]"), Err(vec![" unreadable".to_owned()]));
}
