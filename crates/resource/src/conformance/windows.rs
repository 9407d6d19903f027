//! Windows on a list: offsets, and positions in both directions.

use restwright_list::{Comparison, Expression, Offset, Pagination, Position, Window};

use super::filters::specimens;
use super::specimen::values;
use super::table::{Table, when};
use super::{Cases, Outcome, Specimen, equal};
use crate::store::Repository;

/// The order, the offset, the limit; then the labels, and whether there are items before and after.
type Skipped = (&'static str, u64, u32, &'static str, bool, bool);

const OFFSETS: &[Skipped] = &[
    ("flag,-id", 0, 3, "8 1 7", false, true),
    ("flag,-id", 3, 3, "4 2 6", true, true),
    ("flag,-id", 6, 3, "5 3", true, false),
    ("flag,-id", 6, 2, "5 3", true, false),
    ("flag,-id", 0, 8, "8 1 7 4 2 6 5 3", false, false),
    ("flag,-id", 0, 7, "8 1 7 4 2 6 5", false, true),
    ("flag,-id", 8, 3, "", true, false),
    ("-text", 1, 1, "6", true, true),
    ("id", 1_000_000_000_000, 100, "", true, false),
];

/// The order, the label of the item at the position, the side, the limit; then as for offsets.
type Sought = (&'static str, i64, Side, u32, &'static str, bool, bool);

#[derive(Clone, Copy, Debug, PartialEq)]
enum Side {
    After,
    Before,
}
use Side::{After, Before};

const POSITIONS: &[Sought] = &[
    // 8 1 7 4 2 6 5 3
    ("flag,-id", 7, After, 2, "4 2", true, true),
    ("flag,-id", 1, After, 3, "7 4 2", true, true),
    ("flag,-id", 8, After, 2, "1 7", true, true),
    ("flag,-id", 6, After, 2, "5 3", true, false),
    ("flag,-id", 3, After, 2, "", true, false),
    ("flag,-id", 7, Before, 5, "8 1", false, true),
    ("flag,-id", 7, Before, 1, "1", true, true),
    ("flag,-id", 1, Before, 1, "8", false, true),
    ("flag,-id", 8, Before, 2, "", false, true),
    ("flag,-id", 3, Before, 3, "2 6 5", true, true),
    // 8 6 5 3 4 7 2 1
    ("-text", 2, After, 5, "1", true, false),
    ("-text", 1, After, 5, "", true, false),
    ("-text", 1, Before, 2, "7 2", true, true),
    ("-text", 6, Before, 3, "8", false, true),
    ("-text", 3, After, 2, "4 7", true, true),
    // 1 2 7 4 3 5 6 8
    ("text", 1, After, 1, "2", true, true),
    ("text", 1, Before, 1, "", false, true),
    ("text", 4, After, 3, "3 5 6", true, true),
    ("text", 8, Before, 2, "5 6", true, true),
    // 1 8 2 3 4 5 6 7
    ("integer", 4, After, 2, "5 6", true, true),
    ("integer", 5, Before, 2, "3 4", true, true),
    ("integer", 8, Before, 9, "1", false, true),
    ("integer", 7, After, 1, "", true, false),
    // 7 6 4 5 3 2 8 1
    ("-integer,id", 4, After, 2, "5 3", true, true),
    ("-integer,id", 5, Before, 2, "6 4", true, true),
    // 1 7 2 3 4 5 6 8
    ("number", 3, After, 2, "4 5", true, true),
    ("number", 3, Before, 2, "7 2", true, true),
    // 7 4 5 3 2 6 8 1
    ("-moment", 5, After, 2, "3 2", true, true),
    ("-moment", 3, Before, 2, "4 5", true, true),
    ("-date", 6, After, 9, "8 1", true, false),
    // 1 8 2 3 5 7 4 6
    ("uuid", 3, After, 2, "5 7", true, true),
    ("uuid", 8, Before, 2, "1", false, true),
];

pub(super) async fn run<S: Repository<Specimen>>(make_store: &impl AsyncFn() -> S, cases: &mut Cases) {
    let store = make_store().await;
    let table = Table::new(&store, values());
    cases.run("windows", "the entities are inserted", async { Ok(table.insert_all(specimens()).await?) }).await;
    for (order, offset, limit, items, has_previous, has_next) in OFFSETS {
        let name = format!("{limit} by {order} from {offset}");
        let window = Window::skip(*offset, *limit);
        cases.run("windows", &name, check(&table, order, window, items, *has_previous, *has_next)).await;
    }
    for (order, at, side, limit, items, has_previous, has_next) in POSITIONS {
        let name = format!("{limit} by {order} {side:?} {at}");
        let case = async {
            let position = Position::after(table.place(order, &table.get(*at).await?.entity)?);
            let position = if *side == Before { position.backward() } else { position };
            check(&table, order, Window::seek(Some(&position), *limit), items, *has_previous, *has_next).await
        };
        cases.run("windows", &name, case).await;
    }
    cases
        .run("windows", "the first by no position", check(&table, "-text", Window::seek(None, 2), "8 6", false, true))
        .await;
    cases.run("windows", "a filter and a position", filtered(&table)).await;
    cases.run("windows", "a window that is an offset of a request", by_offset(&table)).await;
}

async fn check<S: Repository<Specimen>>(
    table: &Table<'_, S>,
    order: &str,
    window: Window<'_>,
    items: &str,
    has_previous: bool,
    has_next: bool,
) -> Outcome {
    let listed = table.list(Expression::TRUE, order, &window).await?;
    let labels: Vec<_> = listed.items.iter().map(|item| item.entity.label.as_str()).collect();
    equal((labels.join(" ").as_str(), listed.has_previous(), listed.has_next()), (items, has_previous, has_next))
}

async fn filtered<S: Repository<Specimen>>(table: &Table<'_, S>) -> Outcome {
    let position = Position::after(table.place("number", &table.get(3).await?.entity)?);
    let filter = when("flag", Comparison::Eq(true.into()));
    let listed = table.list(filter.clone(), "number", &Window::seek(Some(&position), 1)).await?;
    equal(listed.items.iter().map(|item| item.entity.id).collect(), vec![5])?;
    equal((listed.has_next(), table.count(filter).await?), (true, 3))
}

async fn by_offset<S: Repository<Specimen>>(table: &Table<'_, S>) -> Outcome {
    let offset = Offset::new(6, 5).ok_or("no offset")?;
    let listed = table.list(Expression::TRUE, "id", &offset).await?;
    equal(listed.items.iter().map(|item| item.entity.id).collect(), vec![7, 8])?;
    equal(offset.window().offset(), 6)
}
