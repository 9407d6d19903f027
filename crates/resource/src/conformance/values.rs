//! Values of each type, kept as they are, to the limits of their types.

use jiff::Timestamp;
use jiff::civil::date;
use restwright_list::Comparison::Eq;
use restwright_list::{Record, Value};
use uuid::Uuid;

use super::specimen::values;
use super::table::{Table, when};
use super::{Cases, Outcome, Specimen, ensure, equal};
use crate::store::Repository;

pub(super) async fn run<S: Repository<Specimen>>(make_store: &impl AsyncFn() -> S, cases: &mut Cases) {
    let store = make_store().await;
    let table = Table::new(&store, values());
    for (id, (name, field, specimen)) in (1..).zip(kept()) {
        cases.run("values", name, keeps(&table, field, Specimen { id, ..specimen })).await;
    }
    whole::run(make_store, cases).await;
}

/// Returns values with the field that they are in.
fn kept() -> Vec<(&'static str, &'static str, Specimen)> {
    let integer = |integer| Specimen { integer: Some(integer), ..Specimen::default() };
    let natural = |natural| Specimen { natural: Some(natural), ..Specimen::default() };
    let number = |number| Specimen { number: Some(number), ..Specimen::default() };
    let flag = |flag| Specimen { flag: Some(flag), ..Specimen::default() };
    let day = |year, month, day| Specimen { date: Some(date(year, month, day)), ..Specimen::default() };
    let moment =
        |microsecond| Specimen { moment: Timestamp::from_microsecond(microsecond).ok(), ..Specimen::default() };
    let uuid = |uuid| Specimen { uuid: Some(Uuid::from_u128(uuid)), ..Specimen::default() };
    vec![
        ("integer zero", "integer", integer(0)),
        ("integer minus one", "integer", integer(-1)),
        ("integer the largest", "integer", integer(i64::MAX)),
        ("integer below the largest", "integer", integer(i64::MAX - 1)),
        ("integer the smallest", "integer", integer(i64::MIN)),
        ("integer above the smallest", "integer", integer(i64::MIN + 1)),
        ("integer of 32 bits", "integer", integer(1 << 31)),
        ("integer that no number is", "integer", integer((1 << 53) + 1)),
        ("integer without a sign, zero", "natural", natural(0)),
        ("integer without a sign, the largest", "natural", natural(u64::MAX >> 1)),
        ("number zero", "number", number(0.0)),
        ("number negative zero", "number", number(-0.0)),
        ("number of an integer", "number", number(3.0)),
        ("number that has no short form", "number", number(0.1 + 0.2)),
        ("number the largest", "number", number(f64::MAX)),
        ("number the smallest", "number", number(f64::MIN)),
        ("number the smallest positive", "number", number(f64::MIN_POSITIVE)),
        ("number the smallest above zero", "number", number(5e-324)),
        ("number next to one", "number", number(1.0 + f64::EPSILON)),
        ("number above integers", "number", number(1e19)),
        ("true", "flag", flag(true)),
        ("false", "flag", flag(false)),
        ("date of a leap day", "date", day(2024, 2, 29)),
        ("date the first", "date", day(1, 1, 1)),
        ("date the last", "date", day(9999, 12, 31)),
        ("date before 1970", "date", day(1900, 3, 1)),
        ("date-time of 1970", "moment", moment(0)),
        ("date-time to the microsecond", "moment", moment(1_700_000_000_123_456)),
        ("date-time before 1970", "moment", moment(-1)),
        ("uuid nil", "uuid", uuid(0)),
        ("uuid max", "uuid", uuid(u128::MAX)),
        ("uuid of any bits", "uuid", uuid(0x8000_0000_0000_0000_7fff_ffff_ffff_ffff)),
    ]
}

/// Checks that a value is returned, kept, and found by a filter.
async fn keeps<S: Repository<Specimen>>(table: &Table<'_, S>, field: &'static str, specimen: Specimen) -> Outcome {
    let inserted = table.insert(specimen.clone()).await?;
    equal(&inserted.entity, &specimen)?;
    let found = table.get(specimen.id).await?;
    equal(&found.entity, &specimen)?;
    equal(found.version, inserted.version)?;
    let value = specimen.value(field).into_owned();
    ensure(!matches!(value, Value::Null), "the case has no value")?;
    let filter = when(field, Eq(value)).and(when("id", Eq(specimen.id.into())));
    equal(table.count(filter).await?, 1)
}

/// Entities as a whole.
mod whole {
    use jiff::Timestamp;
    use jiff::civil::date;
    use restwright_list::Comparison::{IsNull, Lt};
    use uuid::Uuid;

    use super::super::specimen::values;
    use super::super::table::{Failure, Table, labelled, when};
    use super::super::{Outcome, Specimen, cases, equal};
    use crate::store::Repository;

    cases!(
        "values";
        all_null,
        every_field_at_once,
        an_update_replaces_every_field,
        an_update_sets_null,
        an_integer_above_the_largest_is_invalid,
        the_largest_natural_is_invalid,
        a_date_time_is_rounded_down_to_microseconds,
        a_date_time_before_1970_is_rounded_down,
        negative_zero_is_zero,
        a_date_before_the_year_0_is_invalid,
        a_date_time_before_the_year_0_is_invalid,
        the_year_0_is_kept,
        a_number_that_json_cannot_write_is_null,
    );

