//! Test cases for lists. They cover filters, orders, windows and cursors.

use jiff::Timestamp;
use jiff::civil::{Date, date};
use restwright_list::{Comparison, Expression, SearchText, Value, Window};
use restwright_resource::Store;
use uuid::Uuid;

use crate::specimen::values;
use crate::table::{StoreFailure, TestTable, labelled, when};
use crate::{CaseResult, Specimen, cases, equal};

use Comparison::{Between, Contains, EndsWith, Eq, Gt, Gte, In, IsNull, Lt, Lte, Ne, StartsWith};

cases!(
    "lists";
    filters_compare_strings_by_code_point,
    filters_compare_integers_and_numbers_by_value,
    filters_compare_other_types,
    null_is_neither_equal_nor_above_nor_below,
    searches_ignore_case,
    operands_beyond_the_range_of_a_column_are_compared_exactly,
    conditions_combine,
    orders_put_null_first_and_end_with_the_identifier,
    windows_skip,
    windows_seek_in_both_directions,
    paging_visits_each_entity_once_during_concurrent_writes,
);

const LEAP_DAY: Date = date(2024, 2, 29);
/// The time 2024-02-29T00:00:00Z as a number of microseconds since 1970-01-01T00:00:00Z.
const LEAP_MICROSECOND: i64 = 1_709_164_800_000_000;

/// Returns the date-time that is the given number of nanoseconds after 2024-02-29T00:00:00Z.
fn after_leap_day(nanoseconds: i128) -> Value<'static> {
    Timestamp::from_nanosecond(i128::from(LEAP_MICROSECOND) * 1_000 + nanoseconds).unwrap_or_default().into()
}

/// Inserts the eight entities of the list tests, with the labels 1 to 8.
///
/// | | text | integer | number | flag | date | moment | uuid |
/// |---|---|---|---|---|---|---|---|
/// | 1 | | | | | | | |
/// | 2 | empty | -5 | -1.5 | false | 2024-02-28 | 2024-02-28T23:59:59.999999Z | ..01 |
/// | 3 | apple | 0 | 0.0 | true | 2024-02-29 | 2024-02-29T00:00:00Z | ..02 |
/// | 4 | Apple | 7 | 0.5 | false | 2024-03-01 | 2024-02-29T00:00:00.000001Z | ..10 |
/// | 5 | apple pie | 7 | 7.0 | true | 2024-02-29 | 2024-02-29T00:00:00Z | ..02 |
/// | 6 | ÄPFEL | 10 | 1e10 | true | 0001-01-01 | 1970-01-01T00:00:00Z | ff..ff |
/// | 7 | 100%_\' | largest | -1e300 | false | 9999-12-31 | 2200-01-01T00:00:00Z | ..03 |
/// | 8 | 🦀 | smallest | 1e300 | | | | |
async fn filled(store: &dyn Store) -> Result<TestTable<'_>, StoreFailure> {
    let texts =
        [None, Some(""), Some("apple"), Some("Apple"), Some("apple pie"), Some("ÄPFEL"), Some("100%_\\'"), Some("🦀")];
    let integers = [None, Some(-5), Some(0), Some(7), Some(7), Some(10), Some(i64::MAX), Some(i64::MIN)];
    let numbers = [None, Some(-1.5), Some(0.0), Some(0.5), Some(7.0), Some(1e10), Some(-1e300), Some(1e300)];
    let flags = [None, Some(false), Some(true), Some(false), Some(true), Some(true), Some(false), None];
    let (leap, first, last) = (Some(LEAP_DAY), Some(date(1, 1, 1)), Some(date(9999, 12, 31)));
    let dates = [None, Some(date(2024, 2, 28)), leap, Some(date(2024, 3, 1)), leap, first, last, None];
    let moments =
        [None, Some(-1), Some(0), Some(1), Some(0), Some(-LEAP_MICROSECOND), Some(5_548_953_600_000_000), None];
    let uuids = [None, Some(1), Some(2), Some(0x10), Some(2), Some(u128::MAX), Some(3), None];
    let rows = texts.into_iter().zip(integers).zip(numbers).zip(flags).zip(dates).zip(moments).zip(uuids).zip(1..);
    let specimens = rows.map(|(((((((text, integer), number), flag), date), moment), uuid), id)| Specimen {
        id,
        text: text.map(str::to_owned),
        integer,
        number,
        flag,
        date,
        moment: moment.and_then(|moment| Timestamp::from_microsecond(LEAP_MICROSECOND + moment).ok()),
        uuid: uuid.map(Uuid::from_u128),
        ..labelled(&id.to_string())
    });
    let table = TestTable::new(store, values());
    // The order of insertion is reversed, so a list that ignores its order fails.
    let specimens: Vec<_> = specimens.collect();
    table.insert_all(specimens.into_iter().rev()).await?;
    Ok(table)
}

