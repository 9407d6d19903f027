//! Texts of every kind: kept as they are, found by what they are, and no part of a statement.

use restwright_list::Comparison::{Contains, EndsWith, Eq, In, StartsWith};
use restwright_list::SearchText;

use super::specimen::{texts, values};
use super::table::{Failure, Table, labelled, when};
use super::{Cases, Outcome, Specimen, equal};
use crate::store::Repository;

const TEXTS: &[(&str, &str)] = &[
    ("empty", ""),
    ("a space", " "),
    ("spaces around", "  a  "),
    ("a quote", "'"),
    ("a double quote", "\""),
    ("a backslash", "\\"),
    ("a backslash at the end", "a\\"),
    ("a percent sign", "%"),
    ("an underscore", "_"),
    ("a backtick and a dollar", "`$1 ${2} ?1 :name @x"),
    ("statements", "'; DROP TABLE suite_values; --"),
    ("a comment", "/* */ -- #"),
    ("a null as a text", "null"),
    ("JSON", "{\"a\": [1, null]}"),
    ("line feeds and tabs", "a\r\n\tb\n"),
    ("control characters", "\u{1}\u{8}\u{1b}[0m\u{7f}"),
    ("a byte order mark", "\u{feff}a"),
    ("a direction override", "\u{202e}abc"),
    ("four bytes of UTF-8", "🦀𝄞"),
    ("the last character", "\u{10ffff}"),
    ("no characters", "\u{fffe}\u{ffff}"),
    ("a combining character", "e\u{301}"),
    ("the same, composed", "é"),
    ("a joined emoji", "👩\u{200d}👧"),
    ("sharp s and dotted I", "ßİı"),
];

pub(super) async fn run<S: Repository<Specimen>>(make_store: &impl AsyncFn() -> S, cases: &mut Cases) {
    let store = make_store().await;
    let table = Table::new(&store, values());
    let keyed = Table::new(&store, texts());
    for (id, (name, text)) in (1..).zip(TEXTS) {
        cases.run("texts", name, keeps(&table, id, text)).await;
    }
    for (name, text) in TEXTS {
        cases.run("texts as identifiers", name, identifies(&keyed, text)).await;
    }
    let long = "🦀".repeat(1 << 18);
    cases.run("texts", "1 MiB", keeps_long(&table, 1001, &long)).await;
    cases.run("texts", "1 MiB is found by its end", ends(&table, 1002)).await;
    cases.run("texts", "NUL is refused with its field", nul(&table, 1003, "a\0b")).await;
    cases.run("texts", "NUL alone is refused with its field", nul(&table, 1004, "\0")).await;
    cases.run("texts", "NUL in an identifier finds nothing", nul_identifier(&keyed)).await;
}

/// Checks that a text is kept, and found by itself alone.
async fn keeps<S: Repository<Specimen>>(table: &Table<'_, S>, id: i64, text: &str) -> Outcome {
    let specimen = Specimen { id, text: Some(text.to_owned()), ..labelled(text) };
    table.insert(specimen.clone()).await?;
    equal(table.get(id).await?.entity, specimen)?;
    equal(table.count(when("text", Eq(text.to_owned().into()))).await?, 1)?;
    equal(table.count(when("text", In(vec![text.to_owned().into()]))).await?, 1)?;
    let id = || when("id", Eq(id.into()));
    for search in [Contains, StartsWith, EndsWith] {
        equal(table.count(id().and(when("text", search(SearchText::new(text))))).await?, 1)?;
    }
    let longer = SearchText::new(format!("{text}x"));
    equal(table.count(id().and(when("text", Contains(longer)))).await?, 0)
}

async fn identifies<S: Repository<Specimen>>(table: &Table<'_, S>, text: &str) -> Outcome {
    let specimen = Specimen { code: text.to_owned(), ..labelled(text) };
    let inserted = table.insert(specimen.clone()).await?;
    equal(&table.get(text.to_owned()).await?, &inserted)?;
    equal(table.insert(specimen.clone()).await, Err(Failure::Conflict("code".to_owned())))?;
    let updated = table.update(specimen, Some(inserted.version)).await?;
    equal(table.get(text.to_owned()).await?.version, updated.version)?;
    table.delete(text.to_owned(), None).await?;
    equal(table.find(text.to_owned()).await?, None)
}

/// Searches in a long text take their time, so that this one is only compared.
async fn keeps_long<S: Repository<Specimen>>(table: &Table<'_, S>, id: i64, text: &str) -> Outcome {
    let specimen = Specimen { id, text: Some(text.to_owned()), ..labelled("long") };
    table.insert(specimen.clone()).await?;
    equal(table.get(id).await?.entity, specimen)?;
    equal(table.count(when("text", Eq(text.to_owned().into()))).await?, 1)
}

async fn ends<S: Repository<Specimen>>(table: &Table<'_, S>, id: i64) -> Outcome {
    let text = format!("{}END", "a".repeat(1 << 20));
    table.insert(Specimen { id, text: Some(text), ..labelled("long") }).await?;
    let filter = when("id", Eq(id.into())).and(when("text", EndsWith(SearchText::new("aend"))));
    equal(table.count(filter).await?, 1)
}

async fn nul<S: Repository<Specimen>>(table: &Table<'_, S>, id: i64, text: &str) -> Outcome {
    let specimen = Specimen { id, text: Some(text.to_owned()), ..labelled("nul") };
    equal(table.insert(specimen).await, Err(Failure::InvalidValue("text".to_owned())))?;
    equal(table.find(id).await?, None)?;
    equal(table.count(when("text", Eq(text.to_owned().into()))).await?, 0)
}

async fn nul_identifier<S: Repository<Specimen>>(table: &Table<'_, S>) -> Outcome {
    equal(table.find("a\0b").await?, None)?;
    equal(table.delete("a\0b", None).await, Err(Failure::NotFound))
}
