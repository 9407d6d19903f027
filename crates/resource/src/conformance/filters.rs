//! Every operator on every type of values, and how conditions combine.

use std::time::Duration;

use jiff::Timestamp;
use jiff::civil::{Date, date};
use restwright_list::{Comparison, Expression, SearchText, Value};
use uuid::Uuid;

use super::specimen::values;
use super::table::{Table, labelled, when};
use super::{Cases, Outcome, Specimen, equal};
use crate::store::Repository;

use Comparison::{Between, Contains, EndsWith, Eq, Gt, Gte, In, IsNull, Lt, Lte, Ne, StartsWith};

/// The entities of the lists, under the labels 1 to 8:
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
pub(super) fn specimens() -> Vec<Specimen> {
    let texts =
        [None, Some(""), Some("apple"), Some("Apple"), Some("apple pie"), Some("ÄPFEL"), Some("100%_\\'"), Some("🦀")];
    let integers = [None, Some(-5), Some(0), Some(7), Some(7), Some(10), Some(i64::MAX), Some(i64::MIN)];
    let numbers = [None, Some(-1.5), Some(0.0), Some(0.5), Some(7.0), Some(1e10), Some(-1e300), Some(1e300)];
    let flags = [None, Some(false), Some(true), Some(false), Some(true), Some(true), Some(false), None];
    let leap = Some(LEAP_DAY);
    let dates =
        [None, Some(date(2024, 2, 28)), leap, Some(date(2024, 3, 1)), leap, Some(FIRST_DAY), Some(LAST_DAY), None];
    let moments =
        [None, Some(-1), Some(0), Some(1), Some(0), Some(-LEAP_MICROSECOND), Some(5_548_953_600_000_000), None];
    let uuids = [None, Some(1), Some(2), Some(0x10), Some(2), Some(u128::MAX), Some(3), None];
    let rows = texts.into_iter().zip(integers).zip(numbers).zip(flags).zip(dates).zip(moments).zip(uuids);
    let specimens = rows.zip(1..).map(|(((((((text, integer), number), flag), date), moment), uuid), id)| Specimen {
        id,
        text: text.map(str::to_owned),
        integer,
        number,
        flag,
        date,
        moment: moment.map(after_leap_day),
        uuid: uuid.map(Uuid::from_u128),
        ..labelled(&id.to_string())
    });
    specimens.collect()
}

const LEAP_DAY: Date = date(2024, 2, 29);
const FIRST_DAY: Date = date(1, 1, 1);
const LAST_DAY: Date = date(9999, 12, 31);
/// 2024-02-29T00:00:00Z, since 1970.
const LEAP_MICROSECOND: i64 = 1_709_164_800_000_000;

/// Returns the date-time that is so many microseconds after 2024-02-29T00:00:00Z.
fn after_leap_day(microseconds: i64) -> Timestamp {
    Timestamp::from_microsecond(LEAP_MICROSECOND + microseconds).unwrap_or_default()
}

pub(super) async fn run<S: Repository<Specimen>>(make_store: &impl AsyncFn() -> S, cases: &mut Cases) {
    let store = make_store().await;
    let table = Table::new(&store, values());
    cases.run("filters", "the entities are inserted", async { Ok(table.insert_all(specimens()).await?) }).await;
    let groups = [on_text(), searches(), on_integer(), on_number(), on_others(), combined()];
    for (name, filter, expected) in groups.into_iter().flatten() {
        cases.run("filters", name, check(&table, filter, expected)).await;
    }
}

async fn check<S: Repository<Specimen>>(table: &Table<'_, S>, filter: Expression, expected: &str) -> Outcome {
    let labels = table.labels(filter.clone(), "").await?;
    equal(labels.join(" "), expected.to_owned())?;
    equal(table.count(filter).await?, u64::try_from(labels.len()).unwrap_or(u64::MAX))
}

type Filters = Vec<(&'static str, Expression, &'static str)>;

fn each(field: &'static str, cases: Vec<(&'static str, Comparison<Value<'static>>, &'static str)>) -> Filters {
    cases.into_iter().map(|(name, comparison, expected)| (name, when(field, comparison), expected)).collect()
}