/// Checks that each filter matches the entities with the expected labels.
async fn filters(store: &dyn Store, filters: impl IntoIterator<Item = (Expression, &str)>) -> CaseResult {
    let table = filled(store).await?;
    for (filter, expected) in filters {
        let labels = table.labels(filter.clone(), "").await?;
        let count = table.count(filter.clone()).await?;
        let found = (labels.join(" "), count);
        equal(found, (expected.to_owned(), labels.len() as u64)).map_err(|reason| format!("{filter:?}: {reason}"))?;
    }
    Ok(())
}

type ComparisonCases = Vec<(Comparison<Value<'static>>, &'static str)>;

fn on(field: &'static str, conditions: ComparisonCases) -> impl Iterator<Item = (Expression, &'static str)> {
    conditions.into_iter().map(move |(comparison, expected)| (when(field, comparison), expected))
}

async fn filters_compare_strings_by_code_point(store: &dyn Store) -> CaseResult {
    let conditions = vec![
        (Eq("apple".into()), "3"),
        (Eq("APPLE".into()), ""),
        (Eq("".into()), "2"),
        (Eq("a%".into()), ""),
        (Eq("apple ".into()), ""),
        (Eq("100%_\\'".into()), "7"),
        (In(vec!["apple".into(), "🦀".into(), "none".into()]), "3 8"),
        (In(Vec::new()), ""),
        (Gt("apple".into()), "5 6 8"),
        (Gte("apple".into()), "3 5 6 8"),
        (Lt("apple".into()), "2 4 7"),
        (Lte("apple".into()), "2 3 4 7"),
        (Gt("\u{FFFD}".into()), "8"),
        (Between("A".into(), "b".into()), "3 4 5"),
        (Between("apple".into(), "apple".into()), "3"),
        (Between("b".into(), "A".into()), ""),
    ];
    filters(store, on("text", conditions)).await
}

async fn filters_compare_integers_and_numbers_by_value(store: &dyn Store) -> CaseResult {
    let integers = vec![
        (Eq(7.into()), "4 5"),
        (Eq(7.0.into()), "4 5"),
        (Eq(i64::MAX.into()), "7"),
        (In(vec![0.into(), 10.into(), 11.into()]), "3 6"),
        (Gt(7.into()), "6 7"),
        (Gte(7.into()), "4 5 6 7"),
        (Lt(0.into()), "2 8"),
        (Lte(0.into()), "2 3 8"),
        (Between((-5).into(), 7.into()), "2 3 4 5"),
        (Between(7.into(), (-5).into()), ""),
    ];
    let numbers = vec![
        (Eq(7.into()), "5"),
        (Eq((-0.0).into()), "3"),
        (Gt(0.5.into()), "5 6 8"),
        (Lte(0.0.into()), "2 3 7"),
        (Between((-1.5).into(), 0.5.into()), "2 3 4"),
    ];
    filters(store, on("integer", integers).chain(on("number", numbers))).await
}

