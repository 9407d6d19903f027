//! Test cases for stored values. A store keeps a value unchanged, rounds it or rejects it.

use jiff::Timestamp;
use jiff::civil::date;
use restwright_list::Comparison::{EndsWith, Eq, IsNull, Lt};
use restwright_list::{Record, SearchText, Value};
use restwright_resource::Store;
use rust_decimal::Decimal;
use serde_json::json;
use uuid::Uuid;

use crate::specimen::{texts, values};
use crate::table::{StoreFailure, TestTable, labelled, when};
use crate::{CaseResult, Specimen, cases, ensure, equal};

cases!(
    "values";
    edge_values_are_kept,
    special_strings_are_kept,
    a_long_string_is_kept_and_searched,
    an_update_replaces_every_field,
    json_is_kept_unchanged,
    values_are_rounded_in_the_same_way_by_every_store,
    invalid_values_change_nothing,
);

/// The start of the year 0 as a number of seconds since 1970-01-01T00:00:00Z.
const YEAR_0: i64 = -62_167_219_200;

/// Returns specimens with edge-case values. Each specimen is paired with the name of the field that contains the value.
fn edges() -> Vec<(&'static str, Specimen)> {
    let empty = Specimen::default;
    let integers = [0, -1, i64::MAX, i64::MAX - 1, i64::MIN, i64::MIN + 1, 1 << 31, (1 << 53) + 1];
    let numbers = [0.0, 3.0, 0.1 + 0.2, f64::MAX, f64::MIN, f64::MIN_POSITIVE, 5e-324, 1.0 + f64::EPSILON, 1e19];
    let dates = [date(2024, 2, 29), date(0, 1, 1), date(9999, 12, 31), date(1900, 3, 1)];
    let moments = [0, 1_700_000_000_123_456, -1, YEAR_0 * 1_000_000];
    let uuids = [0, u128::MAX, 0x8000_0000_0000_0000_7fff_ffff_ffff_ffff];
    let integers = integers.map(|integer| ("integer", Specimen { integer: Some(integer), ..empty() }));
    let naturals = [0, u64::MAX >> 1].map(|natural| ("natural", Specimen { natural: Some(natural), ..empty() }));
    let numbers = numbers.map(|number| ("number", Specimen { number: Some(number), ..empty() }));
    let flags = [true, false].map(|flag| ("flag", Specimen { flag: Some(flag), ..empty() }));
    let dates = dates.map(|date| ("date", Specimen { date: Some(date), ..empty() }));
    let moments =
        moments.map(|time| ("moment", Specimen { moment: Timestamp::from_microsecond(time).ok(), ..empty() }));
    let uuids = uuids.map(|uuid| ("uuid", Specimen { uuid: Some(Uuid::from_u128(uuid)), ..empty() }));
    let decimals =
        [Decimal::ZERO, Decimal::MAX, Decimal::MIN, Decimal::new(1, 28), Decimal::new(-1, 28), Decimal::new(7, 1)];
    let decimals = decimals.map(|amount| ("amount", Specimen { amount: Some(amount), ..empty() }));
    let all = integers.into_iter().chain(naturals).chain(numbers).chain(flags).chain(dates).chain(moments).chain(uuids);
    all.chain(decimals).collect()
}

async fn edge_values_are_kept(store: &dyn Store) -> CaseResult {
    let table = TestTable::new(store, values());
    for (id, (field, specimen)) in (1..).zip(edges()) {
        let specimen = Specimen { id, ..specimen };
        let inserted = table.insert(specimen.clone()).await?;
        equal(&inserted.entity, &specimen)?;
        equal(table.get(id).await?, inserted)?;
        let value = specimen.value(field).into_owned();
        ensure(value != Value::Null, "the case must have a value")?;
        equal(table.count(when(field, Eq(value)).and(when("id", Eq(id.into())))).await?, 1)?;
    }
    equal(table.count(when("date", Lt(date(1, 1, 1).into()))).await?, 1)
}