fn on_text() -> Filters {
    each(
        "text",
        vec![
            ("text eq", Eq("apple".into()), "3"),
            ("text eq regards case", Eq("Apple".into()), "4"),
            ("text eq another case", Eq("APPLE".into()), ""),
            ("text eq empty", Eq("".into()), "2"),
            ("text eq emoji", Eq("🦀".into()), "8"),
            ("text eq special characters", Eq("100%_\\'".into()), "7"),
            ("text eq pattern", Eq("a%".into()), ""),
            ("text eq trailing space", Eq("apple ".into()), ""),
            ("text ne holds for null", Ne("apple".into()), "1 2 4 5 6 7 8"),
            ("text ne empty", Ne("".into()), "1 3 4 5 6 7 8"),
            ("text in", In(vec!["apple".into(), "🦀".into(), "none".into()]), "3 8"),
            ("text in nothing", In(Vec::new()), ""),
            ("text gt", Gt("apple".into()), "5 6 8"),
            ("text gte", Gte("apple".into()), "3 5 6 8"),
            ("text lt", Lt("apple".into()), "2 4 7"),
            ("text lte", Lte("apple".into()), "2 3 4 7"),
            ("text gt empty", Gt("".into()), "3 4 5 6 7 8"),
            ("text lt empty", Lt("".into()), ""),
            ("text is compared by code point", Gt("\u{FFFD}".into()), "8"),
            ("text between", Between("A".into(), "b".into()), "3 4 5"),
            ("text between equal ends", Between("apple".into(), "apple".into()), "3"),
            ("text between the wrong way round", Between("b".into(), "A".into()), ""),
            ("text is null", IsNull(true), "1"),
            ("text is not null", IsNull(false), "2 3 4 5 6 7 8"),
            ("text eq a text with NUL", Eq("apple\0".into()), ""),
        ],
    )
}

fn searches() -> Filters {
    let text = SearchText::new;
    each(
        "text",
        vec![
            ("contains", Contains(text("e p")), "5"),
            ("contains ignores case", Contains(text("APP")), "3 4 5"),
            ("contains ignores case beyond ASCII", Contains(text("äp")), "6"),
            ("contains empty", Contains(text("")), "2 3 4 5 6 7 8"),
            ("contains percent", Contains(text("%")), "7"),
            ("contains underscore", Contains(text("_")), "7"),
            ("contains backslash", Contains(text("\\")), "7"),
            ("contains quote", Contains(text("'")), "7"),
            ("contains no pattern", Contains(text("a%e")), ""),
            ("contains no pattern of one character", Contains(text("a_p")), ""),
            ("contains emoji", Contains(text("🦀")), "8"),
            ("contains a text with NUL", Contains(text("\0")), ""),
            ("starts with", StartsWith(text("apple")), "3 4 5"),
            ("starts with ignores case beyond ASCII", StartsWith(text("ä")), "6"),
            ("starts with empty", StartsWith(text("")), "2 3 4 5 6 7 8"),
            ("starts with percent", StartsWith(text("100%")), "7"),
            ("starts with what is inside", StartsWith(text("pp")), ""),
            ("starts with a pattern", StartsWith(text("%")), ""),
            ("ends with", EndsWith(text("le")), "3 4"),
            ("ends with ignores case", EndsWith(text("PIE")), "5"),
            ("ends with ignores case beyond ASCII", EndsWith(text("pfel")), "6"),
            ("ends with empty", EndsWith(text("")), "2 3 4 5 6 7 8"),
            ("ends with backslash and quote", EndsWith(text("\\'")), "7"),
            ("ends with what is inside", EndsWith(text("ppl")), ""),
        ],
    )
}