async fn filters_compare_other_types(store: &dyn Store) -> CaseResult {
    let id = |number: u128| Value::from(Uuid::from_u128(number));
    let dates = vec![
        (Eq(LEAP_DAY.into()), "3 5"),
        (Gt(LEAP_DAY.into()), "4 7"),
        (Lte(LEAP_DAY.into()), "2 3 5 6"),
        (Between(date(2024, 2, 28).into(), LEAP_DAY.into()), "2 3 5"),
    ];
    let moments = vec![
        (Eq(after_leap_day(0)), "3 5"),
        (In(vec![Timestamp::UNIX_EPOCH.into(), after_leap_day(1_000)]), "4 6"),
        (Gte(after_leap_day(0)), "3 4 5 7"),
        (Lt(after_leap_day(0)), "2 6"),
    ];
    let uuids = vec![(Eq(id(2)), "3 5"), (In(vec![id(1), id(u128::MAX), id(9)]), "2 6")];
    let flags = vec![(Eq(true.into()), "3 5 6"), (Eq(false.into()), "2 4 7")];
    let all = on("date", dates).chain(on("moment", moments)).chain(on("uuid", uuids)).chain(on("flag", flags));
    filters(store, all).await
}

async fn null_is_neither_equal_nor_above_nor_below(store: &dyn Store) -> CaseResult {
    let seven = || when("integer", Eq(7.into()));
    let rows = [
        (when("integer", Ne(7.into())), "1 2 3 6 7 8"),
        (when("text", Ne("".into())), "1 3 4 5 6 7 8"),
        (when("flag", Ne(true.into())), "1 2 4 7 8"),
        (when("integer", IsNull(true)), "1"),
        (when("flag", IsNull(false)), "2 3 4 5 6 7"),
        (!seven(), "1 2 3 6 7 8"),
        (!!seven(), "4 5"),
        (!when("integer", Gt(7.into())), "1 2 3 4 5 8"),
        (!when("integer", In(vec![7.into(), 10.into()])), "1 2 3 7 8"),
        (!when("integer", Between(0.into(), 10.into())), "1 2 7 8"),
        (!when("text", Contains(SearchText::new("apple"))), "1 2 6 7 8"),
    ];
    filters(store, rows).await
}

async fn searches_ignore_case(store: &dyn Store) -> CaseResult {
    let text = SearchText::new;
    let conditions = vec![
        (Contains(text("APP")), "3 4 5"),
        (Contains(text("äp")), "6"),
        (Contains(text("")), "2 3 4 5 6 7 8"),
        (Contains(text("%")), "7"),
        (Contains(text("a_p")), ""),
        (Contains(text("\\")), "7"),
        (Contains(text("🦀")), "8"),
        (Contains(text("\0")), ""),
        (StartsWith(text("aPPle")), "3 4 5"),
        (StartsWith(text("pp")), ""),
        (StartsWith(text("100%")), "7"),
        (EndsWith(text("LE")), "3 4"),
        (EndsWith(text("pfel")), "6"),
        (EndsWith(text("\\'")), "7"),
        (EndsWith(text("ppl")), ""),
    ];
    filters(store, on("text", conditions)).await
}

async fn operands_beyond_the_range_of_a_column_are_compared_exactly(store: &dyn Store) -> CaseResult {
    // One above the largest integer, and one below the smallest.
    let (beyond, below) = (1_u64 << 63, Value::Integer(i128::from(i64::MIN) - 1));
    let finer = || after_leap_day(500);
    let integers = vec![
        (Eq(7.5.into()), ""),
        (Gt(6.5.into()), "4 5 6 7"),
        (Eq(9_223_372_036_854_775_808.0.into()), ""),
        (Lt(9_223_372_036_854_775_808.0.into()), "2 3 4 5 6 7 8"),
        (Ne(beyond.into()), "1 2 3 4 5 6 7 8"),
        (In(vec![7.into(), beyond.into()]), "4 5"),
        (Between(7.into(), beyond.into()), "4 5 6 7"),
        (Gt(below.clone()), "2 3 4 5 6 7 8"),
        (Lt(below), ""),
    ];
    let moments = vec![
        (Eq(finer()), ""),
        (Ne(finer()), "1 2 3 4 5 6 7 8"),
        (In(vec![finer(), after_leap_day(1_000)]), "4"),
        (Gte(finer()), "4 7"),
        (Lt(finer()), "2 3 5 6"),
        (Between(after_leap_day(-500), finer()), "3 5"),
        // Half a microsecond before 1970.
        (Lt(Timestamp::from_nanosecond(-500).unwrap_or_default().into()), ""),
    ];
    let texts = vec![(Eq("apple\0".into()), ""), (Gt("apple\0".into()), "5 6 8"), (Lte("apple\0".into()), "2 3 4 7")];
    filters(store, on("integer", integers).chain(on("moment", moments)).chain(on("text", texts))).await
}