async fn special_strings_are_kept(store: &dyn Store) -> CaseResult {
    let (table, keyed) = (TestTable::new(store, values()), TestTable::new(store, texts()));
    let kinds = [
        "",
        " ",
        "  a  ",
        "'",
        "\"",
        "\\",
        "a\\",
        "%",
        "_",
        "`$1 ${2} ?1 :name @x",
        "'; DROP TABLE suite_values; --",
        "/* */ -- #",
        "null",
        "{\"a\": [1, null]}",
        "a\r\n\tb\n",
        "\u{1}\u{8}\u{1b}[0m\u{7f}",
        "\u{feff}a",
        "\u{202e}abc",
        "🦀𝄞",
        "\u{10ffff}",
        "\u{fffe}\u{ffff}",
        "e\u{301}",
        "é",
        "👩\u{200d}👧",
        "ßİı",
    ];
    for (id, text) in (1..).zip(kinds) {
        let specimen = Specimen { id, text: Some(text.to_owned()), ..labelled(text) };
        table.insert(specimen.clone()).await?;
        equal(table.get(id).await?.entity, specimen)?;
        equal(table.count(when("text", Eq(text.into()))).await?, 1)?;
        equal(table.count(when("id", Eq(id.into())).and(when("text", EndsWith(SearchText::new(text))))).await?, 1)?;
        let specimen = Specimen { code: text.to_owned(), ..labelled(text) };
        let inserted = keyed.insert(specimen.clone()).await?;
        equal(keyed.get(text).await?, inserted)?;
        equal(keyed.insert(specimen).await, Err(StoreFailure::Conflict("code".to_owned())))?;
    }
    for text in kinds {
        keyed.delete(text, None).await?;
    }
    keyed.holds(&[]).await
}

async fn a_long_string_is_kept_and_searched(store: &dyn Store) -> CaseResult {
    let table = TestTable::new(store, values());
    let text = format!("{}END", "🦀".repeat(1 << 18));
    let specimen = Specimen { id: 1, text: Some(text.clone()), ..labelled("long") };
    table.insert(specimen.clone()).await?;
    equal(table.get(1).await?.entity == specimen, true)?;
    equal(table.count(when("text", Eq(text.into()))).await?, 1)?;
    equal(table.count(when("text", EndsWith(SearchText::new("🦀end")))).await?, 1)
}

async fn an_update_replaces_every_field(store: &dyn Store) -> CaseResult {
    let table = TestTable::new(store, values());
    let empty = Specimen { id: 1, ..labelled("empty") };
    let full = Specimen {
        id: 1,
        text: Some("text".to_owned()),
        color: Some("red".to_owned()),
        level: Some(3),
        integer: Some(1),
        natural: Some(2),
        number: Some(2.5),
        float: Some(0.1),
        flag: Some(true),
        date: Some(date(2024, 1, 1)),
        moment: Some(Timestamp::UNIX_EPOCH),
        uuid: Some(Uuid::from_u128(7)),
        count: 8,
        is_new: true,
        ..labelled("full")
    };
    table.insert(empty.clone()).await?;
    for specimen in [full, empty] {
        equal(&table.update(specimen.clone(), None).await?.entity, &specimen)?;
        equal(table.get(1).await?.entity, specimen)?;
    }
    Ok(())
}