fn on_integer() -> Filters {
    // One more than the largest integer, also as a number.
    let beyond = 1_u64 << 63;
    let below = i128::from(i64::MIN) - 1;
    each(
        "integer",
        vec![
            ("integer eq", Eq(7.into()), "4 5"),
            ("integer eq a number", Eq(7.0.into()), "4 5"),
            ("integer eq a fraction", Eq(7.5.into()), ""),
            ("integer eq the largest", Eq(i64::MAX.into()), "7"),
            ("integer eq the smallest", Eq(i64::MIN.into()), "8"),
            ("integer eq beyond the largest", Eq(beyond.into()), ""),
            ("integer eq beyond the largest, as a number", Eq(9_223_372_036_854_775_808.0.into()), ""),
            ("integer ne holds for null", Ne(7.into()), "1 2 3 6 7 8"),
            ("integer in", In(vec![0.into(), 10.into(), 11.into()]), "3 6"),
            ("integer gt", Gt(7.into()), "6 7"),
            ("integer gt a fraction", Gt(6.5.into()), "4 5 6 7"),
            ("integer gt the largest", Gt(i64::MAX.into()), ""),
            ("integer gt beyond the largest", Gt(u64::MAX.into()), ""),
            ("integer gte", Gte(7.into()), "4 5 6 7"),
            ("integer lt", Lt(0.into()), "2 8"),
            ("integer lt the smallest", Lt(i64::MIN.into()), ""),
            ("integer lt beyond the largest", Lt(beyond.into()), "2 3 4 5 6 7 8"),
            ("integer lt beyond the largest, as a number", Lt(9_223_372_036_854_775_808.0.into()), "2 3 4 5 6 7 8"),
            ("integer lte", Lte(0.into()), "2 3 8"),
            ("integer ne beyond the largest", Ne(beyond.into()), "1 2 3 4 5 6 7 8"),
            ("integer in, one beyond the largest", In(vec![7.into(), beyond.into()]), "4 5"),
            ("integer gte beyond the largest", Gte(beyond.into()), ""),
            ("integer lte beyond the largest", Lte(u64::MAX.into()), "2 3 4 5 6 7 8"),
            ("integer between, to beyond the largest", Between(7.into(), beyond.into()), "4 5 6 7"),
            ("integer eq beyond the smallest", Eq(Value::Integer(below)), ""),
            ("integer gt beyond the smallest", Gt(Value::Integer(below)), "2 3 4 5 6 7 8"),
            ("integer lt beyond the smallest", Lt(Value::Integer(below)), ""),
            ("integer lt beyond 64 bits", Lt(Value::Integer(i128::MAX)), "2 3 4 5 6 7 8"),
            ("integer gt beyond 64 bits", Gt(Value::Integer(i128::MIN)), "2 3 4 5 6 7 8"),
            ("integer between", Between((-5).into(), 7.into()), "2 3 4 5"),
            ("integer between the wrong way round", Between(7.into(), (-5).into()), ""),
            ("integer is null", IsNull(true), "1"),
            ("integer is not null", IsNull(false), "2 3 4 5 6 7 8"),
        ],
    )
}

fn on_number() -> Filters {
    each(
        "number",
        vec![
            ("number eq", Eq(0.5.into()), "4"),
            ("number eq an integer", Eq(7.into()), "5"),
            ("number eq negative zero", Eq((-0.0).into()), "3"),
            ("number eq a large one", Eq(1e300.into()), "8"),
            ("number ne holds for null", Ne(0.5.into()), "1 2 3 5 6 7 8"),
            ("number in", In(vec![0.5.into(), 7.into()]), "4 5"),
            ("number gt", Gt(0.5.into()), "5 6 8"),
            ("number gte", Gte(0.5.into()), "4 5 6 8"),
            ("number lt", Lt(0.0.into()), "2 7"),
            ("number lte", Lte(0.0.into()), "2 3 7"),
            ("number between", Between((-1.5).into(), 0.5.into()), "2 3 4"),
            ("number is null", IsNull(true), "1"),
        ],
    )
}