async fn conditions_combine(store: &dyn Store) -> CaseResult {
    let seven = || when("integer", Eq(7.into()));
    let yes = || when("flag", Eq(true.into()));
    let rows = [
        (Expression::TRUE, "1 2 3 4 5 6 7 8"),
        (Expression::Any(Vec::new()), ""),
        (!Expression::Any(Vec::new()), "1 2 3 4 5 6 7 8"),
        (seven().and(yes()), "5"),
        (seven().or(yes()), "3 4 5 6"),
        (seven().or(when("flag", IsNull(true))), "1 4 5 8"),
        (!seven().and(yes()), "1 2 3 4 6 7 8"),
        (!seven().or(yes()), "1 2 7 8"),
        (seven().and(yes()).or(yes().and(when("number", Gt(100.into())))), "5 6"),
        (yes().and(seven().or(when("text", Eq("apple".into())))), "3 5"),
        (when("integer", Gt(0.into())).and(when("integer", Lt(10.into()))), "4 5"),
    ];
    filters(store, rows).await
}

async fn orders_put_null_first_and_end_with_the_identifier(store: &dyn Store) -> CaseResult {
    let table = filled(store).await?;
    for (order, expected) in [
        ("", "1 2 3 4 5 6 7 8"),
        ("-id", "8 7 6 5 4 3 2 1"),
        ("text", "1 2 7 4 3 5 6 8"),
        ("-text", "8 6 5 3 4 7 2 1"),
        ("integer", "1 8 2 3 4 5 6 7"),
        ("-integer", "7 6 5 4 3 2 8 1"),
        ("-integer,id", "7 6 4 5 3 2 8 1"),
        ("number", "1 7 2 3 4 5 6 8"),
        ("flag,-id", "8 1 7 4 2 6 5 3"),
        ("date", "1 8 6 2 3 5 4 7"),
        ("-moment", "7 4 5 3 2 6 8 1"),
        ("uuid", "1 8 2 3 5 7 4 6"),
        ("date,-text", "8 1 6 2 5 3 4 7"),
        ("flag,date,-number", "8 1 2 4 7 6 5 3"),
    ] {
        let labels = table.labels(Expression::TRUE, order).await?.join(" ");
        equal(labels.as_str(), expected).map_err(|reason| format!("by `{order}`: {reason}"))?;
    }
    let filter = when("integer", Gte(7.into()));
    equal(table.labels(filter, "-number").await?.join(" ").as_str(), "6 5 4 7")
}