    fn full() -> Specimen {
        Specimen {
            id: 1,
            text: Some("text".to_owned()),
            integer: Some(1),
            natural: Some(2),
            number: Some(2.5),
            flag: Some(true),
            date: Some(date(2024, 1, 1)),
            moment: Some(Timestamp::UNIX_EPOCH),
            uuid: Some(Uuid::from_u128(7)),
            ..labelled("full")
        }
    }

    fn empty() -> Specimen {
        Specimen { id: 1, ..labelled("empty") }
    }

    async fn all_null<S: Repository<Specimen>>(store: &S) -> Outcome {
        let table = Table::new(store, values());
        table.insert(empty()).await?;
        equal(table.get(1).await?.entity, empty())
    }

    async fn every_field_at_once<S: Repository<Specimen>>(store: &S) -> Outcome {
        let table = Table::new(store, values());
        table.insert(full()).await?;
        equal(table.get(1).await?.entity, full())
    }

    async fn an_update_replaces_every_field<S: Repository<Specimen>>(store: &S) -> Outcome {
        let table = Table::new(store, values());
        table.insert(empty()).await?;
        equal(table.update(full(), None).await?.entity, full())?;
        equal(table.get(1).await?.entity, full())
    }

    async fn an_update_sets_null<S: Repository<Specimen>>(store: &S) -> Outcome {
        let table = Table::new(store, values());
        table.insert(full()).await?;
        table.update(empty(), None).await?;
        equal(table.get(1).await?.entity, empty())
    }

    async fn an_integer_above_the_largest_is_invalid<S: Repository<Specimen>>(store: &S) -> Outcome {
        refuses(store, Specimen { natural: Some(1 << 63), ..empty() }, "natural").await
    }

    async fn the_largest_natural_is_invalid<S: Repository<Specimen>>(store: &S) -> Outcome {
        refuses(store, Specimen { natural: Some(u64::MAX), ..empty() }, "natural").await
    }

    async fn a_date_time_is_rounded_down_to_microseconds<S: Repository<Specimen>>(store: &S) -> Outcome {
        is_rounded(store, 1_700_000_000_123_456_999, 1_700_000_000_123_456_000).await
    }

    async fn a_date_time_before_1970_is_rounded_down<S: Repository<Specimen>>(store: &S) -> Outcome {
        is_rounded(store, -1, -1_000).await
    }

    /// Checks that an insert and an update keep a time of so many nanoseconds since 1970 as another.
    async fn is_rounded<S: Repository<Specimen>>(store: &S, given: i128, kept: i128) -> Outcome {
        let table = Table::new(store, values());
        let at = |time| Specimen { moment: Timestamp::from_nanosecond(time).ok(), ..empty() };
        equal(table.insert(at(given)).await?.entity, at(kept))?;
        equal(table.get(1).await?.entity, at(kept))?;
        table.update(empty(), None).await?;
        equal(table.update(at(given), None).await?.entity, at(kept))?;
        equal(table.get(1).await?.entity, at(kept))
    }

    async fn negative_zero_is_zero<S: Repository<Specimen>>(store: &S) -> Outcome {
        let table = Table::new(store, values());
        let bits = |specimen: Specimen| specimen.number.map(f64::to_bits);
        let inserted = table.insert(Specimen { number: Some(-0.0), ..empty() }).await?;
        equal(bits(inserted.entity), Some(0))?;
        equal(bits(table.get(1).await?.entity), Some(0))
    }

    async fn a_date_before_the_year_0_is_invalid<S: Repository<Specimen>>(store: &S) -> Outcome {
        refuses(store, Specimen { date: Some(date(-1, 12, 31)), ..empty() }, "date").await
    }

    async fn a_date_time_before_the_year_0_is_invalid<S: Repository<Specimen>>(store: &S) -> Outcome {
        let moment = Timestamp::from_second(YEAR_0 - 1).ok();
        refuses(store, Specimen { moment, ..empty() }, "moment").await
    }

    async fn the_year_0_is_kept<S: Repository<Specimen>>(store: &S) -> Outcome {
        let table = Table::new(store, values());
        let moment = Timestamp::from_second(YEAR_0).ok();
        let first = Specimen { date: Some(date(0, 1, 1)), moment, ..empty() };
        table.insert(first.clone()).await?;
        equal(table.get(1).await?.entity, first)?;
        equal(table.count(when("date", Lt(date(1, 1, 1).into()))).await?, 1)?;
        equal(table.count(when("moment", Lt(Timestamp::UNIX_EPOCH.into()))).await?, 1)
    }

    /// 0000-01-01T00:00:00Z, since 1970.
    const YEAR_0: i64 = -62_167_219_200;

    /// Checks that neither an insert nor an update takes an entity.
    async fn refuses<S: Repository<Specimen>>(store: &S, refused: Specimen, field: &str) -> Outcome {
        let table = Table::new(store, values());
        equal(table.insert(refused.clone()).await, Err(Failure::InvalidValue(field.to_owned())))?;
        table.insert(empty()).await?;
        equal(table.update(refused, None).await, Err(Failure::InvalidValue(field.to_owned())))?;
        equal(table.get(1).await?.entity, empty())
    }

    async fn a_number_that_json_cannot_write_is_null<S: Repository<Specimen>>(store: &S) -> Outcome {
        let table = Table::new(store, values());
        table.insert(Specimen { number: Some(f64::INFINITY), ..empty() }).await?;
        equal(table.count(when("number", IsNull(true))).await?, 1)
    }
}