fn on_others() -> Filters {
    let [flag, date, moment, uuid] = ["flag", "date", "moment", "uuid"].map(|field| {
        move |name, comparison: Comparison<Value<'static>>, expected| (name, when(field, comparison), expected)
    });
    let leap = || Value::from(after_leap_day(0));
    // Half a microsecond later.
    let finer = |microseconds| Value::from(after_leap_day(microseconds) + Duration::from_nanos(500));
    let id = |number: u128| Value::from(Uuid::from_u128(number));
    vec![
        flag("boolean eq true", Eq(true.into()), "3 5 6"),
        flag("boolean eq false", Eq(false.into()), "2 4 7"),
        flag("boolean ne holds for null", Ne(true.into()), "1 2 4 7 8"),
        flag("boolean is null", IsNull(true), "1 8"),
        flag("boolean is not null", IsNull(false), "2 3 4 5 6 7"),
        date("date eq", Eq(LEAP_DAY.into()), "3 5"),
        date("date ne holds for null", Ne(LEAP_DAY.into()), "1 2 4 6 7 8"),
        date("date in", In(vec![FIRST_DAY.into(), LAST_DAY.into()]), "6 7"),
        date("date gt", Gt(LEAP_DAY.into()), "4 7"),
        date("date gte", Gte(LEAP_DAY.into()), "3 4 5 7"),
        date("date lt", Lt(LEAP_DAY.into()), "2 6"),
        date("date lte", Lte(LEAP_DAY.into()), "2 3 5 6"),
        date("date between", Between(jiff::civil::date(2024, 2, 28).into(), LEAP_DAY.into()), "2 3 5"),
        date("date is null", IsNull(true), "1 8"),
        moment("date-time eq", Eq(leap()), "3 5"),
        moment("date-time eq to the microsecond", Eq(after_leap_day(1).into()), "4"),
        moment("date-time ne holds for null", Ne(leap()), "1 2 4 6 7 8"),
        moment("date-time eq finer", Eq(finer(0)), ""),
        moment("date-time ne finer", Ne(finer(0)), "1 2 3 4 5 6 7 8"),
        moment("date-time in, one finer", In(vec![finer(0), after_leap_day(1).into()]), "4"),
        moment("date-time gt finer", Gt(finer(0)), "4 7"),
        moment("date-time gte finer", Gte(finer(0)), "4 7"),
        moment("date-time lt finer", Lt(finer(0)), "2 3 5 6"),
        moment("date-time lte finer", Lte(finer(0)), "2 3 5 6"),
        moment("date-time between finer", Between(finer(-1), finer(0)), "3 5"),
        moment("date-time in", In(vec![Timestamp::UNIX_EPOCH.into(), leap()]), "3 5 6"),
        moment("date-time gt", Gt(leap()), "4 7"),
        moment("date-time gte", Gte(leap()), "3 4 5 7"),
        moment("date-time lt", Lt(leap()), "2 6"),
        moment("date-time lte", Lte(leap()), "2 3 5 6"),
        moment("date-time between", Between(after_leap_day(-1).into(), leap()), "2 3 5"),
        moment("date-time is null", IsNull(true), "1 8"),
        uuid("uuid eq", Eq(id(2)), "3 5"),
        uuid("uuid ne holds for null", Ne(id(2)), "1 2 4 6 7 8"),
        uuid("uuid in", In(vec![id(1), id(u128::MAX), id(9)]), "2 6"),
        uuid("uuid is null", IsNull(true), "1 8"),
        uuid("uuid is not null", IsNull(false), "2 3 4 5 6 7"),
    ]
}

fn combined() -> Filters {
    let seven = || when("integer", Eq(7.into()));
    let yes = || when("flag", Eq(true.into()));
    let apple = || when("text", Contains(SearchText::new("apple")));
    vec![
        ("all of none", Expression::TRUE, "1 2 3 4 5 6 7 8"),
        ("any of none", Expression::Any(Vec::new()), ""),
        ("not any of none", !Expression::Any(Vec::new()), "1 2 3 4 5 6 7 8"),
        ("all", seven().and(yes()), "5"),
        ("all of three", seven().and(yes()).and(apple()), "5"),
        ("any", seven().or(yes()), "3 4 5 6"),
        ("any with null", seven().or(when("flag", IsNull(true))), "1 4 5 8"),
        ("not eq holds for null", !seven(), "1 2 3 6 7 8"),
        ("not ne", !when("integer", Ne(7.into())), "4 5"),
        ("not gt holds for null", !when("integer", Gt(7.into())), "1 2 3 4 5 8"),
        ("not in holds for null", !when("integer", In(vec![7.into(), 10.into()])), "1 2 3 7 8"),
        ("not between holds for null", !when("integer", Between(0.into(), 10.into())), "1 2 7 8"),
        ("not contains holds for null", !apple(), "1 2 6 7 8"),
        ("not is null", !when("flag", IsNull(true)), "2 3 4 5 6 7"),
        ("not all", !seven().and(yes()), "1 2 3 4 6 7 8"),
        ("not any", !seven().or(yes()), "1 2 7 8"),
        ("not not", !!seven(), "4 5"),
        ("any of all", seven().and(yes()).or(yes().and(when("number", Gt(100.into())))), "5 6"),
        ("all of any", yes().and(seven().or(when("text", Eq("apple".into())))), "3 5"),
        ("a field twice", when("integer", Gt(0.into())).and(when("integer", Lt(10.into()))), "4 5"),
    ]
}