/// The labels of the listed items, and whether the list contains more items before and after them.
type Slice = (&'static str, bool, bool);

async fn slice(table: &TestTable<'_>, order: &str, window: Window<'_>, expected: Slice) -> CaseResult {
    let listed = table.list(Expression::TRUE, order, &window).await?;
    let labels: Vec<_> = listed.items.iter().map(|item| item.entity.label.as_str()).collect();
    let found = (labels.join(" "), listed.has_previous(), listed.has_next());
    let expected = (expected.0.to_owned(), expected.1, expected.2);
    equal(found, expected).map_err(|reason| format!("{window:?} by `{order}`: {reason}"))
}

async fn windows_skip(store: &dyn Store) -> CaseResult {
    let table = filled(store).await?;
    for (order, offset, limit, expected) in [
        ("flag,-id", 0, 3, ("8 1 7", false, true)),
        ("flag,-id", 3, 3, ("4 2 6", true, true)),
        ("flag,-id", 6, 2, ("5 3", true, false)),
        ("flag,-id", 0, 8, ("8 1 7 4 2 6 5 3", false, false)),
        ("flag,-id", 8, 3, ("", true, false)),
        ("-text", 1, 1, ("6", true, true)),
        ("id", 1_000_000_000_000, 100, ("", true, false)),
    ] {
        slice(&table, order, Window::skip(offset, limit), expected).await?;
    }
    Ok(())
}

async fn windows_seek_in_both_directions(store: &dyn Store) -> CaseResult {
    let table = filled(store).await?;
    slice(&table, "-text", Window::seek(None, 2), ("8 6", false, true)).await?;
    // Each case contains the order, the label of the item at the position, whether the part before the position is read, and the limit. The comments
    // show the labels of the whole list in that order.
    for (order, at, is_before, limit, expected) in [
        // 8 1 7 4 2 6 5 3
        ("flag,-id", 7, false, 2, ("4 2", true, true)),
        ("flag,-id", 8, false, 2, ("1 7", true, true)),
        ("flag,-id", 3, false, 2, ("", true, false)),
        ("flag,-id", 7, true, 5, ("8 1", false, true)),
        ("flag,-id", 3, true, 3, ("2 6 5", true, true)),
        // 8 6 5 3 4 7 2 1
        ("-text", 2, false, 5, ("1", true, false)),
        ("-text", 1, true, 2, ("7 2", true, true)),
        // 1 2 7 4 3 5 6 8
        ("text", 1, false, 1, ("2", true, true)),
        ("text", 8, true, 2, ("5 6", true, true)),
        // 1 8 2 3 4 5 6 7
        ("integer", 4, false, 2, ("5 6", true, true)),
        ("integer", 5, true, 2, ("3 4", true, true)),
        ("integer", 8, true, 9, ("1", false, true)),
        // 7 6 4 5 3 2 8 1
        ("-integer,id", 4, false, 2, ("5 3", true, true)),
        ("-integer,id", 5, true, 2, ("6 4", true, true)),
        // 1 8 2 3 5 7 4 6
        ("uuid", 3, false, 2, ("5 7", true, true)),
        // 7 4 5 3 2 6 8 1
        ("-moment", 3, true, 2, ("4 5", true, true)),
    ] {
        let position = table.after(order, &table.get(at).await?.entity)?;
        let position = if is_before { position.backward() } else { position };
        slice(&table, order, Window::seek(Some(&position), limit), expected).await?;
    }
    Ok(())
}

async fn paging_visits_each_entity_once_during_concurrent_writes(store: &dyn Store) -> CaseResult {
    let table = TestTable::new(store, values());
    let item = |id: i64, integer: Option<i64>| Specimen { id, integer, ..labelled(&id.to_string()) };
    let ties = [None, Some(1), Some(1), Some(1), Some(2), Some(2), Some(2), Some(3), Some(3), Some(3)];
    table.insert_all(ties.into_iter().zip(1..).map(|(integer, id)| item(id * 10, integer))).await?;
    let position = table.after("integer", &item(60, Some(2)))?;
    table.delete(60, None).await?;
    table.delete(90, None).await?;
    table.insert_all([item(45, Some(2)), item(65, Some(2))]).await?;
    table.update(item(20, Some(9)), None).await?;
    for (mut position, is_backward, expected) in
        [(position.clone(), false, "65 70 80 100 20"), (position.backward(), true, "50 45 40 30 10")]
    {
        let mut visited = Vec::new();
        // More steps than there are pages.
        for _ in 0..9 {
            let page = table.list(Expression::TRUE, "integer", &Window::seek(Some(&position), 2)).await?.items;
            let labels = page.iter().map(|item| item.entity.label.clone());
            let Some(last) = (if is_backward { page.first() } else { page.last() }) else { break };
            position = table.after("integer", &last.entity)?;
            if is_backward {
                position = position.backward();
                visited.extend(labels.rev());
            } else {
                visited.extend(labels);
            }
        }
        equal(visited.join(" ").as_str(), expected)?;
    }
    Ok(())
}
