//! Test cases for lists of values in a field.

use restwright_list::Comparison::{Eq, Has};
use restwright_list::Value;
use restwright_resource::Store;

use crate::specimen::values;
use crate::table::{StoreFailure, TestTable, labelled, when};
use crate::{CaseResult, Specimen, cases, equal};

cases!(
    "items";
    has_finds_lists_that_contain_a_value,
);

async fn has_finds_lists_that_contain_a_value(store: &dyn Store) -> CaseResult {
    let table = TestTable::new(store, values());
    let lists: [&[&str]; 5] = [&[], &["a"], &["b", "a", "a"], &["A", ""], &["[\"a\"]", "x\"y", "\u{1F980}"]];
    for (id, tags) in (1..).zip(lists) {
        let tags = tags.iter().map(|tag| (*tag).to_owned()).collect();
        table.insert(Specimen { id, tags, ..labelled(&id.to_string()) }).await?;
    }
    for (value, expected) in [
        (Value::from("a"), "2 3"),
        ("A".into(), "4"),
        ("".into(), "4"),
        ("x\"y".into(), "5"),
        ("\u{1F980}".into(), "5"),
        ("none".into(), ""),
        ("a\0".into(), ""),
        (1.into(), ""),
        (Value::Null, ""),
    ] {
        let found = table.labels(when("tags", Has(value.clone())), "").await?.join(" ");
        equal(found.as_str(), expected).map_err(|reason| format!("{value:?}: {reason}"))?;
        let others = table.count(!when("tags", Has(value))).await?;
        equal(others, 5 - expected.split_whitespace().count() as u64)?;
    }
    let invalid = Specimen { id: 9, tags: vec!["a\0".to_owned()], ..labelled("9") };
    equal(table.insert(invalid).await, Err(StoreFailure::InvalidValue("tags".to_owned())))?;
    let failed = table.count(when("tags", Eq("a".into()))).await;
    equal(matches!(failed, Err(StoreFailure::Failed(_))), true)
}