async fn json_is_kept_unchanged(store: &dyn Store) -> CaseResult {
    let table = TestTable::new(store, values());
    let objects = [json!({"b": 1, "a": [true, null, {"x": 1.5}]}), json!([]), json!("\" \\ é")];
    let numbers =
        [json!(u64::MAX), json!(i64::MIN), json!(1e300), json!(1.2345678901234568e22), json!(-0.0), json!(1e16)];
    let doubles = [100.0, 0.1 + 0.2, 5e-324, 123_456_789.123_456_79].map(|double| json!(double));
    let kinds = objects.into_iter().chain(numbers).chain(doubles);
    for (id, json) in (1..).zip(kinds) {
        let tags = vec!["b".to_owned(), String::new(), "a".to_owned()];
        let specimen = Specimen { id, json: Some(json.clone()), tags, ..labelled("json") };
        table.insert(specimen.clone()).await?;
        let found = table.get(id).await?.entity;
        // The order of the names is kept too.
        equal(found.json.as_ref().map(ToString::to_string), Some(json.to_string()))?;
        equal(found, specimen)?;
    }
    let failed = table.count(when("json", IsNull(true))).await;
    ensure(matches!(failed, Err(StoreFailure::Failed(_))), "a filter on JSON must fail")
}

async fn values_are_rounded_in_the_same_way_by_every_store(store: &dyn Store) -> CaseResult {
    let table = TestTable::new(store, values());
    let empty = || Specimen { id: 1, ..labelled("empty") };
    let at = |time| Specimen { moment: Timestamp::from_nanosecond(time).ok(), ..empty() };
    table.insert(empty()).await?;
    for (given, kept) in [(1_700_000_000_123_456_999, 1_700_000_000_123_456_000), (-1, -1_000)] {
        equal(table.update(at(given), None).await?.entity, at(kept))?;
        equal(table.get(1).await?.entity, at(kept))?;
        table.delete(1, None).await?;
        equal(table.insert(at(given)).await?.entity, at(kept))?;
        equal(table.get(1).await?.entity, at(kept))?;
    }
    let bits = |specimen: Specimen| specimen.number.map(f64::to_bits);
    equal(bits(table.update(Specimen { number: Some(-0.0), ..empty() }, None).await?.entity), Some(0))?;
    equal(bits(table.get(1).await?.entity), Some(0))?;
    // JSON has no infinity.
    table.update(Specimen { number: Some(f64::INFINITY), ..empty() }, None).await?;
    equal(table.count(when("number", IsNull(true))).await?, 1)
}

async fn invalid_values_change_nothing(store: &dyn Store) -> CaseResult {
    let (table, keyed) = (TestTable::new(store, values()), TestTable::new(store, texts()));
    let empty = |id| Specimen { id, ..labelled("empty") };
    table.insert(empty(1)).await?;
    let before = Timestamp::from_second(YEAR_0 - 1).ok();
    for (field, invalid) in [
        ("text", Specimen { text: Some("a\0b".to_owned()), ..empty(1) }),
        ("label", Specimen { label: "\0".to_owned(), ..empty(1) }),
        ("natural", Specimen { natural: Some(1 << 63), ..empty(1) }),
        ("date", Specimen { date: Some(date(-1, 12, 31)), ..empty(1) }),
        ("moment", Specimen { moment: before, ..empty(1) }),
        ("price", Specimen { price: Decimal::new(1_005, 3), ..empty(1) }),
        ("price", Specimen { price: Decimal::MAX, ..empty(1) }),
        // The field is not nullable, so null is invalid.
        ("width", Specimen { width: f64::NAN, ..empty(1) }),
    ] {
        equal(table.update(invalid.clone(), None).await, Err(StoreFailure::InvalidValue(field.to_owned())))?;
        let inserted = table.insert(Specimen { id: 2, ..invalid }).await;
        equal(inserted, Err(StoreFailure::InvalidValue(field.to_owned())))?;
    }
    equal(table.get(1).await?.entity, empty(1))?;
    table.holds(&["empty"]).await?;
    equal(
        keyed.insert(Specimen { code: "a\0b".to_owned(), ..labelled("a") }).await,
        Err(StoreFailure::InvalidValue("code".to_owned())),
    )?;
    equal(keyed.find("a\0b").await?, None)?;
    equal(keyed.delete("a\0b", None).await, Err(StoreFailure::NotFound))
}
